"""What epsilon greedy believes, against NumPy's and scikit-learn's own answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LassoCV, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from bandits.experiments import regressor
from bandits.predictors import History, LeastSquares, Regressor, constant_arms
from bandits.threads import one_thread

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


class Broken(RegressorMixin, BaseEstimator):
    def fit(self, x, y):
        raise RuntimeError("the disk is full")


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


# ── Constant predictions ────────────────────────────────────────────────────────────────────────


def test_constant_arms_are_told_from_those_that_use_the_context():
    predictor = LeastSquares(4, 3)
    history = History()
    history.append(QUERIES[:4], np.zeros(4, np.int64), np.arange(4, dtype=np.float32))
    predictor.fit(history)
    np.testing.assert_array_equal(constant_arms(predictor, QUERIES), [False, True, True])
    mean = Regressor(LassoCV(cv=5), 1, seed=SEED)
    mean.fit(history)
    np.testing.assert_array_equal(constant_arms(mean, QUERIES), [True])
    with pytest.raises(ValueError, match="at least 2 states, not 1"):
        constant_arms(predictor, QUERIES[:1])


class Table:
    def __init__(self, scores):
        self.scores = np.asarray(scores)

    def predict(self, contexts):
        return self.scores


def test_the_tolerance_is_relative_to_the_largest_prediction():
    scores = [[1e4, 0.0, 5.0], [1e4 + 1e-3, 1e-3, 5.0]]
    np.testing.assert_array_equal(constant_arms(Table(scores), QUERIES[:2]), [True, False, True])
    np.testing.assert_array_equal(
        constant_arms(Table(scores), QUERIES[:2], tolerance=0), [False, False, True]
    )


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
