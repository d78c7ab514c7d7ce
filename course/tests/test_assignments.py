"""The assignments by themselves: what their tests reward, and what the tools refuse.

Here the cells run in this process, which is fast enough to try every typical answer;
test_grading.py sends notebooks through nbgrader.
"""

import copy
import csv
import importlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import nbformat
import pytest
from answers import RIGHT, WRONG

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = ("exploring", "a_lemma_under_test", "digits_for_rewards")
AUTOGRADED, WRITTEN = 20, 5


def source(name):
    path = ROOT / "course" / "source" / name / f"{name}.ipynb"
    return nbformat.read(path, as_version=4)


def kinds(notebook):
    """(grade_id, nbgrader metadata, cell) of every cell."""
    return [(c.metadata.nbgrader.grade_id, c.metadata.nbgrader, c) for c in notebook.cells]


def failed(name, answers):
    """The test cells that fail when these answers take the place of the solutions."""
    namespace, lost = {"__name__": "__main__"}, set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as the kernels of the grading do
        for grade_id, kind, cell in kinds(source(name)):
            is_test = kind.grade and kind.locked
            # The pictures and the long runs earn no marks.
            if cell.cell_type == "code" and (kind.solution or is_test or grade_id == "setup"):
                code = answers.get(grade_id, cell.source)
                try:
                    exec(compile(code, grade_id, "exec"), namespace)
                except Exception:
                    if not is_test:
                        raise
                    lost.add(grade_id)
    return lost


@pytest.fixture(autouse=True)
def _sample(monkeypatch):
    monkeypatch.setenv("BANDITS_MNIST", "sample")


@pytest.fixture(scope="module")
def tool():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbgrader's own
        return importlib.import_module("course.__main__")


def test_the_sources_are_the_three_known_ones():
    folder = ROOT / "course" / "source"
    assert {p.stem for p in folder.rglob("*.ipynb")} == set(NAMES)
    assert not list(folder.rglob("*.py")), "a .py twin could reach the students"


@pytest.mark.parametrize("name", NAMES)
def test_points_add_up_and_hidden_tests_draw_their_inputs(name):
    points = {i: k.points for i, k, _ in kinds(source(name)) if k.grade}
    assert points.pop("written") == WRITTEN
    assert sum(points.values()) == AUTOGRADED
    hidden = [c.source for i, k, c in kinds(source(name)) if k.grade and i.endswith("_hidden")]
    assert len(hidden) >= 5
    for cell in hidden:
        region = re.search("### BEGIN HIDDEN TESTS\n(.*)### END HIDDEN TESTS", cell, re.DOTALL)
        assert region is not None
        assert "secrets.randbits" in region[1]
        assert "seed {_seed}" in region[1] or "K = {_K}" in region[1]  # told on failure


@pytest.mark.parametrize("name", NAMES)
def test_no_output_is_stored_and_every_stub_has_its_docstring(name):
    for grade_id, kind, cell in kinds(source(name)):
        if cell.cell_type != "code":
            continue
        assert not cell.outputs
        assert cell.execution_count is None
        if kind.solution and cell.source.startswith("def "):
            stub = cell.source.split("### BEGIN SOLUTION")[0]
            assert '"""' in stub, grade_id
            assert "Returns" in stub, grade_id


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_and_two_other_right_answers_keep_full_marks(name):
    assert failed(name, {}) == set()
    answer_cells = {i for i, k, c in kinds(source(name)) if k.solution and c.cell_type == "code"}
    for answers in RIGHT[name]:
        assert answer_cells <= set(answers)
        assert failed(name, answers) == set()


@pytest.mark.parametrize("name", NAMES)
def test_hidden_tests_are_fair_again_and_again(name):
    """New inputs each time: a right answer must pass whatever is drawn."""
    for answers in [{}, *RIGHT[name]] * 3:
        assert failed(name, answers) == set()


@pytest.mark.parametrize(
    "name, wrong",
    [pytest.param(n, w, id=f"{n}: {w.mistake}") for n in NAMES for w in WRONG[n]],
)
def test_a_wrong_answer_loses_exactly_its_own_marks(name, wrong):
    assert failed(name, {wrong.cell: wrong.code}) == set(wrong.lost)


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_set_of_wrong_answers_covers_every_part(name):
    hidden = {i for i, k, _ in kinds(source(name)) if k.grade and i.endswith("_hidden")}
    assert {cell for wrong in WRONG[name] for cell in wrong.lost} >= hidden
    assert len(WRONG[name]) >= 5


def test_the_first_two_run_without_torch():
    code = """
import json, sys
import matplotlib
matplotlib.use("agg")
for name in ("exploring", "a_lemma_under_test"):
    with open("course/source/" + name + "/" + name + ".ipynb") as file:
        cells = json.load(file)["cells"]
    space = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), space)
assert "torch" not in sys.modules, "torch was imported"
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def broken(name="exploring"):
    return copy.deepcopy(source(name))


def cell_of(notebook, grade_id):
    return next(c for i, _, c in kinds(notebook) if i == grade_id)


@pytest.mark.parametrize("name", NAMES)
def test_the_sources_are_accepted(tool, name):
    tool.check_source(name, source(name))


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
def test_a_spoilt_source_is_refused(tool, spoil, told):
    notebook = broken()
    spoil(notebook)
    with pytest.raises(ValueError, match=re.escape(told)):
        tool.check_source("exploring", notebook)


@pytest.mark.parametrize("grade_id", ["epsilon", "choose_hidden", "written"])
def test_a_release_that_leaks_is_refused(tool, grade_id):
    release = broken()
    for _, _, cell in kinds(release):
        for what in ("SOLUTION", "HIDDEN TESTS"):
            cell.source = re.sub(
                rf" *### BEGIN {what}\n.*?### END {what}",
                "    # YOUR CODE HERE",
                cell.source,
                flags=re.DOTALL,
            )
    cell_of(release, "written").source = "YOUR ANSWER HERE"
    tool.check_release("exploring", source("exploring"), release)
    leak = tool.secrets_of(cell_of(source("exploring"), grade_id))[0]
    cell_of(release, "title").source += "\n" + leak
    with pytest.raises(ValueError, match="leaked"):
        tool.check_release("exploring", source("exploring"), release)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff\xfe\x00",
        b'{"cells": [{"cell_type": "code"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        b'{"cells": 3, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        b'{"cells": [], "metadata": {}, "nbformat": 99, "nbformat_minor": 0}',
    ],
)
def test_any_file_that_is_no_notebook_is_reported(tool, tmp_path, content):
    submitted, said = tmp_path / "exploring.ipynb", []
    submitted.write_bytes(content)
    released = tmp_path / "release" / "exploring" / "exploring.ipynb"
    released.parent.mkdir(parents=True)
    nbformat.write(source("exploring"), released)
    state = tool.grading.grade_one(
        None, tmp_path, submitted, ("ada", "exploring"), None, said.append
    )
    assert state == "could not be graded"
    assert len(said) == 1
    assert said[0].startswith("the file cannot be read as a notebook (")
    assert len(said[0]) > len("the file cannot be read as a notebook ()")


def test_wrong_folders_and_limits_are_explained(tool, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "in" / "ada").mkdir(parents=True)
    out = ["--out", str(tmp_path / "out")]
    cases = [
        (["grade", "--submissions", str(tmp_path / "none"), *out], "there is no folder"),
        (["grade", "--submissions", str(tmp_path / "empty"), *out], "holds no student's folder"),
        (["grade", "--submissions", str(tmp_path / "in"), *out, "--timeout", "0"], ">= 1 second"),
        (["grade", "--submissions", str(tmp_path / "in"), *out, "--total", "-5"], ">= 1 second"),
        (["export", *out], "holds no graded submissions; run `grade` first"),
    ]
    for arguments, told in cases:
        assert tool.main(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith("error: ")
        assert told in error
        assert not (tmp_path / "out").exists()


# --- what a class may hand in, graded without running it ---------------------------------------

GRADE_ID = re.compile("[A-Za-z0-9_-]+")


@pytest.mark.parametrize("name", ["ada", "Ben-2", "h_good", "a" * 60])
def test_a_plain_folder_name_is_the_id(tool, name):
    assert tool.grading.students_id(name) == name


@pytest.mark.parametrize(
    "names",
    [
        ("王芳", "李雷"),
        ("Zoë", "Zoé", "Zoe", "Zo_", "Zo__2"),
        ("a b", "a_b", "a.b", "a  b", "a\nb", "a b "),
        ("Ångström", "A\u030angstro\u0308m"),  # the same letters, composed and not
        (os.fsdecode(b"Jos\xe9"), os.fsdecode(b"Jos\xe8"), "José", "Jos\\xe9"),
        ("x" * 61, "x" * 62, "x" * 60, "é" * 127),
    ],
)
def test_ids_differ_and_depend_on_the_folders_name_alone(tool, names):
    ids = [tool.grading.students_id(name) for name in names]
    assert len(set(ids)) == len(names)
    assert all(GRADE_ID.fullmatch(one) and len(one) < 80 for one in ids)
    assert [tool.grading.students_id(name) for name in reversed(names)] == ids[::-1]


def test_the_id_of_a_name_stays_for_ever(tool):
    """A gradebook of last year holds it."""
    assert tool.grading.students_id("h good") == "h_good-6af8025402ba"


@pytest.fixture(scope="module")
def prepared(tool, tmp_path_factory):
    """A course folder with one assignment, ready to grade against."""
    course = tmp_path_factory.mktemp("prepared") / "course"
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbgrader's own
        patch.setattr(tool, "names", lambda: ["exploring"])
        patch.setenv("PATH", os.environ["PATH"])  # nbgrader_api adds to it
        tool.generate(course)
    return course


class Classroom:
    """A folder to hand in to, graded with nbgrader, but without running anything."""

    def __init__(self, tool, prepared, home):
        self.tool, self.prepared = tool, prepared
        self.folder, self.out = home / "in", home / "out"
        self.folder.mkdir()

    def notebook(self, **answers):
        """A student's notebook, with these texts in its cells."""
        path = self.prepared / "release" / "exploring" / "exploring.ipynb"
        notebook = nbformat.read(path, as_version=4)
        for grade_id, text in answers.items():
            cell_of(notebook, grade_id).source = text
        return notebook

    def hand_in(self, student, content=None, file="exploring.ipynb"):
        """Put bytes or a notebook (None: the untouched one) into a student's folder."""
        if not isinstance(content, bytes):
            content = json.dumps(content or self.notebook()).encode()
        (self.folder / student).mkdir(exist_ok=True)
        (self.folder / student / file).write_bytes(content)

    def grade(self):
        """Grade; return the state of each student's assignment, and the list of problems."""
        self.run("grade", "--submissions", str(self.folder), "--no-feedback")
        states = {row["student"]: row["state"] for row in self.read("totals")}
        return states, (self.out / "problems.txt").read_text(encoding="utf-8").splitlines()

    def run(self, *arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's own
            assert self.tool.main([*arguments, "--out", str(self.out)]) == 0

    def read(self, table):
        with (self.out / f"{table}.csv").open(newline="", encoding="utf-8-sig") as file:
            return list(csv.DictReader(file))

    def written(self):
        """Marks and status of the written answer by student."""
        rows = [row for row in self.read("marks") if row["task"] == "written"]
        return {row["student"]: (row["marks"], row["status"]) for row in rows}

    def person_marks(self, student, score, task="written"):
        """What nbgrader's form does when a person saves a mark."""
        gradebook = importlib.import_module("nbgrader.api").Gradebook
        with gradebook(f"sqlite:///{self.out / 'course' / 'gradebook.db'}") as book:
            (student_id,) = [s.id for s in book.students if s.last_name == student]
            grade = book.find_grade(task, "exploring", "exploring", student_id)
            grade.manual_score, grade.needs_manual_grade = score, False
            book.db.commit()


@pytest.fixture
def room(tool, prepared, tmp_path, monkeypatch):
    """An empty classroom."""
    course = importlib.import_module("course.settings")
    autograde = importlib.import_module("nbgrader.converters").Autograde
    execute = importlib.import_module("nbgrader.preprocessors").Execute
    steps = autograde.autograde_preprocessors.default_args[0]

    def settings(original=course.configuration):
        found = original()
        found.Autograde.autograde_preprocessors = [s for s in steps if s is not execute]
        return found

    def generate(target):
        if not (target / "gradebook.db").exists():
            shutil.copytree(prepared, target, dirs_exist_ok=True)
        return ["exploring"]

    monkeypatch.setattr(course, "configuration", settings)
    monkeypatch.setattr(tool, "generate", generate)
    monkeypatch.setattr(tool.grading, "prepare_environment", lambda course: None)
    monkeypatch.setenv("PATH", os.environ["PATH"])
    return Classroom(tool, prepared, tmp_path)


def half_an_emoji(notebook):
    cell_of(notebook, "title").source += " half an emoji \ud83d"


def half_in_the_code(notebook):
    cell_of(notebook, "choose").source += "\n# \udc00"


def half_in_an_output(notebook):
    output = {"output_type": "stream", "name": "stdout", "text": "\udfff"}
    cell_of(notebook, "choose").outputs = [nbformat.from_dict(output)]


def half_in_the_metadata(notebook):
    notebook.metadata["title \ud83d"] = "\ud83d"


HALVES = (half_an_emoji, half_in_the_code, half_in_an_output, half_in_the_metadata)


def test_a_half_character_costs_nothing_but_itself(room):
    for spoil in HALVES:
        notebook = room.notebook()
        spoil(notebook)
        room.hand_in(spoil.__name__, notebook)
    room.hand_in("whole", room.notebook(title="a whole emoji \U0001f600"))
    states, problems = room.grade()
    assert states == dict.fromkeys([*(s.__name__ for s in HALVES), "whole"], "graded")
    told = "half of a character (of an emoji?) cannot be stored; it became a '?'"
    assert problems == sorted(f"{s.__name__}, exploring: {told}" for s in HALVES)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_not_utf_8_are_told_and_kept_apart(room, capsys):
    for name in (b"Jos\xe9", b"Jos\xe8", "王芳".encode(), "李雷".encode()):
        room.hand_in(os.fsdecode(name))
    room.hand_in("sums", b"{}", os.fsdecode(b"r\xe9sum\xe9.ipynb"))
    states, problems = room.grade()
    assert states == {
        **dict.fromkeys(["Jos\\xe9", "Jos\\xe8", "王芳", "李雷"], "graded"),
        "sums": "not handed in",
    }
    odd = "the folder's name is not UTF-8; its odd bytes are shown as numbers"
    assert problems == [
        f"Jos\\xe8: {odd}",
        f"Jos\\xe9: {odd}",
        "sums: r\\xe9sum\\xe9.ipynb is no assignment",
    ]
    assert problems[0] in capsys.readouterr().out
    room.run("export")
    pages = {path.parent.name for path in (room.out / "feedback").rglob("exploring.html")}
    assert pages == {"Jos\\xe9", "Jos\\xe8", "王芳", "李雷"}


def test_a_terminal_that_lacks_the_letters_stops_nothing(room, monkeypatch):
    room.hand_in("王芳")
    said = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(said, encoding="ascii"))
    assert room.grade() == ({"王芳": "graded"}, ["Nothing unusual."])
    sys.stdout.flush()
    assert rb"\u738b\u82b3: done" in said.getvalue()


def altered(room, **changes):
    """A notebook as bytes, in which one cell has another source, metadata or grade_id."""
    notebook = json.loads(json.dumps(room.notebook()))
    notebook["cells"][2].update(changes)
    return json.dumps(notebook).encode()


def nested(room, depth):
    """A notebook as bytes, with metadata in metadata in metadata."""
    inner = b'{"deeper":' * depth + b"1" + b"}" * depth
    return json.dumps({**room.notebook(), "metadata": "HERE"}).encode().replace(b'"HERE"', inner)


def bad_files(room):
    """Bytes, or a function that makes something at a path, for every kind of bad file."""
    return {
        "broken link": lambda path: path.symlink_to("nowhere"),
        "deep list": b"[" * 100_000,
        "deep metadata": nested(room, 900),
        "deep object": b'{"a":' * 100_000,
        "device": lambda path: path.symlink_to("/dev/zero"),
        "empty": b"",
        "folder": Path.mkdir,
        "grade_id": altered(room, metadata={"nbgrader": {"grade_id": ["x"]}}),
        "list": b"[]",
        "long number": b'{"nbformat": ' + b"9" * 5000 + b"}",
        "loop": lambda path: path.symlink_to(path.name),
        "metadata": altered(room, metadata=7),
        "null": b"null",
        "number": b"7",
        "pipe": os.mkfifo,
        "source": altered(room, source=5),
        "text": b'"notebook"',
        "utf-16": json.dumps(room.notebook()).encode("utf-16"),
    }


@pytest.mark.skipif(os.name != "posix", reason="makes pipes and links")
def test_no_kind_of_bad_file_stops_the_class(room):
    files = bad_files(room)
    for name, content in files.items():
        if isinstance(content, bytes):
            room.hand_in(name, content)
        else:
            (room.folder / name).mkdir()
            content(room.folder / name / "exploring.ipynb")
    room.hand_in("zz good")
    states, problems = room.grade()
    assert states == {**dict.fromkeys(files, "could not be graded"), "zz good": "graded"}
    assert [line.split(",")[0] for line in problems] == list(files)  # one sentence for each
    for line in problems:
        assert re.search(r"cannot be read as a notebook \(.+\)|grading failed: .+", line), line
    odd = [line for line in problems if "it is a folder, a link that leads nowhere" in line]
    assert len(odd) == 5


def test_files_and_folders_that_cannot_be_opened_are_told(room, monkeypatch):
    for name in ("a closed file", "b closed folder", "c closed inside", "d good"):
        room.hand_in(name)
    (room.folder / "c closed inside" / "drafts").mkdir()
    (room.folder / "e broken link").symlink_to("nowhere")
    closed = (room.folder / "b closed folder", room.folder / "c closed inside" / "drafts")

    # The tests may run as root, whom no permissions stop.
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    def scandir(path, original=os.scandir):
        return refuse(path) if path in map(str, closed) else original(path)

    def lexists(path, original=os.path.lexists):
        return Path(path).parent != closed[0] and original(path)  # as it does there

    def read(path, original=room.tool.grading.read):
        return refuse("a file") if path.parent.name == "a closed file" else original(path)

    monkeypatch.setattr(os, "scandir", lambda path=".": scandir(os.fspath(path)))
    monkeypatch.setattr(os.path, "lexists", lexists)
    monkeypatch.setattr(room.tool.grading, "read", read)
    states, problems = room.grade()
    assert states == {
        "a closed file": "could not be graded",
        "b closed folder": "not handed in",
        "c closed inside": "graded",
        "d good": "graded",
        "e broken link": "not handed in",
    }
    assert problems == [
        "a closed file, exploring: the file cannot be read as a notebook "
        "([Errno 13] Permission denied: 'a file')",
        "b closed folder: the folder cannot be opened (Permission denied)",
        "c closed inside: its folder drafts cannot be opened (Permission denied)",
        "e broken link: the folder cannot be opened (No such file or directory)",
    ]


def test_an_error_that_nobody_foresaw_is_told_and_stops_nobody(room, monkeypatch):
    for name in ("ada", "ben"):
        room.hand_in(name)
    unforeseen = iter([RuntimeError("quite \ud83d unforeseen\nwith details")])

    def overran(notebook):
        for error in unforeseen:
            raise error
        return []

    monkeypatch.setattr(room.tool.grading, "overran", overran)
    states, problems = room.grade()
    assert states == {"ada": "could not be graded", "ben": "graded"}
    assert problems == ["ada, exploring: grading failed: quite \\ud83d unforeseen"]


def test_folders_nested_too_deeply_are_told(tool, tmp_path, monkeypatch):
    def walk(top, onerror):
        raise RecursionError

    monkeypatch.setattr(os, "walk", walk)
    said = []
    assert tool.grading.notebooks(tmp_path, said.append) == set()
    assert said == ["its folders are nested too deeply to be searched for other notebooks"]


def test_a_student_who_comes_later_takes_nobodys_mark(room):
    marked, later = {"李雷": 3.0, "a b": 1.0}, ("一", "a  b", "a_b")
    for name in marked:
        room.hand_in(name)
    room.grade()
    for name, score in marked.items():
        room.person_marks(name, score)
    for name in later:  # before them in the alphabet, and alike without what is not ASCII
        room.hand_in(name)
    room.grade()
    scores = {student: float(score) for student, (score, _) in room.written().items()}
    assert scores == {**marked, **dict.fromkeys(later, 0.0)}


PERSON = "marked by a person"
CHANGED = f"{PERSON}, but the answer has changed since"


def status(room, student="ada", task="written"):
    (row,) = [r for r in room.read("marks") if (r["student"], r["task"]) == (student, task)]
    return float(row["marks"]), row["status"]


def test_a_mark_whose_answer_has_changed_says_so_until_it_is_saved_again(room):
    told = "ada, exploring: the answer 'written' has changed since a person marked it; "
    told += "the mark was kept"
    for student in ("ada", "ben"):
        room.hand_in(student, room.notebook(written="A first essay."))
    room.grade()
    for student in ("ada", "ben"):
        room.person_marks(student, 3.0)
    quiet = ["Nothing unusual."]
    assert room.grade()[1] == quiet  # nothing was handed in again
    assert status(room) == (3.0, PERSON)

    # Another essay, and other code, which the essay's mark is not for.
    room.hand_in("ada", room.notebook(written="A second essay."))
    room.hand_in("ben", room.notebook(written="A first essay.", choose="changed = True"))
    for _ in range(2):  # it is not forgotten when everything is graded once more
        assert room.grade()[1] == [told]
        assert status(room) == (3.0, CHANGED)
        assert status(room, "ben") == (3.0, PERSON)

    # A bad file in between neither stops anybody nor makes the tool forget.
    room.hand_in("ada", b"{}")
    assert room.grade()[0] == {"ada": "could not be graded", "ben": "graded"}
    room.hand_in("ada", room.notebook(written="A second essay."))
    assert room.grade()[1] == [told]

    room.person_marks("ada", 3.0)  # the person has read it, and gives the same mark
    room.run("export")
    assert status(room) == (3.0, PERSON)
    assert room.grade()[1] == quiet
    room.hand_in("ada", room.notebook(written="A first essay."))
    assert room.grade()[1] == [told]


def test_back_to_the_marked_answer_there_is_nothing_to_say(room):
    for text in ("one", "two", "one"):
        room.hand_in("ada", room.notebook(written=text))
        problems = room.grade()[1]
        if text == "two":
            assert len(problems) == 1
        else:
            assert problems == ["Nothing unusual."]
            room.person_marks("ada", 2.0)


def test_a_persons_mark_for_a_test_is_for_the_code(room):
    room.hand_in("ada", room.notebook(choose="a = 1"))
    room.grade()
    room.person_marks("ada", 1.0, "choose_hidden")
    room.hand_in("ada", room.notebook(choose="a = 1", written="Only an essay."))
    assert room.grade()[1] == ["Nothing unusual."]
    room.hand_in("ada", room.notebook(choose="a = 2"))
    (problem,) = room.grade()[1]
    assert "the answer 'choose_hidden' has changed since a person marked it" in problem
    assert status(room, task="choose_hidden") == (1.0, CHANGED)
    room.person_marks("ada", None, "choose_hidden")  # taken back: the test's own mark counts
    assert room.grade()[1] == ["Nothing unusual."]


def test_a_grading_that_fails_or_stops_forgets_no_marked_answer(room, monkeypatch):
    room.hand_in("ada", room.notebook(written="one"))
    room.grade()
    room.person_marks("ada", 2.0)
    room.hand_in("ada", room.notebook(written="two"))
    (graded,) = (room.out / "course" / "autograded").rglob("exploring.ipynb")

    def stopped(*arguments):
        graded.unlink()  # nbgrader removes it before it makes the new one
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(room.tool.grading, "grade_one", stopped)
        with pytest.raises(KeyboardInterrupt):
            room.grade()
    assert "has changed since a person marked it" in room.grade()[1][0]
