"""What `make` makes and removes, with a stand-in for Python that only notes how it was called."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PYTHON = """#!/bin/sh
printf '%s\\n' "$(basename "$0") $*" >> "$CALLS"
case "$*" in
    "-m venv "*) mkdir -p "$3/bin"; touch "$3/pyvenv.cfg"; cp "$0" "$3/bin/python" ;;
    *--editable*) cp "$0" "$(dirname "$0")/bandits" ;;
esac
"""
NAMES = (".venv", "my env", "o'brien's", 'say "hello"', "deep/er", "dollar$$x;y&z")

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


class Study:
    """A copy of the study's Makefile in a folder of its own, and what was called there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "my study"
        self.folder.mkdir(parents=True)
        for name in ("Makefile", "pyproject.toml"):
            shutil.copy(ROOT / name, self.folder)
        os.utime(self.folder / "pyproject.toml", (0, 0))
        self.python = folder / "bin of mine" / "python3"
        stand_in(self.python)
        self.log = folder / "calls"

    def make(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run make as a child of a careful user, in the plainest language."""
        self.log.write_text("")
        given = {"PATH": os.environ["PATH"], "CALLS": str(self.log), "PYTHON": str(self.python)}
        return subprocess.run(
            ["make", *words],
            cwd=self.folder,
            env=given | {"LC_ALL": "C"} | variables,
            text=True,
            capture_output=True,
            timeout=60,
            umask=0o077,
        )

    @property
    def calls(self) -> list[str]:
        """The programs called by the last make, with the first words given to each."""
        return self.log.read_text().splitlines()

    def files(self) -> dict[str, bytes]:
        """Everything in the study's folder."""
        return contents(self.folder)


def stand_in(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PYTHON)
    path.chmod(0o755)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"a folder"
        for path in folder.rglob("*")
    }


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


def mine(folder: Path, kind: str) -> Path:
    """An environment that make did not create, with something of value in it."""
    stand_in(folder / "bin" / "python")
    (folder / kind).mkdir() if kind == "conda-meta" else (folder / kind).touch()
    (folder / "thesis.tex").write_text("the work of years")
    return folder


# ── What make creates ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", NAMES)
def test_an_environment_is_created_once_and_removed_by_clean(name: str, study: Study) -> None:
    before = study.files()
    assert study.make("claims", f"VENV={name}").returncode == 0
    folder = name.replace("$$", "$")  # as make reads it
    assert study.calls[0] == f"python3 -m venv {folder}"
    assert study.calls[-1] == "bandits claims"
    assert (study.folder / folder / "bin" / "python").exists()
    assert study.make("claims", f"VENV={name}").returncode == 0
    assert study.calls == ["bandits claims"]
    os.utime(study.folder / "pyproject.toml")  # now: what is to be installed may have changed
    os.utime(study.folder / folder / ".ready", (1, 1))
    assert study.make("claims", f"VENV={name}").returncode == 0
    assert [call.split()[0] for call in study.calls] == ["python", "python", "bandits"]
    (study.folder / "results").mkdir()
    (study.folder / "results" / "run.npz").touch()
    assert study.make("clean", f"VENV={name}").returncode == 0
    left = study.files()
    left.pop("deep", None)  # the folder that the environment's was in
    assert left == before


def test_the_home_folder_may_be_written_as_a_tilde(study: Study, tmp_path: Path) -> None:
    """Bash puts the home in its place after a =, zsh and dash leave that to make."""
    home = tmp_path / "home of mine"
    home.mkdir()
    assert study.make("claims", "VENV=~/an env", HOME=str(home)).returncode == 0
    assert (home / "an env" / ".ready").exists()
    assert not (study.folder / "~").exists()
    assert study.make("clean", "VENV=~/an env", HOME=str(home)).returncode == 0
    assert contents(home) == {}


def test_an_environment_begun_and_cut_short_is_finished(study: Study) -> None:
    """A full disk, or Ctrl-C: what is there is make's own, and the next make goes on."""
    assert study.make("claims", PYTHON="/bin/false").returncode != 0
    assert not (study.folder / ".venv" / "bin").exists()
    assert study.make("claims").returncode == 0
    assert study.make("clean").returncode == 0
    assert not (study.folder / ".venv").exists()


def test_the_book_says_in_one_sentence_what_it_lacks(study: Study, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("make", "sh", "mkdir", "touch", "ls", "cp", "basename", "dirname"):
        (tools / name).symlink_to(str(shutil.which(name)))
    done = study.make("book", PATH=str(tools))
    assert done.returncode == 2
    said = "make book needs npm, which comes with Node.js, for the pages' MathJax"
    assert done.stderr.splitlines()[0] == said
    assert study.calls[-1].endswith("--editable .[book,lite]")
    done = study.make("serve")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "there are no pages: make book"
    assert study.calls == []


# ── What was there before ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["pyvenv.cfg", "conda-meta"])
@pytest.mark.parametrize("by", ["argument", "variable"])
def test_an_environment_of_ones_own_is_used_and_never_removed(
    by: str, kind: str, study: Study, tmp_path: Path
) -> None:
    folder = mine(tmp_path / "of my own", kind)
    before = contents(folder)
    words, variables = ([f"VENV={folder}"], {}) if by == "argument" else ([], {"VENV": str(folder)})
    assert study.make("claims", *words, **variables).returncode == 0
    assert not any("venv" in call for call in study.calls)
    assert study.calls[-1] == "bandits claims"
    assert (folder / ".ready").exists()
    done = study.make("clean", *words, **variables)
    assert done.returncode == 0
    assert done.stderr == f"{folder} stays, since make did not create it\n"
    after = contents(folder)
    del after["bin/bandits"]  # which pip would have put there
    assert after == before


def test_clean_leaves_an_environment_that_was_never_used(study: Study, tmp_path: Path) -> None:
    folder = mine(tmp_path / "env", "conda-meta")
    before = contents(folder)
    assert study.make("clean", f"VENV={folder}").returncode == 0
    assert contents(folder) == before
    assert study.calls == []
    assert study.make("clean", f"VENV={tmp_path / 'nowhere'}").returncode == 0


@pytest.mark.parametrize("target", ["figures", "test", "claims", "lab", "grade", "clean", "paper"])
@pytest.mark.parametrize("name", ["VENV", "PYTHON"])
@pytest.mark.parametrize("value", ["", "  "])
def test_a_variable_that_is_not_set_is_refused(
    value: str, name: str, target: str, study: Study
) -> None:
    (study.folder / "results").mkdir()
    before = study.files()
    for words, variables in (([f"{name}={value}"], {}), ([], {name: value})):
        done = study.make(target, *words, **variables)
        assert done.returncode == 2
        assert f"*** {name} is empty: name " in done.stderr
        assert done.stderr.count("\n") == 1
        assert done.stdout == ""
        assert study.calls == []
        assert study.files() == before


@pytest.mark.parametrize("what", ["files of mine", "a system", "a file", "the study itself"])
def test_a_folder_that_is_no_environment_is_left_as_it_is(
    what: str, study: Study, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    if what == "files of mine":
        folder.mkdir()
        (folder / "thesis.tex").touch()
    elif what == "a system":  # as /usr, into which pip would install
        stand_in(folder / "bin" / "python")
    elif what == "a file":
        folder.touch()
    else:
        folder = study.folder
    before = contents(tmp_path)
    done = study.make("claims", f"VENV={folder}")
    assert done.returncode == 2
    said = f"VENV={folder} is neither an environment (venv or conda) nor a new folder"
    assert done.stderr.splitlines()[0] == said
    assert study.calls == []
    assert study.make("clean", f"VENV={folder}").returncode == 0
    after = contents(tmp_path)
    after.pop("calls")
    assert after == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_an_environment_of_another_user_is_used_as_it_is(study: Study, tmp_path: Path) -> None:
    folder = mine(tmp_path / "shared", "pyvenv.cfg")
    assert study.make("claims", f"VENV={folder}").returncode == 0
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o777 if path.is_dir() or path.parent.name == "bin" else 0o666)
    for path in (folder, folder / "bin"):
        path.chmod(0o755)
    other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    for above in tmp_path.parents:  # pytest's own, of mode 700
        if above == Path(tempfile.gettempdir()):
            break
        above.chmod(above.stat().st_mode | 0o011)
    before = contents(folder)
    for target in ("claims", "clean"):
        done = subprocess.run(
            [*other, "make", target, f"VENV={folder}"],
            cwd=study.folder,
            env={"PATH": os.environ["PATH"], "CALLS": str(study.log), "LC_ALL": "C"},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done
        assert contents(folder) == before
    assert study.calls[-1] == "bandits claims"
