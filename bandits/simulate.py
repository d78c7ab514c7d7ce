"""The learning loop, and the trajectory it returns."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits.checks import whole
from bandits.environments import Rounds
from bandits.policies import Choice, Policy
from bandits.predictors import State

F = TypeVar("F", bound=np.floating)


@dataclass(frozen=True)
class Trajectory:
    """What happened at the steps t = 1..n of one run; every attribute has shape (n,).

    Attributes:
        actions: intp in 0..K−1, D_t (the paper counts arms from 1). NumPy counts and indexes by
            intp, which is int64 but where addresses have 32 bits, as in a browser.
        rewards: float32, R_t.
        means: float64, μ of the chosen arm at X_t.
        best_means: float64, max_j μ_j(X_t).
        explored: bool, the step took the uniformly random branch (what T_j^R counts).
        propensities: float32, the probability of the arm taken; NaN from a policy that tells none.
        predictions: float32, what was predicted of the arm taken, if that was asked for; NaN from a
            policy that predicts nothing.
    """

    actions: NDArray[np.intp]
    rewards: NDArray[np.float32]
    means: NDArray[np.float64]
    best_means: NDArray[np.float64]
    explored: NDArray[np.bool_]
    propensities: NDArray[np.float32]
    predictions: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.actions)

    def __getitem__(self, block: slice) -> "Trajectory":
        return Trajectory(**{name: values[block] for name, values in self.arrays().items()})

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The attributes that there are, by name."""
        every = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: values for name, values in every.items() if values is not None}

    @property
    def t(self) -> NDArray[np.int64]:
        """The time steps 1..n."""
        return np.arange(1, len(self) + 1)

    @property
    def normalized_reward(self) -> NDArray[np.float64]:
        """Cumulative reward divided by the time step (Figs 2 and 3)."""
        return np.cumsum(self.rewards, dtype=np.float64) / self.t

    @property
    def regret(self) -> NDArray[np.float64]:
        """max_j μ_j(X_t) − μ_{D_t}(X_t) ≥ 0 at each step; the noise plays no part."""
        return self.best_means - self.means

    @property
    def normalized_regret(self) -> NDArray[np.float64]:
        """Cumulative regret divided by the time step (Fig. 1)."""
        return np.cumsum(self.regret) / self.t


def blocks(steps: int, train_every: int, start: int = 0) -> Iterator[slice]:
    """Slices of steps that end at the training stages t = train_every, 2 train_every, …"""
    for begin in range(start, steps, train_every):
        yield slice(begin, min(begin + train_every, steps))


def simulate(
    policy: Policy,
    rounds: Rounds,
    *,
    train_every: int = 20,
    keep_predictions: bool = False,
    resume: Trajectory | None = None,
    after_stage: Callable[[Trajectory], None] | None = None,
) -> Trajectory:
    """Play one run: choose, receive the chosen arm's reward, and train at the stages.

    Between two stages the policy is frozen, so a block of steps is decided at once.

    Args:
        policy: chooses and learns; with `resume`, it must have been restored to that point.
        rounds: the run's table.
        train_every: steps between training stages; 1 is the paper's Algorithm 1 to the letter,
            20 what its experiments use.
        keep_predictions: whether the trajectory holds what was predicted of each arm taken.
        resume: the finished steps of an interrupted run, a multiple of train_every of them.
        after_stage: called after each stage with the trajectory so far.

    Returns:
        The trajectory of all rounds.steps steps.

    Raises:
        ValueError: if train_every < 1; if a context, reward, mean or score is not finite, or an
            array of them not of the stated shape, by name and time step; if what the policy chose
            is no arm, or its propensity no probability; if the steps to resume from are too many,
            or end between two stages.
    """
    train_every = whole("train_every", train_every, 1)
    done, record = _allocate(rounds.steps, resume, train_every, keep_predictions)
    for block in blocks(rounds.steps, train_every, start=done):
        t = np.arange(block.start + 1, block.stop + 1)
        means = _finite(rounds.means[block], "mean reward", t, (rounds.arms,))
        contexts = _finite(_single(rounds.contexts(block)), "context", t, (rounds.context_size,))
        with _naming(t):
            choice = policy.choose(contexts.copy(), t, rounds.draws[block])  # it may write on them
        _check_choice(choice, t, rounds.arms)
        rewards = _finite(_single(rounds.rewards(block, choice.actions)), "reward", t, ())
        _write(record, block, choice, rewards, means)
        stage = block.stop % train_every == 0
        with _naming(t):
            policy.record(contexts, choice, rewards)
            if stage:
                policy.train()
        if stage and after_stage is not None:
            after_stage(record[: block.stop])
    return record


@contextmanager
def _naming(t: NDArray[np.int64]) -> Iterator[None]:
    """Note on what a policy raises at which steps it was."""
    try:
        yield
    except Exception as error:
        error.add_note(f"at the steps t = {t[0]} to {t[-1]}")
        raise


def restore(
    policy: Policy, rounds: Rounds, past: Trajectory, train_every: int, state: State | None
) -> None:
    """Bring a fresh policy to where `past` ended, by showing it the same history again.

    With a saved state the policy only records; without one it also trains at every stage, which
    gives the same policy wherever training is a function of the history alone.
    """
    for block in blocks(len(past), train_every):
        choice = Choice(past.actions[block], past.propensities[block], past.explored[block])
        policy.record(rounds.contexts(block), choice, past.rewards[block])
        if state is None:
            policy.train()
    if state is not None:
        policy.load_state(state)  # type: ignore[attr-defined]


def _allocate(
    steps: int, resume: Trajectory | None, train_every: int, keep_predictions: bool
) -> tuple[int, Trajectory]:
    done = 0 if resume is None else len(resume)
    if done > steps or (done < steps and done % train_every):
        raise ValueError(
            f"a run of {steps} steps with train_every = {train_every} goes on from a multiple of "
            f"{train_every} up to {steps}, not from {done} steps"
        )
    record = Trajectory(
        actions=np.zeros(steps, np.intp),
        rewards=np.zeros(steps, np.float32),
        means=np.zeros(steps),
        best_means=np.zeros(steps),
        explored=np.zeros(steps, np.bool_),
        propensities=np.zeros(steps, np.float32),
        predictions=np.full(steps, np.nan, np.float32) if keep_predictions else None,
    )
    if resume is not None:
        for name, values in record.arrays().items():
            values[:done] = getattr(resume, name)
    return done, record


def _write(
    record: Trajectory,
    block: slice,
    choice: Choice,
    rewards: NDArray[np.float32],
    means: NDArray[np.float64],
) -> None:
    record.actions[block] = choice.actions
    record.rewards[block] = rewards
    record.means[block] = means[np.arange(len(means)), choice.actions]
    record.best_means[block] = means.max(axis=1)
    record.explored[block] = choice.explored
    record.propensities[block] = np.nan if choice.propensities is None else choice.propensities
    if record.predictions is not None and choice.predictions is not None:
        record.predictions[block] = choice.predictions


def _check_choice(choice: Choice, t: NDArray[np.int64], arms: int) -> None:
    if not isinstance(choice, Choice):
        raise ValueError(f"a policy must return a Choice, and at t = {t[0]} returned {choice!r}")
    actions, explored = np.asarray(choice.actions), np.asarray(choice.explored)
    if actions.shape != t.shape or actions.dtype.kind not in "ui":
        raise ValueError(
            f"the actions from t = {t[0]} on must be {t.shape} whole numbers, "
            f"not {actions.shape} of {actions.dtype}"
        )
    bad = (actions < 0) | (actions >= arms)  # −1 would silently mean the last arm
    if bad.any():
        raise ValueError(
            f"the action at t = {t[bad][0]} is {actions[bad][0]}; it must be 0 to {arms - 1}"
        )
    if explored.shape != t.shape or explored.dtype != np.bool_:
        raise ValueError(
            f"explored from t = {t[0]} on must be {t.shape} of bool, "
            f"not {explored.shape} of {explored.dtype}"
        )
    if choice.propensities is None:
        return
    given = _finite(np.asarray(choice.propensities, np.float64), "propensity", t, ())
    bad = (given <= 0) | (given > 1)
    if bad.any():
        raise ValueError(
            f"the propensity at t = {t[bad][0]} is {given[bad][0]}; it must be in (0, 1]"
        )


def _single(values: ArrayLike) -> NDArray[np.float32]:
    """float32, as everything that learns expects; what overflows is refused as infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(values, dtype=np.float32, order="C")


def _finite(
    values: NDArray[F], what: str, t: NDArray[np.int64], shape: tuple[int, ...]
) -> NDArray[F]:
    # A hidden (n, 1) would broadcast against (n,) unseen.
    if values.shape != t.shape + shape:
        raise ValueError(
            f"the {what}s from t = {t[0]} on have shape {values.shape}; "
            f"it must be {t.shape + shape}"
        )
    bad = ~np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if bad.any():
        where = values[bad][0].ravel()
        value = where[~np.isfinite(where)][0]
        raise ValueError(f"the {what} at t = {t[bad][0]} is {value}; every {what} must be finite")
    return values
