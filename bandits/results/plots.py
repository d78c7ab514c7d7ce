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

from bandits.engine.files import write_together

EXPECTED_UNIFORM = 4.5
"""What uniformly random choice earns."""


# Okabe and Ito's colours, distinct to colour-blind readers; the dashes are so in grey print.
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


def runs_note(runs: int) -> str:
    """What is drawn beside the means."""
    if runs >= FEWEST_FOR_A_BAND:
        return ". Bands: 95 % over runs"
    return ". Thin lines: the single runs" if runs > 1 else ""


def footer(figure: Figure, text: str) -> None:
    """Small print under the axes: the scale, and the data unless it is the full set."""
    sentences = (text[0].upper() + text[1:] + ".").replace(". Data:", ".\nData:")
    figure.supxlabel(sentences, fontsize=7, color="#5F5F5F")
