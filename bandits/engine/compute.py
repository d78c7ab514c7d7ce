"""One run in this process: its table, its policy, and the loop between them; or one task."""

import os
from collections.abc import Callable
from contextlib import ExitStack

from bandits.engine.signals import end_forks
from bandits.engine.task import Arrays, Task
from bandits.engine.threads import flushed_denormals, one_thread
from bandits.experiments import RunSpec, build_policy, environment
from bandits.mnist import Mnist
from bandits.predictors import State
from bandits.simulate import Trajectory, restore, simulate


def perform(task: Task, mnist: Mnist, run: Trajectory | None) -> Arrays:
    """Do one task in this process, on one thread, from the run that it needs, if any."""
    with one_thread(networks=task.networks):
        return task.compute(mnist, run)


def compute(
    spec: RunSpec,
    mnist: Mnist,
    *,
    device: str = "cpu",
    start: Callable[[], tuple[Trajectory, State | None] | None] = lambda: None,
    after_stage: Callable[[Trajectory, object], None] = lambda done, policy: None,
) -> Trajectory:
    """Compute one run in this process, on one thread.

    Args:
        spec: which run.
        mnist: the data.
        device: where networks are trained.
        start: gives the checkpoint to resume from, or None.
        after_stage: called after each training stage with the steps so far and the policy.
    """
    networks, born = spec.method.torch, os.getpid()

    def staged(done: Trajectory) -> None:
        end_forks(born)
        after_stage(done, policy)

    with ExitStack() as during:
        during.callback(end_forks, born)
        during.enter_context(one_thread(networks=networks))
        if networks:
            during.enter_context(flushed_denormals())
        rounds = environment(spec, mnist).rounds(spec.seed, spec.run, spec.steps)
        if rounds.arms != spec.arms:
            raise ValueError(
                f"the bandit's table has {rounds.arms} arms, and the experiment says arms = "
                f"{spec.arms}"
            )
        policy = build_policy(spec, rounds, device)
        checkpoint = start()
        past = None
        if checkpoint is not None:
            past, state = checkpoint
            restore(policy, rounds, past, spec.train_every, state)
        return simulate(
            policy,
            rounds,
            train_every=spec.train_every,
            keep_predictions=spec.keep_predictions,
            resume=past,
            after_stage=staged,
        )
