"""Record what the book's replay shows of committed runs: the states, and every arm's prediction.

A committed run holds what was chosen and earned, not what was predicted of the other arms. So
the run is computed again, and its decisions have to be those of the committed run at every step;
where they are not (another CPU may round otherwise), it is not recorded. The methods of a run meet
the same states and random numbers, so these are kept once. The committed recording was made by

    python tools/record_replay.py --mnist FOLDER

which takes some twenty minutes of one core and gives in figures/replay/ one .npz for each method,
one for what they all met, and four pictures of the images. A method that is there is kept.
"""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bandits import mnist as data
from bandits.architecture import SIDE
from bandits.engine import cpu
from bandits.engine.npz import write_arrays
from bandits.engine.store import Store, versions
from bandits.engine.threads import flushed_denormals, one_thread
from bandits.environments import Draws, Rounds
from bandits.experiments import RunSpec, build_policy, environment, experiment
from bandits.mnist import Mnist
from bandits.policies import Choice, EpsilonGreedy, LinUCB, Policy
from bandits.simulate import simulate

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "figures"
METHODS = ("deep", "simple", "linucb", "linear")
GREYS = 16
SHEETS = 4
COLUMNS = 10
"""States side by side in a sheet."""


class OtherDecisions(Exception):
    """The run, computed again, decides differently from the committed one."""


@dataclass
class Listening:
    """A policy that notes the scores of all arms before each choice of the policy within."""

    policy: Policy
    wanted: NDArray[np.int64]
    scores: list[NDArray[np.floating]]

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """What the policy within chooses; raises OtherDecisions at the first step that differs."""
        self.scores.append(scores_of(self.policy, contexts))
        choice = self.policy.choose(contexts, t, draws)
        other = choice.actions != self.wanted[t - 1]
        if other.any():
            raise OtherDecisions(f"it decides otherwise at t = {t[other][0]}")
        return choice

    def record(
        self, contexts: NDArray[np.float32], choice: Choice, rewards: NDArray[np.float32]
    ) -> None:
        """As the policy within."""
        self.policy.record(contexts, choice, rewards)

    def train(self) -> None:
        """As the policy within."""
        self.policy.train()


def scores_of(policy: Policy, contexts: NDArray[np.float32]) -> NDArray[np.floating]:
    """What a policy compares the arms by, contexts (n, m) -> (n, K).

    Raises:
        TypeError: for a policy that does not compare arms.
    """
    if isinstance(policy, LinUCB):
        return policy.scores(contexts)
    if isinstance(policy, EpsilonGreedy):
        return np.asarray(policy.predictor.predict(contexts))
    raise TypeError(f"{type(policy).__name__} compares no predictions")


def predictions(spec: RunSpec, mnist: Mnist, wanted: NDArray[np.int64]) -> NDArray[np.float32]:
    """The scores of all arms at each step of a run, (T, K) float32, which led to `wanted` (T,).

    Raises:
        OtherDecisions: naming the first step where the run computed here decides otherwise.
    """
    import bandits.networks  # noqa: F401  (torch must be loaded for its threads to be limited)

    with one_thread(), flushed_denormals():
        rounds = environment(spec, mnist).rounds(spec.seed, spec.run, spec.steps)
        listening = Listening(build_policy(spec, rounds), wanted, [])
        simulate(listening, rounds, train_every=spec.train_every)
    return np.concatenate(listening.scores).astype(np.float32)


def sheet(rounds: Rounds, part: slice) -> Image.Image:
    """The images of a part of the steps in 16 greys, ink white, COLUMNS states of K in a row."""
    arms = rounds.arms
    pixels = np.rint(rounds.contexts(part) * (GREYS - 1)).astype(np.uint8)
    rows = -(-len(pixels) // COLUMNS)
    padded = np.zeros((rows * COLUMNS, arms * SIDE**2), np.uint8)
    padded[: len(pixels)] = pixels
    tiles = padded.reshape(rows, COLUMNS * arms, SIDE, SIDE).transpose(0, 2, 1, 3)
    picture = Image.fromarray(tiles.reshape(rows * SIDE, COLUMNS * arms * SIDE)).convert("P")
    picture.putpalette([grey * 255 // (GREYS - 1) for grey in range(GREYS) for _ in range(3)])
    return picture


def record(spec: RunSpec, mnist: Mnist, runs: Path, path: Path) -> None:
    """Write the scores of all arms at each step of a committed run to `path`, (T, K) float32.

    Raises:
        FileNotFoundError: where there is no such run in the folder `runs`.
        OtherDecisions: as `predictions`.
    """
    committed = Store(runs, mnist.digest).path(spec)
    if not committed.exists():
        raise FileNotFoundError(f"{runs} has no {committed.name}, on {mnist.description}")
    wanted = Store(runs, mnist.digest).load(spec).actions
    arrays = {"predictions": predictions(spec, mnist, wanted)}
    about = {"run": committed.name, "versions": versions(), "cpu": cpu.features(torch=True)}
    write_arrays(path, arrays, about)


def record_states(spec: RunSpec, mnist: Mnist, path: Path) -> None:
    """Write what all methods of a run met: digits and random numbers to `path`, images beside it.

    `digits` (T, K) uint8 and `eta` (T,) float64; the names of the sheets are in the description.
    """
    rounds = environment(spec, mnist).rounds(spec.seed, spec.run, spec.steps)
    each = -(-spec.steps // SHEETS)
    sums = {}
    for number in range(SHEETS):
        picture = path.with_name(f"{path.stem}-{number + 1}.png")
        part = slice(number * each, min((number + 1) * each, spec.steps))
        sheet(rounds, part).save(picture, optimize=True, bits=4)
        sums[picture.name] = hashlib.sha256(picture.read_bytes()).hexdigest()
    about = {
        "data": {"description": mnist.description, "digest": mnist.digest},
        "sheets": sums,
        "steps_per_sheet": each,
        "columns": COLUMNS,
        "seed": spec.seed,
        "versions": versions(),
    }
    arrays: dict[str, NDArray[Any]] = {
        "digits": rounds.means.astype(np.uint8),
        "eta": rounds.draws.eta,
    }
    write_arrays(path, arrays, about)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns 1 where a run cannot be recorded."""
    parser = argparse.ArgumentParser(prog="record_replay", description=__doc__.split("\n\n")[0])
    parser.add_argument("experiment", nargs="?", default="low_noise")
    parser.add_argument("--run", type=int, default=0, help="which run, from 0")
    parser.add_argument("--methods", default=",".join(METHODS), help="separated by commas")
    parser.add_argument("--steps", type=int, default=2000, help="T of the committed runs")
    parser.add_argument("--mnist", help="folder with MNIST, or `sample`")
    parser.add_argument("--runs", type=Path, default=FIGURES / "runs", help="the committed runs")
    parser.add_argument("--out", type=Path, default=FIGURES / "replay")
    options = parser.parse_args(arguments)
    shown, mnist = experiment(options.experiment), data.load(options.mnist)
    options.out.mkdir(parents=True, exist_ok=True)
    stem = f"{options.experiment}-run{options.run:02d}"
    try:
        for method in shown.select(options.methods.split(",")).methods:
            spec = shown.spec(method, options.run, options.steps)
            path = options.out / f"{stem}-{method.name}.npz"
            if not path.exists():
                record(spec, mnist, options.runs, path)
            print(path, flush=True)
        record_states(spec, mnist, options.out / f"{stem}.npz")
    except (OtherDecisions, FileNotFoundError, ValueError) as error:
        print(f"record_replay: {method.name} was not recorded: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
