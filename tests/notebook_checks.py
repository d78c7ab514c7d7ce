"""Running a notebook under nbval, and making small or broken ones."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import pairs  # noqa: E402
from notebook_faults import KERNELSPEC  # noqa: E402

NOTEBOOKS = sorted((ROOT / "notebooks").glob(f"{pairs.PATTERN}.ipynb"))
WITHOUT_TORCH = ("01_", "03_", "04_", "05_", "10_")
"""The notebooks that must not need torch begin so."""
CELL_SECONDS = 900
# As `make outputs` sets them: stored outputs come from one data source and scale.
FORCED = {"BANDITS_MNIST": "sample", "BANDITS_SCALE": "glance", "OMP_NUM_THREADS": "1"}


def nbval(
    path: Path, scratch: Path, *, lax: bool = False, torch: bool = True, **settings: str
) -> str:
    """Run notebooks under nbval in this environment; returns what failed, or "" if nothing did.

    Args:
        path: of the notebook, or of a folder of notebooks.
        scratch: an empty folder for the configuration and the results.
        lax: check assertions only, and not the outputs.
        torch: whether `import torch` may succeed.
        settings: environment variables beside, or in place of, the forced ones.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    configuration = scratch / "pytest.ini"
    configuration.write_text("[pytest]\n")
    # With PYTHONOPTIMIZE a notebook would lose its assertions.
    unwanted = ("MPLBACKEND", "PYTHONWARNINGS", "PYTHONOPTIMIZE", "PYTEST_ADDOPTS")
    environment = {key: value for key, value in os.environ.items() if key not in unwanted}
    environment |= FORCED | {"BANDITS_RESULTS": str(scratch / "results")} | settings
    search = [str(ROOT), environment.get("PYTHONPATH", "")]
    if not torch:
        search.insert(0, str(_refuses_torch(scratch)))
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, search))
    command = [sys.executable, "-m", "pytest", "--nbval-lax" if lax else "--nbval"]
    command += ["--nbval-current-env", f"--nbval-cell-timeout={CELL_SECONDS}", "--color=no", "-q"]
    command += ["-p", "no:cacheprovider", "-c", str(configuration), str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def _refuses_torch(scratch: Path) -> Path:
    """A folder that makes `import torch` fail."""
    package = scratch / "refused" / "torch"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text("raise ImportError('needs no torch')\n")
    return package.parent


def tiny(*sources: str) -> NotebookNode:
    """A notebook of code cells that claims to have been executed and to have shown nothing."""
    notebook = v4.new_notebook(metadata={"kernelspec": dict(KERNELSPEC)})
    for count, source in enumerate(sources, start=1):
        cell = v4.new_code_cell(source, execution_count=count)
        cell.id = f"cell-{count}"
        notebook.cells.append(cell)
    return notebook


def printed(notebook: NotebookNode, text: str, name: str = "stdout") -> NotebookNode:
    """The same notebook with a text stored as its last cell's output."""
    notebook.cells[-1].outputs = [v4.new_output("stream", name=name, text=text)]
    return notebook


def read(path: Path) -> NotebookNode:
    """The notebook as it is stored."""
    return nbformat.read(path, as_version=4)


def write(path: Path, notebook: NotebookNode) -> Path:
    """Store a notebook as it is."""
    nbformat.write(notebook, path)
    return path
