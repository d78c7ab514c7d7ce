"""The recorded run that the replay shows, step by step, and the picture that stands for it."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from bandits.architecture import SIDE
from bandits.engine.npz import read_arrays
from bandits.experiments import EXPERIMENTS
from bandits.results.plots import new_figure, style
from book.play_data import ARMS, digits, script

RECORDING = "low_noise-run00"
SHOWN = 700
"""The step at which the replay opens: arm 4 has not been taken once."""
SAYS = {"deep": "predicted", "simple": "predicted", "linear": "predicted", "linucb": "bound"}


def write(figures: Path, source: Path) -> None:
    """Write the recording for the page, and the picture that stands for it, into `source`."""
    play = source / "_static" / "play"
    for sheet in sorted((figures / "replay").glob("*.png")):
        shutil.copy(sheet, play / "data" / sheet.name)
    recording = replay(figures)
    script(play, "replay", recording)
    replay_picture(recording, figures).savefig(source / "play" / "replay.png", dpi=160)


def replay(figures: Path) -> dict[str, Any]:
    """Every step of the recorded run: digits, random numbers, and each method's side of it."""
    arrays, about = read_arrays(figures / "replay" / f"{RECORDING}.npz")
    methods = {}
    for method in EXPERIMENTS["low_noise"].methods:
        path = figures / "replay" / f"{RECORDING}-{method.name}.npz"
        if not path.exists():
            continue
        recorded, run = read_arrays(path)
        committed, _ = read_arrays(figures / "runs" / run["run"])
        explored = np.unpackbits(committed["explored"], count=len(arrays["digits"]))
        predictions = np.rint(100.0 * recorded["predictions"]).astype(np.int64)
        methods[method.name] = {
            "label": method.label,
            "says": SAYS[method.name],
            "explores": method.p is not None,
            "actions": digits(committed["actions"]),
            "explored": digits(explored),
            "predictions": predictions.ravel().tolist(),
        }
    return {
        "digits": digits(arrays["digits"]),
        "eta": np.round(arrays["eta"], 5).tolist(),
        "sheets": [f"data/{name}" for name in about["sheets"]],
        "stepsPerSheet": about["steps_per_sheet"],
        "across": about["columns"] * ARMS,
        "methods": methods,
    }


def replay_picture(recording: dict[str, Any], figures: Path) -> Figure:
    """Step 700 of Deep's run: the images, the predictions and the arms taken so far."""
    deep = recording["methods"]["deep"]
    picture = new_figure(7, 2.6)
    sheet, place = divmod(SHOWN - 1, recording["stepsPerSheet"])
    with Image.open(figures / "replay" / Path(recording["sheets"][sheet]).name) as opened:
        pixels = np.asarray(opened.convert("L"))
    for arm, axes in enumerate(picture.subplots(1, ARMS)):
        row, column = divmod(place * ARMS + arm, recording["across"])
        part = pixels[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE]
        axes.imshow(part, cmap="gray_r", vmin=0, vmax=255)
        axes.set(xticks=[], yticks=[])
        axes.grid(False)
        for spine in axes.spines.values():
            spine.set(visible=True, linewidth=0.8)
        taken = deep["actions"][:SHOWN].count(str(arm))
        predicted = deep["predictions"][(SHOWN - 1) * ARMS + arm] / 100
        axes.set_title(f"arm {arm + 1}")
        axes.set_xlabel(f"predicted {predicted:.2f}\ntaken {taken} ×")
        if deep["actions"][SHOWN - 1] == str(arm):
            for spine in axes.spines.values():
                spine.set(edgecolor=style("simple")["color"], linewidth=3)
    return picture
