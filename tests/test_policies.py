"""Every policy: what it promises in choosing, and that its recorded probabilities are true."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

from bandits.architecture import Architecture, Training
from bandits.engine.threads import one_thread
from bandits.environments import Draws, SyntheticBandit, draw_exploration
from bandits.networks import Networks
from bandits.policies import (
    Choice,
    EpsilonGreedy,
    Linear,
    LinUCB,
    Optimal,
    Random,
    argmax,
    chosen,
    drawn,
)
from bandits.predictors import LeastSquares, Regressor
from bandits.schedules import NeverExplore, PowerSchedule
from bandits.simulate import simulate

ARMS, SIZE, STEPS = 4, 3, 60
SEED = np.random.SeedSequence(3)
# A test that draws its own random numbers is wrong with this probability; its seeds are fixed.
ERROR_RATE = 1e-4


@pytest.fixture(autouse=True)
def _one_thread():
    with one_thread():
        yield


def networks():
    return Networks(
        Architecture((), 6, stride=(), pool=(), padding=()),
        SIZE,
        ARMS,
        training=Training(epochs=2),
        weights=SEED,
        batches=SEED,
    )


def epsilon_greedy(predictor, **settings):
    return EpsilonGreedy(PowerSchedule(1 / 3), predictor, ARMS, **settings)


POLICIES = {
    "random": lambda rounds: Random(ARMS),
    "optimal": lambda rounds: Optimal(rounds.means),
    "linucb": lambda rounds: LinUCB(SIZE, ARMS),
    "linucb, random ties": lambda rounds: LinUCB(SIZE, ARMS, ridge=0.5, alpha=2, ties="random"),
    "linear": lambda rounds: Linear(SIZE, ARMS),
    "linear, random ties": lambda rounds: Linear(SIZE, ARMS, ties="random"),
    "least squares": lambda rounds: epsilon_greedy(LeastSquares(SIZE, ARMS)),
    "ridge, random ties": lambda rounds: epsilon_greedy(
        LeastSquares(SIZE, ARMS, ridge=1), ties="random"
    ),
    "random branch": lambda rounds: epsilon_greedy(
        LeastSquares(SIZE, ARMS), train_on="random_branch"
    ),
    "networks": lambda rounds: epsilon_greedy(networks()),
    "nearest neighbours": lambda rounds: epsilon_greedy(
        Regressor(KNeighborsRegressor(), ARMS, seed=SEED), ties="random"
    ),
    "scikit-learn's ridge": lambda rounds: epsilon_greedy(Regressor(Ridge(), ARMS, seed=SEED)),
}


@pytest.fixture(scope="module")
def rounds():
    return SyntheticBandit(arms=ARMS, size=SIZE, noise=1).rounds(1, 0, 3 * STEPS)


@pytest.fixture(params=POLICIES)
def policy(request, rounds):
    """A policy after three stages of training, or fresh."""
    trained = POLICIES[request.param](rounds)
    for begin in range(0, STEPS, 20):
        play(trained, rounds, slice(begin, begin + 20), learn=True)
    return trained


def play(policy, rounds, block, learn=False) -> Choice:
    t = np.arange(block.start + 1, block.stop + 1)
    contexts = rounds.contexts(block)
    choice = policy.choose(contexts, t, rounds.draws[block])
    if learn:
        policy.record(contexts, choice, rounds.rewards(block, choice.actions))
        policy.train()
    return choice


def equal(first: Choice, second: Choice):
    np.testing.assert_array_equal(first.actions, second.actions)
    np.testing.assert_allclose(first.propensities, second.propensities, rtol=1e-12)
    np.testing.assert_array_equal(first.explored, second.explored)


# ── One battery over every policy ───────────────────────────────────────────────────────────────

LATER = slice(STEPS, STEPS + 30)


def test_choices_have_the_stated_shapes_and_ranges(policy, rounds):
    choice = play(policy, rounds, LATER)
    assert choice.actions.shape == choice.propensities.shape == choice.explored.shape == (30,)
    assert choice.actions.dtype == np.int64
    assert choice.propensities.dtype == np.float64
    assert choice.explored.dtype == np.bool_
    assert np.all((choice.actions >= 0) & (choice.actions < ARMS))
    assert np.all((choice.propensities > 0) & (choice.propensities <= 1))


def test_choosing_learns_nothing(policy, rounds):
    contexts = rounds.contexts(LATER)
    before = contexts.copy()
    first = play(policy, rounds, LATER)
    play(policy, rounds, slice(LATER.stop, LATER.stop + 10))
    equal(first, play(policy, rounds, LATER))
    np.testing.assert_array_equal(contexts, before)


def test_recording_without_training_changes_no_decision(policy, rounds):
    first = play(policy, rounds, LATER)
    contexts = rounds.contexts(LATER)
    policy.record(contexts, first, np.full(30, 1e3, np.float32))
    equal(first, play(policy, rounds, LATER))


def test_a_block_is_decided_as_its_steps_one_by_one(policy, rounds):
    whole = play(policy, rounds, LATER)
    single = [play(policy, rounds, slice(i, i + 1)) for i in range(LATER.start, LATER.stop)]
    for name in ("actions", "propensities", "explored"):
        np.testing.assert_allclose(
            np.concatenate([getattr(c, name) for c in single]), getattr(whole, name), rtol=1e-12
        )


def test_the_order_within_a_block_does_not_matter(policy, rounds):
    order = np.random.default_rng(0).permutation(30)
    t = np.arange(LATER.start + 1, LATER.stop + 1)
    draws, contexts = rounds.draws[LATER], rounds.contexts(LATER)
    whole = policy.choose(contexts, t, draws)
    shuffled = policy.choose(
        contexts[order], t[order], Draws(draws.eta[order], draws.rho[order], draws.tie[order])
    )
    equal(Choice(whole.actions[order], whole.propensities[order], whole.explored[order]), shuffled)


def test_probabilities_of_the_arms_that_can_be_chosen_sum_to_one(policy, rounds):
    # Every branch of the algorithm at one context: explore or not, every ρ, every tie.
    t, tie = 70, np.linspace(0, 1, 12, endpoint=False)
    grid = np.array([(e, r, u) for e in (1e-9, 1.0) for r in range(ARMS) for u in tie])
    draws = Draws(grid[:, 0], grid[:, 1].astype(np.int64), grid[:, 2])
    context = np.repeat(rounds.contexts(slice(t - 1, t)), len(grid), axis=0)
    choice = policy.choose(context, np.full(len(grid), t), draws)
    found: dict[int, set[float]] = {}
    for arm, propensity in zip(choice.actions, choice.propensities, strict=True):
        found.setdefault(int(arm), set()).add(round(float(propensity), 12))
    assert all(len(values) == 1 for values in found.values())
    assert sum(next(iter(values)) for values in found.values()) == pytest.approx(1, abs=1e-10)


# ── The recorded probabilities are those of the choices ─────────────────────────────────────────


class Believes:
    """A predictor with fixed scores."""

    def __init__(self, scores):
        self.scores = np.asarray(scores, dtype=float)

    def predict(self, contexts):
        return np.tile(self.scores, (len(contexts), 1))


@pytest.mark.parametrize("ties", ["first", "random"])
@pytest.mark.parametrize("t", [1, 2, 8, 1000])
@pytest.mark.parametrize("scores", [[1, 3, 2, 0], [2, 5, 1, 5], [0, 0, 0, 0]], ids=repr)
def test_frequencies_agree_with_the_recorded_propensities(scores, t, ties):
    # One context, 20,000 rows of one table of draws: a chi-square test of the frequencies of the
    # arms against the recorded probabilities, each wrong with probability 1e-4.
    n = 20_000
    policy = EpsilonGreedy(PowerSchedule(1 / 3), Believes(scores), ARMS, ties=ties)
    draws = draw_exploration(seed=100 + t, run=0, steps=n, arms=ARMS)
    choice = policy.choose(np.zeros((n, SIZE), np.float32), np.full(n, t), draws)
    recorded = {int(a): p for a, p in zip(choice.actions, choice.propensities, strict=True)}
    np.testing.assert_array_equal(choice.propensities, [recorded[a] for a in choice.actions])
    assert sum(recorded.values()) == pytest.approx(1, abs=1e-12)
    counts = np.bincount(choice.actions, minlength=ARMS)
    expected = np.array([n * recorded.get(arm, 0.0) for arm in range(ARMS)])
    assert stats.chisquare(counts, expected).pvalue > ERROR_RATE
    # And against the formula, ε/K + (1 − ε)·[greedy], with the ties shared or the first's.
    best = [arm for arm in range(ARMS) if scores[arm] == max(scores)]
    epsilon = t ** (-1 / 3)
    for arm, probability in recorded.items():
        share = {"first": float(arm == best[0]), "random": (arm in best) / len(best)}[ties]
        assert probability == pytest.approx(epsilon / ARMS + (1 - epsilon) * share, rel=1e-12)
    explored = int(choice.explored.sum())
    assert stats.binomtest(explored, n, epsilon).pvalue > ERROR_RATE


def test_the_first_step_always_explores_and_the_eighth_half_the_time():
    n = 4000
    draws = draw_exploration(seed=2, run=0, steps=n, arms=3)
    policy = EpsilonGreedy(PowerSchedule(1 / 3), Believes([0, 9, 0]), 3)
    contexts = np.zeros((n, 1), np.float32)
    first = policy.choose(contexts, np.ones(n, int), draws)
    assert first.explored.all()
    np.testing.assert_array_equal(first.actions, draws.rho)
    np.testing.assert_array_equal(first.propensities, np.full(n, 1 / 3))
    # η = 1 exactly is a possible draw, and still explores at t = 1; η = ε explores (η ≤ ε).
    edge = Draws(np.array([1.0, 0.5]), np.array([2, 2]), np.zeros(2))
    eighth = policy.choose(contexts[:2], np.array([1, 8]), edge)
    np.testing.assert_array_equal(eighth.explored, [True, True])
    at_eight = policy.choose(contexts, np.full(n, 8), draws)
    np.testing.assert_array_equal(at_eight.explored, draws.eta <= 0.5)
    assert set(at_eight.propensities) == {0.5 / 3, 0.5 / 3 + 0.5}


def test_never_explore_never_does():
    n = 5000
    draws = draw_exploration(seed=2, run=0, steps=n, arms=3)
    tiny = Draws(np.full(n, np.finfo(float).tiny), draws.rho, draws.tie)
    for table in (draws, tiny):
        policy = EpsilonGreedy(NeverExplore(), Believes([0, 9, 0]), 3)
        choice = policy.choose(np.zeros((n, 1), np.float32), np.arange(1, n + 1), table)
        assert not choice.explored.any()
        np.testing.assert_array_equal(choice.actions, np.ones(n))
        np.testing.assert_array_equal(choice.propensities, np.ones(n))


def test_explored_is_what_random_pulls_count():
    # E T_j^R(t) = Σ_{s ≤ t} ε_s / K, whatever the arm is worth; 400 runs, a z test per arm.
    steps, runs, arms = 60, 400, 3
    epsilon = PowerSchedule(0.5)(np.arange(1, steps + 1))
    q = epsilon / arms
    pulls = np.zeros((runs, arms))
    for run in range(runs):
        policy = EpsilonGreedy(PowerSchedule(0.5), Believes([0, 1, 0]), arms)
        draws = draw_exploration(seed=4, run=run, steps=steps, arms=arms)
        choice = policy.choose(np.zeros((steps, 1), np.float32), np.arange(1, steps + 1), draws)
        pulls[run] = np.bincount(choice.actions[choice.explored], minlength=arms)
    z = (pulls.mean(axis=0) - q.sum()) / np.sqrt((q * (1 - q)).sum() / runs)
    assert np.all(np.abs(z) < stats.norm.isf(ERROR_RATE / arms / 2))


def test_random_is_uniform_and_all_of_it_explores():
    n = 10_000
    draws = draw_exploration(seed=1, run=0, steps=n, arms=5)
    choice = Random(5).choose(np.zeros((n, 1), np.float32), np.arange(1, n + 1), draws)
    assert stats.chisquare(np.bincount(choice.actions, minlength=5)).pvalue > ERROR_RATE
    assert choice.explored.all()
    np.testing.assert_array_equal(choice.propensities, np.full(n, 0.2))


# ── The best arm ────────────────────────────────────────────────────────────────────────────────

SCORES = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 5), st.integers(1, 6)), elements=st.integers(-2, 2)
)


@given(scores=SCORES, data=st.data())
def test_argmax_against_a_loop(scores, data):
    n, arms = scores.shape
    tie = data.draw(hnp.arrays(np.float64, n, elements=st.floats(0, 1, exclude_max=True)))
    first, sure = argmax(scores, tie, "first")
    drawn, shared = argmax(scores, tie, "random")
    for i in range(n):
        best = [j for j in range(arms) if scores[i, j] == max(scores[i])]
        assert first[i] == best[0] == scores[i].argmax()
        assert drawn[i] == best[int(tie[i] * len(best))]
        np.testing.assert_array_equal(sure[i], [float(j == best[0]) for j in range(arms)])
        np.testing.assert_allclose(shared[i], [(j in best) / len(best) for j in range(arms)])
    np.testing.assert_array_equal(chosen(sure, first), np.ones(n))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_not_finite_is_refused_by_name(value):
    scores = np.zeros((3, 4))
    scores[1, 2] = value
    with pytest.raises(ValueError, match=f"the predicted reward of arm 2 is {value}"):
        argmax(scores, np.zeros(3), "first")
    policy = EpsilonGreedy(NeverExplore(), Believes([0, value]), 2)
    with pytest.raises(ValueError, match="predicted reward of arm 1"):
        simulate(policy, SyntheticBandit(arms=2).rounds(0, 0, 5))


# ── The linear policies by hand ─────────────────────────────────────────────────────────────────


def block_of(n):
    return Draws(np.ones(n), np.zeros(n, np.int64), np.zeros(n))


def feed(policy, rows):
    contexts = np.array([x for x, _, _ in rows], np.float32)
    actions = np.array([a for _, a, _ in rows])
    rewards = np.array([r for _, _, r in rows], np.float32)
    n = len(rows)
    policy.record(contexts, Choice(actions, np.ones(n), np.zeros(n, bool)), rewards)
    policy.train()


def test_linucb_in_two_dimensions_by_hand():
    policy = LinUCB(2, 2)
    x = np.array([[3, 4]], np.float32)
    # Untrained: Θ = 0 and B = I, so every score is ‖x‖ = 5; the first of equals.
    np.testing.assert_allclose(policy.scores(x), [[5, 5]], rtol=1e-15)
    assert policy.choose(x, np.array([1]), block_of(1)).actions[0] == 0
    feed(policy, [([1, 0], 0, 2), ([1, 1], 0, 3), ([0, 2], 1, 1)])
    # B_0 = [[3, 1], [1, 2]], b_0 = (5, 3): B⁻¹ = [[2, −1], [−1, 3]]/5, Θ = (7, 4)/5;
    # at (3, 4): Θᵀx = 37/5, xᵀB⁻¹x = (18 − 24 + 48)/5 = 42/5.
    # B_1 = [[1, 0], [0, 5]], b_1 = (0, 2): Θ = (0, 2/5); at (3, 4): 8/5 and 9 + 16/5 = 61/5.
    by_hand = [[7.4 + np.sqrt(8.4), 1.6 + np.sqrt(12.2)]]
    np.testing.assert_allclose(policy.scores(x), by_hand, rtol=1e-14)
    assert policy.choose(x, np.array([4]), block_of(1)).actions[0] == 0
    # At (1, −1): arm 0 has 3/5 + √(7/5), arm 1 has −2/5 + √(6/5); at (4, −4): 12/5 + 4√(7/5).
    y = np.array([[1, -1], [-4, 4]], np.float32)
    by_hand = [
        [0.6 + np.sqrt(1.4), -0.4 + np.sqrt(1.2)],
        [-2.4 + 4 * np.sqrt(1.4), 1.6 + 4 * np.sqrt(1.2)],
    ]
    np.testing.assert_allclose(policy.scores(y), by_hand, rtol=1e-13)
    np.testing.assert_array_equal(policy.choose(y, np.array([4, 5]), block_of(2)).actions, [0, 1])


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    m=st.integers(1, 6),
    ridge=st.sampled_from([0.1, 1.0, 7.0]),
    alpha=st.sampled_from([0.0, 1.0, 2.5]),
)
def test_linucb_against_explicit_inverses(seed, m, ridge, alpha):
    rng = np.random.default_rng(seed)
    policy = LinUCB(m, 3, ridge=ridge, alpha=alpha)
    B, b = np.array([ridge * np.eye(m)] * 3), np.zeros((3, m))
    for _ in range(3):
        rows = [
            (rng.integers(-2, 3, m).astype(np.float32), int(rng.integers(3)), float(rng.normal()))
            for _ in range(int(rng.integers(1, 8)))
        ]
        feed(policy, rows)
        for x, arm, reward in rows:
            B[arm] += np.outer(x, x).astype(float)
            b[arm] += np.float32(reward) * x.astype(float)
    queries = rng.normal(size=(5, m)).astype(np.float32)
    q = queries.astype(float)
    expected = np.empty((5, 3))
    for arm in range(3):
        inverse = np.linalg.inv(B[arm])
        width = np.sqrt(np.einsum("ni,ij,nj->n", q, inverse, q))
        expected[:, arm] = q @ inverse @ b[arm] + alpha * width
    np.testing.assert_allclose(policy.scores(queries), expected, rtol=1e-7, atol=1e-9)


def test_linear_against_lstsq_with_duplicate_rows_and_zero_columns():
    rng = np.random.default_rng(8)
    x = rng.random((14, 5), dtype=np.float32)
    x[:, 3] = 0
    rows = [(row, i % 2, float(rng.normal())) for i, row in enumerate(np.repeat(x, 2, axis=0))]
    rows += [(row, 1, float(rng.normal())) for row in x]  # arm 1 sees its rows with other rewards
    policy = Linear(5, 3)
    feed(policy, rows[:9])
    feed(policy, rows[9:])
    queries = rng.random((40, 5), dtype=np.float32)
    scores = np.zeros((40, 3))
    for arm in range(2):
        mine = [(r, y) for r, a, y in rows if a == arm]
        X = np.array([r for r, _ in mine], float)
        y = np.array([np.float32(y) for _, y in mine], float)
        theta = np.linalg.lstsq(X, y, rcond=len(X) * np.finfo(float).eps)[0]
        assert theta[3] == pytest.approx(0, abs=1e-12)
        scores[:, arm] = queries.astype(float) @ theta
    choice = policy.choose(queries, np.arange(1, 41), block_of(40))
    np.testing.assert_array_equal(choice.actions, scores.argmax(axis=1))
    assert len(set(choice.actions)) == 3


def test_linear_ties_decide_which_arms_it_ever_tries():
    rounds = SyntheticBandit(arms=5, size=2).rounds(0, 0, 40)  # rewards ≥ 0
    first = simulate(Linear(2, 5), rounds, train_every=1)
    assert set(first.actions) == {0}  # locked in: untried arms predict 0
    drawn = simulate(Linear(2, 5, ties="random"), rounds, train_every=40)
    assert set(drawn.actions) == set(range(5))


# ── Training ────────────────────────────────────────────────────────────────────────────────────


class Noting:
    """A predictor that writes down what it is trained on."""

    def __init__(self):
        self.stages = []

    def predict(self, contexts):
        return np.zeros((len(contexts), ARMS))

    def fit(self, history):
        self.stages.append((history.actions.copy(), history.rewards.copy()))

    def state(self):
        return {"here": np.arange(3)}

    def load_state(self, state):
        self.loaded = state


@pytest.mark.parametrize("train_on", ["all", "random_branch"])
def test_every_stage_trains_on_the_whole_history_or_its_random_branch(rounds, train_on):
    noting = Noting()
    policy = epsilon_greedy(noting, train_on=train_on)
    run = simulate(policy, rounds, train_every=20)
    assert len(noting.stages) == len(rounds.means) // 20
    for number, (actions, rewards) in enumerate(noting.stages):
        past = run[: 20 * (number + 1)]
        keep = past.explored if train_on == "random_branch" else np.ones(len(past), bool)
        np.testing.assert_array_equal(actions, past.actions[keep])
        np.testing.assert_array_equal(rewards, past.rewards[keep])
    assert policy.state() is not None
    policy.load_state({"here": np.ones(1)})
    np.testing.assert_array_equal(noting.loaded["here"], np.ones(1))


@pytest.mark.parametrize("predictor", ["least squares", "regressor", "networks"])
def test_a_random_branch_that_never_comes_leaves_everything_untrained(rounds, predictor):
    built = {
        "least squares": lambda: LeastSquares(SIZE, ARMS),
        "regressor": lambda: Regressor(Ridge(), ARMS, seed=SEED),
        "networks": networks,
    }[predictor]()
    policy = EpsilonGreedy(NeverExplore(), built, ARMS, train_on="random_branch")
    contexts = rounds.contexts(slice(0, 9))
    before = built.predict(contexts)
    simulate(policy, rounds)
    np.testing.assert_array_equal(built.predict(contexts), before)


# ── What bad input gets ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ridge", [0, -1, float("nan")])
def test_linucb_needs_a_ridge(ridge):
    with pytest.raises(
        ValueError, match=f"LinUCB's ridge must be a finite number > 0, not {ridge}"
    ):
        LinUCB(2, 2, ridge=ridge)


@pytest.mark.parametrize("alpha", [-0.1, float("nan"), "1"])
def test_linucb_needs_a_weight(alpha):
    with pytest.raises(
        ValueError, match=f"^LinUCB's alpha must be a finite number >= 0, not {alpha!r}"
    ):
        LinUCB(2, 2, alpha=alpha)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinUCB(2, 2, ties="First"), "ties must be one of first, random, not 'First'"),
        (lambda: epsilon_greedy(LeastSquares(2, 2), ties=None), "ties must be one of .* not None"),
        (
            lambda: epsilon_greedy(LeastSquares(2, 2), train_on="random"),
            "train_on must be one of all, random_branch, not 'random'",
        ),
        (lambda: Random(0), r"arms \(K\) must be a whole number >= 1, not 0"),
        (lambda: Random(-1), r"arms \(K\) must be a whole number >= 1, not -1"),
        (
            lambda: EpsilonGreedy(NeverExplore(), LeastSquares(2, 2), 0),
            r"arms \(K\) must be a whole number >= 1, not 0",
        ),
    ],
)
def test_words_and_numbers_that_mean_nothing_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: LinUCB(SIZE, ARMS),
        lambda: EpsilonGreedy(NeverExplore(), LeastSquares(SIZE, ARMS), ARMS),
    ],
    ids=["linucb", "epsilon greedy"],
)
def test_unless_asked_otherwise_the_first_of_equal_arms_is_chosen(make):
    """Untrained, all arms are equal, and the tie's draw would name the last."""
    late = Draws(np.ones(2), np.zeros(2, np.int64), np.full(2, 0.99))
    choice = make().choose(np.ones((2, SIZE), np.float32), np.arange(1, 3), late)
    assert list(choice.actions) == [0, 0]
    assert list(choice.propensities) == [1, 1]
    assert not choice.explored.any()


# ── What a user's own parts give back ───────────────────────────────────────────────────────────


class Given(LeastSquares):
    """A predictor of one's own, whose predictions are whatever `make` makes of (n, K) zeros."""

    def __init__(self, make):
        super().__init__(SIZE, ARMS)
        self.make = make

    def predict(self, contexts):
        return self.make(np.zeros((len(contexts), ARMS)))


def whole_run(policy, steps=25):
    return simulate(policy, SyntheticBandit(ARMS, SIZE).rounds(1, 0, steps))


@pytest.mark.parametrize(
    ("schedule", "told"),
    [
        (lambda t: np.full(len(t), 2.0), "ε = 2 at t = 1"),
        (lambda t: 2.0, "ε = 2 at t = 1"),
        (lambda t: 1.5 - 1 / t, "ε = 1.16667 at t = 3"),
        (lambda t: 0.5 - t / 44, "ε = -0.0227273 at t = 23"),
        (lambda t: np.where(t == 22, np.nan, 0.1), "ε = nan at t = 22"),
        (lambda t: np.full(len(t), np.inf), "ε = inf at t = 1"),
    ],
)
def test_a_schedule_that_gives_no_probability_is_blamed_itself(schedule, told):
    with pytest.raises(ValueError, match="must be a probability") as caught:
        whole_run(EpsilonGreedy(schedule, LeastSquares(SIZE, ARMS), ARMS))
    assert str(caught.value) == f"the schedule gives {told}; it must be a probability, from 0 to 1"


@pytest.mark.parametrize(
    ("schedule", "told"),
    [
        (lambda t: np.full((len(t), 1), 0.1), "(20, 1) of float64"),
        (lambda t: np.full(len(t) - 1, 0.1), "(19,) of float64"),
        (lambda t: np.array([0.1]), "(1,) of float64"),
        (lambda t: None, "() of object"),
        (lambda t: ["0.1"] * len(t), "(20,) of <U3"),
        (lambda t: t + 0j, "(20,) of complex128"),
    ],
)
def test_a_schedule_of_another_shape_or_kind_is_named(schedule, told):
    with pytest.raises(ValueError, match="the schedule gives") as caught:
        whole_run(EpsilonGreedy(schedule, LeastSquares(SIZE, ARMS), ARMS))
    assert str(caught.value) == (
        f"the schedule gives {told} for the steps from t = 1 on; it must give (20,) numbers, "
        "one ε for each, or a single one"
    )


@pytest.mark.parametrize("constant", [0, 1, 0.25, np.float32(0.25)])
def test_a_schedule_may_give_one_number_for_all_steps(constant):
    one = whole_run(EpsilonGreedy(lambda t: constant, LeastSquares(SIZE, ARMS), ARMS))
    each = whole_run(
        EpsilonGreedy(lambda t: np.full(len(t), constant), LeastSquares(SIZE, ARMS), ARMS)
    )
    np.testing.assert_array_equal(one.actions, each.actions)
    np.testing.assert_array_equal(one.propensities, each.propensities)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda scores: scores[:, :, None], f"(20, {ARMS}, 1) of float64"),
        (lambda scores: scores[:, 1:], f"(20, {ARMS - 1}) of float64"),
        (lambda scores: np.c_[scores, scores], f"(20, {2 * ARMS}) of float64"),
        (lambda scores: scores.T, f"({ARMS}, 20) of float64"),
        (lambda scores: scores[:1], f"(1, {ARMS}) of float64"),
        (lambda scores: scores[:, 0], "(20,) of float64"),
        (lambda scores: 0.0, "() of float64"),
        (lambda scores: None, "() of object"),
        (lambda scores: scores.astype(str), f"(20, {ARMS}) of <U32"),
    ],
)
def test_predictions_of_another_shape_or_kind_are_named(make, told):
    with pytest.raises(ValueError, match="the predictor gives") as caught:
        whole_run(epsilon_greedy(Given(make)))
    assert str(caught.value) == (
        f"the predictor gives {told} for 20 contexts and {ARMS} arms; "
        f"it must give (20, {ARMS}) numbers, one for each context and arm"
    )


def test_predictions_may_be_a_list():
    given = whole_run(epsilon_greedy(Given(lambda scores: scores.tolist())))
    np.testing.assert_array_equal(
        given.actions, whole_run(epsilon_greedy(Given(lambda s: s))).actions
    )


def test_arms_are_drawn_as_often_as_their_probabilities_say():
    probabilities = np.array([0.0, 0.25, 0.0, 0.7, 0.05, 0.0])
    uniform = (np.arange(1000) + 0.5) / 1000
    actions = drawn(np.tile(probabilities, (1000, 1)), uniform)
    np.testing.assert_allclose(np.bincount(actions, minlength=6) / 1000, probabilities, atol=1e-3)
    assert drawn(probabilities[None] / 3, np.array([0.9999999999999999])) == [4]
