"""Pyodide with what the notebooks import: npm's core, wheels held to a hash, and a lock of them.

Pyodide finds a package through `pyodide-lock.json`: where its file is, its SHA-256, which imports
ask for it, and what it depends on. npm's copy has the official lock and no packages. Their files
may come from anywhere; only those with the official SHA-256 are taken. The lock that is written
holds these, some pure wheels, and the study's own, so that `from bandits import …` loads all that
it needs.
"""

import hashlib
import io
import json
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from book.assemble import NPM, BookError

HERE = Path(__file__).resolve().parent
PYODIDE = NPM / "pyodide"
CORE = ("pyodide.asm.js", "pyodide.asm.wasm", "pyodide.js", "python_stdlib.zip")
LOCK = "pyodide-lock.json"

Entry = dict[str, Any]
Packages = dict[str, Entry]
Own = tuple[str, bytes, Collection[str], Collection[str]]
"""A wheel that is not Pyodide's: file name, bytes, the imports that ask for it, what it needs."""


def key(name: str) -> str:
    """A package's name as the lock's keys have it."""
    return name.lower().replace("_", "-")


def needed(packages: Mapping[str, Entry], roots: Iterable[str]) -> list[str]:
    """The keys of these packages and of all that they depend on, sorted.

    Raises:
        BookError: naming a package that is not there.
    """
    found: set[str] = set()
    ahead = list(roots)
    while ahead:
        name = key(ahead.pop())
        if name not in packages:
            raise BookError(f"{name} is not in Pyodide's lock, which has {len(packages)} packages")
        if name not in found:
            found.add(name)
            ahead += packages[name]["depends"]
    return sorted(found)


def verified(name: str, found: bytes, sha256: str, place: object) -> bytes:
    """The file itself, if it has this SHA-256.

    Raises:
        BookError: naming the file, where it is from, and both hashes.
    """
    have = hashlib.sha256(found).hexdigest()
    if have != sha256:
        raise BookError(
            f"{name} from {place} is refused: its SHA-256 is {have}, "
            f"and Pyodide's lock says {sha256}"
        )
    return found


def look(name: str, place: str | Path) -> bytes | None:
    """The file of this name in a folder, in a wheel or at a web address; None if it is not there.

    Raises:
        BookError: if the host does not answer, or the place is none of these.
    """
    if str(place).startswith(("https://", "http://")):
        address = f"{str(place).rstrip('/')}/{name}"
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                body: bytes = answer.read()
                return body
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise BookError(f"{address} answers {error.code}") from None
        except OSError as error:
            raise BookError(f"{address} is not available: {error}") from None
    path = Path(place)
    if path.is_dir():
        return (path / name).read_bytes() if (path / name).is_file() else None
    if not zipfile.is_zipfile(path):
        raise BookError(f"wheels come from a folder, a wheel or a web address, not {path}")
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            if member.rsplit("/", 1)[-1] == name:
                return archive.read(member)
    return None


def fetch(name: str, sha256: str, places: Sequence[str | Path]) -> bytes:
    """The file from the first of the places that has it.

    Raises:
        BookError: if none has it, or the one found has another SHA-256.
    """
    for place in places:
        found = look(name, place)
        if found is not None:
            return verified(name, found, sha256, place)
    raise BookError(f"{name} is in none of {', '.join(map(str, places)) or 'no places'}")


def download(requirements: Path, folder: Path) -> list[Path]:
    """The wheels that a file of requirements names with their hashes, which pip holds them to.

    Raises:
        BookError: with pip's last words.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--require-hashes", "--dest", str(folder)]
    done = subprocess.run(
        [*command, "--requirement", str(requirements)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise BookError(f"pip could not download what {requirements.name} names: {last}")
    return sorted(folder.glob("*.whl"))


def packed(members: Mapping[str, bytes]) -> bytes:
    """An archive of these members; the same ones give the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, body in members.items():
            archive.writestr(zipfile.ZipInfo(name), body)
    return made.getvalue()


def repacked(
    wheel: bytes, keep: Callable[[str], bool], instead: Mapping[str, bytes] | None = None
) -> bytes:
    """A wheel with only the members that are kept, and with others in the place of some.

    Its RECORD stays as it was; Pyodide unpacks a wheel without it.

    Raises:
        KeyError: for a member in `instead` that the wheel does not have.
    """
    left = dict(instead or {})
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(wheel)) as old, zipfile.ZipFile(made, "w") as new:
        for member in filter(lambda member: keep(member.filename), old.infolist()):
            body = left.pop(member.filename, None)
            body = old.read(member) if body is None else body
            # The member's own date: the same wheels give the same bytes.
            new.writestr(member, body, zipfile.ZIP_DEFLATED, 9)
    if left:
        raise KeyError(f"the wheel has no {sorted(left)}")
    return made.getvalue()


def lean(wheel: bytes, keep: Callable[[str], bool]) -> bytes:
    """The wheel as it is if all its members are kept, and else repacked without the others."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        whole = all(map(keep, archive.namelist()))
    return wheel if whole else repacked(wheel, keep)


def entry(wheel: Path, imports: Collection[str], depends: Collection[str]) -> Entry:
    """The lock's entry of a pure wheel."""
    name, version = wheel.name.split("-")[:2]
    return {
        "name": name.replace("_", "-"),
        "version": version,
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": sorted(imports),
        "depends": sorted(depends),
        "unvendored_tests": False,
    }


def write(
    out: Path,
    roots: Iterable[str],
    own: Iterable[Own],
    places: Sequence[str | Path],
    pyodide: Path = PYODIDE,
    *,
    keep: Callable[[str], bool] | None = None,
    without: Collection[str] = (),
) -> None:
    """Write a Pyodide into the folder `out`, replacing it.

    Args:
        out: the folder.
        roots: official packages; what they depend on comes with them.
        own: the further wheels; one with an official package's name takes its place.
        places: where the official packages' files may be, as `look` knows them.
        pyodide: npm's copy.
        keep: which members of the official wheels are kept, once the wheel's hash was met (all).
        without: keys of packages that others name as what they need, and that stay out.

    Raises:
        BookError: for a package or a file that is not there, or a file with another SHA-256.
    """
    official = json.loads((pyodide / LOCK).read_text(encoding="utf-8"))
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for name in CORE:
        shutil.copyfile(pyodide / name, out / name)
    added: Packages = {}
    for name, body, imports, depends in own:
        (out / name).write_bytes(body)
        made = entry(out / name, imports, depends)
        added[key(made["name"])] = made
    packages: Packages = {
        name: told | {"depends": [other for other in told["depends"] if key(other) not in without]}
        for name, told in (official["packages"] | added).items()
    }
    chosen = needed(packages, [*roots, *added])
    for name in chosen:
        if name not in added:
            file, sha256 = packages[name]["file_name"], packages[name]["sha256"]
            body = fetch(file, sha256, places)
            if keep and file.endswith(".whl"):
                body = lean(body, keep)
                packages[name]["sha256"] = hashlib.sha256(body).hexdigest()
            (out / file).write_bytes(body)
    lock = official | {"packages": {name: packages[name] for name in chosen}}
    (out / LOCK).write_text(json.dumps(lock, separators=(",", ":")), encoding="utf-8")
