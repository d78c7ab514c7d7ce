"""The built wheel in an environment of its own, used from a folder that is not the study's.

`python tools/installs.py oldest` installs the oldest releases that pyproject.toml allows, `newest`
the newest that pip finds; both run the commands and then the unit tests against the installed
wheel, and need about 6 GB of disk for as long as they run. `beside` takes every dependency from the
environment that it is started in and runs the commands only, which takes a minute.
"""

import argparse
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = (
    ["data", "--mnist", "sample"],
    ["list"],
    ["claims"],
    ["figures", "--scale", "glance", "--mnist", "sample", "--quiet"],
)
NOT_UNIT_TESTS = ("notebooks", "pairs", "elsewhere")


class Failed(Exception):
    """What did not work, in one sentence."""


def oldest() -> Iterator[str]:
    """A line NAME==VERSION for each lower bound in pyproject.toml."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["cluster"]]:
        match = re.fullmatch(r"([\w-]+)>=([\w.]+)", requirement)
        if match is None:
            raise Failed(f"pyproject.toml has {requirement!r}, which is no NAME>=VERSION")
        yield "{}=={}".format(*match.groups())


def build(folder: Path) -> Path:
    """Build the wheel of a clean copy, and check that it holds every module.

    Raises:
        Failed: naming the modules that are missing or too many.
    """
    copy = folder / "source"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    shutil.copytree(
        ROOT / "bandits", copy / "bandits", ignore=shutil.ignore_patterns("__pycache__")
    )
    pip(Path(sys.executable), "wheel", "--no-deps", "--wheel-dir", folder, copy)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = (path for path in (ROOT / "bandits").rglob("*") if path.is_file())
    wanted = {str(path.relative_to(ROOT)) for path in files if path.suffix != ".pyc"}
    if packed != wanted:
        raise Failed(f"the wheel and the tree differ in {', '.join(sorted(packed ^ wanted))}")
    return wheel


def pip(python: Path, *words: str | Path) -> None:
    """Run pip, which says itself what is wrong."""
    call([python, "-m", "pip", "--disable-pip-version-check", *words], ROOT)


def call(command: Sequence[str | Path], cwd: Path) -> None:
    """Run a command.

    Raises:
        Failed: naming the command, if its exit status is not 0.
    """
    words = " ".join(map(str, command))
    print(f"$ {words}", flush=True)
    if subprocess.run(list(map(str, command)), cwd=cwd, check=False).returncode:
        raise Failed(f"this failed: {words}")


def install(wheel: Path, folder: Path, which: str) -> Path:
    """Make an environment with the wheel in it; returns its Python."""
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    if which == "beside":
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        beside = environment / "lib" / version / "site-packages" / "beside.pth"
        beside.write_text(sysconfig.get_path("purelib") + "\n")
        pip(python, "install", "--quiet", "--no-deps", "--no-index", wheel)
        return python
    limits = folder / "limits.txt"
    limits.write_text("\n".join(oldest()) if which == "oldest" else "")
    pip(python, "install", "--quiet", "--constraint", limits, f"{wheel}[test,cluster]")
    pip(python, "list")
    return python


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="installs", description=__doc__.split("\n\n")[0])
    parser.add_argument("which", choices=("oldest", "newest", "beside"))
    which = parser.parse_args(arguments).which
    with tempfile.TemporaryDirectory(prefix="bandits-installs-") as scratch:
        folder = Path(scratch)
        away = folder / "away from the study"
        away.mkdir()
        try:
            python = install(build(folder), folder, which)
            for words in COMMANDS:
                call([python.parent / "bandits", *words], away)
            if which != "beside":
                ignored = [f"--ignore={ROOT}/tests/test_{name}.py" for name in NOT_UNIT_TESTS]
                tests = ["-c", str(ROOT / "pyproject.toml"), str(ROOT / "tests"), *ignored]
                call([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests], away)
        except Failed as error:
            print(f"installs: {which}: {error}", file=sys.stderr)
            return 1
    print(f"installs: {which}: all well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
