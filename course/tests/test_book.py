"""The book and the tables: marks accumulate, persons' marks stay, nothing is dropped in silence.

Nothing that is handed in runs here; see test_grading.py for that.
"""

import csv
import os
import sys
import zipfile
from pathlib import Path

import pytest
from classroom import as_bytes, blank, marks_of_tests, solved
from test_repair import BAD

from course import isolate, running
from course.assignments import read
from course.book import answers, lock, open_book, students_id
from course.isolate import Outcome

PERSON = "marked by a person"
CHANGED = f"{PERSON}, but the answer has changed since"
TOLD = "the answer 'written' has changed since a person marked it; the mark was kept"


def person_marks(room, student, marks, task="written", comment="", note=None):
    """What a teacher does: fill in a line of written.csv, and export."""
    rows = room.table("written")
    mine = [row for row in rows if (row["student"], row["task"]) == (student, task)]
    if not mine:
        empty = dict.fromkeys(rows[0] if rows else COLUMNS, "")
        mine = [{**empty, "student": student, "assignment": "exploring", "task": task}]
        rows += mine
    mine[0]["marks"], mine[0]["comment"] = str(marks), comment
    if note is not None:
        mine[0]["note"] = note
    room.write_table("written", rows)
    room.run("export", "--no-feedback")


COLUMNS = ("student", "assignment", "task", "marks", "out_of", "comment", "answer", "note")


def status(room, student="ada", task="written"):
    (row,) = [
        row
        for row in room.table("marks")
        if (row["student"], row["assignment"], row["task"]) == (student, "exploring", task)
    ]
    return row["marks"], row["status"]


# --- marks accumulate ------------------------------------------------------------------------


def test_a_folder_with_only_the_late_student_leaves_all_others(room):
    for student in ("ada", "ben"):
        room.hand_in(student, solved())
    room.grade()
    before = {name: room.table(name) for name in ("marks", "totals", "upload")}
    for student in ("ada", "ben"):
        (room.folder / student / "exploring.ipynb").unlink()
        (room.folder / student).rmdir()
    room.hand_in("late", solved())
    said = room.grade()
    assert "not in this folder, their results are kept: ada, ben" in said
    for name, rows in before.items():
        kept = [row for row in room.table(name) if row["student"] != "late"]
        assert kept == rows
    assert room.states() == dict.fromkeys(("ada", "ben", "late"), "graded")


def test_a_second_assignment_joins_the_first(room):
    room.hand_in("ada", solved())
    room.grade("--assignment", "exploring")
    room.hand_in("ada", solved("a_lemma_under_test"), "a_lemma_under_test.ipynb")
    room.grade("--assignment", "a_lemma_under_test")
    assert room.states() == {"ada": "graded"}
    assert room.states("a_lemma_under_test") == {"ada": "graded"}
    both = ["a_lemma_under_test", "exploring"]  # and none of those that nobody has handed in
    for name in ("marks", "totals"):
        assert sorted({row["assignment"] for row in room.table(name)}) == both
    (line,) = room.table("upload")
    assert [*line] == ["id", "student", *both, "total", "awaiting_a_person"]
    assert room.marks("ada") == (marks_of_tests("exploring"), "awaiting a person")


def test_only_who_and_what_was_asked_for_is_graded(room):
    for student in ("ada", "ben"):
        room.hand_in(student, solved())
        room.hand_in(student, solved("a_lemma_under_test"), "a_lemma_under_test.ipynb")
    room.grade("--student", "ben", "--assignment", "exploring")
    graded = {key for key, result in open_book(room.out).results.items() if result}
    assert graded == {"ben/exploring"}
    assert room.states() == {"ada": "not handed in", "ben": "graded"}


def test_resume_does_what_is_missing_or_new(room, monkeypatch):
    for student in ("ada", "ben", "cat"):
        room.hand_in(student, solved())
    ran = []
    passed = isolate.Cell.run

    def stopping(self, notebook):
        if len(ran) == 2:
            raise KeyboardInterrupt
        ran.append(notebook)
        return passed(self, notebook)

    monkeypatch.setattr(isolate.Cell, "run", stopping)
    room.grade(status=130)
    assert "--resume" in room.said
    assert len(open_book(room.out).results) == 2  # what was graded is kept
    monkeypatch.setattr(isolate.Cell, "run", lambda s, n: ran.append(n) or passed(s, n))
    assert "1 notebooks to grade, 2 done before" in room.grade("--resume")
    assert len(ran) == 3
    room.hand_in("ada", solved(written="Another essay."))
    assert "1 notebooks to grade, 2 done before" in room.grade("--resume")
    assert "3 notebooks to grade, 0 done before" in room.grade()


def test_what_ends_the_whole_grading_twice_is_left_out(room, monkeypatch):
    """As when a notebook kills the grader, or takes the machine down with it."""
    for student in ("ada", "hostile", "zoe"):
        room.hand_in(student, solved(written=student))
    passed = isolate.Cell.run

    def dying(self, notebook):
        if notebook.cells[-1].source == "hostile":
            raise KeyboardInterrupt  # the process ends; the book on disk is what is left
        return passed(self, notebook)

    monkeypatch.setattr(isolate.Cell, "run", dying)
    for _ in range(running.GIVEN_UP):
        room.grade("--resume", status=130)
    room.grade("--resume")
    assert room.states() == {"ada": "graded", "hostile": "could not be graded", "zoe": "graded"}
    (told,) = room.problems("hostile")
    assert "the whole grading has ended 2 times while this was run" in told


def test_a_folder_that_is_changed_meanwhile_changes_nothing(room, monkeypatch):
    """The copy that is made before anything runs is what is graded, also after a stop."""
    room.hand_in("ada", solved())
    room.hand_in("zoe", solved(written="An honest essay."))
    passed = isolate.Cell.run

    def vandal(self, notebook):
        room.hand_in("zoe", blank())
        return passed(self, notebook)

    monkeypatch.setattr(isolate.Cell, "run", vandal)
    room.grade()
    assert room.marks("zoe") == (marks_of_tests("exploring"), "awaiting a person")
    copies = list((room.out / "handed_in").rglob("*.ipynb"))
    assert {oct(path.stat().st_mode & 0o777) for path in copies} == {"0o444"}
    assert open_book(room.out).results["zoe/exploring"].answers == answers(
        read(room.out / "graded" / "zoe" / "exploring.ipynb")
    )

    room.hand_in("zoe", solved(written="An honest essay."))

    def stopped(self, notebook):
        if notebook.cells[-1].source == "An honest essay.":
            vandal(self, notebook)
            raise KeyboardInterrupt
        return passed(self, notebook)

    monkeypatch.setattr(isolate.Cell, "run", stopped)
    room.grade(status=130)
    monkeypatch.setattr(isolate.Cell, "run", passed)
    room.grade("--resume", "--student", "zoe")
    assert status(room, "zoe") == ("", "awaiting a person")


def test_a_book_that_is_changed_from_outside_is_put_right_and_told(room, monkeypatch):
    room.hand_in("ada", solved())
    room.hand_in("ben", solved())
    passed = isolate.Cell.run
    calls = []

    def forging(self, notebook):
        calls.append(1)
        path = room.out / "book.json"
        if len(calls) == 2:
            path.write_text(
                path.read_text().replace('"choose_hidden": 3.0', '"choose_hidden": 0.0')
            )
        return passed(self, notebook)

    monkeypatch.setattr(isolate.Cell, "run", forging)
    room.grade()
    assert room.marks("ada")[0] == room.marks("ben")[0] == marks_of_tests("exploring")
    told = {(row["student"], row["what"]) for row in room.table("look_at")}
    assert ("ben", "the book of results was changed from outside while this ran") in told


def test_an_error_that_nobody_foresaw_is_told_and_stops_nobody(room, monkeypatch):
    room.hand_in("ada", solved())
    room.hand_in("ben", solved())
    passed = isolate.Cell.run
    errors = iter([RuntimeError("quite \ud83d unforeseen\nwith details")])

    def run(self, notebook):
        for error in errors:
            raise error
        return passed(self, notebook)

    monkeypatch.setattr(isolate.Cell, "run", run)
    room.grade()
    assert room.states() == {"ada": "could not be graded", "ben": "graded"}
    assert room.problems() == ["ada, exploring: grading failed: quite \\ud83d unforeseen"]


def fewer_cells(outcome):
    del outcome.notebook.cells[-1]


def no_such_cell(outcome):
    outcome.stopped[1000] = "ran too long"


def no_outputs(outcome):
    for cell in outcome.notebook.cells:
        cell["outputs"] = 5


@pytest.mark.parametrize("forge", [fewer_cells, no_such_cell, no_outputs])
def test_a_result_that_was_forged_costs_its_own_student_only(room, monkeypatch, forge):
    """What comes back was written by a process that the student's code could reach."""
    for student in ("ada", "forger", "zoe"):
        room.hand_in(student, solved(written=student))
    passed = isolate.Cell.run

    def run(self, notebook):
        outcome = passed(self, notebook)
        if notebook.cells[-1].source == "forger":
            forge(outcome)
        return outcome

    monkeypatch.setattr(isolate.Cell, "run", run)
    room.grade()
    assert room.states() == {"ada": "graded", "forger": "could not be graded", "zoe": "graded"}
    assert [line.split(":")[1] for line in room.problems()] == [" grading failed"]
    assert set(room.marks("forger")[0].values()) == {0.0}


@pytest.mark.skipif(os.name != "posix", reason="makes pipes and links")
def test_no_kind_of_bad_file_stops_the_class(room):
    for name, content in BAD.items():
        room.hand_in(name, content)
    odd = {
        "broken link": lambda path: path.symlink_to("nowhere"),
        "device": lambda path: path.symlink_to("/dev/zero"),
        "loop": lambda path: path.symlink_to(path.name),
        "folder": Path.mkdir,
        "pipe": os.mkfifo,
    }
    for name, make in odd.items():
        (room.folder / name).mkdir()
        make(room.folder / name / "exploring.ipynb")
    room.hand_in("zz good", solved())
    room.grade()
    everybody = {*BAD, *odd}
    assert room.states() == {
        **dict.fromkeys(everybody, "could not be graded"),
        "zz good": "graded",
    }
    lines = room.problems()
    assert {line.split(",")[0] for line in lines} == everybody
    assert len(lines) == len(everybody)  # one sentence for each
    assert all("the file cannot be read as a notebook (" in line for line in lines)


# --- names -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ada", "Ben-2", "h_good", "a" * 60])
def test_a_plain_name_is_the_id(name):
    assert students_id(name) == name


@pytest.mark.parametrize(
    "names",
    [
        ("王芳", "李雷"),
        ("Zoë", "Zoé", "Zoe", "Zo_", "Zo__2"),
        ("a b", "a_b", "a.b", "a  b", "a\nb", "a b "),
        ("Ångström", "A\u030angstro\u0308m"),  # the same letters, composed and not
        ("x" * 61, "x" * 62, "x" * 60, "é" * 127),
    ],
)
def test_ids_differ_and_depend_on_the_name_alone(names):
    ids = [students_id(name) for name in names]
    assert len(set(ids)) == len(names)
    assert all(one.replace("-", "_").isidentifier() or one[0].isdigit() for one in ids)
    assert all(one.isascii() and len(one) < 80 for one in ids)


def test_the_id_of_a_name_stays_for_ever():
    """Results of last year are found by it."""
    assert students_id("h good") == "h_good-6af8025402ba"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_odd_names_are_graded_and_shown(room):
    names = [os.fsdecode(b"Jos\xe9"), os.fsdecode(b"Jos\xe8"), "王芳", "=cmd()", "../x"[3:]]
    for name in names:
        room.hand_in(name, solved())
    room.run("grade", "--submissions", room.folder)
    assert room.states() == dict.fromkeys(
        ["'=cmd()", "Jos\\xe8", "Jos\\xe9", "x", "王芳"], "graded"
    )
    pages = {path.parent.name for path in (room.out / "feedback").rglob("exploring.html")}
    assert pages == {"=cmd()", "Jos\\xe8", "Jos\\xe9", "x", "王芳"}


# --- marks of persons ------------------------------------------------------------------------


def test_a_persons_mark_is_kept_and_reaches_all_tables(room):
    room.hand_in("ada", solved(written="My essay."))
    room.hand_in("ben", solved(written="YOUR ANSWER HERE"))
    room.grade()
    assert status(room) == ("", "awaiting a person")
    assert status(room, "ben") == ("0.0", "graded")  # nothing was written
    assert [row["student"] for row in room.table("written")] == ["ada"]
    person_marks(room, "ada", "3,5", comment="Good.")
    assert status(room) == ("3.5", PERSON)
    row = next(r for r in room.table("totals") if r["assignment"] == "exploring")
    assert (float(row["marks"]), float(row["awaiting_a_person"])) == (23.5, 0)
    room.grade()
    assert status(room) == ("3.5", PERSON)
    room.run("export")
    html = (room.out / "feedback" / "ada" / "exploring.html").read_text(encoding="utf-8")
    assert "Score: 23.5 / 25.0" in html
    assert "Good." in html


def test_the_answers_to_read_stand_on_one_page_and_do_nothing(room):
    room.hand_in("ada", solved(written="First **essay**. <script>alert(1)</script>"))
    room.hand_in("ben", solved(written="YOUR ANSWER HERE"))
    room.run("grade", "--submissions", room.folder)
    html = (room.out / "written" / "exploring.html").read_text(encoding="utf-8")
    assert "<strong>essay</strong>" in html
    assert "<script>alert" not in html
    assert "Rubric" in html
    assert "ben" not in html
    page = (room.out / "feedback" / "ada" / "exploring.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page


def test_a_mark_whose_answer_has_changed_says_so_until_it_is_read_again(room):
    for student in ("ada", "ben"):
        room.hand_in(student, solved(written="A first essay."))
    room.grade()
    for student in ("ada", "ben"):
        person_marks(room, student, 3)
    room.grade()
    assert room.problems() == ["Nothing unusual."]  # nothing was handed in again
    # Another essay, and other code, which the essay's mark is not for.
    room.hand_in("ada", solved(written="A second essay."))
    room.hand_in("ben", solved(written="A first essay.", choose="changed = True"))
    for _ in range(2):  # it is not forgotten when everything is graded once more
        room.grade()
        assert room.problems() == [f"ada, exploring: {TOLD}"]
        assert status(room) == ("3.0", CHANGED)
        assert status(room, "ben") == ("3.0", PERSON)
    room.hand_in("ada", b"{}")  # neither does a bad file in between
    room.grade()
    room.hand_in("ada", solved(written="A second essay."))
    room.grade()
    assert room.problems() == [f"ada, exploring: {TOLD}"]
    person_marks(room, "ada", 4)  # another mark alone does not say that the new answer was read
    assert status(room) == ("4.0", CHANGED)
    person_marks(room, "ada", 4, note="read")
    assert status(room) == ("4.0", PERSON)
    assert room.problems() == ["Nothing unusual."]
    room.hand_in("ada", solved(written="A first essay."))
    room.grade()
    assert status(room) == ("4.0", CHANGED)


def test_a_table_that_was_open_while_the_answer_changed_marks_the_old_one(room):
    room.hand_in("ada", solved(written="A first essay."))
    room.grade()
    rows = room.table("written")  # in the teacher's spreadsheet
    room.hand_in("ada", solved(written="A second essay."))
    room.grade()
    rows[0]["marks"] = "2"
    room.write_table("written", rows)
    room.run("export", "--no-feedback")
    assert status(room) == ("2.0", CHANGED)


def test_back_to_the_marked_answer_there_is_nothing_to_say(room):
    for text in ("one", "two", "one"):
        room.hand_in("ada", solved(written=text))
        room.grade()
        if text == "one":
            person_marks(room, "ada", 2)
        assert status(room)[1] == (PERSON if text == "one" else CHANGED)


def test_a_persons_mark_for_a_test_is_for_the_code(room):
    room.hand_in("ada", solved(choose="a = 1"))
    room.grade()
    person_marks(room, "ada", 1, "choose_hidden")
    assert status(room, task="choose_hidden") == ("1.0", PERSON)
    room.hand_in("ada", solved(choose="a = 1", written="Only an essay."))
    room.grade()
    assert status(room, task="choose_hidden") == ("1.0", PERSON)
    room.hand_in("ada", solved(choose="a = 2"))
    room.grade()
    assert status(room, task="choose_hidden") == ("1.0", CHANGED)
    person_marks(room, "ada", "", "choose_hidden")  # taken back: the test's own mark counts
    assert status(room, task="choose_hidden") == ("3.0", "graded")


def test_a_student_who_comes_later_takes_nobodys_mark(room):
    marked = {"李雷": "3.0", "a b": "1.0"}
    for name in marked:
        room.hand_in(name, solved(written=name))
    room.grade()
    for name, score in marked.items():
        person_marks(room, name, score)
    for name in ("一", "a  b", "a_b"):  # before them in the alphabet, and alike in ASCII
        room.hand_in(name, solved(written=name))
    room.grade()
    scores = {name: status(room, name)[0] for name in room.states()}
    assert scores == {**marked, **dict.fromkeys(("一", "a  b", "a_b"), "")}


@pytest.mark.parametrize(
    "change, told",
    [
        ({"marks": "6"}, "line 2: marks must be a number in 0..5, not '6'"),
        ({"marks": "-1"}, "line 2: marks must be a number in 0..5, not '-1'"),
        ({"marks": "good"}, "line 2: marks must be a number in 0..5, not 'good'"),
        ({"marks": "nan"}, "line 2: marks must be a number in 0..5, not 'nan'"),
        ({"student": "bob"}, "line 2: nothing was graded for 'bob', 'exploring'"),
        ({"task": "essay"}, "line 2: there is no task 'essay'; there are epsilon_visible"),
    ],
)
def test_a_wrong_line_is_told_and_changes_nothing(room, change, told):
    room.hand_in("ada", solved(written="My essay."))
    room.grade()
    rows = room.table("written")
    room.write_table("written", [{**rows[0], **change}])
    before = {p: p.read_bytes() for p in room.out.rglob("*") if p.is_file()}
    assert told in room.run("export", "--no-feedback", status=2)
    assert {p: p.read_bytes() for p in room.out.rglob("*") if p.is_file()} == before


# --- policy, upload, pseudonyms --------------------------------------------------------------


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_being_late_costs_its_share(room, tmp_path):
    policy = write(
        tmp_path / "policy.toml",
        "[due]\nexploring = 2020-10-01T12:00:00Z\ndigits_for_rewards = 2999-01-01T00:00:00Z\n"
        "[late]\nper_day = 0.1\nat_most_days = 3\n",
    )
    times = {
        "ontime": "2020-10-01T13:59:59+02:00",
        "second": "2020-10-01T12:00:01+00:00",
        "day": "2020-10-02T12:00:00+00:00",
        "three": "2020-10-04T11:00:00+00:00",
        "four": "2020-10-04T13:00:00+00:00",
        "unknown": None,
    }
    for student in times:
        room.hand_in(student, solved(written=""))
        room.hand_in(student, solved("digits_for_rewards"), "digits_for_rewards.ipynb")
    lines = [f"{s},exploring,{t}\n" for s, t in times.items() if t]
    table = write(tmp_path / "times.csv", "student,assignment,time\n" + "".join(lines))
    room.grade("--policy", policy, "--times", table)
    totals = {
        r["student"]: float(r["total"]) for r in room.table("totals") if "expl" in r["assignment"]
    }
    assert totals == {
        "ontime": 20, "second": 18, "day": 18, "three": 14, "four": 0, "unknown": 20,
    }  # fmt: skip
    assert all(result.assignment == "exploring" for result in open_book(room.out).results.values())
    room.grade("--policy", policy, "--assignment", "digits_for_rewards")  # asked for by name
    assert set(room.states("digits_for_rewards").values()) == {"graded"}


@pytest.mark.parametrize(
    "text, told",
    [
        ("[due]\nexploring = 1", "exploring = 1 is not like 2026-10-01T23:59:00+02:00"),
        ("[due]\nessay = 2026-10-01T23:59:00Z", "there is no assignment 'essay'"),
        ("[late]\nper_day = 1.5", "per_day must be in [0, 1], not 1.5"),
        ("[late]\nper_day = 'x'", "per_day must be a number >= 0, not 'x'"),
        ("[late]\nper_hour = 1", "[late] has 'per_hour'; known are per_day and at_most_days"),
        ("[dew]\nexploring = 1", "has dew; known are [due] and [late]"),
        ("[due", "cannot be read"),
    ],
)
def test_a_wrong_policy_is_told_before_anything_is_done(room, tmp_path, text, told):
    room.hand_in("ada")
    assert told in room.grade("--policy", write(tmp_path / "policy.toml", text), status=2)
    assert not room.out.exists()


@pytest.mark.parametrize(
    "words, told",
    [
        (
            ["--assignment", "essay"],
            "no assignment is called 'essay'; there are a_lemma_under_test",
        ),
        (["--student", "bob"], "nobody is called 'bob'; there are ada"),
        (["-j", "0"], "-j must be >= 1, not 0"),
        (["--cell", "0"], "the limit cell must be >= 1, not 0"),
        (["--notebook", "-5"], "the limit notebook must be >= 1, not -5"),
        (["--isolate", "user"], "--isolate user needs root"),
        (["--isolate", "container"], "--isolate container needs --image"),
        (["--times", "/nowhere.csv"], "/nowhere.csv cannot be read"),
        (["--seed", "-1"], "--seed must be >= 0, not -1"),
        (["--image", "study"], "--image is for --isolate container, not auto"),
    ],
)
def test_a_wrong_call_is_told_in_one_sentence_and_does_nothing(room, words, told):
    room.hand_in("ada")
    said = room.grade(*words, status=2)
    assert said.startswith("error: ")
    assert told in said
    assert said.count("\n") == 1
    assert not room.out.exists()


def test_results_never_lie_among_the_submissions_or_in_a_file(room):
    room.hand_in("ada")
    for out in ("", "ada", "results/grades"):
        room.out = room.folder / out
        assert "lies among the submissions" in room.grade(status=2)
    room.out = room.folder / "ada" / "exploring.ipynb"
    for command in ("release", "export"):
        assert "exploring.ipynb is no folder" in room.run(command, status=2)
    assert [path.name for path in room.folder.rglob("*")] == ["ada", "exploring.ipynb"]


def test_a_time_for_nobody_is_told_and_for_no_assignment_refused(room, tmp_path):
    room.hand_in("ada")
    times = "student,assignment,time\nAda,{},2026-10-01T12:00:00Z\n"
    table = write(tmp_path / "times.csv", times.format("explorin"))
    assert "line 2: there is no assignment 'explorin'" in room.grade("--times", table, status=2)
    assert not room.out.exists()
    write(table, times.format("exploring"))
    assert "times.csv names who handed in nothing: Ada\n" in room.grade("--times", table)


def test_export_needs_results(room):
    assert "holds no graded submissions" in room.run("export", status=2)
    assert not room.out.exists()


def test_another_seed_or_a_broken_book_is_refused(room):
    room.hand_in("ada")
    room.grade("--seed", 7)
    assert open_book(room.out).seed == 7
    room.grade()
    assert open_book(room.out).seed == 7  # fixed for the course
    assert "has the seed 7, not 8" in room.grade("--seed", 8, status=2)
    (room.out / "book.json").write_text('{"version": 1}')
    assert "is no book of results" in room.grade(status=2)


def test_two_gradings_at_once_are_refused(room):
    room.hand_in("ada")
    room.grade()
    with lock(room.out):
        assert "somebody is grading into" in room.grade(status=2)


def test_marks_and_feedback_go_back_in_the_systems_own_names(room):
    members = {
        "Ada L_1234567_assignsubmission_file_": "Ada L",
        "turingalan_12345_67890_": "turingalan",
    }
    for prefix in members:
        (room.folder / f"{prefix}exploring.ipynb").write_bytes(as_bytes(solved(written="")))
    room.hand_in("plain", solved(written=""))
    room.run("grade", "--submissions", room.folder)
    rows = {
        row["id"]: (row["student"], row["exploring"], row["total"]) for row in room.table("upload")
    }
    assert rows == {
        "1234567": ("Ada L", "20.0", "20.0"),
        "12345": ("turingalan", "20.0", "20.0"),
        "": ("plain", "20.0", "20.0"),
    }
    told = "for the learning system: upload.csv"
    assert room.said.endswith(f"{told}, feedback_canvas.zip, feedback_moodle.zip\n")
    assert room.run("export", "--no-feedback").endswith(f"{told}\n")
    for system, prefix in zip(("moodle", "canvas"), members, strict=True):
        with zipfile.ZipFile(room.out / f"feedback_{system}.zip") as archive:
            assert archive.namelist() == [f"{prefix}exploring.html"]
            assert b"Score: 20.0" in archive.read(f"{prefix}exploring.html")


def test_pseudonyms_hide_names_everywhere_but_in_two_files(room):
    for student in ("Ada Lovelace", "Alan Turing"):
        room.hand_in(student, solved(written=f"An essay, {len(student)} letters."))
        room.hand_in(student, b"{}", "a_lemma_under_test.ipynb")
    room.run("grade", "--submissions", room.folder, "--pseudonyms")
    shown = [path for path in room.out.iterdir() if path.suffix in (".csv", ".txt")]
    shown += [*(room.out / "written").iterdir(), *(room.out / "feedback").rglob("*.html")]
    having = {path.name for path in shown if b"Lovelace" in path.read_bytes()}
    assert having == {"names.csv", "upload.csv", "ignored.txt"} - {"ignored.txt"}
    names = {row["student"]: row["pseudonym"] for row in room.table("names")}
    person_marks(room, names["Alan Turing"], 2)
    assert status(room, names["Alan Turing"]) == ("2.0", PERSON)
    room.run("export", "--no-feedback", "--no-pseudonyms")
    assert status(room, "Alan Turing") == ("2.0", PERSON)
    assert status(room, "Ada Lovelace") == ("", "awaiting a person")


def test_a_failed_run_says_why_and_costs_nobody_else(room, monkeypatch):
    room.hand_in("ada", solved())
    monkeypatch.setattr(isolate.Cell, "run", lambda *_: Outcome(failure="it did not end"))
    room.grade()
    assert room.states() == {"ada": "could not be graded"}
    assert room.problems() == ["ada, exploring: grading failed: it did not end"]
    assert {row["marks"] for row in room.table("marks")} == {"0.0"}


def test_tables_open_in_a_spreadsheet(room):
    room.hand_in("Zoë", solved())
    room.grade()
    raw = (room.out / "marks.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    assert "Zoë" in raw.decode("utf-8-sig")
    assert len(next(csv.reader(raw.decode("utf-8-sig").splitlines()))) == 6
