"""Finding what was handed in, in whatever layout it comes, and naming the rest."""

import io
import os
import sys
import zipfile
from pathlib import Path

import pytest
from classroom import as_bytes, blank

from course.assignments import AssignmentError
from course.collect import collect, whose

NOTEBOOK = as_bytes(blank())
OTHER = as_bytes(blank("a_lemma_under_test"))


def put(folder, path, content=NOTEBOOK):
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def packed(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def rotten():
    """A zip whose list of members is whole and whose packed bytes are not."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("exploring.ipynb", NOTEBOOK)
    content = bytearray(file.getvalue())
    content[60:80] = b"\xff" * 20
    return bytes(content)


ADA = ("ada", "exploring")
LAYOUTS = {
    "flat": ("ada/exploring.ipynb", ADA),
    "its own folder": ("ada/exploring/exploring.ipynb", ADA),
    "as handed out": ("ada/assignments/exploring/exploring.ipynb", ADA),
    "a text file": ("ada/exploring.ipynb.txt", ADA),
    "a JSON file": ("ada/exploring.ipynb.json", ADA),
    "capitals": ("ada/EXPLORING.IPYNB", ADA),
    "saved twice": ("ada/exploring (1).ipynb", ADA),
    "a copy": ("ada/exploring-Copy1.ipynb", ADA),
    "a name of its own": ("ada/Untitled3.ipynb", ADA),
    "a German copy": ("ada/Kopie von exploring.ipynb", ADA),
    "Moodle, flat": (
        "Ada Lovelace_1234567_assignsubmission_file_exploring.ipynb",
        ("Ada Lovelace", "exploring"),
    ),
    "Moodle, a folder": (
        "Ada Lovelace_1234567_assignsubmission_file_/exploring.ipynb",
        ("Ada Lovelace", "exploring"),
    ),
    "Moodle, a folder of today": (
        "Ada Lovelace_1234567_assignsubmission_file/a/exploring.ipynb",
        ("Ada Lovelace", "exploring"),
    ),
    "Canvas": ("lovelaceada_12345_67890_exploring.ipynb", ("lovelaceada", "exploring")),
    "Canvas, late": ("lovelaceada_LATE_12345_67890_exploring.ipynb", ("lovelaceada", "exploring")),
    "Canvas, again": ("lovelaceada_12345_67890_exploring-2.ipynb", ("lovelaceada", "exploring")),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_recognised(tmp_path, layout):
    path, key = LAYOUTS[layout]
    put(tmp_path, path)
    found = collect(tmp_path)
    assert {k: file.content for k, file in found.notebooks.items()} == {key: NOTEBOOK}
    assert set(found.students) == {key[0]}
    assert found.ignored == []
    assert found.problems == {}


@pytest.mark.parametrize("inside", [path for path, _ in LAYOUTS.values()])
def test_zips_are_opened_wherever_they_are(tmp_path, inside):
    student, name = LAYOUTS[next(k for k, v in LAYOUTS.items() if v[0] == inside)][1]
    if student == "ada":  # a student's own zip, under the student's name or in the folder
        within = inside.removeprefix("ada/")
        put(tmp_path / "one", "ada/work.zip", packed({within: NOTEBOOK}))
        put(tmp_path / "two", "ada.zip", packed({within: NOTEBOOK}))
        put(tmp_path / "three", "ada/work.ZIP", packed({"deep.zip": packed({within: NOTEBOOK})}))
        folders = ("one", "two", "three")
    else:  # what the learning system gives to download
        put(tmp_path / "one", "download.zip", packed({inside: NOTEBOOK}))
        folders = ("one",)
    for folder in folders:
        assert set(collect(tmp_path / folder).notebooks) == {(student, name)}


def test_the_systems_own_ids_and_prefixes_are_kept(tmp_path):
    put(tmp_path, "Ada_Marie L_1234567_assignsubmission_file_exploring.ipynb")
    put(tmp_path, "lovelaceada_LATE_12345_67890_a_lemma_under_test.ipynb", OTHER)
    put(tmp_path, "plain/exploring.ipynb")
    students = collect(tmp_path).students
    assert students["Ada_Marie L"].id == "1234567"
    assert students["Ada_Marie L"].prefix == "Ada_Marie L_1234567_assignsubmission_file_"
    assert students["lovelaceada"].id == "12345"
    assert students["lovelaceada"].prefix == "lovelaceada_LATE_12345_67890_"
    assert students["plain"].id == ""


@pytest.mark.parametrize("there", ["_exploring.ipynb", "_/exploring.ipynb", "/exploring.ipynb"])
def test_what_goes_back_to_moodle_has_one_name_for_files_and_folders(there):
    found = whose(f"Dora D_1234567_assignsubmission_file{there}")
    assert found is not None
    assert found[0].prefix == "Dora D_1234567_assignsubmission_file_"
    assert found[1] == "exploring.ipynb"


def test_two_students_of_one_name_stay_two(tmp_path):
    for number in (1, 2, 1):
        put(tmp_path, f"Kim_{number}_assignsubmission_file_exploring.ipynb")
        put(tmp_path, f"Kim_{number}_assignsubmission_file_a_lemma_under_test.ipynb", OTHER)
    found = collect(tmp_path)
    names = {name for name, _ in found.notebooks}
    assert names == {"Kim", "Kim (2)"}
    assert len(found.notebooks) == 4


def test_whatever_is_ignored_is_named(tmp_path):
    put(tmp_path, "ada/exploring.ipynb")
    put(tmp_path, "ada/notes.docx", b"notes")
    put(tmp_path, "ada/work.rar", b"Rar!")
    put(tmp_path, "ada/work.tar.gz", b"\x1f\x8b")
    put(tmp_path, "ada/broken.zip", b"PK, but no")
    put(tmp_path, "ada/rotten.zip", rotten())
    put(tmp_path, "ada/shopping.ipynb", b'{"cells": []}')
    put(tmp_path, "ada/.ipynb_checkpoints/exploring-checkpoint.ipynb")
    put(tmp_path, "ada/__MACOSX/._exploring.ipynb", b"\x00\x05")
    put(tmp_path, "stray.ipynb")
    put(tmp_path, "bomb/x.zip", packed({f"{n}.txt": b"" for n in range(2001)}))
    found = collect(tmp_path)
    assert set(found.notebooks) == {ADA}
    told = dict(found.ignored)
    everything = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert set(told) == everything - {"ada/exploring.ipynb"}
    assert told["ada/work.rar"] == "is an archive that is not opened; unpack it by hand"
    assert told["ada/work.tar.gz"] == told["ada/work.rar"]
    assert told["ada/broken.zip"].startswith("is a zip that cannot be opened (")
    assert told["ada/rotten.zip"].startswith("is a zip that cannot be opened (")
    assert told["bomb/x.zip"] == "is a zip with too much in it; unpack it by hand"
    assert told["stray.ipynb"] == "is in no student's folder"
    assert told["ada/shopping.ipynb"] == told["ada/notes.docx"] == "is no assignment"
    assert "bomb" in found.students  # who handed in something else is not forgotten


def test_the_rest_of_the_hand_out_that_comes_back_is_told_from_a_students_own_files(tmp_path):
    put(tmp_path, "ada/assignments/exploring/exploring.ipynb")
    put(tmp_path, "bob_12345_67890_requirements.txt", b"numpy")
    back = ["ada/assignments/START_HERE.html", "ada/assignments/requirements-torch.txt"]
    for path in back:
        put(tmp_path, path, b"as it was handed out")
    put(tmp_path, "ada/assignments/my_requirements.txt", b"numpy")
    found = collect(tmp_path)
    assert set(found.notebooks) == {ADA}
    assert dict(found.ignored) == {
        **dict.fromkeys([*back, "bob_12345_67890_requirements.txt"], "came with the assignments"),
        "ada/assignments/my_requirements.txt": "is no assignment",
    }


def test_of_several_notebooks_one_is_chosen_and_the_others_are_named(tmp_path):
    put(tmp_path, "ada/exploring/exploring.ipynb")
    put(tmp_path, "ada/exploring.ipynb", NOTEBOOK + b" ")
    put(tmp_path, "ada/exploring (2).ipynb", NOTEBOOK + b"  ")
    found = collect(tmp_path)
    assert found.notebooks[ADA].content == NOTEBOOK
    told = "there are 3 notebooks; ada/exploring/exploring.ipynb was graded"
    assert found.problems == {ADA: [told]}
    assert dict(found.ignored) == {
        "ada/exploring.ipynb": "ada/exploring/exploring.ipynb was graded",
        "ada/exploring (2).ipynb": "ada/exploring/exploring.ipynb was graded",
    }


def test_links_are_not_followed(tmp_path):
    put(tmp_path, "ben/exploring.ipynb")
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "exploring.ipynb").symlink_to("../ben/exploring.ipynb")
    (tmp_path / "ada" / "a_lemma_under_test").symlink_to("../ben")
    (tmp_path / "cat").symlink_to("ben")
    found = collect(tmp_path)
    assert found.notebooks[ADA].wrong == "is a link to ../ben/exploring.ipynb, not followed"
    assert found.notebooks[ADA].content == b""
    assert dict(found.ignored) == {
        "ada/a_lemma_under_test": "is a link to ../ben, not followed",
        "cat": "is a link to ben, not followed",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_not_utf_8_are_shown_and_kept_apart(tmp_path):
    names = [os.fsdecode(b"Jos\xe9"), os.fsdecode(b"Jos\xe8"), "José", "王芳"]
    for name in names:
        put(tmp_path, f"{name}/exploring.ipynb")
    assert {n for n, _ in collect(tmp_path).notebooks} == {"Jos\\xe9", "Jos\\xe8", "José", "王芳"}


def test_a_folder_that_cannot_be_opened_is_named(tmp_path, monkeypatch):
    put(tmp_path, "ada/exploring.ipynb")
    put(tmp_path, "ben/exploring.ipynb")
    scandir = os.scandir

    def refuse(path="."):  # the tests may run as root, whom no permissions stop
        if Path(os.fspath(path)).name == "ben":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = collect(tmp_path)
    assert set(found.notebooks) == {ADA}
    assert set(found.students) == {"ada", "ben"}
    assert dict(found.ignored) == {"ben/": "cannot be opened (Permission denied)"}


@pytest.mark.parametrize("make", [lambda folder: None, lambda folder: folder.mkdir()])
def test_nothing_to_grade_is_told(tmp_path, make):
    make(tmp_path / "in")
    with pytest.raises(AssignmentError, match=r"there is no folder|holds no student's folder"):
        collect(tmp_path / "in")
