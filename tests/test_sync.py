"""The two forms of a notebook are brought together by content, and nothing is lost."""

import json
import os
import re
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


# ── Half-saved texts ────────────────────────────────────────────────────────────────────────────


def stored(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


def kept(folder: Path) -> list[bytes]:
    return [p.read_bytes() for p in folder.glob(".ipynb_checkpoints/*")]


def tried(folder: Path, text: str) -> str:
    """What sync says to this .py beside the fixture's .ipynb, which is brought back afterwards.

    The former .ipynb must be where it was, or kept, whatever sync does.
    """
    path, notebook = folder / "01_pair.py", folder / "01_pair.ipynb"
    before = notebook.read_bytes()
    path.write_text(text)
    try:
        said = str(sync.sync("01_pair", folder))
    except SyncError as error:
        said = str(error)
        assert path.read_text() == text
        assert notebook.read_bytes() == before
    assert before in (notebook.read_bytes(), *kept(folder))
    notebook.write_bytes(before)
    shutil.rmtree(folder / ".ipynb_checkpoints", ignore_errors=True)
    return said


def test_a_text_cut_off_anywhere_is_refused_or_loses_nothing(folder: Path) -> None:
    whole = (folder / "01_pair.py").read_text()
    for size in range(len(whole) - 1):
        said = tried(folder, whole[:size])
        assert said.startswith("01_pair"), whole[:size]
        within_a_line = whole[size] != "\n" and not whole[:size].endswith("\n")
        if within_a_line or size < whole.index("# %%"):
            assert "--take ipynb" in said, whole[:size]
            assert re.search("no cells|lacks the header|breaks off", said)


def test_a_text_edited_and_then_cut_off_within_a_cell_is_refused(folder: Path) -> None:
    whole = (folder / "01_pair.py").read_text().replace("A title", "Another title")
    assert "breaks off" in tried(folder, whole[: whole.index("== 1")])
    assert "breaks off" in tried(folder, whole[: whole.index(" tags=[")])
    assert "breaks off" in tried(folder, whole.replace("\n# %%", "\n\n# %%").split("== 1")[0])
    # Not told, because the edit is too near; but kept.
    assert "is kept as" in tried(folder, whole[: whole.index("print(a)")])


def test_cells_deleted_on_purpose_go_and_the_former_notebook_is_kept(folder: Path) -> None:
    before = (folder / "01_pair.ipynb").read_bytes()
    path = folder / "01_pair.py"
    path.write_text(path.read_text().split("\n# %% tags")[0])
    said = sync.sync("01_pair", folder)
    assert said is not None
    assert "which has 1 fewer cell; the former is kept as .ipynb_checkpoints/01_pair-" in said
    assert (folder / said.split(" as ")[1]).read_bytes() == before
    assert len(read(folder / "01_pair.ipynb").cells) == 2
    assert sync.pairs(folder) == ["01_pair"]


def test_lines_deleted_on_purpose_go(folder: Path) -> None:
    """At the end of any cell but before others, and of the last one."""
    whole = (folder / "01_pair.py").read_text()
    said = "01_pair: .ipynb brought up to date with .py"
    assert tried(folder, whole.replace("assert a == 1\n", "")).startswith(f"{said}; the former is")
    (folder / "01_pair.py").write_text(whole.replace("\nprint(a)", ""))
    assert sync.sync("01_pair", folder) == said
    assert kept(folder) == []


@pytest.mark.parametrize("text", ["# ---\n# jupyter:\n", "# %%\na = 2\n"])
def test_a_text_without_header_is_taken_only_when_asked_for(folder: Path, text: str) -> None:
    said = tried(folder, text)
    assert said.startswith("01_pair.py lacks the header that jupytext writes")
    sync.sync("01_pair", folder, take="py")
    assert len(read(folder / "01_pair.ipynb").cells) == 1
    assert len(kept(folder)) == 1
    with (folder / "01_pair.py").open("a") as file:  # which has its header now
        file.write("\n# %%\na = 3\n")
    assert sync.sync("01_pair", folder) == "01_pair: .ipynb brought up to date with .py"


@pytest.mark.parametrize("take", [None, "py"])
def test_a_text_without_cells_is_never_taken(folder: Path, take) -> None:
    tidy = stored(folder)
    (folder / "01_pair.py").write_text("")
    with pytest.raises(SyncError, match=r"01_pair\.py has no cells.*--take ipynb"):
        sync.sync("01_pair", folder, take)
    assert sync.sync("01_pair", folder, "ipynb") == "01_pair: .py brought up to date with .ipynb"
    assert stored(folder) == tidy
    (folder / "01_pair.ipynb").unlink()
    (folder / "01_pair.py").write_text("\n")
    with pytest.raises(SyncError, match="no cells"):
        sync.sync("01_pair", folder, take)
    assert not (folder / "01_pair.ipynb").exists()


# ── Files that are no notebooks ─────────────────────────────────────────────────────────────────


def damaged(**change: object) -> bytes:
    """A notebook's JSON with other values in it, or in its only cell."""
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "outputs": []}
    cell["execution_count"] = None
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    for key, value in change.items():
        (cell if key.startswith("cell_") else notebook)[key.removeprefix("cell_")] = value
    return json.dumps(notebook).encode()


BROKEN = {
    "py latin-1": (".py", "# %%\n# é\n".encode("latin-1"), "is not in UTF-8"),
    "py utf-16": (".py", "# %%\n1\n".encode("utf-16"), "is not in UTF-8"),
    "py tags": (".py", b'# %% tags=["a", 1]\n1\n', "is not a notebook"),
    "py one tag": (".py", b"# %% tags=3\n1\n", "is not a notebook"),
    "py half a tag": (".py", b'# %% tags=["\\ud83d"]\n1\n', "half a character (U+D83D)"),
    "py yaml": (".py", b"# ---\n# jupyter:\n#   a: [\n# ---\n\n# %%\n1\n", "is not a notebook"),
    "py no yaml": (".py", b"# ---\n# jupyter:\n# ---\n\n# %%\n1\n", "is not a notebook"),
    "py folder": (".py", None, "cannot be read or written"),
    "folder": (".ipynb", None, "cannot be read or written"),
    "latin-1": (".ipynb", '{"é": 1}'.encode("latin-1"), "is not in UTF-8"),
    "empty": (".ipynb", b"", "is not a notebook"),
    "half": (".ipynb", damaged()[:-20], "is not a notebook"),
    "list": (".ipynb", b"[]", "its JSON is not an object"),
    "deep": (".ipynb", b"[" * 100_000, "is not a notebook"),
    "object": (".ipynb", b"{}", "is not a notebook"),
    "cells 3": (".ipynb", damaged(cells=3), "its cells are not a list of objects"),
    "cells [1]": (".ipynb", damaged(cells=[1]), "its cells are not a list of objects"),
    "metadata": (".ipynb", damaged(metadata=[]), "(metadata: [] is not of type 'object')"),
    "version": (".ipynb", damaged(nbformat=9), "(Unsupported nbformat version 9)"),
    "no version": (".ipynb", damaged(nbformat="x"), "is not a notebook"),
    "minor": (".ipynb", damaged(nbformat_minor="x"), "is not a notebook"),
    "tags": (".ipynb", damaged(cell_metadata={"tags": ["a", 1]}), "1 is not of type 'string'"),
    "a tag": (".ipynb", damaged(cell_metadata={"tags": "ab"}), "'ab' is not of type 'array'"),
    "cell": (".ipynb", damaged(cell_metadata=[]), "is not a notebook"),
    "hidden": (".ipynb", damaged(cell_metadata={"jupyter": 3}), "is not a notebook"),
    "source": (".ipynb", damaged(cell_source=[3]), "is not a notebook"),
    "kind": (".ipynb", damaged(cell_cell_type="sheet"), "is not a notebook"),
    "outputs": (".ipynb", damaged(cell_outputs=3), "is not a notebook"),
    "output": (".ipynb", damaged(cell_outputs=[{"output_type": "x"}]), "is not a notebook"),
    "surrogate": (".ipynb", damaged(cell_source="\ud83d"), "cell 1 of 00_broken.ipynb holds half"),
    "shown surrogate": (
        ".ipynb",
        damaged(cell_outputs=[v4.new_output("stream", text="\ud83d")]),
        "cell 1 of 00_broken.ipynb holds half a character (U+D83D)",
    ),
}


@pytest.mark.parametrize("beside", [True, False], ids=["pair", "alone"])
@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_named_and_the_other_notebooks_are_synced(
    folder: Path, capsys, case: str, beside: bool
) -> None:
    ending, data, fault = BROKEN[case]
    if beside:
        for form in (".py", ".ipynb"):
            shutil.copy(folder / f"01_pair{form}", folder / f"00_broken{form}")
    path = folder / f"00_broken{ending}"
    path.unlink(missing_ok=True)
    path.mkdir() if data is None else path.write_bytes(data)
    edit_text(folder, "a == 1", "a < 2")
    before = stored(folder)
    here = ["--folder", str(folder)]
    assert sync.main(["--check", *here]) == 1
    said = capsys.readouterr()
    assert said.out.endswith("01_pair: the .py and the .ipynb differ\n")
    assert stored(folder) == before
    assert sync.main(here) == 1
    if beside:
        assert said.err == capsys.readouterr().err
    else:
        assert "00_broken: the .py and" in said.out
        said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert said.err.startswith(("00_broken", "cell 1 of 00_broken"))
    assert fault in said.err
    assert sync.alike(folder / "01_pair")
    after = stored(folder)
    assert after.pop("01_pair.ipynb") != before.pop("01_pair.ipynb")
    assert after == before


@pytest.mark.parametrize("case", [case for case in BROKEN if case.startswith("py ")])
def test_a_broken_text_is_made_anew_when_asked_for(folder: Path, case: str) -> None:
    tidy = stored(folder)
    data = BROKEN[case][1]
    if data is None:
        (folder / "01_pair.py").unlink()
        (folder / "01_pair.py").mkdir()
        with pytest.raises(SyncError, match=r"01_pair\.py cannot be read or written"):
            sync.sync("01_pair", folder, "ipynb")
        assert list(folder.glob(".*")) == []
        return
    (folder / "01_pair.py").write_bytes(data)
    sync.sync("01_pair", folder, "ipynb")
    assert stored(folder) == tidy


def test_a_byte_order_mark_and_an_odd_digest_are_no_edit(folder: Path) -> None:
    tidy = stored(folder)
    for path in folder.iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert sync.diverged(folder) == []
    assert sync.sync("01_pair", folder) is not None
    assert stored(folder) == tidy
    for odd in (3, None, [], {"digest": 3}):
        notebook = read(folder / "01_pair.ipynb")
        notebook.metadata["pair"] = odd
        write(folder / "01_pair.ipynb", notebook)
        assert sync.sync("01_pair", folder) == "01_pair: alike, and noted as such"
        assert stored(folder) == tidy


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
