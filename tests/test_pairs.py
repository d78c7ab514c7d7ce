"""Both forms of a notebook: differences are named, no edit is lost, and JupyterLab opens them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jupytext
import pytest
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelspec import get_kernel_dict
from nbformat import v4
from notebook_checks import NOTEBOOKS, ROOT, pairs, read, write
from tornado.web import HTTPError

FILTERS = {
    "cell_metadata_filter": "tags,jupyter,mystnb,-all",
    "formats": "ipynb,py:percent",
    "notebook_metadata_filter": "-jupytext.text_representation.jupytext_version",
}
TEXT = """\
# %% [markdown]
# # A title

# %%
a = 1
print(a)

# %% tags=["nbval-ignore-output"]
assert a == 1
"""
EDITED = "print(a + 1)"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study with one pair, as committed, whose first code cell has an output."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "pairs.py", tmp_path / "tools")
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    ready = tmp_path / ".venv" / ".ready"  # in the environment that runs this test
    ready.parent.mkdir()
    ready.touch()
    later = (tmp_path / "pyproject.toml").stat().st_mtime + 10  # some shells compare seconds
    os.utime(ready, (later, later))
    path = folder / "01_pair.ipynb"
    notebook = jupytext.reads(TEXT, fmt="py:percent")
    notebook.cells[1].outputs = [v4.new_output("stream", name="stdout", text="1\n")]
    notebook.cells[1].execution_count = 1
    notebook.metadata = read(NOTEBOOKS[0]).metadata
    write(path, notebook)
    jupytext.write(read(path), path.with_suffix(".py"), fmt="py:percent")
    return tmp_path


def make_sync(study: Path) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", "sync", f"BIN={Path(sys.executable).parent}"]
    return subprocess.run(command, cwd=study, capture_output=True, text=True, check=False)


def edit(path: Path, old: str = "print(a)", new: str = EDITED) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def saved_later(path: Path) -> None:
    """Make this form the later one by a minute, as a checkout may."""
    for other in path.parent.glob(f"{path.stem}.*"):
        os.utime(other, (1e9, 1e9 + 60 * (other == path)))


def stored(study: Path) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in (study / "notebooks").glob("*.*") if p.is_file()}


# ── The check ───────────────────────────────────────────────────────────────────────────────────


CHANGES = {
    "source": ("print(a)", EDITED, 2),
    "tag": (' tags=["nbval-ignore-output"]', "", 3),
    "hidden": ('tags=["nbval', 'jupyter={"source_hidden": true} tags=["nbval', 3),
    "kind": ("# %%\na", "# %% [markdown]\na", 2),
    "cell less": ('\n# %% tags=["nbval-ignore-output"]\nassert a == 1\n', "", 3),
    "cell more": ("# %% [markdown]", "# %%\nb = 2\n\n# %% [markdown]", 1),
    "order": ("# %%\na = 1\nprint(a)\n\n", "", 2),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_difference_is_named_by_its_cell(study: Path, change: str) -> None:
    stem = study / "notebooks" / "01_pair"
    assert pairs.difference(stem) is None
    old, new, cell = CHANGES[change]
    edit(stem.with_suffix(".py"), old, new)
    for later in (".py", ".ipynb"):
        saved_later(stem.with_suffix(later))
        said = pairs.difference(stem)
        assert said == f"the .py and the .ipynb differ from cell {cell} on"
    before = stored(study)
    assert pairs.main(["--folder", str(stem.parent)]) == 1
    assert stored(study) == before


def test_what_only_one_form_holds_is_no_difference(study: Path) -> None:
    path = study / "notebooks" / "01_pair.ipynb"
    notebook = read(path)
    notebook.cells[1].metadata = {"collapsed": True, "execution": {"iopub.execute_input": "now"}}
    notebook.cells[1].outputs = []
    write(path, notebook)
    assert pairs.main(["--folder", str(path.parent)]) == 0


BROKEN = {
    "latin-1": (".py", "# %%\n# é\n".encode("latin-1")),
    "yaml": (".py", b"# ---\n# jupyter:\n#   a: [\n# ---\n\n# %%\n1\n"),
    "a folder": (".py", None),
    "empty": (".ipynb", b""),
    "half": (".ipynb", b'{"cells": [{"cell_type": "code", "sou'),
    "conflict": (".ipynb", b'{\n<<<<<<< HEAD\n "cells": [],\n=======\n'),
    "list": (".ipynb", b"[]"),
    "cells": (".ipynb", b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": 3}'),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_form_is_named(study: Path, capsys, case: str) -> None:
    ending, data = BROKEN[case]
    path = study / "notebooks" / f"01_pair{ending}"
    path.unlink()
    path.mkdir() if data is None else path.write_bytes(data)
    before = stored(study)
    assert pairs.main(["--keep", "--folder", str(path.parent)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"01_pair: {path.name} cannot be read as a notebook (")
    assert said.count("\n") == 1
    assert stored(study) == before


# ── make sync ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("later", pairs.FORMS)
def test_alike_is_left_alone_whatever_the_file_times(study: Path, later: str) -> None:
    """As after a clone, when they mean nothing."""
    for path in NOTEBOOKS:
        for form in pairs.forms(path.with_suffix("")):
            shutil.copy(form, study / "notebooks")
        saved_later((study / "notebooks" / path.name).with_suffix(later))
    before = stored(study)
    done = make_sync(study)
    assert (done.returncode, done.stderr) == (0, "")
    assert "differ" not in done.stdout
    assert stored(study) == before


def test_a_broken_form_stops_the_sync(study: Path) -> None:
    edit(study / "notebooks" / "01_pair.py")
    (study / "notebooks" / "02_broken.ipynb").write_text("{")
    before = stored(study)
    assert make_sync(study).returncode == 2
    assert stored(study) == before


@pytest.mark.parametrize("edited", pairs.FORMS)
@pytest.mark.parametrize("later", pairs.FORMS)
def test_no_edit_is_lost_whichever_form_was_saved_later(
    study: Path, edited: str, later: str
) -> None:
    stem = study / "notebooks" / "01_pair"
    edit(stem.with_suffix(edited))
    before = {ending: stem.with_suffix(ending).read_bytes() for ending in pairs.FORMS}
    saved_later(stem.with_suffix(later))
    done = make_sync(study)
    assert done.returncode == 0, done.stderr
    replaced = next(ending for ending in pairs.FORMS if ending != later)
    (kept,) = (study / "notebooks" / ".ipynb_checkpoints").iterdir()
    assert kept.suffix == replaced
    assert kept.read_bytes() == before[replaced]
    assert f"jupytext takes the {later}" in done.stdout
    assert f"the {replaced} is kept as .ipynb_checkpoints/{kept.name}" in done.stdout
    assert pairs.difference(stem) is None
    assert (EDITED in stem.with_suffix(".py").read_text()) == (edited == later)
    assert read(stem.with_suffix(".ipynb")).cells[1].outputs[0].text == "1\n"


@pytest.mark.parametrize("missing", pairs.FORMS)
def test_a_missing_form_is_made(study: Path, missing: str) -> None:
    stem = study / "notebooks" / "01_pair"
    stem.with_suffix(missing).unlink()
    assert f"there is no 01_pair{missing}; jupytext makes it" in make_sync(study).stdout
    assert pairs.difference(stem) is None


# ── JupyterLab ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def lab(study: Path):
    """What JupyterLab opens and saves through, at this study."""
    return jupytext.TextFileContentsManager(root_dir=str(study))


def opened(lab, path: Path) -> dict:
    return lab.get(f"notebooks/{path.name}", type="notebook")


def save(lab, path: Path, model: dict) -> None:
    sent = json.loads(json.dumps(model["content"]))  # as the browser does
    lab.save({"type": "notebook", "format": "json", "content": sent}, f"notebooks/{path.name}")


@pytest.mark.parametrize("later", pairs.FORMS)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_committed_notebook_is_saved_as_it_is_stored(
    study: Path, lab, path: Path, later: str
) -> None:
    """JupyterLab notes the kernel in what it opened: where that changes nothing, nothing is asked.

    The version of Python is left out, which is that of the reader.
    """
    for form in pairs.forms(path.with_suffix("")):
        shutil.copy(form, study / "notebooks")
    before = stored(study)
    for ending in pairs.FORMS:
        copy = study / "notebooks" / f"{path.stem}{ending}"
        saved_later(copy.with_suffix(later))
        model = opened(lab, copy)
        about = model["content"].metadata
        assert about.kernelspec.display_name == get_kernel_dict()["display_name"]
        assert about.jupytext.items() >= FILTERS.items()
        language = {"version": about.language_info.version}
        assert about.language_info == IPythonKernel.language_info | language
        save(lab, copy, model)
        assert stored(study) == before


def test_an_edit_in_jupyterlab_reaches_both_forms(study: Path, lab) -> None:
    stem = study / "notebooks" / "01_pair"
    for ending in pairs.FORMS:
        model = opened(lab, stem.with_suffix(ending))
        model["content"].cells[0].source += f"\n\nEdited as {ending}."
        save(lab, stem.with_suffix(ending), model)
        assert pairs.difference(stem) is None
        assert f"# Edited as {ending}.\n" in stem.with_suffix(".py").read_text()
        assert read(stem.with_suffix(".ipynb")).cells[1].outputs[0].text == "1\n"


def test_a_checkout_under_an_open_jupyterlab_can_be_opened(study: Path, lab) -> None:
    path = study / "notebooks" / "01_pair.ipynb"
    save(lab, path, opened(lab, path))
    committed = stored(study)
    model = opened(lab, path)
    model["content"].cells[1].execution_count = 7
    save(lab, path, model)
    path.write_bytes(committed[path])
    saved_later(path)
    model = opened(lab, path)
    assert model["content"].cells[1].execution_count == 1
    save(lab, path, model)
    assert stored(study) == committed


def test_a_checkout_of_one_form_alone_does_not_hide_an_edit(study: Path, lab) -> None:
    path = study / "notebooks" / "01_pair.ipynb"
    committed = path.read_bytes()
    model = opened(lab, path)
    model["content"].cells[1].source += "  # edited"
    save(lab, path, model)
    path.write_bytes(committed)
    saved_later(path)
    before = stored(study)
    with pytest.raises(HTTPError, match=r"01_pair\.ipynb .* is more recent than .*01_pair\.py"):
        opened(lab, path)
    assert stored(study) == before
