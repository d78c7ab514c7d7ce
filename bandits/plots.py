"""Drawing: results in, pictures out. Nothing here simulates."""

import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import PIL
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.style import use as use_matplotlib_style
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from numpy.typing import NDArray

from bandits.files import write_together

Data = dict[str, NDArray[Any]]

EXPECTED_UNIFORM = 4.5
"""What uniformly random choice earns."""


def expected_best(arms: int) -> float:
    """E max of K uniform digits, what Optimal earns: 7.79175 for the paper's K = 5."""
    return sum(1 - (digit / 10) ** arms for digit in range(1, 10))


# Okabe and Ito's colours, told apart by colour-blind readers; dashes tell them apart in grey print.
STYLES: dict[str, dict[str, Any]] = {
    "optimal": {"color": "#000000", "linestyle": (0, (1, 1.2))},
    "deep": {"color": "#0072B2", "linestyle": "-"},
    "deep_wide": {"color": "#0072B2", "linestyle": "-"},
    "simple": {"color": "#D55E00", "linestyle": (0, (5, 1.5))},
    "linucb": {"color": "#009E73", "linestyle": (0, (5, 1.5, 1, 1.5))},
    "linear": {"color": "#CC79A7", "linestyle": (0, (3, 1, 1, 1, 1, 1))},
    "linear_ridge": {"color": "#0072B2", "linestyle": (0, (4, 4))},
    "random": {"color": "#7F7F7F", "linestyle": (0, (2, 1.5))},
}
FEWEST_FOR_A_BAND = 3
"""With two runs the 95 % interval is 12.7 standard errors wide, and would hide everything."""

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("-", (0, (5, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (1, 1.2)), (0, (3, 1, 1, 1, 1, 1)))

PLATE = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.8}
"""Behind words that a curve may cross."""

RC: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E5E5E5",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.6,
    "figure.dpi": 100,
    "pdf.fonttype": 42,
    "text.usetex": False,
    "svg.hashsalt": "bandits",
}


def style(name: str, number: int = 0) -> dict[str, Any]:
    """Colour and dashes of a method, by name where it has its own, else by its place."""
    if name in STYLES:
        return STYLES[name]
    return {"color": PALETTE[number % len(PALETTE)], "linestyle": DASHES[number % len(DASHES)]}


def use_style() -> None:
    """Use this project's look for every figure from here on (for notebooks).

    It starts from matplotlib's own defaults, so that a user's matplotlibrc changes no figure.
    """
    use_matplotlib_style("default")  # leaves alone what only decides where figures are shown
    mpl.rcParams.update(RC)


@contextmanager
def look() -> Iterator[None]:
    """Draw and save in this project's look, and restore the user's settings afterwards."""
    with mpl.rc_context():
        use_style()
        yield


def new_figure(width: float, height: float) -> Figure:
    """A figure that belongs to no window and no global state."""
    with look():
        return Figure(figsize=(width, height), layout="constrained")


def drawn_with() -> dict[str, str]:
    """The versions that decide the bytes of a picture."""
    return {
        "matplotlib": mpl.__version__,
        "pillow": PIL.__version__,
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
    }


def pictures(figure: Figure) -> dict[str, bytes]:
    """A figure as .png and .pdf, without dates, so that the same data gives the same bytes."""
    png, pdf = io.BytesIO(), io.BytesIO()
    with look():
        figure.savefig(png, format="png", dpi=200, metadata={"Software": None})
        nobody = {"Creator": None, "Producer": None, "CreationDate": None}
        figure.savefig(pdf, format="pdf", metadata=nobody)
    return {".png": png.getvalue(), ".pdf": pdf.getvalue()}


def save(figure: Figure, stem: Path) -> Path:
    """Write STEM.png and STEM.pdf, both or none, and return the first.

    The endings are added, so that a dot in the stem stays.
    """
    paths = {ending: stem.with_name(stem.name + ending) for ending in (".png", ".pdf")}
    write_together({paths[ending]: content for ending, content in pictures(figure).items()})
    return paths[".png"]


def reward_curves(axes: Axes, data: Data) -> None:
    """Mean normalized reward of each method with its 95 % band, and the two exact levels."""
    t, best = data["t"], expected_best(data["arm_counts"].shape[-1])
    axes.axhline(best, color="#000000", linewidth=0.8)
    axes.axhline(EXPECTED_UNIFORM, color="#7F7F7F", linewidth=0.8)
    ends = []
    for number, (name, label) in enumerate(zip(data["methods"], data["labels"], strict=True)):
        look = style(str(name), number)
        mean, half = data["mean"][number], data["half_width"][number]
        axes.plot(t, mean, **look)
        if data["curves"].shape[1] >= FEWEST_FOR_A_BAND:
            axes.fill_between(
                t, mean - half, mean + half, color=look["color"], alpha=0.16, linewidth=0
            )
        else:
            axes.plot(t, data["curves"][number].T, color=look["color"], linewidth=0.4, alpha=0.7)
        ends.append((float(mean[-1]), str(label), look["color"]))
    low = min(3.5, float(np.nanmin(data["mean"][:, len(t) // 10 :])) - 0.2)
    axes.set_ylim(low, max(8.35, best + 0.55))
    axes.set_xlim(0, t[-1])
    axes.text(
        t[-1] * 0.99, best + 0.12, f"best possible: {best:g}", ha="right", va="bottom",
        fontsize=7.5, bbox=PLATE,
    )  # fmt: skip
    axes.text(
        t[-1] * 0.99, EXPECTED_UNIFORM - 0.15, "uniform choice: 4.5", ha="right", va="top",
        fontsize=7.5, color="#5F5F5F", bbox=PLATE,
    )  # fmt: skip
    label_ends(axes, ends)
    axes.set_xlabel("time step t")
    axes.set_ylabel("normalized reward (cumulative reward / t)")


def label_ends(axes: Axes, ends: Sequence[tuple[float, str, str]], *, gap: float = 0.062) -> None:
    """Name each curve at its right end, pushed apart so that no two names touch.

    Args:
        axes: whose limits are final.
        ends: (height, label, colour) of each curve.
        gap: least distance between names, as a share of the axes' height.
    """
    low, high = axes.get_ylim()
    log = axes.get_yscale() == "log"
    scale = np.log if log else np.asarray
    order = sorted(ends)
    heights = [float((scale(y) - scale(low)) / (scale(high) - scale(low))) for y, _, _ in order]
    places = spread(heights, gap)
    for place, height, (_, label, color) in zip(places, heights, order, strict=True):
        axes.annotate(
            label,
            xy=(1.0, height),
            xytext=(1.035, place),
            xycoords="axes fraction",
            textcoords="axes fraction",
            color=color,
            fontsize=8.5,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.6, "shrinkA": 0,
                        "shrinkB": 0},
        )  # fmt: skip


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Move sorted heights apart until neighbours differ by gap, as little as possible.

    Names that collide form a group, which stays centred on the mean of its heights.
    """
    groups: list[tuple[float, int]] = []  # centre and size
    for height in heights:
        groups.append((height, 1))
        while len(groups) > 1:
            (lower, n), (upper, m) = groups[-2], groups[-1]
            if upper - lower >= gap * (n + m) / 2:
                break
            groups[-2:] = [((lower * n + upper * m) / (n + m), n + m)]
    places = []
    for centre, size in groups:
        places += [centre + gap * (k - (size - 1) / 2) for k in range(size)]
    return places


def reward_figure(data: Data, caption: str) -> Figure:
    """Figs 2 and 3."""
    figure = new_figure(5.4, 3.6)
    with look():
        reward_curves(figure.add_subplot(), data)
        footer(figure, caption + runs_note(data["final_reward"].shape[1]))
    return figure


def runs_note(runs: int) -> str:
    """What is drawn beside the means."""
    if runs >= FEWEST_FOR_A_BAND:
        return ". Bands: 95 % over runs"
    return ". Thin lines: the single runs" if runs > 1 else ""


def regret_curves(axes: Axes, data: Data, *, log: bool) -> None:
    """Normalized regret of each run with the fitted power law and a line of slope −1/2."""
    t, curves = data["t"], data["normalized_regret"]
    first, last = int(data["fit_first"]), int(data["fit_last"])
    exponent, constant = float(data["exponent_of_mean"]), float(data["constant_of_mean"])
    color = STYLES["deep"]["color"]
    for curve in curves:
        axes.plot(t, curve, color=color, linewidth=1.4 if len(curves) == 1 else 0.7,
                  alpha=1.0 if len(curves) == 1 else 0.45)  # fmt: skip
    if len(curves) > 1:
        axes.plot(t, curves.mean(axis=0), color=color, linewidth=2.2)
    span = np.geomspace(first, last, 60)
    fitted = constant * span**exponent
    axes.plot(span, fitted, color="#D55E00", linestyle=(0, (4, 1.5)), linewidth=1.6)
    half = fitted[0] * (span / first) ** -0.5
    axes.plot(span, half, color="#000000", linestyle=(0, (1, 1.2)), linewidth=1.2)
    axes.set_xlabel("time step t")
    if log:
        axes.set_xscale("log")
        axes.set_yscale("log")
        shown = curves[:, t >= min(10, last // 4)]
        low, high = min(shown.min(), half.min()) * 0.85, shown.max() * 1.2
        axes.set_ylim(low, high)
        axes.set_xlim(min(10, last // 4), last)
        ticks = [x for x in (0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 6) if low <= x <= high]
        axes.yaxis.set_major_locator(FixedLocator(ticks))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    else:
        axes.set_xlim(0, last)
        axes.set_ylim(0, None)


def regret_figure(data: Data, caption: str) -> Figure:
    """Fig. 1: linear axes left, log-log right."""
    exponents = data["exponents"]
    figure = new_figure(6.8, 3.5)
    with look():
        left, right = figure.subplots(1, 2)
        regret_curves(left, data, log=False)
        regret_curves(right, data, log=True)
        left.set_ylabel("normalized regret")
        span = f"t = {int(data['fit_first'])} to {int(data['fit_last'])}"
        text = f"fitted: t$^{{{float(data['exponent_of_mean']):.2f}}}$, {span}"
        handles = [*right.lines[-2:]]
        names = [text, "slope −1/2 (the paper's rate)"]
        runs = right.lines[0] if len(exponents) == 1 else right.lines[-3]
        label = str(data["labels"][0]) + ("" if len(exponents) == 1 else ", mean")
        figure.legend(
            [runs, *handles],
            [label, *names],
            loc="outside upper center",
            ncols=3,
            frameon=False,
            fontsize=7.5,
        )
        left.set_title("linear axes", fontsize=9)
        right.set_title("log-log axes", fontsize=9)
        if len(exponents) > 1:
            from bandits.analysis import interval

            caption += f". Exponent over runs: {interval(exponents)}"
        footer(figure, caption)
    return figure


def study_figure(data: Data, caption: str) -> Figure:
    """The architecture study: error on unseen states against cost, for each sample size."""
    sizes, cost = data["sizes"], data["megaflops"]
    labels = [str(label) for label in data["labels"]]
    figure = new_figure(3.1 * len(sizes) + 2.4, 3.6)
    with look():
        for number, axes in enumerate(np.atleast_1d(figure.subplots(1, len(sizes), sharey=True))):
            for k, label in enumerate(labels):
                values = data["error"][k, number]
                chosen = str(data["candidates"][k]) == str(data["chosen"])
                marker = "oooooooosD^vP*X<>d"[8 + k % 10]
                color = PALETTE[k % len(PALETTE)]
                axes.plot(
                    np.full(len(values), cost[k]), values, marker, color=color, markersize=3,
                    alpha=0.5,
                )  # fmt: skip
                axes.plot(
                    cost[k], values.mean(), marker, color=color, markersize=9 if chosen else 6.5,
                    markeredgecolor="black" if chosen else color, markeredgewidth=1.3,
                    label=label + (" (chosen)" if chosen else ""),
                )  # fmt: skip
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(FixedLocator([1, 2, 5]))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
            axes.set_title(f"n = {sizes[number]} samples", fontsize=9)
            axes.set_xlabel("million operations per sample, forward")
            if number == 0:
                axes.set_ylabel("squared error on unseen states")
        handles, names = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside right center", frameon=False, fontsize=7)
        footer(figure, caption)
    return figure


def footer(figure: Figure, text: str) -> None:
    """Small print under the axes: the scale, and the data unless it is the full set."""
    sentences = (text[0].upper() + text[1:] + ".").replace(". Data:", ".\nData:")
    figure.supxlabel(sentences, fontsize=7, color="#5F5F5F")
