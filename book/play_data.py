"""What the moving pages show, written from committed data when the book is made.

Numbers go into scripts that set `Play.data[…]`, so that a page read from a disk finds them, too.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from bandits import mnist
from bandits.architecture import SIDE
from bandits.environments import MnistBandit, Rounds
from bandits.experiments import EXPERIMENTS
from bandits.results.data import Data
from bandits.results.plots import PALETTE, new_figure
from bandits.results.saved import load_data, load_runs
from bandits.results.statistics import mean_interval
from bandits.theory import lemma_bound, random_pull_pmf

ARMS = 5
SHUFFLE_SEED = 1
DENSE = 40
"""So many points of a curve are kept at its start, then every second one."""


def write(figures: Path, source: Path) -> None:
    """Write the data of every moving page and the pictures that stand for them into `source`."""
    play = source / "_static" / "play"
    pages = source / "play"
    for folder in (play / "data", pages):
        folder.mkdir(parents=True, exist_ok=True)
    _write_figures(figures, play)
    rounds = ten_rounds()
    script(play, "ten", ten(rounds))
    for name, shuffled in (("ten", False), ("ten-shuffled", True)):
        ten_sheet(rounds, shuffled=shuffled).save(play / "data" / f"{name}.png", optimize=True)
    law_picture().savefig(pages / "law.png", dpi=160)
    ten_picture(rounds).savefig(pages / "ten.png", dpi=160)


def script(play: Path, name: str, content: Any) -> None:
    """Write a file of data that the page reads as `Play.data[name]`."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    path = play / "data" / f"{name}.js"
    path.write_text(f"Play.data[{json.dumps(name)}] = {text};\n", encoding="utf-8")


def digits(values: NDArray[Any]) -> str:
    """Numbers from 0 to 9 as one word."""
    return "".join(str(int(value)) for value in values.ravel())


# The figures, explored


def _write_figures(figures: Path, play: Path) -> None:
    there = [name for name in EXPERIMENTS if (figures / f"{name}.npz").exists()]
    shown = {name: figure(name, figures) for name in there}
    shown = {name: content for name, content in shown.items() if content}
    for name, content in shown.items():
        script(play, f"figure-{name}", content)
    script(play, "figures", [{"name": n, "title": EXPERIMENTS[n].title} for n in shown])


def kept(points: int) -> NDArray[np.int64]:
    """Which of the points of a curve are kept: the first ones, every second later, and the last."""
    later = np.arange(DENSE, points, 2)
    return np.unique(np.concatenate([np.arange(min(DENSE, points)), later, [points - 1]]))


def figure(name: str, figures: Path) -> dict[str, Any] | None:
    """Reward and regret per step of a figure's methods, from its data and its runs.

    None for a figure that has no such curves.
    """
    data, _ = load_data(name, figures)
    if not {"curves", "normalized_regret"} & set(data):
        return None
    points = kept(len(data["t"]))
    t = data["t"][points]
    content: dict[str, Any] = {
        "t": t.tolist(),
        "methods": data["methods"].tolist(),
        "labels": data["labels"].tolist(),
    }
    if "curves" in data:
        content["reward"] = {
            "mean": _rounded(data["mean"][:, points]),
            "half": _rounded(data["half_width"][:, points]),
            "curves": _rounded(data["curves"][:, :, points]),
        }
    elif "normalized_reward" in data:  # at a long horizon
        content["reward"] = _summary(data["normalized_reward"][:, :, points])
    content["regret"] = _summary(_regret(name, data, figures)[:, :, points])
    return content


def _summary(curves: NDArray[np.floating]) -> dict[str, Any]:
    """Curves (methods, runs, points), their means over runs and half of each interval's width."""
    mean, half = mean_interval(curves, axis=1)
    return {"mean": _rounded(mean), "half": _rounded(half), "curves": _rounded(curves)}


def _regret(name: str, data: Data, figures: Path) -> NDArray[np.float64]:
    """Regret per step, without the noise, (methods, runs, points)."""
    if "normalized_regret" in data:
        found = np.asarray(data["normalized_regret"])
        return found if found.ndim == 3 else found[None]  # Fig. 1 has one method only
    runs = load_runs(name, figures)
    return np.array(
        [[run.normalized_regret[data["t"] - 1] for run in runs[str(m)]] for m in data["methods"]]
    )


def _rounded(values: NDArray[np.floating]) -> list[Any]:
    """To a thousandth of a digit; what is not finite (the interval of one run) becomes 0."""
    finite = np.where(np.isfinite(values), values, 0.0).astype(np.float64)
    rounded: list[Any] = (np.round(finite, 3) + 0.0).tolist()
    return rounded


# The ten rounds of notebook 01


def ten_rounds() -> Rounds:
    """The ten rounds of notebook 01, as its stored output has them: from the sample of MNIST."""
    return MnistBandit(mnist.load("sample"), arms=ARMS).rounds(seed=4, run=0, steps=10)


def ten(rounds: Rounds) -> dict[str, Any]:
    """What is paid in each round, and what Random takes."""
    return {
        "digits": digits(rounds.means),
        "random": digits(rounds.draws.rho),
        "sheet": "data/ten.png",
        "shuffled": "data/ten-shuffled.png",
    }


def ten_sheet(rounds: Rounds, *, shuffled: bool) -> Image.Image:
    """The images, a round in each row, as they are or with all pixels in one other order."""
    images = np.rint(rounds.contexts(slice(None)) * 255).astype(np.uint8)
    tiles = images.reshape(-1, ARMS, SIDE**2)
    if shuffled:
        tiles = tiles[:, :, np.random.default_rng(SHUFFLE_SEED).permutation(SIDE**2)]
    rows = tiles.reshape(-1, ARMS, SIDE, SIDE).transpose(0, 2, 1, 3)
    return Image.fromarray(rows.reshape(-1, ARMS * SIDE))


# The pictures that stand for the pages where scripts do not run


def law_picture() -> Figure:
    """One arm's random pulls before t = 2,000 of five, for p = 1 and p = 1/3."""
    picture = new_figure(7, 2.8)
    for axes, p, name in zip(picture.subplots(1, 2), (1.0, 1 / 3), ("1", "1/3"), strict=True):
        law = random_pull_pmf(2000, arms=ARMS, p=p)
        shown = np.flatnonzero(law > law.max() * 1e-4)
        axes.bar(shown, law[shown], color=PALETTE[0], width=0.8)
        bound = lemma_bound(2000, arms=ARMS, p=p)
        said = "the lemma says nothing"
        if not bound.says_nothing:
            axes.axvline(bound.at_least, color="black", linestyle="dashed", linewidth=1)
            said = f"the lemma: at least {bound.at_least}, P ≥ {bound.probability:.2f}"
        axes.set_title(f"p = {name}: {said}")
        axes.set(xlabel="random pulls of one arm", ylabel="probability")
    return picture


def ten_picture(rounds: Rounds) -> Figure:
    """The ten rounds in two columns."""
    picture = new_figure(7, 3.6)
    images = rounds.contexts(slice(None)).reshape(2, 5, ARMS, SIDE, SIDE)
    for half, axes in enumerate(picture.subplots(1, 2)):
        wall = images[half].transpose(0, 2, 1, 3).reshape(5 * SIDE, ARMS * SIDE)
        first = 5 * half + 1
        axes.imshow(wall, cmap="gray_r", extent=(0.5, 5.5, first + 4.5, first - 0.5), aspect="auto")
        axes.set(xticks=range(1, 6), yticks=range(first, first + 5), xlabel="arm", ylabel="round")
        axes.grid(False)
    return picture
