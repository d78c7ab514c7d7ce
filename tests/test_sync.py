"""The two forms of a notebook are brought together by content, and nothing is lost."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import jupytext
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat import v4
from notebook_checks import ROOT, read, sync, write
from notebook_faults import KERNELSPEC
from notebook_forms import SyncError, minimal, read_text, write_text

TEXT = """\
# %% [markdown]
# # A title
#
# <details><summary>Answer</summary>
#
# Forty-two.
# </details>

# %%
a = 1
print(a)

# %% tags=["nbval-ignore-output"]
assert a == 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one synced pair whose first code cell has an output."""
    (tmp_path / "01_pair.py").write_text(TEXT)
    sync.sync("01_pair", tmp_path)
    notebook = read(tmp_path / "01_pair.ipynb")
    notebook.cells[1].outputs = [v4.new_output("stream", name="stdout", text="1\n")]
    notebook.cells[1].execution_count = 1
    write(tmp_path / "01_pair.ipynb", notebook)
    sync.sync("01_pair", tmp_path)
    return tmp_path


def edit_text(folder: Path, old: str, new: str) -> None:
    path = folder / "01_pair.py"
    before = path.read_text()
    assert before.count(old) == 1
    path.write_text(before.replace(old, new))


def edit_notebook(folder: Path, cell: int, source: str) -> None:
    notebook = read(folder / "01_pair.ipynb")
    notebook.cells[cell].source = source
    write(folder / "01_pair.ipynb", notebook)


def test_alike_is_left_alone(folder: Path) -> None:
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    assert sync.sync("01_pair", folder) is None
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


@pytest.mark.parametrize("newer", ["01_pair.py", "01_pair.ipynb"])
def test_an_edited_text_reaches_the_notebook_whatever_the_file_times(
    folder: Path, newer: str
) -> None:
    edit_text(folder, "a == 1", "a < 2")
    os.utime(folder / newer, (4e9, 4e9))
    done = sync.sync("01_pair", folder)
    assert done is not None
    notebook = read(folder / "01_pair.ipynb")
    assert notebook.cells[2].source == "assert a < 2"
    assert notebook.cells[1].outputs[0].text == "1\n"  # the unchanged cell keeps its output
    assert notebook.cells[1].execution_count == 1
    assert notebook.cells[2].execution_count is None  # the edited one has still to be run


@pytest.mark.parametrize("newer", ["01_pair.py", "01_pair.ipynb"])
def test_an_edited_notebook_reaches_the_text_whatever_the_file_times(
    folder: Path, newer: str
) -> None:
    edit_notebook(folder, 1, "a = 1\nprint(a)  # shown")
    os.utime(folder / newer, (4e9, 4e9))
    assert sync.sync("01_pair", folder) == "01_pair: .py brought up to date with .ipynb"
    assert "print(a)  # shown" in (folder / "01_pair.py").read_text()
    assert read(folder / "01_pair.ipynb").cells[1].outputs[0].text == "1\n"
    assert sync.diverged(folder) == []


def test_the_base_is_the_last_sync_not_the_last_commit(folder: Path) -> None:
    edit_text(folder, "a == 1", "a < 2")
    sync.sync("01_pair", folder)
    edit_notebook(folder, 2, "assert a < 3")
    assert sync.sync("01_pair", folder) == "01_pair: .py brought up to date with .ipynb"
    edit_text(folder, "a < 3", "a < 4")
    assert sync.sync("01_pair", folder) == "01_pair: .ipynb brought up to date with .py"
    assert read(folder / "01_pair.ipynb").cells[2].source == "assert a < 4"


def test_two_edits_are_refused_until_one_is_chosen(folder: Path) -> None:
    edit_text(folder, "a == 1", "a < 2")
    edit_notebook(folder, 2, "assert a < 3")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    with pytest.raises(SyncError, match=r"01_pair: both .* changed"):
        sync.sync("01_pair", folder)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    sync.sync("01_pair", folder, take="ipynb")
    assert "assert a < 3" in (folder / "01_pair.py").read_text()


def test_a_pair_that_was_never_synced_and_differs_is_refused(folder: Path) -> None:
    notebook = read(folder / "01_pair.ipynb")
    del notebook.metadata["pair"]
    write(folder / "01_pair.ipynb", notebook)
    edit_text(folder, "a == 1", "a < 2")
    with pytest.raises(SyncError, match="both"):
        sync.sync("01_pair", folder)


def test_the_same_edit_on_both_sides_is_no_conflict(folder: Path) -> None:
    edit_text(folder, "a == 1", "a < 2")
    edit_notebook(folder, 2, "assert a < 2")
    assert sync.sync("01_pair", folder) == "01_pair: alike, and noted as such"


def test_a_missing_text_is_made(folder: Path) -> None:
    (folder / "01_pair.py").unlink()
    assert sync.diverged(folder) == ["01_pair"]
    sync.sync("01_pair", folder)
    text = (folder / "01_pair.py").read_text()
    assert [c.source for c in jupytext.reads(text, fmt="py:percent").cells] == [
        c.source for c in jupytext.reads(TEXT, fmt="py:percent").cells
    ]


def test_a_moved_cell_takes_its_output_along(folder: Path) -> None:
    edit_text(folder, "# %%\na = 1", "# %%\nb = 2\n\n# %%\na = 1")
    sync.sync("01_pair", folder)
    cells = read(folder / "01_pair.ipynb").cells
    assert [cell.execution_count for cell in cells[1:]] == [None, 1, None]


def test_jupyterlabs_own_metadata_is_no_edit_and_is_not_kept(folder: Path) -> None:
    notebook = read(folder / "01_pair.ipynb")
    notebook.cells[1].metadata = {"collapsed": True, "execution": {"iopub.execute_input": "now"}}
    notebook.metadata["widgets"] = {}
    notebook.metadata["language_info"] = {"name": "python", "version": "3.11.9"}
    write(folder / "01_pair.ipynb", notebook)
    assert sync.diverged(folder) == []
    edit_text(folder, "a == 1", "a < 2")
    sync.sync("01_pair", folder)
    notebook = read(folder / "01_pair.ipynb")
    assert notebook.cells[1].metadata == {}
    assert set(notebook.metadata) == {"kernelspec", "language_info", "pair"}
    assert "version" not in notebook.metadata.language_info


@pytest.mark.parametrize("form", ["01_pair.py", "01_pair.ipynb"])
def test_jupyterlab_opens_and_saves_either_form(folder: Path, form: str) -> None:
    """Through the contents manager that JupyterLab uses, with this project's settings."""
    from jupyter_server.services.contents.largefilemanager import LargeFileManager
    from jupytext.sync_contentsmanager import build_sync_jupytext_contents_manager_class

    shutil.copy(ROOT / "pyproject.toml", folder)
    manager = build_sync_jupytext_contents_manager_class(LargeFileManager)()
    manager.root_dir = str(folder)
    os.utime(folder / "01_pair.ipynb", (3e9, 3e9))  # as if executed after the last edit
    sync.sync("01_pair", folder)
    opened = manager.get(form, type="notebook")
    assert opened["content"].cells[1].outputs[0].text == "1\n"
    assert opened["content"].metadata.kernelspec == KERNELSPEC
    opened["content"].cells[0].source += "\n\nEdited in the browser."
    manager.save(opened, form)
    sync.sync("01_pair", folder)
    assert sync.diverged(folder) == []
    assert "Edited in the browser." in (folder / "01_pair.py").read_text()
    cells = read(folder / "01_pair.ipynb").cells
    assert "Edited in the browser." in cells[0].source
    assert cells[1].outputs[0].text == "1\n"
    assert cells[2].metadata.tags == ["nbval-ignore-output"]


code = st.text(st.sampled_from("ab =1\n\t'\"#%![]é\\"), max_size=40)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), code), max_size=5))
def test_writing_is_faithful_or_refused(tmp_path_factory: pytest.TempPathFactory, cells) -> None:
    folder = tmp_path_factory.mktemp("any")
    notebook = v4.new_notebook(
        cells=[(v4.new_code_cell if c else v4.new_markdown_cell)(text) for c, text in cells]
    )
    path = folder / "01_any.py"
    try:
        write_text(path, minimal(notebook))
    except SyncError:
        assert not path.exists()
        return
    assert [(c.cell_type, c.source) for c in read_text(path).cells] == [
        (c.cell_type, c.source.strip("\n")) for c in notebook.cells
    ]


def test_a_broken_notebook_is_named(folder: Path) -> None:
    (folder / "01_pair.ipynb").write_text("{")
    with pytest.raises(SyncError, match=r"01_pair\.ipynb is not a notebook"):
        sync.sync("01_pair", folder)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "tools" / "sync.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_checks_refuses_and_names(folder: Path, capsys) -> None:
    here = ["--folder", str(folder)]
    assert sync.main(["--check", *here]) == 0
    edit_text(folder, "a == 1", "a < 2")
    assert sync.main(["--check", *here]) == 1
    assert capsys.readouterr().out == "01_pair: the .py and the .ipynb differ\n"
    edit_notebook(folder, 2, "assert a < 3")
    refused = command(*here)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert "both" in refused.stderr


def test_execution_stores_what_is_shown(folder: Path) -> None:
    """One kernel for the good notebook; its counts, streams and metadata are normal."""
    path = folder / "01_pair.py"
    path.write_text(
        "# %%\nimport os\nfor line in 'ab':\n    print(line, flush=True)\n\n"
        "# %%\nos.environ['BANDITS_MNIST'], os.environ['BANDITS_SCALE']\n\n"
        "# %%\nfrom pathlib import Path\n\n"
        "(Path('here.txt').write_text('x'), os.listdir(os.environ['BANDITS_RESULTS']))\n"
    )
    assert sync.main(["--folder", str(folder), "--take", "py", "--execute"]) == 0
    cells = read(folder / "01_pair.ipynb").cells
    assert [cell.execution_count for cell in cells] == [1, 2, 3]
    assert [o.text for o in cells[0].outputs] == ["a\nb\n"]
    assert cells[1].outputs[0].data["text/plain"] == "('sample', 'glance')"
    assert cells[2].outputs[0].data["text/plain"] == "(1, [])"
    assert (folder / "here.txt").exists()
    assert all(cell.metadata == {} for cell in cells)
    assert sync.main(["--folder", str(folder), "--check"]) == 0


def test_execution_stores_nothing_that_changes_from_run_to_run(folder: Path, capsys) -> None:
    path = folder / "01_pair.py"
    path.write_text("# %%\nobject()\n\n# %%\nimport sys\nprint('no', file=sys.stderr)\n")
    sync.sync("01_pair", folder, take="py")
    before = (folder / "01_pair.ipynb").read_bytes()
    assert sync.main(["--folder", str(folder), "--execute"]) == 1
    said = capsys.readouterr().err
    assert "cell 1 shows an address: '0x" in said
    assert "cell 2 wrote to stderr" in said
    assert (folder / "01_pair.ipynb").read_bytes() == before


def test_an_unknown_notebook_is_refused(folder: Path, capsys) -> None:
    with pytest.raises(SystemExit):
        sync.main(["--folder", str(folder), "02_nothing"])
    assert "there is no notebook '02_nothing'" in capsys.readouterr().err


def test_what_jupyterlab_saved_beside_the_cells_is_put_in_order(folder: Path) -> None:
    tidy = (folder / "01_pair.py").read_text(), (folder / "01_pair.ipynb").read_text()
    notebook = read(folder / "01_pair.ipynb")
    notebook.metadata.kernelspec.display_name = "Python 3 (ipykernel)"
    notebook.metadata["widgets"] = {}
    write(folder / "01_pair.ipynb", notebook)
    text = (folder / "01_pair.py").read_text()
    saved = text.replace("Python 3\n", "Python 3 (ipykernel)\n")
    assert saved != text
    (folder / "01_pair.py").write_text(saved)
    assert (
        sync.sync("01_pair", folder) == "01_pair: what was saved beside the cells is put in order"
    )
    assert ((folder / "01_pair.py").read_text(), (folder / "01_pair.ipynb").read_text()) == tidy
    assert sync.sync("01_pair", folder) is None
