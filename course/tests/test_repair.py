"""From what a student handed in to what is graded: nothing right is lost, nothing is silent."""

import copy
import json

import nbformat
import pytest
from classroom import as_bytes, blank, cell_of, marks_of_tests, position, solved

from course.assignments import graded_form, names, released
from course.repair import prepare, untouched

NAMES = names()


def ids(notebook):
    return [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]


def answers(notebook, name):
    """The sources of the answer cells."""
    kinds = {c.metadata.nbgrader.grade_id: c for c in released(name).cells}
    wanted = [grade_id for grade_id, cell in kinds.items() if cell.metadata.nbgrader.solution]
    return {grade_id: cell_of(notebook, grade_id).source for grade_id in wanted}


@pytest.mark.parametrize("name", NAMES)
def test_a_sound_notebook_gets_the_hidden_tests_and_no_remark(name):
    notebook, problems = prepare(as_bytes(solved(name)), name)
    assert problems == []
    assert ids(notebook) == ids(graded_form(name))
    for grade_id in marks_of_tests(name):
        test = cell_of(notebook, grade_id)
        assert test.source == cell_of(graded_form(name), grade_id).source
        assert ("### BEGIN HIDDEN TESTS" in test.source) == grade_id.endswith("_hidden")
    assert answers(notebook, name) == answers(solved(name), name)


ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_of_json_is_read(encoding):
    text = json.dumps(solved(epsilon="# Ångström\nepsilon = 1"), ensure_ascii=False)
    notebook, problems = prepare(text.encode(encoding), "exploring")
    assert problems == []
    assert cell_of(notebook, "epsilon").source == "# Ångström\nepsilon = 1"


def stripped(notebook, what):
    """A notebook as another program would save it."""
    for cell in notebook.cells:
        if what == "mark":
            cell.metadata.pop("nbgrader", None)
        else:
            cell.metadata = {}
        if what == "no ids":
            cell.pop("id", None)
    if what == "no ids":
        notebook.nbformat_minor, notebook.metadata = 4, {}
    return notebook


@pytest.mark.parametrize("what", ["mark", "metadata", "no ids"])
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_that_lost_its_marks_is_recognised_by_its_text(name, what):
    sound = solved(name)
    notebook, problems = prepare(as_bytes(stripped(copy.deepcopy(sound), what)), name)
    assert set(ids(graded_form(name))) <= set(ids(notebook))
    code = {g: s for g, s in answers(sound, name).items() if g != "written"}
    assert {g: s for g, s in answers(notebook, name).items() if g != "written"} == code
    assert cell_of(notebook, "written").source == cell_of(sound, "written").source
    order = [g for g in ids(notebook) if g in code or g in marks_of_tests(name)]
    assert order == [g for g in ids(sound) if g in code or g in marks_of_tests(name)]
    assert "has lost nbgrader's marks" in problems[0]
    assert all(repr(g)[1:-1] in problems[0] for g in code)


def test_another_notebook_is_refused():
    other = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    with pytest.raises(ValueError, match="none of the assignment's cells"):
        prepare(as_bytes(other), "exploring")
    with pytest.raises(ValueError, match="none of the assignment's cells"):
        prepare(as_bytes(stripped(other, "mark")), "exploring")


def essay(text, kind="markdown"):
    make = {"markdown": nbformat.v4.new_markdown_cell, "raw": nbformat.v4.new_raw_cell}
    return make[kind](text)


@pytest.mark.parametrize("kind", ["markdown", "raw"])
@pytest.mark.parametrize("where", ["below", "above", "in place"])
@pytest.mark.parametrize("name", NAMES)
def test_a_written_answer_in_a_cell_of_its_own_is_taken(name, where, kind):
    notebook = solved(name, written="YOUR ANSWER HERE")
    at = position(notebook, "written")
    added = [essay("Part one of my essay.", kind), essay("Part two of my essay.")]
    if where == "below":
        notebook.cells[at + 1 : at + 1] = added
    elif where == "above":
        notebook.cells[at:at] = added
    else:
        notebook.cells[at : at + 1] = added
    graded, problems = prepare(as_bytes(notebook), name)
    assert cell_of(graded, "written").source == "Part one of my essay.\n\nPart two of my essay."
    assert problems[-1] == "the answer 'written' stood in a cell of its own; it was taken"
    assert untouched(graded, name) == set()
    assert sum("Part one of my essay" in cell.source for cell in graded.cells) == 1


def test_notes_elsewhere_are_no_written_answer():
    notebook = solved(written="YOUR ANSWER HERE")
    notebook.cells.insert(position(notebook, "choose"), essay("My notes on part 2."))
    graded, problems = prepare(as_bytes(notebook), "exploring")
    assert problems == []
    assert untouched(graded, "exploring") == {"written"}


@pytest.mark.parametrize("text", ["", "  \n", "YOUR ANSWER HERE", "YOUR ANSWER HERE\n"])
def test_an_empty_answer_waits_for_nobody(text):
    graded, _ = prepare(as_bytes(solved(written=text)), "exploring")
    assert untouched(graded, "exploring") == {"written"}


def test_a_picture_is_an_answer():
    notebook = solved(written="")
    cell_of(notebook, "written").attachments = {"a.png": {"image/png": "iVBORw0KGgo="}}
    graded, _ = prepare(as_bytes(notebook), "exploring")
    assert untouched(graded, "exploring") == set()


@pytest.mark.parametrize("grade_id", ["epsilon", "written", "choose_visible"])
@pytest.mark.parametrize("kind", ["code", "markdown", "raw"])
def test_the_kind_of_a_cell_is_put_back(grade_id, kind):
    notebook = solved(written="My essay.")
    cell = cell_of(notebook, grade_id)
    before = cell.cell_type
    if kind == before:
        pytest.skip("that is what it is")
    cell.cell_type = kind
    cell.pop("outputs", None)
    cell.pop("execution_count", None)
    if kind == "code":
        cell.outputs, cell.execution_count = [], None
    graded, problems = prepare(as_bytes(notebook), "exploring")
    assert cell_of(graded, grade_id).cell_type == before
    assert problems == [f"the cell {grade_id!r} had become a {kind} cell"]
    nbformat.validate(graded)


def test_copied_cells_the_last_counts():
    notebook = solved()
    at = position(notebook, "choose")
    notebook.cells.insert(at, copy.deepcopy(notebook.cells[at]))
    notebook.cells[at].source = "wrong = True"
    graded, problems = prepare(as_bytes(notebook), "exploring")
    (told,) = problems
    assert told.startswith("the cell 'choose' is there more than once (was it copied?)")
    assert cell_of(graded, "choose").source == cell_of(solved(), "choose").source
    assert len(graded.cells) == len(solved().cells) + 1


@pytest.mark.parametrize("name", NAMES)
def test_missing_and_changed_tests_are_put_right(name):
    every = [c.metadata.nbgrader for c in released(name).cells if c.cell_type == "code"]
    locked = [kind.grade_id for kind in every if kind.locked]
    for grade_id in locked:
        missing, changed = solved(name), solved(name)
        del missing.cells[position(missing, grade_id)]
        cell_of(changed, grade_id).source = "assert True"
        cell_of(changed, grade_id).metadata.nbgrader.points = 100
        for notebook in (missing, changed):
            graded, problems = prepare(as_bytes(notebook), name)
            assert ids(graded) == ids(graded_form(name))
            ours, theirs = cell_of(graded_form(name), grade_id), cell_of(graded, grade_id)
            assert theirs.source == ours.source
            assert theirs.metadata.nbgrader == ours.metadata.nbgrader
            assert len(problems) == 1, grade_id
            assert repr(grade_id) in problems[0]


HALVES = {
    "text": lambda n: cell_of(n, "title").__setitem__("source", "half an emoji \ud83d"),
    "code": lambda n: cell_of(n, "choose").__setitem__("source", "# \udc00"),
    "metadata": lambda n: n.metadata.__setitem__("title \ud83d", "\ud83d"),
}


@pytest.mark.parametrize("where", HALVES)
def test_half_a_character_costs_nothing_but_itself(where):
    notebook = solved()
    HALVES[where](notebook)
    graded, problems = prepare(as_bytes(notebook), "exploring")
    assert problems[0].startswith("half of a character (of an emoji?) cannot be stored")
    json.dumps(graded, ensure_ascii=False).encode("utf-8")


def altered(**changes):
    notebook = json.loads(as_bytes(blank()))
    notebook["cells"][2].update(changes)
    return json.dumps(notebook).encode()


def nested(depth):
    inner = b'{"deeper":' * depth + b"1" + b"}" * depth
    text = json.dumps({**blank(), "metadata": "HERE"})
    return text.encode().replace(b'"HERE"', inner)


BAD = {
    "empty": b"",
    "an object": b"{}",
    "a list": b"[]",
    "null": b"null",
    "a number": b"7",
    "a text": b'"notebook"',
    "bytes": b"\xff\xfe\x00",
    "half a notebook": b'{"cells": [',
    "a cell without a source": b'{"cells": [{"cell_type": "code"}], "metadata": {},'
    b'"nbformat": 4, "nbformat_minor": 5}',
    "cells that are a number": b'{"cells": 3, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "the future": b'{"cells": [], "metadata": {}, "nbformat": 99, "nbformat_minor": 0}',
    "a deep list": b"[" * 100_000,
    "a deep object": b'{"a":' * 100_000,
    "deep metadata": nested(900),
    "a long number": b'{"nbformat": ' + b"9" * 5000 + b"}",
    "a source that is a number": altered(source=5),
    "metadata that are a number": altered(metadata=7),
}


@pytest.mark.parametrize("what", BAD)
def test_no_kind_of_bad_file_is_taken_for_a_notebook(what):
    with pytest.raises(Exception):  # noqa: B017, PT011
        prepare(BAD[what], "exploring")


def test_an_odd_mark_costs_that_cell_at_most():
    odd = altered(metadata={"nbgrader": {"grade_id": ["x"]}})
    graded, _ = prepare(odd, "exploring")
    assert set(ids(graded_form("exploring"))) - set(ids(graded)) <= {"epsilon_text"}
