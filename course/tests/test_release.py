"""The student release, and the sources that are refused because they would leak or mark wrongly."""

import copy
import re
import zipfile

import nbformat
import pytest
from classroom import cell_of

from course.assignments import names, source
from course.release import check_release, check_source, release, secrets_of

NAMES = names()
SECRET = re.compile("### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END", re.DOTALL)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The student release, a zip."""
    return release(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def packed(archive):
    """The student notebooks in the zip, by name."""
    with zipfile.ZipFile(archive) as file:
        return {
            n: nbformat.reads(file.read(f"assignments/{n}/{n}.ipynb").decode(), as_version=4)
            for n in NAMES
        }


def test_the_release_holds_three_notebooks_and_a_text_only(archive):
    with zipfile.ZipFile(archive) as file:
        members = {info.filename for info in file.infolist()}
        text = file.read("assignments/README.txt").decode()
    assert members == {f"assignments/{n}/{n}.ipynb" for n in NAMES} | {"assignments/README.txt"}
    assert all(f"{n}.ipynb" in text for n in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_release_holds_no_solution_and_no_hidden_test(packed, name):
    whole = "\n".join(cell.source for cell in packed[name].cells)
    assert "### BEGIN" not in whole
    assert "### END" not in whole
    assert "secrets" not in whole
    assert "Rubric" not in whole
    assert "Model answer" not in whole
    lines = {line.strip() for line in whole.splitlines()}
    removed = 0
    for cell in source(name).cells:
        kind = cell.metadata.nbgrader
        texts = [cell.source] if kind.solution and kind.grade else SECRET.findall(cell.source)
        for line in "\n".join(texts).splitlines():
            if len(line.strip()) > 20 and not line.strip().startswith(("import ", "from ")):
                assert line.strip() not in lines
                removed += 1
    assert removed > 40


@pytest.mark.parametrize("name", NAMES)
def test_the_release_keeps_texts_stubs_and_visible_tests(packed, name):
    assert packed[name].metadata.kernelspec.name == "python3"
    for before, after in zip(source(name).cells, packed[name].cells, strict=True):
        kind = before.metadata.nbgrader
        assert after.metadata.nbgrader.grade_id == kind.grade_id
        if kind.solution:
            assert "YOUR CODE HERE" in after.source or "YOUR ANSWER HERE" in after.source
            if before.source.startswith("def "):
                assert after.source.startswith(before.source.split("    ### BEGIN")[0])
        elif not kind.grade_id.endswith("_hidden"):
            assert after.source == before.source
        if after.cell_type == "code":
            assert after.outputs == []


def broken(name="exploring"):
    return copy.deepcopy(source(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_sources_are_accepted(name):
    check_source(name, source(name))


def misspelt(notebook):
    cell = cell_of(notebook, "epsilon")
    cell.source = cell.source.replace("### BEGIN SOLUTION", "### BEGIN SOLUTON")


def lower_case(notebook):
    cell = cell_of(notebook, "epsilon_hidden")
    cell.source = cell.source.replace("### END HIDDEN TESTS", "### end hidden tests")


def spaced(notebook):
    cell = cell_of(notebook, "choose_hidden")
    cell.source = cell.source.replace("### BEGIN HIDDEN TESTS", "###BEGIN HIDDEN TESTS")


def no_region(notebook):
    cell_of(notebook, "choose").source = "def choose(): ..."


def wrong_place(notebook):
    cell = cell_of(notebook, "setup")
    cell.source += "\n### BEGIN HIDDEN TESTS\npass\n### END HIDDEN TESTS"


def same_id(notebook):
    cell_of(notebook, "choose").metadata.nbgrader.grade_id = "epsilon"


def no_kernel(notebook):
    del notebook.metadata["kernelspec"]


def no_metadata(notebook):
    del notebook.cells[3].metadata["nbgrader"]


@pytest.mark.parametrize(
    "spoil, told",
    [
        (misspelt, "'### BEGIN SOLUTON' is not one of"),
        (lower_case, "'### end hidden tests' is not one of"),
        (spaced, "'###BEGIN HIDDEN TESTS' is not one of"),
        (no_region, "an answer cell, and no other, has a solution region"),
        (wrong_place, "hidden tests belong in a locked test cell"),
        (same_id, "two cells have this grade_id"),
        (no_kernel, "needs the kernelspec python3"),
        (no_metadata, "cell 4 has no nbgrader metadata"),
    ],
)
def test_a_spoilt_source_is_refused(spoil, told):
    notebook = broken()
    spoil(notebook)
    with pytest.raises(ValueError, match=re.escape(told)):
        check_source("exploring", notebook)


@pytest.mark.parametrize("grade_id", ["epsilon", "choose_hidden", "written"])
def test_a_release_that_leaks_is_refused(grade_id):
    release = broken()
    for _, _, cell in ((0, 0, cell) for cell in release.cells):
        for what in ("SOLUTION", "HIDDEN TESTS"):
            cell.source = re.sub(
                rf" *### BEGIN {what}\n.*?### END {what}",
                "    # YOUR CODE HERE",
                cell.source,
                flags=re.DOTALL,
            )
    cell_of(release, "written").source = "YOUR ANSWER HERE"
    check_release("exploring", source("exploring"), release)
    leak = secrets_of(cell_of(source("exploring"), grade_id))[0]
    cell_of(release, "title").source += "\n" + leak
    with pytest.raises(ValueError, match="leaked"):
        check_release("exploring", source("exploring"), release)
