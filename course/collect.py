"""What was handed in: find the notebooks in whatever layout they came, and name all the rest.

Known are FOLDER/STUDENT/…, zips of it, and the files of Moodle (NAME_1234567_assignsubmission_file_
FILE) and Canvas (NAME_12345_67890_FILE), in folders or flat. Files are read once, into memory, so
that nothing that runs later can change them.
"""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from course.assignments import AssignmentError, names, released
from course.handout import file_names
from course.repair import grade_ids, parse
from course.words import shown

MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)")
CANVAS = re.compile(r"(?P<name>.+?)_(?:LATE_)?(?P<id>\d+)_\d+_(?P<rest>.+)")
ENDING = re.compile(r"\.ipynb(\.txt|\.json)?$", re.IGNORECASE)
JUNK = re.compile(r"(^|/)(\.|__MACOSX|__pycache__|Thumbs\.db|desktop\.ini)")
OTHER_ARCHIVE = re.compile(r"\.(rar|7z|tar|t?gz|bz2|xz)$", re.IGNORECASE)
BIGGEST = 50 << 20
"""Bytes of a file that is read, and of all that a zip holds."""
MOST_MEMBERS = 2000
"""Files in a zip that is opened."""


@dataclass(frozen=True)
class File:
    """A file that was found: its path as it is told, and its bytes or what is wrong with it."""

    path: str
    content: bytes = b""
    wrong: str = ""


@dataclass(frozen=True)
class Student:
    """Who handed in: the name, the learning system's own id, and its prefix of file names."""

    name: str
    id: str = ""
    prefix: str = ""


@dataclass
class Collected:
    """The notebooks by (student, assignment), and whatever else was there."""

    students: dict[str, Student] = field(default_factory=dict)
    notebooks: dict[tuple[str, str], File] = field(default_factory=dict)
    ignored: list[tuple[str, str]] = field(default_factory=list)
    problems: dict[tuple[str, str], list[str]] = field(default_factory=dict)


def files(top: Path) -> Iterator[File]:
    """All files below a folder, in a fixed order; zips are opened, links are not followed."""

    def closed(error: OSError) -> None:
        where = os.path.relpath(os.fsdecode(error.filename), top)
        unread.append(File(shown(where) + "/", wrong=f"cannot be opened ({error.strerror})"))

    unread: list[File] = []
    for where, folders, found in os.walk(top, onerror=closed):
        folders.sort()
        odd = [f for f in folders if ENDING.search(f) or os.path.islink(Path(where, f))]
        for name in sorted([*found, *odd]):
            path = Path(where, name)
            yield from opened(read_file(path, shown(str(path.relative_to(top)))))
    yield from unread


def read_file(path: Path, told: str) -> File:
    """One file, if it is a plain one of a size that can be read, and no link, pipe or device."""
    try:
        about = path.lstat()
        if stat.S_ISLNK(about.st_mode):
            return File(told, wrong=f"is a link to {shown(os.readlink(path))}, not followed")
        if not stat.S_ISREG(about.st_mode):
            return File(told, wrong="is not a file")
        if about.st_size > BIGGEST:
            return File(told, wrong=f"is larger than {BIGGEST >> 20} MiB")
        return File(told, path.read_bytes())
    except OSError as error:
        return File(told, wrong=f"cannot be opened ({error.strerror})")


def opened(file: File, depth: int = 0) -> Iterator[File]:
    """The file itself or, if it is a zip, what is in it."""
    if file.wrong or not file.path.lower().endswith(".zip"):
        yield file
        return
    try:
        with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            size = sum(info.file_size for info in members)
            if depth > 1 or len(members) > MOST_MEMBERS or size > BIGGEST:
                yield File(file.path, wrong="is a zip with too much in it; unpack it by hand")
                return
            for info in sorted(members, key=lambda info: info.filename):
                told = f"{file.path}/{PurePosixPath(info.filename)}"
                yield from opened(File(told, archive.read(info)), depth + 1)
    except Exception as error:  # zlib, lzma and others have errors of their own
        yield File(file.path, wrong=f"is a zip that cannot be opened ({str(error)[:80]})")


def whose(path: str) -> tuple[Student, str] | None:
    """Who handed a file in, and its name there; None if the path does not tell."""
    parts = [part for part in path.split("/") if part]
    # The systems' names stand at the top, or in the zip that was downloaded.
    tops = 2 if parts[0].lower().endswith(".zip") else 1
    for number, part in enumerate(parts[:tops]):
        stem = _without_zip(part)
        for habit in (MOODLE, CANVAS):
            if found := habit.fullmatch(stem):
                inside = [found["rest"], *parts[number + 1 :]]
                name = "/".join(one for one in inside if one) or part
                # A folder's name may lack the underscore that parts it from the file's.
                prefix = stem[: found.start("rest")].removesuffix("_") + "_"
                return Student(found["name"], found["id"], prefix), name
    if len(parts) < 2:
        return None
    return Student(_without_zip(parts[0])), "/".join(parts[1:])


def _without_zip(name: str) -> str:
    return name[: -len(".zip")] if name.lower().endswith(".zip") else name


def assignment(file: File, known: list[str]) -> str | None:
    """Which assignment a notebook is: by its name, else by the cells in it."""
    stem = ENDING.sub("", PurePosixPath(file.path).name).lower()
    if stem in known:
        return stem
    near = [name for name in known if re.fullmatch(rf"{name}[-_ ]?(\(\d+\)|copy\d*|\d+)", stem)]
    if near:
        return near[0]
    try:
        ids = grade_ids(parse(file.content))
    except Exception:  # no notebook, whatever it is
        return None
    shares = {name: len(ids & _own_ids(name)) / len(_own_ids(name)) for name in known}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] > 0.5 else None


def _own_ids(name: str) -> set[str]:
    """The grade_ids that no other assignment has."""
    others = {one for other in names() if other != name for one in grade_ids(released(other))}
    return grade_ids(released(name)) - others


def collect(submissions: Path) -> Collected:
    """Read a folder of submissions. Raises AssignmentError if nobody's are there."""
    if not submissions.is_dir():
        raise AssignmentError(f"there is no folder {submissions}")
    result, candidates = Collected(), dict[tuple[str, str], list[File]]()
    for name in sorted(os.listdir(submissions)):
        found = whose(f"{shown(name)}/x")
        if found is not None and (submissions / name).is_dir() and not name.startswith("."):
            _known_as(found[0], result.students)
    for file in files(submissions):
        found = None if JUNK.search(file.path) else whose(file.path)
        if found is None:
            why = "is in no student's folder" if not JUNK.search(file.path) else "is not an answer"
            result.ignored.append((file.path, file.wrong or why))
            continue
        student = _known_as(found[0], result.students)
        which = (
            assignment(File(found[1], file.content), names()) if ENDING.search(file.path) else None
        )
        if which is not None:
            candidates.setdefault((student.name, which), []).append(file)
            continue
        why = file.wrong or "is no assignment"
        if not file.wrong and PurePosixPath(found[1]).name in file_names():
            why = "came with the assignments"
        if OTHER_ARCHIVE.search(file.path):
            why = "is an archive that is not opened; unpack it by hand"
        result.ignored.append((file.path, why))
    for key, there in candidates.items():
        best = result.notebooks[key] = min(there, key=lambda file: _rank(file, key[1]))
        if len({file.content for file in there}) > 1:
            told = f"there are {len(there)} notebooks; {best.path} was graded"
            result.problems[key] = [told]
        others = [(file.path, f"{best.path} was graded") for file in there if file is not best]
        result.ignored += others
    if not result.students:
        raise AssignmentError(
            f"{submissions} holds no student's folder and no file of Moodle or Canvas"
        )
    return result


def _known_as(student: Student, students: dict[str, Student]) -> Student:
    """The student under a name that nobody else has."""
    other = students.get(student.name, student)
    if other.id and student.id and other.id != student.id:
        student = Student(f"{student.name} ({student.id})", student.id, student.prefix)
        other = students.get(student.name, student)
    students[student.name] = student if student.id else other
    return students[student.name]


def _rank(file: File, which: str) -> tuple[bool, bool, bool, int, str]:
    """The smaller, the more likely to be what was meant."""
    path = PurePosixPath(file.path)
    exact = ENDING.sub("", path.name).lower() == which
    return bool(file.wrong), not exact, path.parent.name != which, len(path.parts), file.path
