"""Every notebook runs, shows what it stores, and stores nothing that should not be stored.

The checks themselves are tried on small or broken notebooks, each of which must fail.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from nbformat import NotebookNode, v4
from notebook_checks import NOTEBOOKS, ROOT, nbval, printed, read, sync, tiny, write
from notebook_faults import KERNELSPEC, asserts, faults, output_faults

from bandits import study

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_the_reading_path_is_found() -> None:
    names = [path.stem for path in NOTEBOOKS]
    assert names[:2] == ["01_the_problem", "02_the_algorithm"]
    assert len({name[:2] for name in names}) == len(names)


# ── Every notebook ──────────────────────────────────────────────────────────────────────────────


@every_notebook
def test_it_shows_what_it_stores(path: Path, tmp_path: Path) -> None:
    assert nbval(path, tmp_path) == ""


@every_notebook
def test_it_is_stored_as_it_should_be(path: Path) -> None:
    assert faults(read(path)) == []


@every_notebook
def test_both_forms_are_alike(path: Path) -> None:
    assert path.stem not in sync.diverged(path.parent)


@every_notebook
def test_it_teaches(path: Path) -> None:
    """Goals first, and at the end questions whose answers are folded away."""
    words = [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
    assert words[0].startswith("# ")
    assert "After this notebook you" in words[0].replace("\n", " ")
    assert words[-1].count("<details>") in (1, 2, 3) or words[-2].count("<details>") > 0
    for text in words:
        assert text.count("<details>") == text.count("</details>") == text.count("</summary>")


def test_the_cell_for_colab_is_the_same_in_all() -> None:
    firsts = {
        path.stem: next(cell.source for cell in read(path).cells if cell.cell_type == "code")
        for path in NOTEBOOKS
    }
    for_colab = {name: source for name, source in firsts.items() if "google.colab" in source}
    assert "01_the_problem" in for_colab
    assert len(set(for_colab.values())) == 1


@pytest.mark.slow
@every_notebook
def test_it_runs_on_full_mnist(path: Path, tmp_path: Path) -> None:
    """Assertions only: other images give other numbers."""
    beside = ROOT.parent / "shared" / "mnist"
    source = os.environ.get("BANDITS_MNIST", str(beside) if beside.is_dir() else "sample")
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
    never_executed: "cell 2 was never executed",
    counted_wrongly: "cell 2 has the execution count 7, not 2",
    without_kernelspec: "its kernelspec is None",
    of_another_kernel: "its kernelspec is",
    too_large: "500,000 is too many",
    with_stderr: "cell 2 wrote to stderr: 'careful'",
    with_an_error: "cell 2 stores the error ValueError: no",
    that_prints("<Line2D at 0x7f3c9a1b2d30>"): "shows an address",
    that_prints("UserWarning: mind"): "shows a warning",
    that_prints("CPU times: user 3"): "shows a timing",
    that_prints("took 3.2 s"): "shows a timing",
    that_prints(" 42%|####      |"): "shows a progress bar",
    that_prints("saved to /home/me/figure.png"): "shows an absolute path",
    that_prints("saved to C:\\figure.png"): "shows an absolute path",
    that_ignores_its_output("print(0.1 + 0.2)"): "asserts nothing",
    that_ignores_its_output("assert True"): "asserts nothing",
    that_ignores_its_output("print('assert a == 1')"): "asserts nothing",
    with_a_tag("nbval-skip"): "the only one allowed",
    with_a_tag("raises-exception"): "the only one allowed",
    steered_by_a_comment: "steers nbval by a comment",
    with_an_unasserted_picture: "draws a picture and asserts nothing",
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
    assert output_faults(printed(tiny("a"), text).cells[0].outputs) == []


def test_assertions_are_found_below_functions_and_magics() -> None:
    assert asserts("%matplotlib inline\nfor a in [1]:\n    assert a")
    assert not asserts("# assert a\n'assert a'")


def test_a_diverged_pair_is_found_out(tmp_path: Path) -> None:
    """The same number of cells and the same file times: only the content tells."""
    (tmp_path / "01_pair.py").write_text("# %%\nprint(1)\n")
    sync.sync("01_pair", tmp_path)
    assert sync.diverged(tmp_path) == []
    (tmp_path / "01_pair.py").write_text("# %%\nprint(2)\n")
    assert sync.diverged(tmp_path) == ["01_pair"]


CURVE = """\
import numpy as np
import matplotlib.pyplot as plt

mean = np.cumsum(np.arange(1.0, 6.0)) / np.arange(1, 6)
axes = plt.figure().subplots()
axes.plot(mean)
assert axes.lines[0].get_ydata()[-1] == 3.0, "the mean of 1 to 5 is 3"
"""


def test_nbval_passes_a_good_notebook_and_fails_each_broken_one(tmp_path: Path) -> None:
    """One run of nbval over several small notebooks, for the price of their kernels."""
    good = printed(tiny("a = 7.79175", "print(a)"), "7.79175\n")
    edited = printed(tiny("a = 7.79175", "print(a)"), "7.79173\n")
    warned = tiny("import warnings", "warnings.warn('mind')")
    failing = tiny("a = 1", "assert a == 2")
    folder = tmp_path / "notebooks"
    folder.mkdir()
    copies = {"good": good, "edited": edited, "warned": warned, "failing": failing}
    for name, notebook in copies.items():
        write(folder / f"{name}.ipynb", notebook)
    report = nbval(folder, tmp_path / "scratch")
    assert "FAILED" in report
    failed = [line for line in report.splitlines() if line.startswith("FAILED")]
    assert len(failed) == 3
    for name in ("edited", "warned", "failing"):
        assert any(f"{name}.ipynb::Cell 1" in line for line in failed)


def test_a_curve_replaced_by_zeros_is_found_out(tmp_path: Path) -> None:
    """Pictures are not compared, so the numbers behind them are asserted."""
    notebook = tiny(CURVE.replace("/ np.arange(1, 6)", "* 0"))
    report = nbval(write(tmp_path / "curve.ipynb", notebook), tmp_path / "scratch")
    assert "the mean of 1 to 5 is 3" in report


def copy_of(name: str, folder: Path, old: str, new: str) -> Path:
    """A notebook up to the cell that holds `old`, replaced by `new`; cells with torch left out."""
    notebook = read(ROOT / "notebooks" / f"{name}.ipynb")
    cells = [c for c in notebook.cells if c.cell_type == "code" and "Networks" not in c.source]
    (hit,) = [number for number, cell in enumerate(cells) if old in cell.source]
    cells[hit].source = cells[hit].source.replace(old, new)
    notebook.cells = cells[: hit + 1]
    return write(folder / f"{name}.ipynb", notebook)


@pytest.mark.parametrize(
    "name, old, new",
    [
        ("01_the_problem", "mean_reward = ", "mean_reward = 0 * "),
        ("02_the_algorithm", "mean_regret = ", "mean_regret = 0 * "),
    ],
)
def test_zeros_in_a_notebooks_own_curve_are_found_out(
    name: str, old: str, new: str, tmp_path: Path
) -> None:
    path = copy_of(name, tmp_path, old, new)
    assert "AssertionError" in nbval(path, tmp_path / "scratch", lax=True)


def test_a_number_edited_in_a_stored_output_is_found_out(tmp_path: Path) -> None:
    notebook = read(ROOT / "notebooks" / "01_the_problem.ipynb")
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    (output,) = [o for o in outputs if "7.79175" in o.get("text", "")]
    output.text = output.text.replace("7.79175", "7.79173")
    path = write(tmp_path / "01_the_problem.ipynb", notebook)
    assert "Cell outputs differ" in nbval(path, tmp_path / "scratch")


def test_a_notebook_that_must_not_need_torch_cannot_have_it(tmp_path: Path) -> None:
    path = write(tmp_path / "01_other.ipynb", tiny("import torch"))
    assert "needs no torch" in nbval(path, tmp_path / "scratch")


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


def test_a_failed_run_is_raised_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANDITS_MNIST", "sample")
    monkeypatch.setenv("BANDITS_RESULTS", str(tmp_path))
    monkeypatch.setattr("bandits.runs.simulate", lambda *a, **k: 1 / 0)
    shown = study.experiment("low_noise").select(["random"])
    with pytest.raises(RuntimeError, match=r"low_noise, method random, run 0, .*ZeroDivision"):
        study.run(shown, "glance")
