"""Experiments as data: fingerprints, what is refused, and the runs that guard RESULTS_VERSION."""

import hashlib
import re
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from commands import python

from bandits import mnist, policies
from bandits.architecture import SIMPLE, Architecture, Training
from bandits.engine.threads import one_thread
from bandits.environments import SyntheticBandit
from bandits.experiments import (
    COMPARED,
    DEEP,
    DEEP_ARCHITECTURE,
    EXPERIMENTS,
    FIGURE_SEED,
    LINEAR,
    LINUCB,
    OPTIMAL,
    PAPER_FIGURES,
    RANDOM,
    RESULTS_VERSION,
    SCALES,
    SIMPLE_DEEP,
    STUDY,
    TUNING,
    TUNING_SEED,
    LeastSquaresSpec,
    Method,
    NetworkSpec,
    RegressorSpec,
    RunSpec,
    Scale,
    beyond,
    bounded,
    build_policy,
    environment,
    experiment,
    regressor,
)
from bandits.policies import EpsilonGreedy, LinUCB, Optimal, Random
from bandits.predictors import LeastSquares, Regressor
from bandits.schedules import NeverExplore, PowerSchedule
from bandits.simulate import simulate

EVERY = {**EXPERIMENTS, **{e.name: e for e in beyond.BEYOND}}


@pytest.fixture(scope="module")
def digits():
    return mnist.load("sample")


# ── Fingerprints ────────────────────────────────────────────────────────────────────────────────

SPEC = RunSpec(DEEP, run=2, steps=100)

# Another value of what is no number; numbers are derived.
OTHERS = {
    "method": RANDOM, "name": "other", "policy": "linucb", "schedule": PowerSchedule(0.5),
    "bandit": SyntheticBandit, "predictor": RegressorSpec("boosted_trees"),
    "parameters": {"alpha": 2.0}, "ties": "random",
    "train_on": "random_branch", "architecture": SIMPLE, "training": Training(epochs=1), "fold": 4,
    "arrangement": "stacked", "decay": "linear", "max_batches": 20, "regressor": "ridge",
}  # fmt: skip


def another(name, value):
    if name in OTHERS:
        return OTHERS[name]
    if isinstance(value, tuple):
        return tuple(part + 1 for part in value)
    return not value if isinstance(value, bool) else value + 1


def variants(value):
    """Every value that differs in one setting, however deep it lies."""
    for f in fields(value):
        if f.name == "label":
            continue
        other = another(f.name, getattr(value, f.name))
        assert other != getattr(value, f.name)
        # A network with convolutions cannot be shared.
        simple = {"architecture": SIMPLE} if f.name == "shared" else {}
        yield f"{type(value).__name__}.{f.name}", replace(value, **{f.name: other}, **simple)
        if is_dataclass(getattr(value, f.name)):
            for name, inner in variants(getattr(value, f.name)):
                yield name, replace(value, **{f.name: inner})


def test_the_fingerprint_changes_with_every_setting():
    specs = dict(variants(SPEC))
    for predictor in (LeastSquaresSpec(), RegressorSpec("k_nearest")):
        specs |= variants(replace(SPEC, method=replace(DEEP, predictor=predictor)))
    kinds = (RunSpec, Method, NetworkSpec, Architecture, Training, LeastSquaresSpec, RegressorSpec)
    assert len(specs) == sum(len(fields(kind)) for kind in kinds) - 1  # the label does not count
    prints = {name: spec.fingerprint("digest") for name, spec in specs.items()}
    prints["the spec itself"] = SPEC.fingerprint("digest")
    prints["other data"] = SPEC.fingerprint("other digest")
    prints["another device"] = SPEC.fingerprint("digest", "cuda")
    assert len(set(prints.values())) == len(prints)
    assert all(re.fullmatch("[0-9a-f]{16}", text) for text in prints.values())


def test_the_fingerprint_changes_with_the_results_version(monkeypatch):
    before = SPEC.fingerprint("digest")
    monkeypatch.setattr("bandits.experiments.spec.RESULTS_VERSION", RESULTS_VERSION + 1)
    assert SPEC.fingerprint("digest") != before


def test_the_fingerprint_does_not_change_with_the_label_or_the_datas_place(digits):
    relabelled = replace(SPEC, method=replace(DEEP, label="something else"))
    assert relabelled.fingerprint("digest") == SPEC.fingerprint("digest")
    elsewhere = replace(digits, origin="elsewhere", description="moved", notes=("tried",))
    assert elsewhere.digest == digits.digest


def test_the_fingerprint_is_the_same_in_another_process():
    code = (
        "from bandits.experiments import *; import sys;"
        "print(RunSpec(DEEP, run=2, steps=100).fingerprint('digest'), 'torch' in sys.modules)"
    )
    said = python("-c", code).stdout.split()
    assert said == [SPEC.fingerprint("digest"), "False"]  # and needs no torch


def test_committed_runs_keep_their_fingerprints():
    """A setting added later stays out of the fingerprint of every run that does without it."""
    folder = Path(__file__).resolve().parent.parent / "figures" / "runs"
    before = "edc0d1098aa497be14ace79ddd5171e5a3dcf9c4d196c015389203eb3ba1f59b"  # full MNIST
    prints = {path.stem.rsplit("-", 1)[1] for path in folder.glob("*.npz")}
    for name in ("low_noise", "high_noise", "exponent", "pixel_scale", "linear_failure"):
        shown = EXPERIMENTS[name]
        assert {spec.fingerprint(before) for spec in shown.specs(shown.paper)} <= prints, name


def test_equal_settings_have_one_fingerprint_however_they_are_written():
    def told(spec):
        return spec.fingerprint("digest")

    training = Training(epochs=np.int64(16), learning_rate=np.float64(1), batch_size=np.int32(32))
    wide = Architecture(channels=[np.int64(8), 16, 32], width=np.int64(100), fold=np.int8(1))
    for one, other in (
        (NetworkSpec(Architecture(), Training(learning_rate=1.0)), NetworkSpec(wide, training)),
        (LeastSquaresSpec(1), LeastSquaresSpec(1.0)),
        (LeastSquaresSpec(0), LeastSquaresSpec(-0.0)),
    ):
        methods = (replace(DEEP, predictor=predictor) for predictor in (one, other))
        first, second = (replace(SPEC, method=method) for method in methods)
        assert told(first) == told(second)
    for wrong in (
        lambda: LeastSquaresSpec(-1.0),
        lambda: LeastSquaresSpec(float("nan")),
        lambda: LeastSquaresSpec(True),
        lambda: Training(keep_optimizer="no"),
        lambda: Training(keep_optimizer=1),
    ):
        with pytest.raises(ValueError, match="must be"):
            wrong()


def test_only_fields_added_later_stay_out_of_the_fingerprint_and_only_at_their_default():
    told = SPEC.settings("digest")
    training = told["method"]["predictor"]["training"]
    assert "keep_predictions" not in told
    assert set(training) == {f.name for f in fields(Training)} - {"max_batches"}
    assert training["epochs"] == 16  # a default, and in it from the first day
    method = bounded(DEEP, Training(max_batches=7))
    told = replace(SPEC, method=method, keep_predictions=True).settings("digest")
    assert told["keep_predictions"] is True
    assert told["method"]["predictor"]["training"]["max_batches"] == 7


def test_the_long_exponent_s_p_1_is_the_long_figure_s_own_run():
    first, second = EXPERIMENTS["long_low_noise"], EXPERIMENTS["long_exponent"]
    prints = [
        {spec.fingerprint("digest") for spec in e.specs(e.paper) if spec.method.name == "deep"}
        for e in (first, second)
    ]
    assert len(prints[1]) == 6
    assert prints[1] < prints[0]


def test_methods_of_one_experiment_never_share_a_run():
    for e in EVERY.values():
        specs = e.specs(e.glance)
        assert len({spec.fingerprint("digest") for spec in specs}) == len(specs)


# ── The experiments ─────────────────────────────────────────────────────────────────────────────


def test_every_reported_experiment_uses_the_figures_seed_and_none_the_tuning_seed():
    assert FIGURE_SEED != TUNING_SEED
    tuning = {e.name for e in TUNING}
    assert tuning == {"bounded_training", "comparators_study", "training_study"}
    tuning.add(STUDY.name)
    for e in EVERY.values():
        wanted = TUNING_SEED if e.name in tuning else FIGURE_SEED
        assert e.seed == wanted
        assert all(spec.seed == wanted for spec in e.specs(e.paper))


def test_names_are_safe_in_files_and_distinct():
    for name, e in EVERY.items():
        assert name == e.name
        methods = [m.name for m in e.methods]
        assert len(set(methods)) == len(methods)
        assert len({m.label for m in e.methods}) == len(methods)
        for text in (name, *methods):
            assert re.fullmatch("[a-z0-9_]+", text), text


def test_the_papers_settings():
    for name in PAPER_FIGURES:
        e = EXPERIMENTS[name]
        assert (e.arms, e.train_every) == (5, 20)
        for method in e.methods:
            if isinstance(method.predictor, NetworkSpec):
                assert method.p == 1
                assert method.predictor.training.epochs == 16
                assert method.predictor.training.learning_rate == 1e-3
    one, low, high = (EXPERIMENTS[name] for name in PAPER_FIGURES)
    assert one.paper.runs == 1
    assert one.methods[0].predictor.architecture.width == 1000
    assert (one.noise, low.noise, high.noise) == (0, 0, 1)
    assert low.paper.runs == high.paper.runs == 12
    assert low.methods == high.methods == COMPARED
    assert DEEP.predictor.architecture.width == SIMPLE_DEEP.predictor.architecture.width == 100
    assert len(DEEP.predictor.architecture.channels) == 3
    assert SIMPLE_DEEP.predictor.architecture.channels == ()


def test_specs_go_run_by_run_so_that_early_results_cover_every_method():
    specs = EXPERIMENTS["low_noise"].specs(Scale(7, 3))
    assert [(s.run, s.method.name) for s in specs] == [
        (run, method.name) for run in range(3) for method in COMPARED
    ]
    assert all((s.steps, s.arms, s.noise, s.train_every) == (7, 5, 0.0, 20) for s in specs)


def test_scales_grow():
    for e in EVERY.values():
        sizes = [e.scale(name) for name in SCALES]
        assert sizes == [e.glance, e.quick, e.paper]
        assert sizes[0].steps < sizes[1].steps < sizes[2].steps
        assert sizes[0].runs <= sizes[1].runs <= sizes[2].runs


def test_selecting_methods_keeps_the_order_asked_for():
    low = EXPERIMENTS["low_noise"]
    assert low.select(None) is low
    assert [m.name for m in low.select(["random", "deep"]).methods] == ["random", "deep"]


# ── What bad input gets ─────────────────────────────────────────────────────────────────────────


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"experiment must be one of .*low_noise.* not 'lownoise'"):
        experiment("lownoise")
    with pytest.raises(ValueError, match="scale must be one of glance, quick, paper, not 'huge'"):
        EXPERIMENTS["low_noise"].scale("huge")
    with pytest.raises(ValueError, match=r"low_noise has the methods optimal, deep.*, not 'sarsa'"):
        EXPERIMENTS["low_noise"].select(["deep", "sarsa"])
    with pytest.raises(ValueError, match="one of k_nearest, ridge, boosted_trees, not 'svm'"):
        regressor("svm")
    assert experiment("low_noise") is EXPERIMENTS["low_noise"]


GOOD = {"steps": 1, "runs": 1, "arms": 1, "noise": 0, "train_every": 1, "seed": 0}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"steps": 0}, "steps must be a whole number >= 1, not 0"),
        ({"runs": -1}, "runs must be a whole number >= 1, not -1"),
        ({"arms": 0}, r"arms \(K\) must be a whole number >= 1, not 0"),
        ({"train_every": 0}, "train_every must be a whole number >= 1, not 0"),
        ({"train_every": 2.5}, "train_every must be a whole number >= 1, not 2.5"),
        ({"seed": "7"}, "seed must be a whole number >= 0, not '7'"),
        ({"noise": None}, r"noise \(sigma\) must be a finite number >= 0, not None"),
        ({"seed": -5}, "seed must be a whole number >= 0, not -5"),
        ({"noise": -0.1}, r"noise \(sigma\) must be a finite number >= 0, not -0.1"),
        ({"noise": float("nan")}, r"noise \(sigma\) must be a finite number >= 0, not nan"),
        ({"noise": float("inf")}, r"noise \(sigma\) must be a finite number >= 0, not inf"),
    ],
)
def test_settings_out_of_range_are_refused(bad, message):
    def specs(steps, runs, **settings):
        return replace(EXPERIMENTS["low_noise"], **settings).specs(Scale(steps, runs))

    specs(**GOOD)  # the least that is allowed
    with pytest.raises(ValueError, match=message):
        specs(**{**GOOD, **bad})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"policy": "eps"}, r"policy must be one of .*, epsilon_greedy, .*, not 'eps'"),
        ({"ties": "First"}, "ties must be one of first, random, not 'First'"),
        ({"train_on": "random"}, "train_on must be one of all, random_branch, not 'random'"),
        ({"p": -1}, "p must be a finite number >= 0, not -1"),
        ({"p": 10**400}, r"p must be a finite number >= 0, not 10\^400"),
        ({"pixel_scale": 0}, "pixel_scale must be a finite number > 0, not 0"),
    ],
)
def test_a_method_that_means_nothing_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        replace(EXPERIMENTS["low_noise"].methods[1], **settings)


def test_two_methods_of_one_name_are_refused():
    chosen = EXPERIMENTS["low_noise"]
    twice = replace(chosen, methods=(*chosen.methods, chosen.methods[0]))
    with pytest.raises(ValueError, match="low_noise has two methods of the name 'optimal'"):
        twice.specs(Scale(1, 1))


@pytest.mark.parametrize(
    ("plain", "same"),
    [
        ({"noise": 1.0}, {"noise": 1}),
        ({"noise": 0.0}, {"noise": -0.0}),
        ({"noise": 0.5}, {"noise": np.float32(0.5)}),
        ({"noise": 0.25}, {"noise": Fraction(1, 4)}),
        ({"seed": 5, "arms": 3}, {"seed": np.int64(5), "arms": np.int32(3)}),
        ({"train_every": 4, "run": 2, "steps": 9}, {"train_every": np.uint8(4), "run": np.int8(2),
                                                    "steps": np.int16(9)}),
    ],
)  # fmt: skip
def test_equal_settings_have_one_fingerprint_whatever_their_type(plain, same):
    spec = RunSpec(EXPERIMENTS["low_noise"].methods[0], 0, 10)
    first, second = replace(spec, **plain), replace(spec, **same)
    assert first == second
    assert first.fingerprint("d") == second.fingerprint("d")
    method = EXPERIMENTS["low_noise"].methods[1]
    assert replace(spec, method=replace(method, p=1)).fingerprint("d") == replace(
        spec, method=replace(method, p=1.0)
    ).fingerprint("d")


def test_an_experiment_out_of_range_is_refused_before_any_work():
    with pytest.raises(ValueError, match="steps must be"):
        EXPERIMENTS["low_noise"].specs(Scale(0, 1))
    with pytest.raises(ValueError, match="noise"):
        replace(EXPERIMENTS["low_noise"], noise=-1.0).specs(Scale(1, 1))


def test_epsilon_greedy_without_a_predictor_is_refused(digits):
    spec = RunSpec(Method("blind", "blind", "epsilon_greedy", 1.0), 0, 5)
    rounds = environment(spec, digits).rounds(0, 0, 5)
    with pytest.raises(ValueError, match="method blind needs a predictor"):
        build_policy(spec, rounds)


# ── From a spec to a run ────────────────────────────────────────────────────────────────────────


def test_specs_build_what_they_say(digits):
    def built(method):
        spec = RunSpec(method, 0, 5, arms=2)
        return build_policy(spec, environment(spec, digits).rounds(spec.seed, 0, 5))

    assert type(built(RANDOM)) is Random
    assert type(built(OPTIMAL)) is Optimal
    for ties in ("first", "random"):
        ucb = built(replace(LINUCB, ties=ties))
        assert (type(ucb), ucb.ties, ucb.alpha, ucb.model.ridge) == (LinUCB, ties, 1.0, 1.0)
    linear = built(LINEAR)
    assert type(linear) is EpsilonGreedy
    assert linear.schedule == NeverExplore()
    assert linear.predictor.model.ridge == 0
    ridge = built(
        replace(LINEAR, predictor=LeastSquaresSpec(2.0), p=0.25, train_on="random_branch")
    )
    assert ridge.schedule == PowerSchedule(0.25)
    assert type(ridge.predictor) is LeastSquares
    assert (ridge.predictor.model.ridge, ridge.train_on, ridge.ties) == (
        2,
        "random_branch",
        "first",
    )
    nearest = built(replace(DEEP, predictor=RegressorSpec("k_nearest")))
    assert type(nearest.predictor) is Regressor
    deep = built(DEEP)
    assert [n.architecture for n in deep.predictor.networks] == [DEEP_ARCHITECTURE] * 2
    assert deep.predictor.training == Training()


def test_the_environment_of_a_spec(digits):
    spec = RunSpec(replace(RANDOM, pixel_scale=255.0), 0, 5, arms=3, noise=2.0)
    bandit = environment(spec, digits)
    assert (bandit.arms, bandit.noise, bandit.pixel_scale) == (3, 2.0, 255.0)


def test_networks_of_two_runs_differ_and_those_of_one_run_are_paired(digits):
    def weights(method, run):
        spec = RunSpec(method, run, 5, arms=2)
        policy = build_policy(spec, environment(spec, digits).rounds(spec.seed, run, 5))
        return policy.predictor.networks[0].hidden.weight.detach().numpy()

    slow = replace(SIMPLE_DEEP, p=0.25)
    np.testing.assert_array_equal(weights(SIMPLE_DEEP, 0), weights(slow, 0))
    assert np.all(weights(SIMPLE_DEEP, 0) != weights(SIMPLE_DEEP, 1))


# ── Golden runs ─────────────────────────────────────────────────────────────────────────────────
#
# If one of these fails, the same settings give other results than the finished runs that are
# stored. Where that is meant, raise RESULTS_VERSION and write the new values down here.
#
# They hold on any CPU. Scores of other instructions and libraries were seen to differ by up to
# 2e-6 (float32 networks) and 1e-13 (linear models) in these runs, and no decision in them is
# closer than CLEAR, so no last bit decides one.

GOLDEN_VERSION = 1
SAMPLE = "809ec085d551285cf9efad12c42a6aead98c62f96eb9936cc5b778870773e50d"
CLEAR = 1e-3
GOLDEN_TABLE = "02e4f720a44b835f8078e01b5fce541b6459126292f8f5ea"
GOLDEN_DRAWS = "84f711574cc6bff58b564afc211c1566"
GOLDEN_NORMALS = [
    -0.027576034391477187,
    1.0794963344390498,
    0.3954954049305259,
    -1.0351309501646462,
    0.7048089816032717,
]
GOLDEN = {
    ("random", 300, 0.0): "cc2f1db0bde4e524",
    ("optimal", 300, 0.0): "58de2a1bdabd69e4",
    ("linear", 300, 1.0): "00ba72d8f8a92afa",
    ("linear", 300, 0.0): "73e7948c8cd3ec37",
    ("linucb", 200, 0.0): "aa14dbfaabc0cc93",
    ("linucb", 200, 1.0): "ded7dc0c9f0f7e9c",
    ("simple", 100, 0.0): "473c4136dfd213af",
    ("deep", 60, 0.0): "caa0c5b0bcb053d7",
    ("deep_p1_3", 60, 1.0): "9a481e9ad53fe539",
}


def short(array) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


@pytest.fixture(scope="module")
def golden(digits):
    if digits.digest != SAMPLE:
        pytest.skip("the sample of digits is not the one that the golden runs were recorded with")
    return digits


def test_golden_runs_are_of_this_results_version():
    assert RESULTS_VERSION == GOLDEN_VERSION


def test_the_golden_table(golden):
    spec = RunSpec(RANDOM, 0, 50)
    rounds = environment(spec, golden).rounds(spec.seed, 0, 50)
    contexts = rounds.contexts(slice(0, 50))
    assert short(contexts) + short(rounds.means) + short(rounds.draws.rho) == GOLDEN_TABLE
    assert short(rounds.draws.eta) + short(rounds.draws.tie) == GOLDEN_DRAWS
    np.testing.assert_allclose(rounds.noise[0], GOLDEN_NORMALS, rtol=1e-12)


@pytest.mark.parametrize(("name", "steps", "noise"), GOLDEN)
def test_golden_decisions(golden, monkeypatch, name, steps, noise):
    gaps = []

    def watched(scores, *rest):
        behind = scores.max(axis=1, keepdims=True) - scores
        behind[behind == 0] = np.inf  # the best, and those that equal it to the last bit
        gaps.extend(behind.min(axis=1))
        return argmax(scores, *rest)

    argmax = policies.epsilon_greedy.argmax
    for module in (policies.epsilon_greedy, policies.linucb):
        monkeypatch.setattr(module, "argmax", watched)
    method = {m.name: m for m in (*COMPARED, *EXPERIMENTS["exponent"].methods)}[name]
    spec = RunSpec(method, 0, steps, noise=noise)
    rounds = environment(spec, golden).rounds(spec.seed, 0, steps)
    with one_thread():
        run = simulate(build_policy(spec, rounds), rounds, train_every=spec.train_every)
    assert short(run.actions.astype(np.uint8)) == GOLDEN[name, steps, noise]
    if name not in ("random", "optimal"):  # which look at no score
        greedy = np.array(gaps)[~run.explored]
        assert len(gaps) == steps
        assert greedy.min() > CLEAR, "a decision that another CPU may make otherwise"
