"""Notebooks that run in the browser: their wheels, their networks, and each of them run there."""

import hashlib
import http.server
import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from nbformat import NotebookNode, v4
from notebook_checks import ROOT, printed, read, tiny

from bandits import networks as with_torch
from bandits.architecture import SIMPLE, Architecture, Training
from bandits.history import History
from book.__main__ import browser
from book.assemble import NPM, BookError
from book.lite import networks as without_torch
from book.lite import wheels

CHROMIUM = browser()


# ── The wheels ──────────────────────────────────────────────────────────────────────────────────


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is served, to this machine only."""
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(params=["folder", "wheel", "address"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[bytes], str]]:
    """Each kind of place where wheels may be; called with a.whl's bytes, it says where it lies."""
    folder = tmp_path / "place"
    folder.mkdir()

    def put(body: bytes, address: str = "") -> str:
        if request.param == "wheel":
            (folder / "carrier.whl").write_bytes(wheels.packed({"deep/down/a.whl": body}))
            return str(folder / "carrier.whl")
        (folder / "a.whl").write_bytes(body)
        return address or str(folder)

    if request.param == "address":
        with served(folder) as address:
            yield partial(put, address=address)
    else:
        yield put


def test_only_a_file_with_the_locks_hash_is_taken(place: Callable[[bytes], str]) -> None:
    good, altered = b"as Pyodide built it", b"as somebody altered it"
    where = place(good)
    assert wheels.fetch("a.whl", sha256(good), [where]) == good
    where = place(altered)
    with pytest.raises(BookError) as refused:
        wheels.fetch("a.whl", sha256(good), [where])
    assert str(refused.value) == (
        f"a.whl from {where} is refused: its SHA-256 is {sha256(altered)}, "
        f"and Pyodide's lock says {sha256(good)}"
    )


def test_places_are_asked_in_their_order(place: Callable[[bytes], str], tmp_path: Path) -> None:
    empty, where = tmp_path / "empty", place(b"a")
    empty.mkdir()
    assert wheels.fetch("a.whl", sha256(b"a"), [empty, where]) == b"a"
    with pytest.raises(BookError, match=r"b\.whl is in none of .*empty"):
        wheels.fetch("b.whl", sha256(b"a"), [empty, where])
    # An altered file is refused even if a good one lies behind it.
    (empty / "a.whl").write_bytes(b"b")
    with pytest.raises(BookError, match="refused"):
        wheels.fetch("a.whl", sha256(b"a"), [empty, where])


def test_what_is_no_place_is_named(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"a folder, a wheel or a web address, not .*nowhere"):
        wheels.fetch("a.whl", "", [tmp_path / "nowhere"])
    with pytest.raises(BookError, match="is not available"):
        wheels.fetch("a.whl", "", ["http://127.0.0.1:9/"])


@pytest.fixture
def pyodide(tmp_path: Path) -> Path:
    """A small stand-in for npm's Pyodide: `app` needs `some_lib`, and nothing needs `big`."""
    folder = tmp_path / "npm"
    folder.mkdir()
    for name in wheels.CORE:
        (folder / name).write_text(name)
    packages = {
        name: {
            "name": name,
            "file_name": f"{name}.whl",
            "sha256": sha256(name.encode()),
            "depends": depends,
            "imports": [name],
        }
        for name, depends in {
            "app": ["some_lib"],
            "some-lib": [],
            "big": [],
            "old": ["big"],
        }.items()
    }
    (folder / wheels.LOCK).write_text(json.dumps({"info": {"arch": "w"}, "packages": packages}))
    return folder


def test_the_lock_that_is_written_holds_what_is_needed(pyodide: Path, tmp_path: Path) -> None:
    there = tmp_path / "place"
    there.mkdir()
    for name in ("app", "some-lib"):
        (there / f"{name}.whl").write_bytes(name.encode())
    mine = [
        ("mine-1.0-py3-none-any.whl", b"mine", ["mine"], ["app", "old"]),
        ("old-2.0-py3-none-any.whl", b"newer", ["old"], []),
    ]
    wheels.write(tmp_path / "out", ["app"], mine, [there], pyodide)
    lock = json.loads((tmp_path / "out" / wheels.LOCK).read_text())
    assert lock["info"] == {"arch": "w"}
    assert sorted(lock["packages"]) == ["app", "mine", "old", "some-lib"]
    for entry in lock["packages"].values():
        assert sha256((tmp_path / "out" / entry["file_name"]).read_bytes()) == entry["sha256"]
    assert lock["packages"]["mine"]["depends"] == ["app", "old"]
    assert lock["packages"]["old"]["version"] == "2.0"
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *wheels.CORE,
        wheels.LOCK,
        *(entry["file_name"] for entry in lock["packages"].values()),
    }
    (there / "some-lib.whl").write_bytes(b"altered")
    with pytest.raises(BookError, match=r"some-lib\.whl from .* is refused"):
        wheels.write(tmp_path / "out", ["app"], [], [there], pyodide)
    with pytest.raises(BookError, match="other is not in Pyodide's lock, which has 4 packages"):
        wheels.write(tmp_path / "out", ["Other"], [], [there], pyodide)


def test_what_is_left_out_of_an_official_wheel_is_left_out_after_its_hash_was_met(
    tmp_path: Path,
) -> None:
    npm, there = tmp_path / "npm", tmp_path / "place"
    npm.mkdir()
    there.mkdir()
    bodies = {
        "whole": wheels.packed({"whole/x.py": b"x"}),
        "part": wheels.packed({"part/x.py": b"x", "part/big.dat": b"x" * 99}),
    }
    for name in wheels.CORE:
        (npm / name).write_text(name)
    packages = {
        name: {
            "file_name": f"{name}.whl",
            "sha256": sha256(body),
            "depends": {"whole": [], "part": ["whole", "Of_No_Use"]}[name],
        }
        for name, body in bodies.items()
    }
    (npm / wheels.LOCK).write_text(json.dumps({"packages": packages}))
    for name, body in bodies.items():
        (there / f"{name}.whl").write_bytes(body)
    given = (tmp_path / "out", ["part"], [], [there], npm)
    with pytest.raises(BookError, match="of-no-use is not in Pyodide's lock"):
        wheels.write(*given)
    wheels.write(*given, keep=lambda member: not member.endswith(".dat"), without=["of-no-use"])
    lock = json.loads((tmp_path / "out" / wheels.LOCK).read_text())["packages"]
    found = {name: (tmp_path / f"out/{name}.whl").read_bytes() for name in bodies}
    assert {name: lock[name]["sha256"] for name in bodies} == {
        n: sha256(b) for n, b in found.items()
    }
    assert found["whole"] == bodies["whole"]
    with zipfile.ZipFile(io.BytesIO(found["part"])) as archive:
        assert archive.namelist() == ["part/x.py"]
    (there / "part.whl").write_bytes(wheels.packed({"part/x.py": b"x"}))
    with pytest.raises(BookError, match=r"part\.whl from .* is refused"):
        wheels.write(*given, keep=lambda member: True, without=["of-no-use"])


def test_a_wheel_is_repacked_without_tests_and_with_another_module() -> None:
    old = wheels.packed({"a/x.py": b"x", "a/tests/y.py": b"y", "a/z.py": b"z"})
    new = wheels.repacked(old, lambda member: "/tests/" not in member, {"a/x.py": b"other"})
    with zipfile.ZipFile(io.BytesIO(new)) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == {"a/x.py": b"other", "a/z.py": b"z"}
    with pytest.raises(KeyError, match="a/none"):
        wheels.repacked(old, lambda member: True, {"a/none.py": b""})


# ── Networks without torch ──────────────────────────────────────────────────────────────────────


def both(training: Training, arms: int = 2) -> tuple[with_torch.Networks, without_torch.Networks]:
    weights, batches = np.random.SeedSequence(5), np.random.SeedSequence(6)
    first, second = (
        module.Networks(SIMPLE, 3, arms, training=training, weights=weights, batches=batches)
        for module in (with_torch, without_torch)
    )
    return first, second


def more(history: History, rng: np.random.Generator, n: int = 30) -> None:
    rewards = rng.normal(size=n).astype(np.float32)
    history.append(rng.random((n, 3), dtype=np.float32), rng.integers(0, 2, n), rewards)


def test_torchs_generator_is_met() -> None:
    theirs = with_torch.torch_generator(np.random.SeedSequence(3))
    ours = without_torch.TorchGenerator(np.random.SeedSequence(3))
    for n in (1, 2, 17, 1000):
        assert ours.permutation(n) == torch.randperm(n, generator=theirs).tolist()
        filled = torch.empty(3, n).uniform_(-0.3, 0.3, generator=theirs).numpy()
        np.testing.assert_allclose(ours.uniform(0.3, (3, n)), filled, rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    "training",
    [
        Training(5, 0.01, 8),
        Training(5, 0.01, 8, decay="linear"),
        Training(5, 0.01, 8, keep_optimizer=False),
        Training(5, 0.01, 8, max_batches=7),
    ],
    ids=("constant", "decay", "fresh optimizer", "bounded"),
)
def test_stages_without_torch_are_those_with_it(training: Training) -> None:
    theirs, ours = both(training)
    rng, history = np.random.default_rng(0), History()
    queries = rng.random((20, 3), dtype=np.float32)
    before = ours.predict(queries)
    np.testing.assert_allclose(before, theirs.predict(queries), rtol=0, atol=1e-6)
    for _ in range(6):
        more(history, rng)
        theirs.fit(history)
        ours.fit(history)
        found = ours.predict(queries)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, theirs.predict(queries), rtol=0, atol=1e-5)
    assert np.abs(found - before).max() > 0.05  # far beyond the tolerance


def test_networks_without_torch_go_on_from_a_saved_state() -> None:
    _, ours = both(Training(2, 0.01, 8))
    rng, history = np.random.default_rng(1), History()
    more(history, rng)
    ours.fit(history)
    _, again = both(Training(2, 0.01, 8))
    again.load_state(ours.state())
    more(history, rng)
    ours.fit(history)
    again.fit(history)
    for mine, other in zip(ours.weights, again.weights, strict=True):
        for p, q in zip(mine, other, strict=True):
            assert np.array_equal(p, q)


def test_convolutions_are_refused_without_torch() -> None:
    with pytest.raises(ValueError, match=r"no convolutions .* not channels=\(8, 16, 32\)"):
        without_torch.Networks(
            Architecture(),
            784,
            5,
            training=Training(),
            weights=np.random.SeedSequence(1),
            batches=np.random.SeedSequence(2),
        )


# ── What the site holds ─────────────────────────────────────────────────────────────────────────


def test_the_sites_notebooks_need_no_torch_and_lead_nowhere(tmp_path: Path) -> None:
    site = pytest.importorskip("book.lite.site")
    site.contents(tmp_path)
    found = {
        path.relative_to(tmp_path).as_posix(): read(path) for path in tmp_path.rglob("*.ipynb")
    }
    assert {name.partition("_")[2] for name in found if "/" not in name} == {
        f"{name}.ipynb" for name in site.CHAPTERS
    }
    assert {name for name in found if "/" in name} == {
        "assignments/exploring.ipynb",
        "assignments/a_lemma_under_test.ipynb",
        "assignments/choose_the_schedule.ipynb",
    }
    for name, notebook in found.items():
        for cell in notebook.cells:
            assert "remove-cell" not in cell.metadata.get("tags", [])
            if cell.cell_type == "code":
                assert not re.search(r"^\s*(import|from) torch\b", cell.source, re.MULTILINE)
            else:
                links = re.findall(r"\]\((?!https?:|#)([^)#]+)", cell.source)
                assert {f"{link}" for link in links} <= found.keys(), name
        if name.startswith("assignments/"):
            assert "BEGIN SOLUTION" not in json.dumps(notebook)


@pytest.mark.parametrize("built", [True, False])
def test_pages_link_to_what_runs_in_the_browser(built: bool, tmp_path: Path) -> None:
    application = pytest.importorskip("sphinx.application")
    source, out = tmp_path / "source", tmp_path / "out"
    for name in ("index", "notebooks/01_runs", "notebooks/09_not", "course/README"):
        page = source / f"{name}.rst"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(":orphan:\n\nTitle\n=====\n\nText.\n")
    (source / "conf.py").write_text("extensions = ['book.lite.link']\n")
    if built:
        for name in ("01_runs", "assignments/exploring"):
            file = out / f"lite/files/{name}.ipynb"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
    quiet = io.StringIO()
    app = application.Sphinx(
        source, source, out, tmp_path / "trees", "html", status=None, warning=quiet
    )
    app.build()
    found = {
        page.relative_to(out).as_posix(): re.findall(r'href="([^"]*/lite/[^"]*)"', page.read_text())
        for page in out.rglob("*.html")
        if page.stem in ("index", "01_runs", "09_not", "README")
    }
    expected: dict[str, list[str]] = {name: [] for name in found}
    if built:
        start = "../lite/notebooks/index.html?path="
        expected["notebooks/01_runs.html"] = [f"{start}01_runs.ipynb"]
        expected["course/README.html"] = [f"{start}assignments/exploring.ipynb"]
    assert found == expected
    assert len(found) == 4


# ── What two runs of a notebook show ────────────────────────────────────────────────────────────

NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
FONTS = "Matplotlib is building the font cache; this may take a moment.\n"


def same_text(one: str, other: str) -> bool:
    """Whether two texts are equal, but for one unit in the last printed place of each number."""
    if NUMBER.sub("#", one).split() != NUMBER.sub("#", other).split():
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(abs(value(a) - value(b)) <= 1.01 * max(unit(a), unit(b)) for a, b in pairs)


def value(number: str) -> float:
    return float(number.replace("−", "-").replace(",", ""))


def unit(number: str) -> float:
    """One in the last printed place of a fraction; whole numbers have to be the same."""
    digits, _, power = number.partition("e")
    places = len(digits.partition(".")[2])
    return 10.0 ** (int(power or 0) - places) if places or power else 0.0


def shown(cell: NotebookNode) -> tuple[str, int]:
    """All text that a cell shows, and how many pictures; the browser's note on fonts left out."""
    text, pictures = [], 0
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            text.append(output.text.replace(FONTS, ""))
            assert output.name == "stdout" or not text[-1], output
        elif output.output_type == "error":
            text.append(f"{output.ename}: {output.evalue}")
        else:
            pictures += "image/png" in output.data
            text += [f"{kind}\n{output.data[kind]}\n" for kind in sorted(output.data)
                     if kind.startswith("text/")]  # fmt: skip
    return "".join(text), pictures


def differences(one: NotebookNode, other: NotebookNode) -> list[str]:
    """What the code cells of two notebooks show differently, but for those the site leaves out."""
    cells = [
        [
            c
            for c in n.cells
            if c.cell_type == "code" and "remove-cell" not in c.metadata.get("tags", [])
        ]
        for n in (one, other)
    ]
    found = []
    for number, (a, b) in enumerate(zip(*cells, strict=True), start=1):
        (text, pictures), (other_text, other_pictures) = shown(a), shown(b)
        if pictures != other_pictures:
            found.append(f"cell {number}: {pictures} and {other_pictures} pictures")
        if not same_text(text, other_text):
            found.append(f"cell {number}: {text!r} and {other_text!r}")
    return found


@pytest.mark.parametrize(
    "one, other, same",
    [
        ("regret 0.413 of 200", "regret 0.414 of 200", True),
        ("regret 0.413 of 200", "regret 0.416 of 200", False),
        ("199 of 200", "200 of 200", False),
        ("-1.2e-17", "-1.3e-17", True),
        ("1.2e-17", "1.2e-16", False),
        ("1,234.5 left", "1,234.5  left", True),
        ("a 1.0", "b 1.0", False),
        ("1.0 2.0", "1.0", False),
    ],
)
def test_texts_are_held_to_the_last_printed_place(one: str, other: str, same: bool) -> None:
    assert same_text(one, other) is same


def test_what_differs_between_two_runs_is_found() -> None:
    stored = printed(tiny("print(0.5)"), "0.5\n")
    assert differences(stored, printed(tiny("print(0.5)"), "0.5\n")) == []
    assert differences(stored, printed(tiny("print(0.5)"), "0.7\n")) != []
    failed, drawn = tiny("print(0.5)"), printed(tiny("print(0.5)"), "0.5\n")
    failed.cells[0].outputs = [v4.new_output("error", ename="E", evalue="no", traceback=[])]
    drawn.cells[0].outputs += [v4.new_output("display_data", data={"image/png": "aGk="})]
    assert differences(stored, failed) != []
    assert differences(stored, drawn) == ["cell 1: 0 and 1 pictures"]
    with pytest.raises(AssertionError):
        differences(stored, printed(tiny("1"), "careful\n", name="stderr"))


# ── In the browser ──────────────────────────────────────────────────────────────────────────────

MINUTES = 60


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site in the pages that BANDITS_BOOK names, or built from the wheels that pip finds."""
    unable = pytest.fail if os.environ.get("BANDITS_BROWSER") == "required" else pytest.skip
    for there, what in (
        (shutil.which("node"), "node is not installed"),
        (CHROMIUM, "Chromium is not installed"),
        ((NPM / "pyodide").exists(), "npm's Pyodide is not there: make book-lite"),
        ((NPM / "playwright-core").exists(), "npm's playwright-core is not there: make book-lite"),
    ):
        if not there:
            unable(f"notebooks are not run in a browser: {what}")
    if made := os.environ.get("BANDITS_BOOK"):
        html = ROOT / made
    else:
        pytest.importorskip("jupyterlite_core", reason="jupyterlite is not installed")
        from book.lite.site import build

        scratch = tmp_path_factory.mktemp("lite")
        html = scratch / "html"
        build(html / "lite", scratch / "cache")
    assert (html / "lite/index.html").exists(), "make book-lite makes what runs in the pages"
    assert not list((html / "lite").rglob("*.map"))
    with served(html) as host:
        yield f"{host}lite/"


def in_the_browser(
    address: str, notebook: str, folder: Path, answers: dict[str, str] | None = None
) -> Path:
    """Run a notebook of the site to its end, save it, and return what a reader downloads."""
    download, filled = folder / Path(notebook).name, folder / "answers.json"
    filled.write_text(json.dumps(answers or {}))
    done = subprocess.run(
        ["node", ROOT / "book/lite/run.mjs", address, notebook, download, filled],
        env=os.environ | {"CHROMIUM": str(CHROMIUM)},
        capture_output=True,
        text=True,
        timeout=45 * MINUTES,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["outside"] == []
    assert seen["faults"] == []
    return download


CHAPTERS = (
    "01_the_problem",
    "02_the_algorithm",
    "03_the_lemma",
    "04_the_bounds",
    "05_what_is_true",
)


@pytest.mark.slow
@pytest.mark.timeout(60 * MINUTES)
@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_shows_in_the_browser_what_it_stores(
    name: str, address: str, tmp_path: Path
) -> None:
    found = read(in_the_browser(address, f"{name}.ipynb", tmp_path))
    assert differences(read(ROOT / f"notebooks/{name}.ipynb"), found) == []


@pytest.mark.slow
@pytest.mark.timeout(60 * MINUTES)
@pytest.mark.parametrize("name", ["exploring", "a_lemma_under_test", "choose_the_schedule"])
def test_what_is_solved_and_downloaded_in_the_browser_grades(
    name: str, address: str, tmp_path: Path
) -> None:
    from course.assignments import points, source, written

    answers = {
        cell.metadata.nbgrader.grade_id: re.sub(r" *### (BEGIN|END) SOLUTION\n?", "", cell.source)
        for cell in source(name).cells
        if cell.metadata.nbgrader.solution and cell.cell_type == "code"
    }
    assert answers
    download = in_the_browser(address, f"assignments/{name}.ipynb", tmp_path, answers)
    (tmp_path / "in/ada").mkdir(parents=True)
    shutil.copy(download, tmp_path / "in/ada")
    command = [sys.executable, "-m", "course", "grade", "--submissions", tmp_path / "in"]
    command += ["--out", tmp_path / "out", "--no-feedback", "--cell", "600", "--notebook", "3000"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    book = (tmp_path / "out/marks.csv").read_text()
    for cell, most in points(name).items():
        if cell not in written(name):
            assert re.search(rf"^ada,{name},{cell},{most:g}(\.0)?,", book, re.MULTILINE), book
