"""The rooms of the package: which module may import which, and how large each may be."""

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import python

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "bandits"
MOST_LINES = 250
MOST_IN_ROOT = 14

# A room may import from itself and from those above it.
ROOMS = (
    ("checks", "settings"),
    ("theory",),
    ("streams", "schedules", "architecture", "mnist"),
    ("environments", "linear"),
    ("history", "predictors"),
    ("attaining", "classification"),
    ("networks", "shared_network", "policies"),
    ("simulate",),
    ("experiments",),
    ("engine",),
    ("results",),
    ("study",),
    ("commands",),
    ("cli", "__main__"),
)
FLOOR = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports(name: str, source: str, *, types: bool = True) -> set[str]:
    """The modules of the package that a module imports, anywhere in it.

    Without `types`, what is imported for annotations only is left out.
    """
    found = set()
    tree = ast.parse(source)
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if not types and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            skipped |= set(ast.walk(node))
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports by a relative name"
            base = str(node.module)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in MODULES else base)
    return {other for other in found if other in MODULES} - {name}


def room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def upward(graph: dict[str, set[str]]) -> list[str]:
    """The imports that point to a room further down the list."""
    return [
        f"{name} imports {other}"
        for name, others in graph.items()
        for other in sorted(others)
        if room(name) and room(other) and FLOOR[room(other)] > FLOOR[room(name)]
    ]


def picture(graph: dict[str, set[str]]) -> str:
    """The rooms as a Mermaid chart, an arrow to each that one imports and none of its others do."""
    needs: dict[str, set[str]] = {room: set() for room in FLOOR}
    for name, others in graph.items():
        needs.setdefault(room(name), set()).update({room(other) for other in others} - {room(name)})
    needs = {name: {n for n in needs[name] if n} for name in FLOOR}
    reached: dict[str, set[str]] = {}
    for name in FLOOR:  # from the lowest floor up, so that what is needed is known already
        reached[name] = needs[name].union(*(reached[other] for other in needs[name]))
    lines = ["flowchart BT"]
    for name in FLOOR:
        further = set().union(*(reached[other] for other in needs[name]))
        lines += [f"  {other} --> {name}" for other in sorted(needs[name] - further)]
        if not needs[name]:
            lines.append(f"  {name}")
    return "\n".join(lines)


def lines_of_rooms() -> str:
    """Each room with the first sentence of what it says of itself."""
    lines = []
    for name in FLOOR:
        path = MODULES.get(f"bandits.{name}")
        if path is not None and not name.startswith("__"):
            told = str(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))))
            lines.append(f"- `{name}`: {told.splitlines()[0]}")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    return {name: imports(name, path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def test_every_module_has_a_room(graph: dict[str, set[str]]) -> None:
    assert {room(name) for name in graph} - {""} == set(FLOOR)
    assert len(graph) > 60


def test_the_picture_of_the_rooms_is_that_of_the_imports(graph: dict[str, set[str]]) -> None:
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{picture(graph)}\n```\n\n{lines_of_rooms()}\n" in told
    small = {"bandits.engine.a": {"bandits.simulate", "bandits.checks"}, "bandits.checks": set(),
             "bandits.simulate": {"bandits.checks"}}  # fmt: skip
    arrows = [line for line in picture(small).splitlines() if ">" in line]
    assert arrows == ["  checks --> simulate", "  simulate --> engine"]


def test_imports_point_one_way(graph: dict[str, set[str]]) -> None:
    assert upward(graph) == []
    of_theory = {room(o) for name in graph if room(name) == "theory" for o in graph[name]}
    assert of_theory == {"theory", "checks"}  # else it stands alone


def test_an_import_that_points_up_is_found() -> None:
    wrong = {"bandits.engine.store": {"bandits.results.figures"}, "bandits.cli": set()}
    assert upward(wrong) == ["bandits.engine.store imports bandits.results.figures"]
    found = imports("bandits.x", "def f():\n    from bandits.results import figures\n")
    assert found == {"bandits.results.figures"}


def test_there_is_no_circle() -> None:
    graph = {
        name: imports(name, path.read_text(encoding="utf-8"), types=False)
        for name, path in MODULES.items()
    }
    # What a room's front loads where it is first asked for is no import of the front.
    graph["bandits.experiments"].discard("bandits.experiments.build")
    list(graphlib.TopologicalSorter(graph).static_order())  # raises, naming the circle


def test_no_module_is_long_and_the_root_is_small() -> None:
    long = {name: len(path.read_text(encoding="utf-8").splitlines())
            for name, path in MODULES.items()}  # fmt: skip
    assert {name: lines for name, lines in long.items() if lines > MOST_LINES} == {}
    root = [path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("__")]
    assert len(root) <= MOST_IN_ROOT


HEAVY = {"numpy", "scipy", "matplotlib", "torch"}
SLOW_TO_START = HEAVY | {"logging", "tempfile", "hashlib", "json", "fractions", "platform"}


@pytest.mark.parametrize(
    "words, absent",
    [
        ("--help", SLOW_TO_START | {"dataclasses", "bandits.experiments", "bandits.checks"}),
        ("list", SLOW_TO_START),
        ("figures --help", HEAVY),
    ],
)
def test_what_only_tells_starts_with_little(words: str, absent: set[str]) -> None:
    """What the interpreter had loaded before, such as an import hook's needs, does not count."""
    code = (
        "import sys; before = set(sys.modules); from bandits.cli import main\n"
        f"try: main({words.split()!r})\n"
        "except SystemExit as end: assert end.code == 0\n"
        "print(sorted(set(sys.modules) - before))"
    )
    done = python("-c", code)
    loaded = set(ast.literal_eval(done.stdout.splitlines()[-1]))
    assert "bandits.commands.options" in loaded
    assert loaded & absent == set()


SETTING = """    made_up: int = setting(
        3,
        lambda value: whole("made_up", value, 1),
        "a setting that a test made up",
        small_print="made up",
        added_later=True,
    )
    keep_predictions: bool"""


def test_a_new_setting_is_one_edit(tmp_path: Path) -> None:
    """The command line, the plan, the small print, the provenance and the fingerprint have it."""
    subprocess.run(["cp", "-r", PACKAGE, tmp_path / "bandits"], check=True)
    spec = tmp_path / "bandits" / "experiments" / "spec.py"
    text = spec.read_text(encoding="utf-8")
    assert text.count("    keep_predictions: bool") == 1
    spec.write_text(text.replace("    keep_predictions: bool", SETTING), encoding="utf-8")

    def bandits(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bandits", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    words = ["figures", "low_noise", "--methods", "random", "--steps", "20", "--runs", "1"]
    words += ["--mnist", "sample", "--workers", "1", "--quiet"]
    assert "a setting that a test made up" in bandits("figures", "--help").stdout
    refused = bandits(*words, "--made-up", "0")
    assert refused.stderr == "bandits: made_up must be a whole number >= 1, not 0\n"
    for out, more in (("usual", []), ("other", ["--made-up", "4"])):
        done = bandits(*words, *more, "--out", out)
        assert done.returncode == 0, done.stderr
    about = [(tmp_path / out / "low_noise.json").read_text() for out in ("usual", "other")]
    assert "made_up" not in about[0]
    assert '"made_up": 4' in about[1]
    assert "made up = 4" in about[1]
    prints = [
        re.sub(r".*-", "", next((tmp_path / out / "runs").glob("*.npz")).stem)
        for out in ("usual", "other")
    ]
    assert prints[0] != prints[1]
    from bandits.experiments import experiment
    from bandits.mnist import load

    shown = experiment("low_noise")
    (method,) = shown.select(["random"]).methods
    assert prints[0] == shown.spec(method, 0, 20).fingerprint(load("sample").digest)
