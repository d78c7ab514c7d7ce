"""What epsilon greedy believes, against NumPy's and scikit-learn's own answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LassoCV, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from bandits.engine.threads import one_thread
from bandits.experiments import regressor
from bandits.history import History
from bandits.predictors import LeastSquares, Regressor

SEED = np.random.SeedSequence(5)


@pytest.fixture(autouse=True)
def _one_thread():
    with one_thread():
        yield


def made(n, m=4, arms=3, seed=0):
    """n steps, none of which chose the last arm."""
    rng = np.random.default_rng(seed)
    contexts = rng.random((n, m), dtype=np.float32)
    actions = rng.integers(0, arms - 1, n)
    rewards = rng.normal(size=n).astype(np.float32)
    history = History()
    history.append(contexts, actions, rewards)
    return history


QUERIES = np.random.default_rng(1).random((9, 4), dtype=np.float32)


# ── History ─────────────────────────────────────────────────────────────────────────────────────


@given(sizes=st.lists(st.integers(0, 150), max_size=8), seed=st.integers(0, 1000))
def test_history_is_what_was_appended_in_order(sizes, seed):
    rng = np.random.default_rng(seed)
    history, parts = History(), []
    for n in sizes:
        part = (
            rng.random((n, 3), dtype=np.float32),
            rng.integers(0, 4, n),
            rng.random(n, dtype=np.float32),
        )
        kept = [a.copy() for a in part]
        history.append(*part)
        for array in part:
            array[...] = 0  # the caller may use its arrays again
        parts.append(kept)
    assert len(history) == sum(sizes)
    if sum(sizes):
        contexts, actions, rewards = (np.concatenate(p) for p in zip(*parts, strict=True))
        np.testing.assert_array_equal(history.contexts, contexts)
        np.testing.assert_array_equal(history.actions, actions)
        np.testing.assert_array_equal(history.rewards, rewards)
        for arm in range(4):
            assert list(history.rows(arm)) == [i for i, a in enumerate(actions) if a == arm]


@given(sizes=st.lists(st.integers(0, 70), min_size=1, max_size=5), seed=st.integers(0, 1000))
def test_a_history_that_recalls_is_one_that_keeps(sizes, seed):
    rng = np.random.default_rng(seed)
    table = rng.random((sum(sizes), 3), dtype=np.float32)
    keeping, recalling = History(), History(lambda t: table[t - 1])
    begun = 0
    for n in sizes:
        some = rng.random(n) < 0.5  # as training on the random branch only keeps some
        t = begun + 1 + np.flatnonzero(some)
        begun += n
        part = table[t - 1], rng.integers(0, 4, len(t)), rng.random(len(t), dtype=np.float32)
        keeping.append(*part)
        recalling.append(*part, t)
    if len(keeping):
        np.testing.assert_array_equal(recalling.contexts, keeping.contexts)
        rows = rng.integers(0, len(keeping), 5)
        np.testing.assert_array_equal(recalling.contexts_of(rows), keeping.contexts_of(rows))
        np.testing.assert_array_equal(recalling.actions, keeping.actions)


def test_a_history_that_recalls_needs_the_times():
    history = History(lambda t: np.zeros((len(t), 2), np.float32))
    part = np.zeros((3, 2), np.float32), np.zeros(3, np.int64), np.zeros(3, np.float32)
    with pytest.raises(ValueError, match=r"needs the time steps t \(3,\), not none"):
        history.append(*part)
    with pytest.raises(ValueError, match=r"needs the time steps t \(3,\), not \(2,\)"):
        history.append(*part, np.arange(2))


# ── Least squares ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("n", [1, 3, 40])
def test_least_squares_against_lstsq_with_duplicate_rows_and_zero_columns(n):
    rng = np.random.default_rng(n)
    contexts = rng.random((n, 6), dtype=np.float32)
    contexts[:, 2] = 0
    contexts = np.concatenate([contexts, contexts])  # every row twice, with two rewards
    rewards = rng.normal(size=2 * n).astype(np.float32)
    actions = np.tile(rng.integers(0, 2, n), 2)
    history = History()
    predictor = LeastSquares(6, 3)
    for part in (slice(0, n // 2), slice(n // 2, 2 * n)):  # in two stages
        history.append(contexts[part], actions[part], rewards[part])
        predictor.fit(history)
    queries = rng.random((5, 6), dtype=np.float32)
    scores = predictor.predict(queries)
    assert scores.shape == (5, 3)
    for arm in range(2):
        rows = actions == arm
        x, y = contexts[rows].astype(float), rewards[rows].astype(float)
        theta = np.linalg.lstsq(x, y, rcond=max(len(x), 6, 1) * np.finfo(float).eps)[0]
        np.testing.assert_allclose(scores[:, arm], queries @ theta, atol=1e-9)
    np.testing.assert_array_equal(scores[:, 2], 0)


def test_ridge_least_squares_against_scikit_learn():
    history = made(30)
    predictor = LeastSquares(4, 3, ridge=2.5)
    predictor.fit(history)
    for arm in range(2):
        rows = history.rows(arm)
        theirs = Ridge(alpha=2.5, fit_intercept=False, solver="svd").fit(
            history.contexts[rows].astype(float), history.rewards[rows].astype(float)
        )
        np.testing.assert_allclose(
            predictor.predict(QUERIES)[:, arm], theirs.predict(QUERIES.astype(float)), atol=1e-10
        )


# ── Any regressor ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["k_nearest", "ridge", "boosted_trees"])
@pytest.mark.parametrize("n", [90])
def test_a_regressor_per_arm_is_scikit_learns_own(name, n):
    history = made(n)
    predictor = Regressor(regressor(name), 3, seed=SEED)
    predictor.fit(history)
    scores = predictor.predict(QUERIES)
    assert scores.shape == (9, 3)
    for arm in range(2):
        rows = history.rows(arm)
        model = clone(regressor(name))
        if name == "boosted_trees":
            model.set_params(random_state=predictor.seeds[arm])  # which pixels a split looks at
        model.fit(history.contexts[rows], history.rewards[rows].astype(float))
        np.testing.assert_allclose(scores[:, arm], model.predict(QUERIES), atol=1e-12)
    np.testing.assert_array_equal(scores[:, 2], 0)  # an arm without data


@pytest.mark.parametrize("n", [1, 2, 4])
def test_fewer_samples_than_neighbours_are_averaged(n):
    history = History()
    rewards = np.arange(1, n + 1, dtype=np.float32)
    history.append(QUERIES[:n], np.zeros(n, np.int64), rewards)
    predictor = Regressor(KNeighborsRegressor(n_neighbors=5), 2, seed=SEED)
    predictor.fit(history)
    np.testing.assert_allclose(predictor.predict(QUERIES)[:, 0], rewards.mean())


def test_untrained_every_arm_predicts_zero():
    for predictor in (Regressor(Ridge(), 3, seed=SEED), LeastSquares(4, 3)):
        np.testing.assert_array_equal(predictor.predict(QUERIES), np.zeros((9, 3)))
        predictor.fit(History())  # a stage before any data
        np.testing.assert_array_equal(predictor.predict(QUERIES), np.zeros((9, 3)))


class Counting(RegressorMixin, BaseEstimator):
    """Predicts the number of samples; counts its fits."""

    fits = 0

    def __init__(self, n_jobs=None):
        self.n_jobs = n_jobs

    def fit(self, x, y):
        Counting.fits += 1
        self.n_ = len(y)
        self.fitted_with_ = self.n_jobs
        return self

    def predict(self, x):
        return np.full((len(x), 1), self.n_)  # a column, as some regressors give


def test_fitting_waits_for_a_prediction_and_sees_the_last_stage_only():
    Counting.fits = 0
    history = made(10, arms=3)
    predictor = Regressor(Counting(n_jobs=4), 3, seed=SEED)
    predictor.fit(history)
    before = [len(history.rows(arm)) for arm in range(3)]
    predictor.fit(history)
    assert Counting.fits == 0
    # What is recorded after a stage is not learned before the next.
    history.append(QUERIES, np.zeros(9, np.int64), np.zeros(9, np.float32))
    np.testing.assert_array_equal(predictor.predict(QUERIES), np.tile(before, (9, 1)))
    predictor.predict(QUERIES)
    assert Counting.fits == 2  # one for each arm with data
    assert [model.fitted_with_ for model in predictor._fitted if model is not None] == [1, 1]
    predictor.fit(history)
    assert predictor.predict(QUERIES)[0, 0] == before[0] + 9


def test_clones_are_seeded_per_arm_and_the_estimator_is_left_alone():
    history = made(60)
    estimator = RandomForestRegressor(n_estimators=3)

    def scores(seed):
        predictor = Regressor(estimator, 3, seed=np.random.SeedSequence(seed))
        predictor.fit(history)
        return predictor.predict(QUERIES)

    np.testing.assert_array_equal(scores(1), scores(1))
    assert np.any(scores(1) != scores(2))
    assert estimator.random_state is None
    assert not hasattr(estimator, "estimators_")
    predictor = Regressor(estimator, 3, seed=SEED)
    assert len(set(predictor.seeds)) == 3


@pytest.mark.filterwarnings("ignore:Objective did not converge")  # of one sample, said by 1.4
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_regressor_that_cannot_serve_so_few_samples_predicts_their_mean(n):
    # LassoCV splits the samples in 5: it refuses fewer.
    history = History()
    rewards = np.array([2.0, 4.0, 9.0], np.float32)[:n]
    history.append(QUERIES[:n], np.zeros(n, np.int64), rewards)
    with pytest.raises(ValueError, match="n_splits=5"):
        LassoCV(cv=5).fit(QUERIES[:n], rewards)
    predictor = Regressor(LassoCV(cv=5), 1, seed=SEED)
    predictor.fit(history)
    np.testing.assert_allclose(predictor.predict(QUERIES)[:, 0], rewards.mean())


@pytest.mark.parametrize(
    "estimator",
    [
        Ridge(alpha=-1.0),
        Ridge(solver="no such solver"),
        DecisionTreeRegressor(max_depth=-3),
        HistGradientBoostingRegressor(learning_rate="fast"),
        KNeighborsRegressor(metric="no such metric"),
    ],
    ids=repr,
)
def test_a_regressor_that_is_wrong_is_refused_not_replaced_by_a_mean(estimator):
    history = made(30)
    predictor = Regressor(estimator, 3, seed=SEED)
    predictor.fit(history)
    name = type(estimator).__name__
    with pytest.raises(ValueError, match=f"{name} cannot be fitted to arm 0: .+"):
        predictor.predict(QUERIES)


@pytest.mark.parametrize("n", [1, 3, 30, 60])
@pytest.mark.parametrize(
    ("last", "told"),
    [
        (DecisionTreeRegressor(max_depth=-3), "'max_depth' parameter of DecisionTreeRegressor"),
        (KNeighborsRegressor(metric="no such metric"), "'metric' parameter of KNeighborsRegressor"),
        (Ridge(alpha=-1.0), "'alpha' parameter of Ridge"),
        (MLPRegressor(hidden_layer_sizes=(-5,)), "hidden_layer_sizes must be > 0"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseEstimator) else None,
)
def test_the_part_of_a_pipeline_that_is_wrong_is_blamed_and_not_the_few_samples(last, told, n):
    """PCA(4) refuses fewer than 4 samples too, but that mends itself."""
    predictor = Regressor(make_pipeline(PCA(4), last), 3, seed=SEED)
    predictor.fit(made(n))
    with pytest.raises(ValueError, match="Pipeline cannot be fitted to arm ") as caught:
        predictor.predict(QUERIES)
    assert told in str(caught.value)
    assert "n_components" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_pipeline_with_too_few_samples_predicts_their_mean():
    history = History()
    history.append(QUERIES[:3], np.zeros(3, np.int64), np.array([2.0, 4.0, 9.0], np.float32))
    predictor = Regressor(make_pipeline(PCA(4), Ridge()), 1, seed=SEED)
    predictor.fit(history)
    np.testing.assert_allclose(predictor.predict(QUERIES)[:, 0], 5.0)


class Shaped(RegressorMixin, BaseEstimator):
    """Predicts an array of the shape that `make` makes of n."""

    def __init__(self, make=None):
        self.make = make

    def fit(self, x, y):
        return self

    def predict(self, x):
        return np.ones(self.make(len(x)))


@pytest.mark.parametrize("make", [lambda n: (n, 2), lambda n: (n - 1,), lambda n: (), lambda n: 1])
def test_a_regressor_that_predicts_another_number_of_values_is_named(make):
    predictor = Regressor(Shaped(make), 3, seed=SEED)
    predictor.fit(made(30))
    with pytest.raises(ValueError, match="Shaped predicts") as caught:
        predictor.predict(QUERIES)
    assert str(caught.value) == (
        f"Shaped predicts {np.ones(make(9)).shape} for 9 contexts of arm 0; "
        "it must predict one number for each"
    )


def test_a_regressor_may_predict_a_column():
    predictor = Regressor(Shaped(lambda n: (n, 1)), 3, seed=SEED)
    predictor.fit(made(30))
    np.testing.assert_array_equal(predictor.predict(QUERIES)[:, 0], 1)


@pytest.mark.parametrize("estimator", [Ridge, "ridge", None, PCA(4), lambda x: x])
def test_what_is_no_regressor_is_refused(estimator):
    with pytest.raises(ValueError, match=r"estimator must be a scikit-learn regressor, such as R"):
        Regressor(estimator, 3, seed=SEED)


def test_a_number_of_neighbours_that_is_none_is_refused_by_scikit_learn():
    predictor = Regressor(KNeighborsRegressor(n_neighbors="five"), 3, seed=SEED)
    predictor.fit(made(30))
    with pytest.raises(ValueError, match=r"KNeighborsRegressor cannot be fitted .*'five'"):
        predictor.predict(QUERIES)


class Broken(RegressorMixin, BaseEstimator):
    def fit(self, x, y):
        raise RuntimeError("the disk is full")

    def predict(self, x):
        raise AssertionError("it was never fitted")


def test_another_error_is_passed_on():
    predictor = Regressor(Broken(), 3, seed=SEED)
    predictor.fit(made(30))
    with pytest.raises(RuntimeError, match="the disk is full"):
        predictor.predict(QUERIES)


def test_functions_of_the_history_have_no_state():
    for predictor in (Regressor(Ridge(), 3, seed=SEED), LeastSquares(4, 3)):
        assert predictor.state() is None
        with pytest.raises(ValueError, match="has no state to load"):
            predictor.load_state({})


def test_the_parts_of_a_pipeline_are_seeded_too_and_the_seed_is_not_used_up():
    forest = make_pipeline(StandardScaler(), RandomForestRegressor(n_estimators=3, n_jobs=2))
    seed = np.random.SeedSequence(1)
    history = made(40)
    predicted = []
    for _ in range(2):
        ours = Regressor(forest, 3, seed=seed)
        ours.fit(history)
        predicted.append(ours.predict(history.contexts))
        fitted = [model[-1] for model in ours._fitted if model is not None]
        assert {forest.n_jobs for forest in fitted} == {1}
        assert len({forest.random_state for forest in fitted}) == len(fitted) > 1
    np.testing.assert_array_equal(predicted[0], predicted[1])
    assert seed.n_children_spawned == 0
    assert forest[-1].random_state is None


def test_neighbours_within_a_pipeline_are_as_many_as_there_are_samples():
    neighbours = make_pipeline(StandardScaler(), KNeighborsRegressor(n_neighbors=5))
    history = History()
    history.append(np.eye(3, dtype=np.float32), np.zeros(3, np.int64), np.float32([1, 2, 6]))
    ours = Regressor(neighbours, 1, seed=np.random.SeedSequence(1))
    ours.fit(history)
    np.testing.assert_allclose(ours.predict(np.eye(3, dtype=np.float32)), 3.0)


@pytest.mark.parametrize("seed", [5, None, np.random.default_rng(1)])
def test_a_seed_of_another_kind_is_refused(seed):
    with pytest.raises(ValueError, match=r"seed must be a numpy\.random\.SeedSequence, not"):
        Regressor(Ridge(), 2, seed=seed)


@pytest.mark.parametrize(
    ("contexts", "actions", "rewards"),
    [
        (np.zeros((2, 1)), np.zeros(2, np.int64), np.zeros(2)),  # would be spread over m = 4
        (np.zeros((1, 4)), np.zeros(2, np.int64), np.zeros(2)),
        (np.zeros((2, 4)), np.zeros(2, np.int64), 1.0),
        (np.zeros((2, 4)), np.zeros(2, np.int64), np.zeros((2, 1))),
        (np.zeros((2, 4)), np.array([1.7, 0.2]), np.zeros(2)),
        (np.zeros((2, 4)), 1, np.zeros(2)),
        (np.zeros(4), np.zeros(2, np.int64), np.zeros(2)),
        (np.zeros((2, 2, 2)), np.zeros(2, np.int64), np.zeros(2)),
    ],
)
def test_steps_of_another_shape_are_refused_and_leave_the_history_as_it_was(
    contexts, actions, rewards
):
    history = made(3)
    with pytest.raises(ValueError, match="a history needs contexts"):
        history.append(contexts, actions, rewards)
    assert len(history) == 3
