"""The comparison of pictures passes what no eye can see, and nothing that one can."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.image import imsave
from matplotlib.lines import Line2D
from pictures import LEVELS, POINTS, SHARE, pdf_difference, png_difference

from bandits.results import plots, regret
from bandits.results.data import Data
from bandits.results.saved import load_data

ROOT = Path(__file__).resolve().parent.parent
SIDE = 100  # of a picture by hand, so that one pixel is 1e-4 of all
ALLOWED = round(SHARE * SIDE**2)


def grey(path: Path, *, off: int = 0, pixels: int = 0) -> Path:
    """A grey picture in which so many pixels are lighter by so many levels, in one channel."""
    picture = np.full((SIDE**2, 3), 128, np.uint8)
    picture[:pixels, 1] += np.uint8(off)
    imsave(path, picture.reshape(SIDE, SIDE, 3))
    return path


@pytest.mark.parametrize(
    ("off", "pixels", "told"),
    [
        (1, 1, ""),
        (LEVELS, ALLOWED, ""),
        (LEVELS + 1, 1, "a pixel is off by 4/255"),
        (1, ALLOWED + 1, "0.110% of the pixels are off"),
        (90, SIDE**2, "a pixel is off by 90/255 and 100.000% of the pixels are off"),
    ],
)
def test_levels_and_pixels_are_counted(tmp_path: Path, off: int, pixels: int, told: str) -> None:
    assert ALLOWED == 10
    first = grey(tmp_path / "first.png")
    second = grey(tmp_path / "second.png", off=off, pixels=pixels)
    assert png_difference(first, second) == told
    assert png_difference(second, first) == told  # darker counts as lighter does


def test_a_picture_of_another_shape_differs(tmp_path: Path) -> None:
    imsave(tmp_path / "wide.png", np.full((SIDE, SIDE + 1, 3), 128, np.uint8))
    told = png_difference(grey(tmp_path / "grey.png"), tmp_path / "wide.png")
    assert told == "the shapes are (100, 100, 4) and (100, 101, 4)"


# ── A figure of this study, changed a little ────────────────────────────────────────────────────

Change = Callable[[Data], None]


def scaled(key: str, factor: float) -> Change:
    def change(data: Data) -> None:
        data[key] = data[key] * factor

    return change


def last_bit(data: Data) -> None:
    """What another CPU's logarithms, sums and powers may give."""
    for key, values in data.items():
        if values.dtype.kind == "f":
            data[key] = np.nextafter(values, np.inf, dtype=values.dtype)


def one_curve_raised(data: Data) -> None:
    data["normalized_regret"][0] += 0.02  # of 3.5, which is a pixel and a half


def saved(path: Path, change: Change | None = None, caption: str = "a caption") -> Path:
    data, _ = load_data("convergence_repeats", ROOT / "figures")
    if change is not None:
        change(data)
    return plots.save(regret.regret_figure(data, caption), path)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("original") / "figure")


def differences(original: Path, other: Path) -> list[str]:
    return [
        png_difference(original, other),
        pdf_difference(original.with_suffix(".pdf"), other.with_suffix(".pdf")),
    ]


def test_the_last_bits_of_the_data_cannot_be_seen(original: Path, tmp_path: Path) -> None:
    other = saved(tmp_path / "figure", last_bit)
    assert differences(original, other) == ["", ""]


@pytest.mark.parametrize(
    "change",
    [
        one_curve_raised,
        scaled("exponent_of_mean", 1.02),  # −0.25 becomes −0.26, in the legend and as a line
        scaled("constant_of_mean", 1.01),
    ],
    ids=["a curve", "an exponent", "a constant"],
)
def test_a_visible_change_of_the_data_is_found(
    original: Path, tmp_path: Path, change: Change
) -> None:
    assert all(differences(original, saved(tmp_path / "figure", change)))


def test_another_word_is_found(original: Path, tmp_path: Path) -> None:
    assert all(differences(original, saved(tmp_path / "figure", caption="a captiom")))


def test_another_look_is_found(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(plots.STYLES, "deep", {"color": "#0072C2", "linestyle": "-"})
    assert all(differences(original, saved(tmp_path / "figure")))


# ── PDFs by hand ────────────────────────────────────────────────────────────────────────────────


def lines(
    path: Path, *, moved: int = 0, by: float = 1.0, width: float = 1.0, level: int = 6
) -> Path:
    """A hundred lines to and fro, of which some ends are moved by so many points."""
    ends = np.array([[0.01 * k, 0.1 + 0.8 * (k % 2)] for k in range(1, 101)])
    ends[:moved, 1] += by / 72
    with rc_context({"pdf.compression": level, "path.simplify": False}):
        figure = Figure(figsize=(1, 1))
        figure.add_artist(Line2D(*ends.T, linewidth=width))
        figure.savefig(path, metadata={"CreationDate": None})
    return path


def test_a_pdf_is_compared_by_what_it_draws_and_not_by_its_bytes(tmp_path: Path) -> None:
    one, other = lines(tmp_path / "one.pdf"), tmp_path / "other.pdf"
    for same in ({"level": 1}, {"moved": 100, "by": POINTS / 2}, {"moved": 1}):
        lines(other, **same)
        assert one.read_bytes() != other.read_bytes()
        assert pdf_difference(one, other) == pdf_difference(other, one) == "", same
    for changed, told in (
        ({"moved": 2}, "of the points of the lines moved"),
        ({"moved": 100, "by": 2 * POINTS}, "of the points of the lines moved"),
        ({"width": 1.01}, "a number is off by 0.01"),
    ):
        assert told in pdf_difference(one, lines(other, **changed)), changed
