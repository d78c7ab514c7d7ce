"""Whether two files show the same picture, on any CPU and with any compression.

The last bit of a logarithm is the CPU's own. It may move a line by a millionth of a pixel, which
changes the grey of a pixel at its edge by one level of 255, and no more.
"""

import re
import zlib
from pathlib import Path

import numpy as np
from matplotlib.image import imread
from scipy.spatial import cKDTree

LEVELS = 3
"""No channel of a pixel may differ by more levels of 255."""
SHARE = 1e-3
"""No more than this share of the pixels may differ at all."""
POINTS = 1e-4
"""No number in a PDF may differ by more; lengths are in points, of which an inch has 72."""
MOVED = 0.01
"""No more than this share of the points of its lines may have moved further than that."""

STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
PLACE = re.compile(
    rb"^([-+.\d]+) ([-+.\d]+) [ml]\n", re.MULTILINE
)  # where a line begins, or goes to
NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)")


def png_difference(one: Path, other: Path) -> str:
    """What an eye might see to differ between two pictures, in words; "" if nothing."""
    first, second = (np.rint(255 * imread(path)).astype(np.int16) for path in (one, other))
    if first.shape != second.shape:
        return f"the shapes are {first.shape} and {second.shape}"
    off = np.abs(first - second).max(axis=-1)
    most, share = int(off.max()), float((off > 0).mean())
    told = [f"a pixel is off by {most}/255"] if most > LEVELS else []
    told += [f"{share:.3%} of the pixels are off"] if share > SHARE else []
    return " and ".join(told)


def pdf_difference(one: Path, other: Path) -> str:
    """What differs first between what two PDFs draw, in words; "" if nothing does.

    matplotlib leaves out points that lie almost on a line, and the last bit decides which. So
    lines are compared by their points as a set, of which few may have moved.
    """
    first, second = ([_unpacked(s) for s in STREAM.findall(p.read_bytes())] for p in (one, other))
    if len(first) != len(second):
        return f"there are {len(first)} and {len(second)} streams"
    for a, b in zip(first, second, strict=True):
        if a == b:
            continue
        rest = [PLACE.sub(b"", stream) for stream in (a, b)]
        if NUMBER.split(rest[0]) != NUMBER.split(rest[1]):
            return "something else than numbers differs"
        values = [np.array(NUMBER.findall(stream), dtype=float) for stream in rest]
        off = float(np.abs(values[0] - values[1]).max(initial=0.0))
        if off > POINTS:
            return f"a number is off by {off:g}"
        places = [np.array(PLACE.findall(stream), dtype=float).reshape(-1, 2) for stream in (a, b)]
        for mine, theirs in (places, places[::-1]):
            moved = float((cKDTree(theirs).query(mine)[0] > POINTS).mean()) if len(mine) else 0.0
            if moved > MOVED:
                return f"{moved:.1%} of the points of the lines moved"
    return ""


def _unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:  # a stream that is stored as it is
        return stream
