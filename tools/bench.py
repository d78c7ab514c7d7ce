"""Timings of the engine, as ratios within one run: `make bench`, with nothing else running.

Prints one JSON object. Ratios are of medians of interleaved repetitions, so that a machine whose
speed drifts slows both sides alike. Where two sides must agree in their results, a disagreement
ends the benchmark with status 1 instead of a ratio.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from bandits import mnist as data
from bandits.engine.compute import compute
from bandits.engine.jobs import jobs
from bandits.engine.runs import complete
from bandits.engine.store import Store
from bandits.engine.threads import flushed_denormals, one_thread
from bandits.experiments import (
    DEEP,
    DEEP_ARCHITECTURE,
    LINEAR,
    LINUCB,
    TUNING_SEED,
    Experiment,
    Method,
    RunSpec,
    Scale,
    bounded,
    build_policy,
    environment,
)
from bandits.linear import memory_needed
from bandits.networks import Network, Networks
from bandits.policies import Choice, LinUCB
from bandits.results.bounded_training import passes_of_a_stage
from bandits.simulate import blocks, simulate

SAMPLE_PASSES = 0.4  # 16 epochs on t samples every 20 steps: Σ 16 t ≈ 0.4 T²


class Disagreement(Exception):
    """Two sides of a comparison gave different results."""


def timed(work: Callable[[], Any]) -> float:
    """Wall-clock seconds of one call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def ratio(slow: Callable[[], Any], fast: Callable[[], Any], repeats: int) -> dict[str, float]:
    """Median seconds of both, taken in turn, and the median of the pairwise ratios."""
    pairs = [(timed(slow), timed(fast)) for _ in range(repeats)]
    return {
        "seconds_a": statistics.median(a for a, _ in pairs),
        "seconds_b": statistics.median(b for _, b in pairs),
        "ratio": statistics.median(a / b for a, b in pairs),
    }


# ── Deep training ───────────────────────────────────────────────────────────────────────────────


class PlainNetwork(nn.Module):
    """The same network as a textbook would write it: channels first, ReLU before pooling."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(4, 8, 3)
        self.second = nn.Conv2d(8, 16, 3)
        self.third = nn.Conv2d(16, 32, 3, padding=1)
        self.hidden = nn.Linear(256, 100)
        self.output = nn.Linear(100, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Contexts (n, 3920) -> predicted rewards (n, 1)."""
        x = torch.cat([image.view(-1, 1, 28, 28) for image in torch.split(x, 784, dim=1)], dim=3)
        x = F.pixel_unshuffle(x, 2)
        x = F.max_pool2d(F.relu(self.first(x)), 2)
        x = F.max_pool2d(F.relu(self.second(x)), 2)
        x = F.max_pool2d(F.relu(self.third(x)), 2)
        x = F.relu(self.hidden(x.flatten(1)))
        return self.output(x)  # type: ignore[no-any-return]


def plain_run(spec: RunSpec, mnist: data.Mnist) -> None:
    """Algorithm 1 step by step with a DataLoader, one network per arm, training every 20 steps."""
    rounds = environment(spec, mnist).rounds(spec.seed, spec.run, spec.steps)
    contexts = torch.from_numpy(rounds.contexts(slice(None)))
    networks = [PlainNetwork() for _ in range(rounds.arms)]
    optimizers = [torch.optim.Adam(n.parameters(), lr=1e-3) for n in networks]
    seen: list[list[int]] = [[] for _ in networks]
    rewards = torch.zeros(spec.steps, 1)
    for t in range(1, spec.steps + 1):
        with torch.no_grad():
            scores = [float(n(contexts[t - 1 : t])) for n in networks]
        explore = rounds.draws.eta[t - 1] <= 1 / t
        action = int(rounds.draws.rho[t - 1]) if explore else int(np.argmax(scores))
        seen[action].append(t - 1)
        rewards[t - 1] = float(rounds.rewards(slice(t - 1, t), np.array([action]))[0])
        if t % spec.train_every:
            continue
        for network, optimizer, rows in zip(networks, optimizers, seen, strict=True):
            if not rows:
                continue
            batches = DataLoader(
                TensorDataset(contexts[rows], rewards[rows]), batch_size=32, shuffle=True
            )
            for _ in range(16):
                for x, y in batches:
                    optimizer.zero_grad()
                    F.mse_loss(network(x), y).backward()  # type: ignore[no-untyped-call]
                    optimizer.step()


def same_networks(mnist: data.Mnist, steps: int = 50) -> None:
    """Give both networks the same weights and one optimiser step on real contexts.

    Raises:
        Disagreement: if their rewards then differ by more than float32 rounding.
    """
    ours = Network(DEEP_ARCHITECTURE, 3920, generator=torch.Generator().manual_seed(0))
    plain = PlainNetwork()
    weights = ours.state_dict()
    for name, number in (("first", 0), ("second", 1), ("third", 2)):
        for kind in ("weight", "bias"):
            weights[f"{name}.{kind}"] = weights.pop(f"convolutions.{number}.{kind}").contiguous()
    # Ours flattens (height, width, channels), a textbook (channels, height, width).
    hidden = weights["hidden.weight"].view(100, 1, 8, 32)
    weights["hidden.weight"] = hidden.permute(0, 3, 1, 2).reshape(100, 256)
    plain.load_state_dict(weights)
    rounds = environment(RunSpec(DEEP, 0, steps, seed=TUNING_SEED), mnist).rounds(
        TUNING_SEED, 0, steps
    )
    contexts = torch.from_numpy(rounds.contexts(slice(None)))
    rewards = torch.arange(steps) % 10.0

    def after_a_step(network: nn.Module, x: torch.Tensor) -> torch.Tensor:
        optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
        F.mse_loss(network(x).flatten(), rewards).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return network(x).flatten().detach()  # type: ignore[no-any-return]

    theirs, mine = after_a_step(plain, contexts), after_a_step(ours, ours.arrange(contexts))
    if not torch.allclose(mine, theirs, atol=1e-4):
        worst = float((mine - theirs).abs().max())
        raise Disagreement(f"the plain network's rewards differ from ours by up to {worst:.2g}")


def deep_training(mnist: data.Mnist, steps: int, repeats: int) -> dict[str, Any]:
    """Whole runs of Deep with all cores busy, against the plain transcription with its defaults.

    Raises:
        Disagreement: if the two networks differ, or a run of ours fails.
    """
    same_networks(mnist)
    cores = len(os.sched_getaffinity(0))
    study = Experiment("bench", "", (DEEP,), Scale(steps, cores), seed=TUNING_SEED)
    specs = study.specs(Scale(steps, cores))

    def plain() -> None:
        torch.set_num_threads(cores)
        for spec in specs:
            plain_run(spec, mnist)

    def ours(workers: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder), mnist.digest)
            failures = complete(
                jobs(study, Scale(steps, cores)), mnist, store, workers=workers, progress=False
            )
            if failures:
                raise Disagreement(failures[0])

    turns = [
        (timed(plain), timed(lambda: ours(1)), timed(lambda: ours(cores))) for _ in range(repeats)
    ]
    passes = cores * SAMPLE_PASSES * steps**2
    return {
        "steps": steps,
        "runs": cores,
        "plain_sample_passes_per_second": passes / statistics.median(a for a, _, _ in turns),
        "ours_sample_passes_per_second": passes / statistics.median(c for _, _, c in turns),
        "times_faster": statistics.median(a / c for a, _, c in turns),
        "workers_against_one": statistics.median(b / c for _, b, c in turns),
    }


def training_efficiency(mnist: data.Mnist, steps: int) -> dict[str, float]:
    """One run on one core: arithmetic against a matrix product, and what is not training."""
    spec = RunSpec(DEEP, 0, steps, seed=TUNING_SEED)
    spent = {"training": 0.0}

    class Timed(Networks):
        def _train(self, *arguments: Any) -> None:
            began = time.perf_counter()
            super()._train(*arguments)
            spent["training"] += time.perf_counter() - began

    def whole() -> None:
        with one_thread():
            rounds = environment(spec, mnist).rounds(spec.seed, spec.run, spec.steps)
            policy = build_policy(spec, rounds)
            policy.predictor.__class__ = Timed  # type: ignore[attr-defined]
            simulate(policy, rounds)

    compute(RunSpec(DEEP, 0, 40, seed=TUNING_SEED), mnist)  # first calls
    total = timed(whole)
    with one_thread():
        step = _step_times()
        a = torch.rand(1024, 1024)
        product = min(timed(lambda: a @ a) for _ in range(20))
    return {
        "outside_training_share": 1 - spent["training"] / total,
        "outside_forward_backward_optimizer_in_a_step": step["outside"],
        "gigaflops": step["gigaflops"],
        "gigaflops_of_a_product": 2 * 1024**3 / product / 1e9,
        "share_of_a_product": step["gigaflops"] / (2 * 1024**3 / product / 1e9),
        "microseconds_per_sample_pass": step["microseconds"],
    }


def _step_times(batch: int = 32, repeats: int = 200) -> dict[str, float]:
    """The fastest of many optimiser steps: quiet-machine speed, even on one that is not quiet."""
    from torch.utils.flop_counter import FlopCounterMode

    generator = torch.Generator().manual_seed(0)
    network = Network(DEEP_ARCHITECTURE, 3920, generator=generator)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, fused=True)
    inputs = network.arrange(torch.rand(2000, 3920, generator=generator))
    rewards = torch.rand(2000, generator=generator)
    rows = torch.randperm(2000, generator=generator)[:batch]
    with FlopCounterMode(display=False) as counter:
        F.mse_loss(network(inputs[rows]), rewards[rows]).backward()  # type: ignore[no-untyped-call]
    whole, inside = [], []
    for _ in range(repeats):
        began = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        x, y = inputs[rows], rewards[rows]
        gathered = time.perf_counter()
        F.mse_loss(network(x), y).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        ended = time.perf_counter()
        whole.append(ended - began)
        inside.append(ended - gathered)
    quick = statistics.quantiles(whole, n=20)[0]
    return {
        "microseconds": quick / batch * 1e6,
        "outside": 1 - statistics.quantiles(inside, n=20)[0] / quick,
        "gigaflops": counter.get_total_flops() / quick / 1e9,
    }


# ── The linear policies ─────────────────────────────────────────────────────────────────────────


def linear_policies(mnist: data.Mnist, steps: int, repeats: int) -> dict[str, Any]:
    """Whole runs of LinUCB and Linear against one product X Xᵀ of their contexts."""
    contexts = environment(RunSpec(LINUCB, 0, steps, seed=TUNING_SEED), mnist)
    x = contexts.rounds(TUNING_SEED, 0, steps).contexts(slice(None)).astype(np.float64)
    result: dict[str, Any] = {"steps": steps, "context_size": x.shape[1]}
    for method in (LINUCB, LINEAR):
        spec = RunSpec(method, 0, steps, seed=TUNING_SEED)
        with one_thread():
            pair = ratio(lambda s=spec: compute(s, mnist), lambda: x @ x.T, repeats)  # type: ignore[misc]
        result[method.name] = {"seconds": pair["seconds_a"], "products": pair["ratio"]}
    result["memory_bytes"] = memory_needed(steps, x.shape[1], 5)
    return result


def against_contextualbandits(mnist: data.Mnist, steps: int = 300) -> dict[str, Any]:
    """Per step against contextualbandits' LinUCB, both fed one fixed history.

    Raises:
        Disagreement: if a score differs by more than one part in 10⁷, or the arms differ where our
            best two scores are more than 1e-9 apart.
    """
    try:
        from contextualbandits.online import LinUCB as Theirs
    except ImportError:
        return {"skipped": "contextualbandits is not installed: pip install '.[bench]'"}
    rounds = environment(RunSpec(LINUCB, 0, steps + 20, seed=TUNING_SEED), mnist).rounds(
        TUNING_SEED, 0, steps + 20
    )
    contexts = rounds.contexts(slice(None))
    x = contexts.astype(np.float64)
    actions = np.random.default_rng(TUNING_SEED).integers(0, 5, steps)
    rewards = rounds.rewards(slice(0, steps), actions).astype(np.float64)
    ours = LinUCB(x.shape[1], 5)
    theirs = Theirs(
        5, alpha=1.0, lambda_=1.0, fit_intercept=False, use_float=False, method="sm",
        beta_prior=None, ucb_from_empty=True, random_state=1, njobs=1,
    )  # fmt: skip

    def our_steps() -> None:
        for first in range(0, steps, 20):
            block = slice(first, first + 20)
            ours.model.update(contexts[block], actions[block], rewards[block])
            ours.scores(contexts[first + 20 : first + 40])

    def their_steps() -> None:
        for first in range(0, steps, 20):
            block = slice(first, first + 20)
            theirs.partial_fit(x[block], actions[block], rewards[block])
            theirs.predict(x[first + 20 : first + 40])

    with one_thread():
        seconds = timed(our_steps), timed(their_steps)
        scores = ours.scores(contexts[steps:])
        their_scores = np.asarray(theirs.decision_function(x[steps:]))
        chosen = np.asarray(theirs.predict(x[steps:])).ravel()
    apart = float(np.max(np.abs(scores / their_scores - 1)))
    if not apart < 1e-7:
        raise Disagreement(f"LinUCB's scores differ from contextualbandits' by {apart:.1g} of them")
    best = np.sort(scores, axis=1)
    clear = best[:, -1] - best[:, -2] > 1e-9
    if np.any(scores.argmax(axis=1)[clear] != chosen[clear]):
        raise Disagreement("LinUCB's arms differ from those of contextualbandits")
    return {
        "steps": steps,
        "ours_seconds_per_step": seconds[0] / steps,
        "theirs_seconds_per_step": seconds[1] / steps,
        "times_faster": seconds[1] / seconds[0],
        "largest_relative_difference_of_scores": apart,
        "arms_compared": int(clear.sum()),
    }


def bounded_stage(mnist: data.Mnist, stages: int = 6) -> dict[str, Any]:
    """A step of Deep with stages of bounded cost, after 1,000, 10,000 and 100,000 steps.

    What came before is made up: arms drawn uniformly, so that all five networks train. A step is
    whole: the table's contexts, the decision, recording and a twentieth of a stage.
    """
    method, result = bounded(DEEP), {}
    compute(RunSpec(method, 0, 40, seed=TUNING_SEED), mnist)  # first calls
    for steps in (1000, 10_000, 100_000):
        spec = RunSpec(method, 0, steps + 20 * stages, seed=TUNING_SEED)
        rounds = environment(spec, mnist).rounds(spec.seed, spec.run, spec.steps)
        policy = build_policy(spec, rounds)
        arms = np.random.default_rng(TUNING_SEED).integers(0, rounds.arms, spec.steps)
        for block in blocks(steps, 1000):
            n = block.stop - block.start
            made_up = Choice(arms[block], np.full(n, 0.2), np.ones(n, bool))
            policy.record(rounds.contexts(block), made_up, rounds.rewards(block, arms[block]))
        seconds = []
        with one_thread(), flushed_denormals():
            for block in blocks(spec.steps, 20, start=steps):
                began = time.perf_counter()
                x = rounds.contexts(block)
                t = np.arange(block.start, block.stop) + 1
                choice = policy.choose(x, t, rounds.draws[block])
                policy.record(x, choice, rounds.rewards(block, choice.actions))
                policy.train()
                seconds.append(time.perf_counter() - began)
        result[f"{steps}"] = {
            "sample_passes_per_step": passes_of_a_stage(method, rounds.arms * [steps // 5]) / 20,
            "seconds_per_step": min(seconds) / 20,
        }
    costs = [row["seconds_per_step"] for row in result.values()]
    return result | {"largest_over_smallest": max(costs) / min(costs)}


def growth(mnist: data.Mnist) -> dict[str, Any]:
    """Fitted exponents of the cost of a run as T grows, and as K grows."""
    arms = (2, 4, 8)

    def seconds(method: Method, steps: int, k: int) -> float:
        return timed(lambda: compute(RunSpec(method, 0, steps, seed=TUNING_SEED, arms=k), mnist))

    result: dict[str, Any] = {"arms": arms}
    for method, horizons in (
        (DEEP, (200, 400, 800)),
        (LINUCB, (1000, 2000, 4000)),
        (LINEAR, (1000, 2000, 4000)),
    ):
        seconds(method, 40, 5)  # first calls
        t = [seconds(method, steps, 5) for steps in horizons]
        k = [seconds(method, horizons[1], count) for count in arms]
        result[method.name] = {
            "horizons": horizons,
            "exponent_in_T": float(np.polyfit(np.log(horizons), np.log(t), 1)[0]),
            "exponent_in_K": float(np.polyfit(np.log(arms), np.log(k), 1)[0]),
        }
    return result


def cuda(mnist: data.Mnist, steps: int) -> dict[str, Any]:
    """The same run on a GPU, where there is one."""
    if not torch.cuda.is_available():
        return {"skipped": "no GPU here; not measured"}
    spec = RunSpec(DEEP, 0, steps, seed=TUNING_SEED)
    compute(RunSpec(DEEP, 0, 40, seed=TUNING_SEED), mnist, device="cuda")
    seconds = timed(lambda: compute(spec, mnist, device="cuda"))
    return {"device": torch.cuda.get_device_name(), "steps": steps, "seconds": seconds}


def main() -> int:
    """Run the parts asked for and print their numbers."""
    parts: dict[str, Callable[[data.Mnist, argparse.Namespace], dict[str, Any]]] = {
        "deep": lambda m, o: deep_training(m, o.deep_steps, o.repeats),
        "efficiency": lambda m, o: training_efficiency(m, o.deep_steps),
        "linear": lambda m, o: linear_policies(m, o.linear_steps, o.repeats),
        "contextualbandits": lambda m, o: against_contextualbandits(m),
        "bounded": lambda m, o: bounded_stage(m),
        "growth": lambda m, o: growth(m),
        "cuda": lambda m, o: cuda(m, o.deep_steps),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    parser.add_argument("--deep-steps", type=int, default=600)
    parser.add_argument("--linear-steps", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in parts]
    if unknown:
        parser.error(f"a part is one of {', '.join(parts)}, not {unknown[0]}")
    mnist = data.load()
    report: dict[str, Any] = {
        "machine": {
            "cores": len(os.sched_getaffinity(0)),
            "load": os.getloadavg()[0],
            "torch": torch.__version__,
            "numpy": np.__version__,
        },
        "data": mnist.description,
    }
    for part in options.parts or parts:
        print(f"{part} …", file=sys.stderr, flush=True)
        # A process of its own, so that no part's threads or memory reach the next.
        if options.parts == [part]:
            try:
                report[part] = parts[part](mnist, options)
            except Disagreement as error:
                print(f"bench: {error}", file=sys.stderr)
                return 1
        else:
            words = [sys.executable, __file__, part, *_repeat_options(options)]
            done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                return done.returncode
            report[part] = json.loads(done.stdout)[part]
    print(json.dumps(report, indent=1))
    return 0


def _repeat_options(options: argparse.Namespace) -> list[str]:
    return [
        f"--deep-steps={options.deep_steps}",
        f"--linear-steps={options.linear_steps}",
        f"--repeats={options.repeats}",
    ]


if __name__ == "__main__":
    sys.exit(main())
