"""Every notebook runs, shows what it stores, and stores nothing that should not be stored.

The checks themselves are tried on small or broken notebooks, each of which must fail.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from nbformat import NotebookNode, v4
from notebook_checks import NOTEBOOKS, ROOT, WITHOUT_TORCH, nbval, pairs, printed, read, tiny, write
from notebook_faults import KERNELSPEC, asserts, faults
from notebook_rhythm import rhythm

from bandits import study

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_the_reading_path_is_found() -> None:
    names = [path.stem for path in NOTEBOOKS]
    assert names[:2] == ["01_the_problem", "02_the_algorithm"]
    assert len({name[:2] for name in names}) == len(names)


# ── Every notebook ──────────────────────────────────────────────────────────────────────────────


@every_notebook
def test_it_shows_what_it_stores(path: Path, tmp_path: Path) -> None:
    assert nbval(path, tmp_path, torch=not path.name.startswith(WITHOUT_TORCH)) == ""


@every_notebook
def test_it_is_stored_as_it_should_be(path: Path) -> None:
    assert faults(read(path)) == []


@every_notebook
def test_both_forms_are_alike(path: Path) -> None:
    assert pairs.difference(path.with_suffix("")) is None


@every_notebook
def test_it_teaches(path: Path) -> None:
    """Goals first, and at the end questions whose answers are folded away."""
    words = [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
    assert words[0].startswith("# ")
    assert "After this notebook you" in words[0].replace("\n", " ")
    assert words[-1].count("<details>") in (1, 2, 3) or words[-2].count("<details>") > 0
    for text in words:
        assert text.count("<details>") == text.count("</details>") == text.count("</summary>")


@every_notebook
def test_it_keeps_the_rhythm(path: Path) -> None:
    assert rhythm(read(path), int(path.name[:2])) == []


def test_the_cell_that_installs_the_study_is_the_same_in_all_chapters() -> None:
    """Left out of the book, and folded in JupyterLab."""
    firsts = [
        next(cell for cell in read(path).cells if cell.cell_type == "code") for path in NOTEBOOKS
    ]
    assert {cell.source for cell in firsts} == {firsts[0].source}
    assert 'find_spec("bandits") is None' in firsts[0].source
    for cell in firsts:
        assert cell.metadata["tags"] == ["remove-cell"]
        assert cell.metadata["jupyter"] == {"source_hidden": True}


@pytest.mark.slow
@every_notebook
def test_it_runs_on_full_mnist(path: Path, tmp_path: Path) -> None:
    """Assertions only: other images give other numbers."""
    beside = ROOT.parent / "shared" / "mnist"
    source = os.environ.get("BANDITS_MNIST", "sample")
    if source == "sample" and beside.is_dir():
        source = str(beside)
    if source == "sample":
        pytest.skip("full MNIST is not at hand; BANDITS_MNIST can name its folder")
    assert nbval(path, tmp_path, lax=True, BANDITS_MNIST=source) == ""


# ── The checks catch what they are for ──────────────────────────────────────────────────────────


def never_executed(notebook: NotebookNode) -> None:
    notebook.cells[1].execution_count = None
    notebook.cells[1].outputs = []


def counted_wrongly(notebook: NotebookNode) -> None:
    notebook.cells[1].execution_count = 7


def without_kernelspec(notebook: NotebookNode) -> None:
    del notebook.metadata["kernelspec"]


def of_another_kernel(notebook: NotebookNode) -> None:
    notebook.metadata["kernelspec"] = dict(KERNELSPEC) | {"name": "conda-env-mine-py"}


def too_large(notebook: NotebookNode) -> None:
    printed(notebook, "9" * 500_000)


def with_stderr(notebook: NotebookNode) -> None:
    printed(notebook, "careful\n", name="stderr")


def with_an_error(notebook: NotebookNode) -> None:
    notebook.cells[1].outputs = [
        v4.new_output("error", ename="ValueError", evalue="no", traceback=[])
    ]


def that_prints(text: str) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        printed(notebook, text)

    change.__name__ = f"that_prints_{text[:20]}"
    return change


def that_ignores_its_output(source: str) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        notebook.cells[1].source = source
        notebook.cells[1].metadata["tags"] = ["nbval-ignore-output"]

    return change


def with_a_tag(tag: str) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        notebook.cells[1].metadata["tags"] = [tag]

    return change


def steered_by_a_comment(notebook: NotebookNode) -> None:
    notebook.cells[1].source = "# NBVAL_SKIP\nassert a == 1"


def with_an_unasserted_picture(notebook: NotebookNode) -> None:
    notebook.cells[1].source = "axes.plot(curve)"
    notebook.cells[1].outputs = [v4.new_output("display_data", data={"image/png": "aGk="})]


BROKEN = {
    never_executed: "cell 2 has the count None, not 2",
    counted_wrongly: "cell 2 has the count 7, not 2",
    without_kernelspec: "its kernelspec is None",
    of_another_kernel: "its kernelspec is",
    too_large: "500,000 bytes or more",
    with_stderr: "cell 2 wrote to stderr: 'careful'",
    with_an_error: "cell 2 stores the error ValueError: no",
    that_prints("CPU times: user 3"): "shows a timing",
    that_prints("took 3.2 s"): "shows a timing",
    that_prints("saved to /home/me/figure.png"): "shows an absolute path",
    that_prints("saved to C:\\figure.png"): "shows an absolute path",
    that_ignores_its_output("print(0.1 + 0.2)"): "asserts nothing",
    that_ignores_its_output("assert True"): "asserts nothing",
    that_ignores_its_output("print('assert a == 1')"): "asserts nothing",
    with_a_tag("nbval-skip"): "the only one allowed",
    with_a_tag("raises-exception"): "the only one allowed",
    steered_by_a_comment: "steers nbval by a comment",
    with_an_unasserted_picture: "asserts nothing",
}


@pytest.mark.parametrize("change", BROKEN, ids=lambda change: change.__name__)
def test_a_broken_notebook_is_found_out(change: Callable[[NotebookNode], None]) -> None:
    notebook = tiny("a = 1", "assert a == 1")
    assert faults(notebook) == []
    change(notebook)
    found = faults(notebook)
    assert len(found) == 1
    assert BROKEN[change] in found[0]


@pytest.mark.parametrize(
    "text",
    [
        "4.5 and 7.79175",
        "1/2/3 of t = 20",
        "</td></tr>",
        "<Figure size 640x480 with 3 Axes>",
        "20%",
    ],
)
def test_what_may_be_shown_is_let_through(text: str) -> None:
    assert faults(printed(tiny("a"), text)) == []


def essay() -> NotebookNode:
    """A chapter in the right rhythm, with one picture and one table."""
    picture = v4.new_output("display_data", data={"image/png": "aGk="})
    table = {"text/html": "<table><caption>Table 3.1. Words.</caption></table>"}
    draw = v4.new_code_cell("plot(a)\nassert a", outputs=[picture], metadata={
        "tags": ["hide-input"], "jupyter": {"source_hidden": True},
        "mystnb": {"image": {"alt": "a curve that falls from one to zero slowly"}}})  # fmt: skip
    folded = {"tags": ["hide-cell"], "jupyter": {"source_hidden": True}}
    solve = v4.new_code_cell("a", metadata=folded)
    asked = "## Exercises\n\n**1.** One?\n\n<details>No</details>\n\n**2.** Two?"
    return v4.new_notebook(cells=[
        v4.new_markdown_cell("# A title\n\nHow often?" + " word" * 40),
        v4.new_code_cell("import os"),
        v4.new_code_cell("a = 1", outputs=[v4.new_output("execute_result", data=table)]),
        draw,
        v4.new_markdown_cell("**Figure 3.1.** *A curve.*\n\n## What was seen\n\n[On](04_it.ipynb)"),
        v4.new_markdown_cell(asked), solve, v4.new_markdown_cell("<details>Yes</details>"),
    ])  # fmt: skip


OUT_OF_RHYTHM: dict[str, tuple[int, str, str]] = {
    "cell 3 has 16 lines, more than 15": (2, "a = 1\n" * 16, "word " * 600),
    "the median cell has 7 lines, more than 6": (2, "a = 1\n" * 7, "word " * 600),
    "fewer than 15": (2, "a = 1\n" * 5, ""),
    "cell 3 has 2 assertions": (2, "assert a\nassert b", ""),
    "cell 4 has 31 lines, more than 30": (3, "a\n" * 31, ""),
    "it does not open with a question": (0, "# A title" + " word" * 40, ""),
    "leaks into formulas": (0, "How?\n> $$a" + " word" * 40, ""),
    "no caption '**Figure 3.1.** *' follows cell 4": (4, "## What was seen\n[](04_it.ipynb)", ""),
    "what was seen and a link onward": (4, "**Figure 3.1.** *A.*\n## What was seen\n", ""),
    "it has 1 exercises and 1 folded answers": (5, "\n## Exercises\n\n**1.** One?", ""),
}


@pytest.mark.parametrize("words", OUT_OF_RHYTHM)
def test_a_chapter_out_of_rhythm_is_found_out(words: str) -> None:
    notebook = essay()
    assert rhythm(notebook, 3) == []
    place, source, more = OUT_OF_RHYTHM[words]
    notebook.cells[place].source = source
    notebook.cells[0].source += more
    found = rhythm(notebook, 3)
    assert len(found) == (2 if "16 lines" in words else 1)  # then the median is too large as well
    assert words in found[0]


def test_a_picture_or_table_without_its_words_is_found_out() -> None:
    notebook = essay()
    del notebook.cells[3].metadata["mystnb"]
    notebook.cells[2].outputs[0].data["text/html"] = "<table></table>"
    notebook.cells[6].metadata["tags"] = []
    assert [found.split(" cell ")[0] for found in rhythm(notebook, 3)] == [
        "the table of", "the picture of", "no exercise has a solution in code",
    ]  # fmt: skip


def test_assertions_are_found_below_functions_and_magics() -> None:
    assert asserts("%matplotlib inline\nfor a in [1]:\n    assert a")
    assert not asserts("# assert a\n'assert a'")


CURVE = """\
import numpy as np
import matplotlib.pyplot as plt

mean = np.cumsum(np.arange(1.0, 6.0)) / np.arange(1, 6)
axes = plt.figure().subplots()
axes.plot(mean)
assert axes.lines[0].get_ydata()[-1] == 3.0, "the mean of 1 to 5 is 3"
"""


def copy_until(name: str, has: str) -> NotebookNode:
    """The code cells of a notebook up to the first that holds `has`, those with torch left out."""
    notebook = read(ROOT / "notebooks" / f"{name}.ipynb")
    cells = [c for c in notebook.cells if c.cell_type == "code" and "Networks" not in c.source]
    last = next(number for number, cell in enumerate(cells) if has in cell.source)
    notebook.cells = cells[: last + 1]
    return notebook


def with_zeros(name: str, old: str) -> NotebookNode:
    """A notebook up to a curve, which is then replaced by zeros."""
    notebook = copy_until(name, old)
    last = notebook.cells[-1]
    assert last.source.count(old) == 1
    last.source = last.source.replace(old, f"{old}0 * ")
    return notebook


def with_an_edited_number() -> NotebookNode:
    """Notebook 1 up to its exact values, one of them edited in what is stored."""
    notebook = copy_until("01_the_problem", "def expected_maximum")
    (output,) = notebook.cells[-1].outputs
    assert output.text.count("7.79175") == 1
    output.text = output.text.replace("7.79175", "7.79173")
    return notebook


COPIES: dict[str, tuple[Callable[[], NotebookNode], str]] = {
    "good": (lambda: printed(tiny("a = 7.79175", "print(a)"), "7.79175\n"), ""),
    "edited": (lambda: printed(tiny("print(7.79175)"), "7.79173\n"), "Cell outputs differ"),
    "warned": (lambda: tiny("import warnings\nwarnings.warn('mind')"), "stderr"),
    "failing": (lambda: tiny("a = 1", "assert a == 2"), "AssertionError"),
    "zeros": (lambda: tiny(CURVE.replace("/ np.ar", "* 0 * np.ar")), "the mean of 1 to 5 is 3"),
    "torch": (lambda: tiny("import torch"), "needs no torch"),
    "01_edited": (with_an_edited_number, "Cell outputs differ"),
    "01_zeros": (lambda: with_zeros("01_the_problem", "mean_reward = "), "AssertionError"),
    "02_zeros": (lambda: with_zeros("02_the_algorithm", "belief = "), "AssertionError"),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What nbval says about each copy: one run for all of them."""
    scratch = tmp_path_factory.mktemp("nbval")
    folder = scratch / "copies"
    folder.mkdir()
    for name, (make, _) in COPIES.items():
        write(folder / f"{name}.ipynb", make())
    report = nbval(folder, scratch, torch=False)
    sections = re.split(r"^_+ .*?(\w+)\.ipynb::Cell \d+ _+$", report, flags=re.MULTILINE)
    found = dict.fromkeys(COPIES, "")
    for name, text in zip(sections[1::2], sections[2::2], strict=True):
        found[name] += text
    return found


@pytest.mark.parametrize("name", COPIES)
def test_nbval_passes_a_good_notebook_and_fails_a_broken_one(
    name: str, reports: dict[str, str]
) -> None:
    """Pictures are not compared: a curve of zeros is caught by what is asserted of its numbers."""
    _, expected = COPIES[name]
    if expected:
        assert expected in reports[name]
    else:
        assert reports[name] == ""


# ── What the notebooks share ────────────────────────────────────────────────────────────────────


def test_the_scale_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BANDITS_SCALE", raising=False)
    assert study.scale() == "glance"
    monkeypatch.setenv("BANDITS_SCALE", "paper")
    assert study.scale() == "paper"
    monkeypatch.setenv("BANDITS_SCALE", "large")
    with pytest.raises(ValueError, match="one of glance, quick, paper, not 'large'"):
        study.scale()


def test_the_banner_names_scale_and_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANDITS_SCALE", "glance")
    monkeypatch.setenv("BANDITS_MNIST", "sample")
    words = study.banner("convergence")
    assert words.startswith("Scale: glance (200 steps, 1 run). Data: sample of 5,000 MNIST")
    assert words.endswith(".")


def test_runs_are_computed_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANDITS_MNIST", "sample")
    monkeypatch.setenv("BANDITS_SCALE", "glance")
    monkeypatch.setenv("BANDITS_RESULTS", str(tmp_path))
    shown = study.experiment("low_noise").select(["random", "optimal"])
    found = study.run(shown)
    assert set(found) == {"random", "optimal"}
    assert [len(runs) for runs in found.values()] == [2, 2]
    assert all(len(run) == 200 for runs in found.values() for run in runs)
    assert not found["optimal"][1].regret.any()
    times = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.npz")}
    assert len(times) == 4
    again = study.run(shown)
    assert (again["random"][1].rewards == found["random"][1].rewards).all()
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.npz")} == times


def test_runs_are_kept_at_the_study_or_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BANDITS_RESULTS", raising=False)
    assert study.results_folder() == ROOT / "results"
    installed = tmp_path / "site-packages" / "bandits" / "study.py"
    monkeypatch.setattr(study, "__file__", str(installed))
    monkeypatch.chdir(tmp_path)
    assert study.results_folder() == tmp_path / "results"
    monkeypatch.setenv("BANDITS_RESULTS", "elsewhere")
    assert study.results_folder() == Path("elsewhere")


def test_a_failed_run_is_raised_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANDITS_MNIST", "sample")
    monkeypatch.setenv("BANDITS_RESULTS", str(tmp_path))
    monkeypatch.setattr("bandits.engine.compute.simulate", lambda *a, **k: 1 / 0)
    shown = study.experiment("low_noise").select(["random"])
    with pytest.raises(RuntimeError, match=r"low_noise, method random, run 0, .*ZeroDivision"):
        study.run(shown, "glance")
