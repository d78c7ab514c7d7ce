"""The student release, and the sources that are refused because they would leak or mark wrongly."""

import copy
import io
import re
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
from classroom import cell_of
from packaging.requirements import Requirement

from course import handout
from course.assignments import COURSE, ROOT, AssignmentError, names, source
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


# What students get beside the notebooks.

BESIDE = {
    "START_HERE.html",
    "requirements.txt",
    "requirements-torch.txt",
    "deep_epsilon_greedy-0.1.0+course-py3-none-any.whl",
}


@pytest.fixture(scope="module")
def members(archive):
    """The files of the zip, by their names in its one folder."""
    with zipfile.ZipFile(archive) as file:
        assert all(name.startswith("assignments/") for name in file.namelist())
        return {name.removeprefix("assignments/"): file.read(name) for name in file.namelist()}


@pytest.fixture(scope="module")
def wheel(members):
    """The files of the wheel."""
    (name,) = [name for name in members if name.endswith(".whl")]
    with zipfile.ZipFile(io.BytesIO(members[name])) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_the_release_holds_the_notebooks_the_study_and_how_to_begin(members):
    assert set(members) == {f"{name}/{name}.ipynb" for name in NAMES} | BESIDE
    assert set(handout.file_names()) == BESIDE
    assert sum(map(len, members.values())) < 1_000_000


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    code = {name: text for name, text in wheel.items() if ".dist-info/" not in name}
    package = sorted((ROOT / "bandits").rglob("*.py"))
    assert code == {str(path.relative_to(ROOT)): path.read_bytes() for path in package}
    (about,) = [text.decode() for name, text in wheel.items() if name.endswith("/METADATA")]
    assert re.findall("Requires-Dist: (.*)", about) == ["numpy"]
    assert "Version: 0.1.0+course" in about


def test_no_file_holds_a_solution_or_a_hidden_test(members, wheel):
    everything = {**members, **wheel}
    lines = {
        line.strip()
        for name, text in everything.items()
        if not name.endswith((".whl", ".ipynb"))  # their cells are looked at above
        for line in text.decode().splitlines()
    }
    secret = [
        line.strip()
        for name in NAMES
        for cell in source(name).cells
        for text in secrets_of(cell)
        for line in text.splitlines()
    ]
    # Shorter lines, such as a loop over the steps, are in the package for reasons of its own.
    telling = {line for line in secret if len(line) > 40 and not line.startswith("from ")}
    assert len(telling) > 100
    assert telling & lines == set()
    assert not [name for name in everything if re.search("hidden|solution|grader", name)]


def test_students_install_the_versions_that_grade_and_torch_only_where_it_is_needed(members):
    small, large = members["requirements.txt"].decode(), members["requirements-torch.txt"].decode()
    assert re.findall("^[^#].*$", small, re.MULTILINE) == [
        "./deep_epsilon_greedy-0.1.0+course-py3-none-any.whl",
        *(f"{name}=={metadata.version(name)}" for name in handout.SMALL),
    ]
    assert re.findall("^[^#].*$", large, re.MULTILINE) == [
        "-r requirements.txt",
        f"torch=={metadata.version('torch').split('+')[0]}",
        f"mlxtend=={metadata.version('mlxtend')}",
    ]


def test_a_build_of_one_machine_is_not_asked_for(monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: "2.4.0+cpu")
    assert handout.pinned(("torch",)) == "torch==2.4.0\n"


def test_what_is_not_installed_cannot_be_pinned():
    with pytest.raises(AssignmentError, match="students need no_such_package"):
        handout.pinned(("no_such_package",))


def test_a_wheel_that_cannot_be_built_is_told_in_one_sentence(monkeypatch):
    failure = subprocess.CompletedProcess([], 1, "", "long\nerror: no setuptools\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failure)
    with pytest.raises(AssignmentError, match=r"^the wheel .* cannot be built: error: no setup"):
        handout.wheel()


def test_the_page_names_every_notebook_and_only_files_that_are_there(members):
    page = members["START_HERE.html"].decode()
    rows = dict(re.findall(r"<td><code>(\w+)/\w+.ipynb</code></td>\s*<td><code>(.*?)</code>", page))
    small = {name for name, file in rows.items() if file == "requirements.txt"}
    assert set(rows) == set(NAMES)
    assert small == set(handout.WITHOUT_NETWORKS)
    assert set(re.findall(r"install -r ([\w.-]+)", page)) == set(handout.REQUIREMENTS)
    assert all(f"<code>{name}.ipynb</code>" in page for name in NAMES)
    assert "{" not in re.sub("<style>.*?</style>", "", page, flags=re.DOTALL)


def installed(packages):
    """The distributions that these packages bring, with all that they ask for."""
    found, waiting = {}, list(packages)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = metadata.distribution(name)
        wanted = map(Requirement, found[name].requires or [])
        waiting += [w.name.lower() for w in wanted if w.marker is None or w.marker.evaluate()]
    return found.values()


@pytest.mark.slow
@pytest.mark.parametrize("file", handout.REQUIREMENTS)
def test_the_notebooks_run_with_only_what_students_install(members, file, tmp_path):
    """An environment of its own with the wheel, and of this one's packages only those it names."""
    lines = members["requirements.txt"].decode() + members[file].decode()
    place = tmp_path / "environment"
    venv.create(place, with_pip=False)
    (site,) = place.glob("lib/python*/site-packages")
    for distribution in installed(re.findall(r"^([\w-]+)==", lines, re.MULTILINE)):
        for top in {path.parts[0] for path in distribution.files or []}:
            there = Path(distribution.locate_file(top))
            if top not in ("..", "__pycache__") and not (site / top).exists():
                (site / top).symlink_to(there)
    python = str(place / "bin" / "python")
    whl = tmp_path / handout.wheel_name()
    whl.write_bytes(members[whl.name])
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "-q"]
    subprocess.run([*command, whl], check=True, timeout=600)
    small = file == "requirements.txt"
    own = [name for name in NAMES if (name in handout.WITHOUT_NETWORKS) == small]
    assert own
    for name in own:
        cells = [cell for cell in source(name).cells if cell.cell_type == "code"]
        seen = [c.source for c in cells if "### BEGIN HIDDEN TESTS" not in c.source]
        assert len(seen) > 10
        last = f"import sys\nassert ('torch' in sys.modules) != {small}\nprint(bandits_from)\n"
        code = "\n".join(["import bandits", "bandits_from = bandits.__file__", *seen, last])
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
        done = subprocess.run(
            [python, "-W", "ignore", "-I", f"{name}.py"],
            env={"MPLBACKEND": "agg", "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        assert done.returncode == 0, f"{name}: {done.stderr}"
        assert done.stdout.splitlines()[-1].startswith(str(place)), "another bandits was imported"


def test_the_syllabus_names_every_assignment_and_every_notebook():
    text = (COURSE / "SYLLABUS.md").read_text(encoding="utf-8")
    assert set(NAMES) <= set(re.findall(r"`(\w+)`", text))
    notebooks = {path.name for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")}
    linked = set(re.findall(r"\]\(\.\./notebooks/([\w.]+)\)", text))
    assert linked == notebooks
