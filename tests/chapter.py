"""What a chapter computes, so that a test can hold more of it than the chapter itself asserts."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from notebook_checks import FORCED, NOTEBOOKS, read


def variables(number: str, results: Path) -> dict[str, Any]:
    """Run the code of the chapter with this number, "02" for example; returns its variables.

    Args:
        number: the two digits with which the chapter's name begins.
        results: an empty folder for the runs that it computes.
    """
    (path,) = (path for path in NOTEBOOKS if path.name.startswith(number))
    found: dict[str, Any] = {}
    with mpl.rc_context(), pytest.MonkeyPatch.context() as patch:
        for name, value in (FORCED | {"BANDITS_RESULTS": str(results)}).items():
            patch.setenv(name, value)
        patch.chdir(path.parent)  # where Jupyter starts it
        plt.switch_backend("agg")
        for cell in read(path).cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, f"{path.name}, {cell.id}", "exec"), found)
        plt.close("all")
    return found
