"""However and wherever the study is started, it gives the same or says why, in one sentence.

The long battery copies the study into a folder with spaces and letters beyond ASCII, and uses it
there from another working directory, each time under one more unusual circumstance.
"""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np
import pytest
from nbclient import NotebookClient
from nbformat import v4
from notebook_checks import nbval, tiny, write

from bandits import mnist
from bandits.engine.compute import compute
from bandits.engine.store import Store
from bandits.experiments import Scale, experiment
from bandits.simulate import Trajectory

ROOT = Path(__file__).resolve().parent.parent

# ── One run, started in four ways ───────────────────────────────────────────────────────────────

STEPS = 40
SPECS = experiment("low_noise").select(["linucb", "simple"]).specs(Scale(steps=STEPS, runs=1))
FIELDS = [f.name for f in fields(Trajectory) if f.name != "predictions"]  # not asked for
SOURCE = f"""\
import numpy as np
from bandits import mnist
from bandits.experiments import experiment, Scale
from bandits.engine.compute import compute
shown = experiment("low_noise").select(["linucb", "simple"])
runs = [compute(spec, mnist.load("sample")) for spec in shown.specs(Scale(steps={STEPS}, runs=1))]
# %%
arrays = {{f"{{number}} {{name}}": getattr(run, name)
          for number, run in enumerate(runs) for name in {FIELDS}}}
np.savez(RESULT, **arrays)
"""


def as_script(folder: Path, environment: dict[str, str]) -> dict[str, np.ndarray]:
    script, result = folder / "script.py", folder / "script.npz"
    script.write_text(SOURCE.replace("RESULT", repr(str(result))))
    subprocess.run([sys.executable, script], env=environment, cwd=folder, check=True, timeout=600)
    return dict(np.load(result, allow_pickle=False))


def as_notebook(folder: Path, environment: dict[str, str]) -> dict[str, np.ndarray]:
    result = folder / "notebook.npz"
    cells = SOURCE.replace("RESULT", repr(str(result))).split("# %%\n")
    notebook = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env=environment)
    return dict(np.load(result, allow_pickle=False))


def as_command(folder: Path, environment: dict[str, str]) -> dict[str, np.ndarray]:
    words = ["run", "low_noise", "--methods", "linucb,simple", "--steps", str(STEPS)]
    words += ["--runs", "1", "--workers", "1", "--mnist", "sample", "--out", "out", "--quiet"]
    command = [sys.executable, "-m", "bandits", *words]
    subprocess.run(command, env=environment, cwd=folder, check=True, timeout=600)
    store = Store(folder / "out" / "runs", mnist.load("sample").digest)
    runs = enumerate(store.load(spec) for spec in SPECS)
    return {f"{number} {name}": getattr(run, name) for number, run in runs for name in FIELDS}


@pytest.mark.parametrize("start", [as_script, as_notebook, as_command])
def test_a_run_is_the_same_however_it_is_started(start, sample, tmp_path):
    here = [compute(spec, sample) for spec in SPECS]
    found = start(tmp_path, os.environ | {"PYTHONPATH": str(ROOT)})
    assert len(found) == len(SPECS) * len(FIELDS)
    for number, run in enumerate(here):
        for name in FIELDS:
            other = found[f"{number} {name}"]
            assert other.dtype == getattr(run, name).dtype
            np.testing.assert_array_equal(other, getattr(run, name), err_msg=name)


# ── The study in an odd place, under one unusual circumstance at a time ─────────────────────────


@dataclass(frozen=True)
class Circumstance:
    """What is unusual.

    Attributes:
        variables: environment variables that are set, or with None removed.
        read_only: nobody may write into the checkout.
        load: busy processes beside it.
        bare_path: PATH holds nothing but this environment, so no LaTeX either.
    """

    variables: dict[str, str | None] = field(default_factory=dict)
    read_only: bool = False
    load: int = 0
    bare_path: bool = False


NO_HOME = os.devnull + "/home"  # below what is no folder, so that nobody can make it
CIRCUMSTANCES = {
    "nothing else": Circumstance(),
    "read-only": Circumstance(read_only=True),
    "no home": Circumstance(
        {"HOME": NO_HOME, "XDG_CACHE_HOME": None, "XDG_CONFIG_HOME": None, "MPLCONFIGDIR": None}
    ),
    "no display, no LaTeX": Circumstance(
        {"DISPLAY": None, "WAYLAND_DISPLAY": None, "MPLBACKEND": None}, bare_path=True
    ),
    "hash seed 1": Circumstance({"PYTHONHASHSEED": "1"}),
    "hash seed 2": Circumstance({"PYTHONHASHSEED": "2"}),
    "hash seed 3": Circumstance({"PYTHONHASHSEED": "3"}),
    "four busy loops": Circumstance(load=4),
}
every_circumstance = pytest.mark.parametrize(
    "circumstance", [pytest.param(value, id=name) for name, value in CIRCUMSTANCES.items()]
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is committed, or of the tree where there is no git."""
    folder = tmp_path_factory.mktemp("elsewhere") / "Größe ε und – Raum"
    folder.mkdir()
    if (ROOT / ".git").exists() and shutil.which("git"):
        archive = folder.parent / "study.tar"
        subprocess.run(["git", "archive", "-o", archive, "HEAD"], cwd=ROOT, check=True)
        shutil.unpack_archive(archive, folder, filter="data")
    else:
        unwanted = shutil.ignore_patterns(".venv", "results", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, folder, dirs_exist_ok=True, ignore=unwanted)
    return folder


def permissions_count() -> list[str]:
    """The start of a command that file permissions bind, which root's commands are not."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and setpriv, which could mend that, is not here")
    return ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that do nothing as fast as they can."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@contextmanager
def unwritable(folder: Path, wanted: bool) -> Iterator[None]:
    """Take the right to write into a folder, and give it back."""
    modes = {p: p.stat().st_mode for p in [folder, *folder.rglob("*")]} if wanted else {}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def use(
    circumstance: Circumstance, checkout: Path, cwd: Path, *words: str | Path
) -> subprocess.CompletedProcess[str]:
    """Run Python with the checkout's package, from the folder cwd."""
    environment = os.environ | {"PYTHONPATH": str(checkout), "BANDITS_MNIST": "sample"}
    environment.pop("PYTEST_ADDOPTS", None)
    if circumstance.bare_path:
        environment["PATH"] = str(Path(sys.executable).parent)
    for name, value in circumstance.variables.items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    command = [sys.executable, *map(str, words)]
    if circumstance.read_only:
        command = permissions_count() + command
    with busy(circumstance.load), unwritable(checkout, circumstance.read_only):
        return subprocess.run(
            command, env=environment, cwd=cwd, capture_output=True, text=True, timeout=1700
        )


def suite(checkout: Path, *names: str) -> list[str | Path]:
    settings = ["-q", "-p", "no:cacheprovider", "-c", checkout / "pyproject.toml"]
    return ["-m", "pytest", *settings, *(checkout / "tests" / name for name in names)]


def passed(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


@pytest.mark.slow
@every_circumstance
def test_a_notebook_shows_what_it_stores(circumstance, checkout, tmp_path):
    name = "test_notebooks.py::test_it_shows_what_it_stores[02_the_algorithm]"
    done = use(circumstance, checkout, tmp_path, *suite(checkout, name))
    passed(done)
    assert "1 passed" in done.stdout


@pytest.mark.slow
@every_circumstance
def test_the_store_keeps_its_promises(circumstance, checkout, tmp_path):
    passed(use(circumstance, checkout, tmp_path, *suite(checkout, "test_store.py")))


@pytest.mark.slow
@every_circumstance
def test_figures_are_made_without_a_word_of_complaint(circumstance, checkout, tmp_path):
    words = ["-m", "bandits", "figures", "low_noise", "--methods", "random,linucb", "--steps"]
    words += ["60", "--runs", "2", "--workers", "2", "--out", tmp_path / "Äußeres", "--quiet"]
    done = use(circumstance, checkout, tmp_path, *words)
    passed(done)
    # Where matplotlib can keep its list of fonts nowhere it says so, itself and once a process.
    said = [line for line in done.stderr.splitlines() if "matplotlib" not in line.lower()]
    assert said == []
    names = {path.name for path in (tmp_path / "Äußeres").iterdir()}
    assert {f"low_noise.{ending}" for ending in ("png", "pdf", "npz", "json")} <= names


@pytest.mark.slow
def test_the_checkouts_own_package_is_used(checkout, tmp_path):
    done = use(Circumstance(), checkout, tmp_path, "-c", "import bandits; print(bandits.__file__)")
    assert Path(done.stdout.strip()) == checkout / "bandits" / "__init__.py"


@pytest.mark.slow
def test_results_that_cannot_be_written_are_one_sentence(checkout):
    """The default folder lies in the working directory, here the read-only checkout."""
    words = ["-m", "bandits", "figures", "low_noise", "--methods", "random", "--quiet"]
    done = use(Circumstance(read_only=True), checkout, checkout, *words)
    assert done.returncode == 2
    assert done.stderr == (
        "bandits: the output folder results cannot be written (Permission denied); "
        "name another with --out\n"
    )
    assert not (checkout / "results").exists()


def test_another_user_s_run_in_a_shared_folder_is_named_and_left(tmp_path):
    """Owned by nobody and readable by its owner only, met without root's right to read all."""
    words = ["-m", "bandits", "run", "low_noise", "--methods", "random", "--steps", "20"]
    words += ["--runs", "1", "--workers", "1", "--quiet", "--out", tmp_path]
    passed(use(Circumstance(), ROOT, tmp_path, *words))
    (run,) = (tmp_path / "runs").iterdir()
    content = run.read_bytes()
    if os.geteuid() == 0:
        os.chown(run, 65534, 65534)
        run.chmod(0o600)
    else:
        run.chmod(0)
    command = [*permissions_count(), sys.executable, *map(str, words)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "BANDITS_MNIST": "sample"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    run.chmod(0o600)
    assert done.returncode == 2
    assert done.stderr == (
        f"bandits: {run} cannot be read (Permission denied); it is left there: ask its owner for "
        "the right to read it, or name another folder with --out\n"
    )
    assert "wanted" not in done.stdout
    assert [path.name for path in run.parent.iterdir()] == [run.name]
    assert run.read_bytes() == content


def test_nothing_rests_on_assertions_that_python_o_leaves_out():
    """Neither the package nor the tools; and graders and notebooks run with theirs."""
    paths = [*(ROOT / "bandits").rglob("*.py"), *(ROOT / "tools").glob("*.py")]
    assert len(paths) > 50
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert [n.lineno for n in ast.walk(tree) if isinstance(n, ast.Assert)] == [], path


def test_notebooks_keep_their_assertions(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    path = tmp_path / "01_wrong.ipynb"
    write(path, tiny("assert 1 == 2"))
    assert "AssertionError" in nbval(path, tmp_path / "scratch")
