"""The book's moving pages: their numbers are the package's, and their data is the committed one."""

import hashlib
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from PIL import Image
from scipy import stats

from bandits import mnist, theory
from bandits.engine.compute import compute
from bandits.engine.npz import read_arrays
from bandits.engine.store import Store, unpack
from bandits.experiments import FIGURE_SEED, environment, experiment
from bandits.mnist import Mnist
from bandits.simulate import Trajectory
from bandits.theory.counting import poisson_binomial
from bandits.theory.mnist_facts import expected_best

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the book is no part of what is installed

sys.path.insert(0, str(ROOT / "tools"))

import record_replay  # noqa: E402

from book import assemble, play_data, replay_data  # noqa: E402
from book.__main__ import browser  # noqa: E402

BOOK, FIGURES, NPM = ROOT / "book", ROOT / "figures", ROOT / "book" / "node_modules"
PLAY = BOOK / "_static" / "play"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")

# Calls [function, argument, …] of exact.js in, their values out; JSON has no inf.
CALLS = """
const { Exact } = require(process.argv[1]);
const calls = JSON.parse(require("fs").readFileSync(0, "utf8"));
const plain = (v) => (v === Infinity ? "inf" : v.weights ? [v.first, ...v.weights]
  : v instanceof Float64Array ? [...v] : v);
console.log(JSON.stringify(calls.map(([name, ...given]) => plain(Exact[name](...given)))));
"""


def exact(calls: list[tuple[Any, ...]]) -> list[Any]:
    done = subprocess.run(
        ["node", "-e", CALLS, str(PLAY / "exact.js")],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=True,
    )
    values: list[Any] = json.loads(done.stdout)
    return [math.inf if value == "inf" else value for value in values]


def epsilon(t: int, p: float, c: float) -> np.ndarray:
    """ε_1, …, ε_t."""
    return np.minimum(1, c / np.arange(1, t + 1) ** p)


SETTINGS = list(
    itertools.product((1, 2, 20, 700, 3000), (2, 5, 20), (0.2, 1 / 3, 0.95, 1.0, 1.7), (0.3, 1, 12))
)


@needs_node
def test_the_law_of_the_page_is_that_of_the_theory() -> None:
    pages = exact([("pulls", *setting) for setting in SETTINGS])
    for (t, arms, p, c), (first, *weights) in zip(SETTINGS, pages, strict=True):
        if c == 1:
            law = theory.random_pull_pmf(t, arms=arms, p=p)
        else:
            chance = epsilon(t, p, c)[:-1] / arms
            given = poisson_binomial(chance, 1 - chance, 1e-120)
            law = given.within(0, given.first + len(given.weights) - 1)
        page = np.zeros(max(len(law), int(first) + len(weights)))
        page[int(first) : int(first) + len(weights)] = weights
        whole = np.zeros(len(page))
        whole[: len(law)] = law
        np.testing.assert_allclose(page, whole, rtol=1e-9, atol=1e-20, err_msg=f"{t, arms, p, c}")


@needs_node
def test_what_the_page_says_of_all_arms_is_exact() -> None:
    calls, wanted = [], []
    for t, arms, p, c in SETTINGS:
        if c == 1:
            middle = int(theory.expected_random_pulls(t, arms=arms, p=p))
            for least in {0, 1, middle // 2, middle, middle + 1}:
                calls.append(("allPulled", t, arms, p, c, least))
                wanted.append(theory.probability_all_pulled(t, arms=arms, p=p, at_least=least))
    assert sum(0.01 < value < 0.99 for value in wanted) > 50
    np.testing.assert_allclose(exact(calls), wanted, rtol=1e-9, atol=1e-13)


@needs_node
def test_starvation_and_its_price_are_those_of_the_theory() -> None:
    names = ("undrawn", "starvationRegret", "expectedPulls", "anytime")
    pages = iter(exact([(name, *setting) for setting in SETTINGS for name in names]))
    for t, arms, p, c in SETTINGS:
        schedule = epsilon(t, p, c)
        best = np.array([float(expected_best(k)) for k in range(1, arms + 1)])
        law = theory.undrawn_law(t, arms=arms, schedule=p if c == 1 else schedule)
        price = theory.starvation_regret(t, schedule=schedule, best=best)
        bound = theory.anytime_bound(t, arms=arms, schedule=schedule)
        told = f"{t, arms, p, c}"
        np.testing.assert_allclose(next(pages), law, rtol=1e-9, atol=1e-14, err_msg=told)
        assert next(pages) == pytest.approx(price, rel=1e-9, abs=1e-13), told
        assert next(pages) == pytest.approx(schedule[:-1].sum() / arms, rel=1e-11), told
        assert next(pages) == pytest.approx(bound, rel=1e-9, abs=1e-11), told


@needs_node
def test_both_lemmas_are_those_of_the_theory() -> None:
    cases = [
        (t, arms, p, version)
        for t, arms, p, c in SETTINGS
        for version in ("printed", "corrected")
        if p <= 1 and c == 1
    ]
    pages = exact([("lemma", *case) for case in cases])
    ends = exact([("vacuousUntil", *case[1:]) for case in cases])
    for (t, arms, p, version), page, end in zip(cases, pages, ends, strict=True):
        bound = theory.lemma_bound(t, arms=arms, p=p, version=version)
        assert page["threshold"] == pytest.approx(bound.threshold, rel=1e-9, abs=1e-13)
        assert page["probability"] == pytest.approx(bound.probability, rel=1e-9, abs=1e-11)
        assert page["atLeast"] == bound.at_least
        assert end == pytest.approx(theory.vacuous_until(arms, p, version=version), rel=1e-9)


# The data that the pages read


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of the moving pages, as the book has them."""
    source = tmp_path_factory.mktemp("play")
    play_data.write(FIGURES, source)
    replay_data.write(FIGURES, source)
    return source


def read(source: Path, name: str) -> Any:
    """What a file of data sets."""
    text = (source / "_static" / "play" / "data" / f"{name}.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix(f'Play.data["{name}"] = ').removesuffix(";\n"))


def test_the_curves_are_those_of_the_committed_figures(made: Path) -> None:
    names = [shown["name"] for shown in read(made, "figures")]
    with_curves = {
        path.stem
        for path in FIGURES.glob("*.npz")
        if {"curves", "normalized_regret"} & set(np.load(path).files)
    }
    assert {"low_noise", "high_noise"} <= set(names) == with_curves
    for name in names:
        page, data = read(made, f"figure-{name}"), np.load(FIGURES / f"{name}.npz")
        places = np.searchsorted(data["t"], page["t"])
        np.testing.assert_array_equal(data["t"][places], page["t"])
        assert (page["t"][0], page["t"][-1]) == (data["t"][0], data["t"][-1])
        assert 80 < len(places) < 300
        assert page["labels"] == data["labels"].tolist()
        if "curves" in data:
            for mine, theirs in (("mean", "mean"), ("half", "half_width"), ("curves", "curves")):
                wanted = np.nan_to_num(data[theirs][..., places])
                np.testing.assert_allclose(page["reward"][mine], wanted, atol=6e-4)
        else:
            wanted = data["normalized_regret"][..., places]
            found = np.array(page["regret"]["curves"]).reshape(wanted.shape)
            np.testing.assert_allclose(found, wanted, atol=6e-4)


def test_the_regret_is_what_optimal_earned_more(made: Path) -> None:
    """Without noise; the runs of all methods met the same table."""
    page, data = read(made, "figure-low_noise"), np.load(FIGURES / "low_noise.npz")
    places = np.searchsorted(data["t"], page["t"])
    optimal = data["methods"].tolist().index("optimal")
    lost = (data["curves"][optimal] - data["curves"])[..., places]
    np.testing.assert_allclose(page["regret"]["curves"], lost, atol=6e-4)
    np.testing.assert_allclose(page["regret"]["mean"], lost.mean(axis=1), atol=6e-4)
    half = stats.sem(lost, axis=1) * stats.t.ppf(0.975, lost.shape[1] - 1)
    np.testing.assert_allclose(page["regret"]["half"], half, atol=6e-4)


def test_the_ten_rounds_are_those_of_the_first_notebook(made: Path, sample: Mnist) -> None:
    """Its printed table has the rewards of the arms taken in turn, and the best ones."""
    notebook = json.loads((ROOT / "notebooks" / "01_the_problem.ipynb").read_text("utf-8"))
    printed = "".join(
        line
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        for line in output.get("text") or [*output["data"].get("text/plain", []), "\n"]
    )
    page = read(made, "ten")
    rows = [page["digits"][5 * r : 5 * r + 5] for r in range(10)]
    for number, row in enumerate(rows):
        paid, best = int(row[number % 5]), int(max(row))
        told = [str(number + 1), str(number % 5 + 1), str(paid), str(best), str(best - paid)]
        assert told in [line.split() for line in printed.splitlines()]
    folder = made / "_static" / "play"
    plain, shuffled = (
        imread(folder / page[which]).reshape(10, 28, 5, 28).transpose(0, 2, 1, 3).reshape(50, -1)
        for which in ("sheet", "shuffled")
    )
    known = {
        image.tobytes(): label for image, label in zip(sample.images, sample.labels, strict=True)
    }
    found = [known[np.rint(255 * image).astype(np.uint8).tobytes()] for image in plain]
    assert "".join(map(str, found)) == page["digits"]
    np.testing.assert_array_equal(np.sort(plain), np.sort(shuffled))
    assert (plain != shuffled).any(axis=1).all()


# The recorded run

RECORDED = sorted((FIGURES / "replay").glob("low_noise-run00-*.npz"))


def committed(path: Path) -> tuple[Any, Trajectory]:
    """The predictions recorded of a run, and the run itself."""
    arrays, about = read_arrays(path)
    return arrays["predictions"], unpack(read_arrays(FIGURES / "runs" / about["run"])[0])


def states() -> tuple[dict[str, Any], dict[str, Any]]:
    return read_arrays(FIGURES / "replay" / "low_noise-run00.npz")


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_what_was_recorded_leads_to_every_committed_decision(path: Path) -> None:
    predictions, run = committed(path)
    met, _ = states()
    assert path.stem.endswith(read_arrays(path)[1]["run"].split("-")[0])
    greedy = ~run.explored
    np.testing.assert_array_equal(predictions.argmax(axis=1)[greedy], run.actions[greedy])
    assert greedy.sum() > 1980
    if run.explored.any():
        np.testing.assert_array_equal(met["eta"] <= 1 / run.t, run.explored)
    np.testing.assert_array_equal(met["digits"][np.arange(2000), run.actions], run.means)
    np.testing.assert_array_equal(met["digits"].max(axis=1), run.best_means)


@pytest.mark.parametrize(
    ("method", "taken"), [("deep", [225, 122, 160, 0, 193]), ("simple", [274, 3, 215, 0, 208])]
)
def test_arm_4_is_untried_when_the_replay_opens(method: str, taken: list[int]) -> None:
    _, run = committed(FIGURES / "replay" / f"low_noise-run00-{method}.npz")
    counts = np.bincount(run.actions[: replay_data.SHOWN], minlength=5)
    assert counts.tolist() == taken


def test_the_sheets_are_the_images_of_the_run() -> None:
    _, about = states()
    for name, digest in about["sheets"].items():
        assert hashlib.sha256((FIGURES / "replay" / name).read_bytes()).hexdigest() == digest
    data = mnist.load()
    if data.digest != about["data"]["digest"]:
        pytest.skip("full MNIST is not at hand, so only the sheets' checksums were compared")
    spec = experiment("low_noise").spec(experiment("low_noise").methods[0], 0, 2000)
    rounds = environment(spec, data).rounds(FIGURE_SEED, 0, 2000)
    for number, name in enumerate(about["sheets"]):
        with Image.open(FIGURES / "replay" / name) as opened:
            pixels = np.asarray(opened.convert("L"))
        tiles = pixels.reshape(50, 28, 50, 28).transpose(0, 2, 1, 3).reshape(500, -1)
        images = rounds.contexts(slice(500 * number, 500 * number + 500))
        assert np.abs(tiles / 255 - images).max() <= 0.5 / 15 + 1e-6


def test_the_page_has_what_was_recorded(made: Path) -> None:
    page, (met, _) = read(made, "replay"), states()
    assert [int(d) for d in page["digits"]] == met["digits"].ravel().tolist()
    np.testing.assert_allclose(page["eta"], met["eta"], atol=5e-6)
    assert len(page["methods"]) == len(RECORDED) == 4
    for path in RECORDED:
        predictions, run = committed(path)
        method = page["methods"][path.stem.rsplit("-", 1)[1]]
        shown = np.reshape(method["predictions"], (2000, 5)) / 100
        np.testing.assert_allclose(shown, predictions, atol=0.0051)
        assert [int(arm) for arm in method["actions"]] == run.actions.tolist()
        assert [arm == "1" for arm in method["explored"]] == run.explored.tolist()


def test_a_run_is_recorded_only_if_it_decides_as_committed(
    sample: Mnist, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown, store = experiment("low_noise"), Store(tmp_path / "runs", sample.digest)
    words = ["--mnist", "sample", "--steps", "60", "--methods", "deep,linucb"]
    words += ["--runs", str(store.folder), "--out", str(tmp_path / "out")]
    runs = {}
    for method in shown.select(["deep", "linucb"]).methods:
        spec = shown.spec(method, 0, 60)
        runs[method.name] = compute(spec, sample)
        store.save(spec, runs[method.name])
    assert record_replay.main(words) == 0
    for name, run in runs.items():
        arrays, _ = read_arrays(tmp_path / "out" / f"low_noise-run00-{name}.npz")
        greedy, rows = arrays["predictions"].argmax(axis=1), np.arange(60)
        np.testing.assert_array_equal(greedy[~run.explored], run.actions[~run.explored])
        assert arrays["predictions"].shape == (60, 5)
        assert len({*arrays["predictions"][rows, run.actions].tolist()}) > 50
    # The first training is at the 20th step; before it nothing depends on the rewards.
    spec, changed = shown.spec(shown.select(["deep"]).methods[0], 0, 60), runs["deep"]
    changed.actions[44] = (changed.actions[44] + 1) % 5
    store.save(spec, changed)
    (tmp_path / "out" / "low_noise-run00-deep.npz").unlink()
    capsys.readouterr()
    assert record_replay.main(words) == 1
    assert "it decides otherwise at t = 45" in capsys.readouterr().err
    assert not (tmp_path / "out" / "low_noise-run00-deep.npz").exists()


# The pages in a browser


@pytest.fixture(scope="module")
def seen(made: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What headless Chromium saw on the pages, built alone: links to other pages are not asked."""
    pytest.importorskip("myst_nb", reason="the extra `book` is not installed")
    pytest.importorskip("furo", reason="the extra `book` is not installed")
    unable = pytest.fail if os.environ.get("BANDITS_BROWSER") == "required" else pytest.skip
    chromium = browser()
    if chromium is None or shutil.which("node") is None:
        unable("there is no Chromium or no Node.js, so no page was opened")
    if not (NPM / "playwright-core").exists() or not (NPM / "uplot").exists():
        unable("npm's part of the book is not installed: make book does it")
    folder = tmp_path_factory.mktemp("pages")
    source = folder / "source"
    shutil.copytree(BOOK, source, ignore=shutil.ignore_patterns("node_modules", "*.py", "index.md"))
    shutil.copy(BOOK / "conf.py", source)
    shutil.copytree(made, source, dirs_exist_ok=True)
    for name, place in assemble.VENDORED.items():
        target = source / "_static" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (NPM / name).is_dir() else shutil.copy
        copy(NPM / name, target)
    (source / "figures").mkdir()
    shutil.copy(FIGURES / "low_noise.png", source / "figures")
    shutil.copy(BOOK / "statements.md", source)  # the pages refer to its numbers
    pages = "\n".join(["statements", *(f"play/{p.stem}" for p in (BOOK / "play").glob("*.md"))])
    (source / "index.md").write_text(f"# Pages\n\n```{{toctree}}\n{pages}\n```\n")
    built = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(source), str(folder / "html")]
    subprocess.run(built, check=True, capture_output=True)
    opened = subprocess.run(
        ["node", str(ROOT / "tests" / "play_pages.mjs"), str(folder / "html"), str(NPM), chromium],
        check=False,
        capture_output=True,
        text=True,
    )
    assert opened.returncode == 0, opened.stderr
    found: dict[str, Any] = json.loads(opened.stdout)
    return found


def test_nothing_goes_wrong_and_nothing_is_asked_of_a_host(seen: dict[str, Any]) -> None:
    assert seen["troubles"] == []
    assert len(seen["pages"]) == 4


def test_a_picture_stands_in_where_scripts_do_not_run(seen: dict[str, Any]) -> None:
    for page in seen["pages"].values():
        assert page["without"]["shown"]
        assert len(page["without"]["alt"]) > 40
        assert page["hidden"], "with scripts the figure takes its place"


def test_the_pages_fit_and_all_can_use_them(seen: dict[str, Any]) -> None:
    for name, page in seen["pages"].items():
        assert page["widths"] == {"390": 390, "1400": 1400}, name
        assert page["axe"] == {"dark": [], "light": []}, name


def acts(seen: dict[str, Any], page: str) -> dict[str, Any]:
    found: dict[str, Any] = seen["pages"][page]["acts"]
    return found


def test_the_law_says_what_the_theory_says(seen: dict[str, Any]) -> None:
    found = acts(seen, "law")
    for name, arms, p in (("paper", 5, 1.0), ("six", 6, 1.0), ("third", 5, 1 / 3)):
        mean = theory.expected_random_pulls(2000, arms=arms, p=p)
        some = 1 - theory.undrawn_law(2000, arms=arms, schedule=p)[0]
        said = found[name]["said"]
        assert f"{mean:.2f} times on average" in said
        if some > 0.1:
            assert f"some arm with {100 * some:.1f} %" in said
        law = theory.random_pull_pmf(2000, arms=arms, p=p)
        counts, bars = found[name]["bars"]["t"], found[name]["bars"]["first"]
        np.testing.assert_allclose(bars, law[np.array(counts, int)], rtol=1e-9)
        assert sum(bars) > 0.999
    printed, corrected, ever = found["third"]["rows"]
    for row, version in ((printed, "printed"), (corrected, "corrected")):
        bound = theory.lemma_bound(2000, arms=5, p=1 / 3, version=version)
        assert row[1:3] == [str(bound.at_least), f"{100 * bound.probability:.1f} %"]
    assert ever[4] == "proved"
    printed, corrected, _ = found["false"]["rows"]
    bound = theory.lemma_bound(3, arms=2, p=0.95, version="printed")
    assert printed[1:3] == [str(bound.at_least), f"{100 * bound.probability:.1f} %"]
    assert (printed[3], printed[4]) == ("0 %", "false")
    assert corrected[4] == "says nothing yet"


def test_the_figures_show_the_committed_values(seen: dict[str, Any]) -> None:
    found, data = acts(seen, "figures"), np.load(FIGURES / "low_noise.npz")
    labels = data["labels"].tolist()

    def told(curves: Any, place: int) -> list[list[str]]:
        mean = curves[:, :, place].mean(axis=1)
        half = stats.sem(curves[:, :, place], axis=1) * stats.t.ppf(0.975, curves.shape[1] - 1)
        return [
            [labels[i], mean[i], mean[i] - half[i], mean[i] + half[i]] for i in range(len(mean))
        ]

    def agrees(rows: list[list[str]], wanted: list[list[Any]]) -> None:
        assert [row[0] for row in rows] == [row[0] for row in wanted]
        for row, (_, mean, low, high) in zip(rows, wanted, strict=True):
            assert row[3] == "12"
            shown = [row[1], *row[2].split(" to ")]
            values = [float(word.replace("−", "-")) for word in shown]
            np.testing.assert_allclose(values, [mean, low, high], atol=0.0071)

    curves = data["curves"].astype(float)
    agrees(found["low"]["rows"], told(curves, -1))
    agrees(found["five"]["rows"], told(curves, -1)[:-1])
    agrees(found["early"]["rows"], told(curves, 1)[:-1])
    lost = curves[:1] - curves
    agrees(found["regret"]["rows"], told(lost, -1)[:-1])
    assert [found[act]["chart"]["count"] for act in ("low", "five", "single")] == [18, 15, 60]
    assert found["early"]["chart"]["t"] == data["t"][:2].tolist()
    assert (found["five"]["chart"]["log"], found["regret"]["chart"]["log"]) == (False, True)
    noisy = np.load(FIGURES / "high_noise.npz")
    assert found["high"]["rows"][0][0] == noisy["labels"][0]
    assert found["high"]["rows"] != found["regret"]["rows"]


def test_the_game_pays_the_digits(seen: dict[str, Any], made: Path) -> None:
    found, page = acts(seen, "ten"), read(made, "ten")
    rows = [page["digits"][5 * r : 5 * r + 5] for r in range(10)]
    paid = [int(row[number % 5]) for number, row in enumerate(rows)]
    assert found["start"] == "Round 1 of 10: which arm do you take?"
    for number, said in enumerate(found["told"]):
        assert said.startswith(f"Round {number + 1}: arm {number % 5 + 1} paid {paid[number]}. ")
    assert found["over"] == 5
    best = [int(max(row)) for row in rows]
    random = [int(row[int(arm)]) for row, arm in zip(rows, page["random"], strict=True)]
    for told, name, earned in zip(
        found["score"], ("you", "Random", "Optimal"), (paid, random, best), strict=True
    ):
        lost = sum(best) - sum(earned)
        assert told[:4] == [name, str(sum(earned)), str(lost), f"{sum(earned) / 10:.2f}"]
        assert told[4] == " ".join(map(str, earned))
    assert (found["plain"], found["shuffled"]) == ("data/ten.png#45", "data/ten-shuffled.png#45")
    assert found["again"] == found["start"]


def test_the_replay_shows_the_committed_run(seen: dict[str, Any]) -> None:
    found, (met, _) = acts(seen, "replay"), states()
    played = {
        name: committed(FIGURES / "replay" / f"low_noise-run00-{name}.npz")
        for name in ("deep", "simple", "linucb")
    }
    random = int(np.flatnonzero(played["deep"][1].explored[1:])[0]) + 2
    for act, method, t in (
        ("start", "deep", 700),
        ("right", "deep", 701),
        ("random", "deep", random),
        ("simple", "simple", 700),
    ):
        seen_now, (predictions, run) = found[act], played[method]
        counts = np.bincount(run.actions[:t], minlength=5)
        assert seen_now["rows"] == [["times taken", *map(str, counts)]]
        assert seen_now["taken"] == run.actions[t - 1]
        for arm, words in enumerate(seen_now["arms"]):
            assert f"predicted {predictions[t - 1, arm]:.2f}".replace("-", "−") in " ".join(
                words.split()
            )
        assert seen_now["said"].startswith(
            f"Step {t}. The random number {met['eta'][t - 1]:.4f} is"
        )
        paid, best = run.means[t - 1], run.best_means[t - 1]
        assert seen_now["said"].endswith(
            f"arm {run.actions[t - 1] + 1}, which pays {paid:.0f}. The best pays {best:.0f}, "
            f"so the regret is {best - paid:.0f}."
        )
        assert f"{run.regret[:t].mean():.3f} per step" in seen_now["sums"]
        assert f"{run.explored[:t].sum()} random steps" in seen_now["sums"]
    for opened in ("start", "simple"):
        assert "Never taken: arm 4." in found[opened]["sums"]
    assert "at random" in found["random"]["said"]
    assert "the best prediction decides" in found["start"]["said"]
    _, linucb = played["linucb"]
    counts = [f"{count:,}" for count in np.bincount(linucb.actions, minlength=5)]
    assert found["linucb"]["rows"] == [["times taken", *counts]]
    assert found["linucb"]["said"].startswith("Step 2,000. It never explores")
    np.testing.assert_allclose(found["regret"], linucb.normalized_regret, rtol=1e-9)
    assert found["playing"].startswith("Step ")
