"""The attaining bandit, played by the loop, against its exact regret."""

import numpy as np
import pytest

from bandits.attaining import AttainingBandit, StateTable
from bandits.policies import EpsilonGreedy
from bandits.predictors import History
from bandits.schedules import PowerSchedule
from bandits.simulate import restore, simulate
from bandits.theory import attained_regret, variant_regret

STEPS, RUNS = 120, 100


def regrets(p, *, unseen=0.0, train_on="all", risk=0.5):
    bandit = AttainingBandit(risk)
    return np.array([
        simulate(
            EpsilonGreedy(PowerSchedule(p), StateTable(2, unseen=unseen), 2, train_on=train_on),
            bandit.rounds(71, run, STEPS), train_every=1).regret
        for run in range(RUNS)
    ])  # fmt: skip


@pytest.mark.parametrize("p, risk, train_on", [
    (1 / 3, 0.5, "all"), (1.0, 0.5, "random_branch"), (0.5, 0.3, "all"),
])  # fmt: skip
def test_the_simulated_regret_is_the_exact_one_within_its_standard_error(p, risk, train_on):
    """Six stretches of time and the whole, each within 3.5 of its own standard errors."""
    seen = regrets(p, train_on=train_on, risk=risk)
    exact = [attained_regret(t, schedule=p, risk=risk).value for t in range(1, STEPS + 1)]
    for part in (*np.array_split(np.arange(STEPS), 6), np.arange(STEPS)):
        totals = seen[:, part].sum(axis=1)
        error = totals.std(ddof=1) / np.sqrt(RUNS)
        assert abs(totals.mean() - np.sum(np.array(exact)[part])) < 3.5 * error


def test_the_variant_too():
    seen = regrets(1 / 3, unseen=0.75, train_on="random_branch")
    exact = sum(variant_regret(t, schedule=1 / 3).value for t in range(1, STEPS + 1))
    other = sum(attained_regret(t, schedule=1 / 3).value for t in range(1, STEPS + 1))
    totals = seen.sum(axis=1)
    error = totals.std(ddof=1) / np.sqrt(RUNS)
    assert abs(totals.mean() - exact) < 3.5 * error
    assert abs(totals.mean() - other) > 5 * error  # so that the check can tell them apart


def test_states_have_the_stated_law_and_their_contexts_name_them():
    for risk, b in ((0.5, 2.0), (0.2, 1.25)):
        rounds = AttainingBandit(risk).rounds(3, 0, 20_000)
        contexts = rounds.contexts(slice(0, 20_000)).astype(np.float64)
        states = contexts @ (2.0 ** (21 * np.arange(3)))
        weights = np.arange(1, 10**6, dtype=float) ** -b
        total = weights.sum() + (10**6 - 0.5) ** (1 - b) / (b - 1)
        for k in (1, 2, 7):
            share = weights[k - 1] / total
            spread = np.sqrt(share * (1 - share) / 20_000)
            assert abs((states == k).mean() - share) < 4 * spread
        assert len(np.unique(contexts, axis=0)) == len(np.unique(states))
        assert np.array_equal(contexts, contexts.round())


def test_a_longer_run_begins_with_the_shorter_one():
    short, long = (AttainingBandit(0.3).rounds(5, 2, steps) for steps in (50, 200))
    assert np.array_equal(short.contexts(slice(0, 50)), long.contexts(slice(0, 50)))
    assert np.array_equal(short.draws.eta, long.draws.eta[:50])
    assert long.arms == 2
    assert long.context_size == AttainingBandit().context_size == 3
    assert AttainingBandit().arms == 2


def test_the_table_says_what_was_paid_in_this_state():
    table, history = StateTable(2, unseen=0.75), History()
    states = np.array([[1, 0, 0], [2, 0, 0], [1, 1, 0]], dtype=np.float32)
    assert table.predict(states).tolist() == [[0.75, 0.75]] * 3
    for row, arm, paid in ((0, 1, 1.0), (1, 0, 0.5), (0, 0, 0.5), (0, 1, 0.25)):
        history.append(states[row : row + 1], np.array([arm]), np.array([paid], np.float32))
    table.fit(history)
    assert table.predict(states).tolist() == [[0.5, 0.25], [0.5, 0.75], [0.75, 0.75]]
    table.fit(history)  # nothing new
    assert table.predict(states[:0]).shape == (0, 2)
    assert table.state() is None
    with pytest.raises(ValueError, match="StateTable has no state to load"):
        table.load_state({})


def test_an_interrupted_run_goes_on_as_if_it_had_not_been():
    rounds = AttainingBandit().rounds(9, 0, 60)

    def policy():
        return EpsilonGreedy(PowerSchedule(0.5), StateTable(2), 2)

    whole = simulate(policy(), rounds, train_every=5)
    fresh = policy()
    restore(fresh, rounds, whole[:25], 5, None)
    resumed = simulate(fresh, rounds, train_every=5, resume=whole[:25])
    assert np.array_equal(resumed.actions, whole.actions)


@pytest.mark.parametrize("call, words", [
    (lambda: AttainingBandit(1.0), r"risk \(a\) must lie between 0\.05 and 0\.95, not 1\.0"),
    (lambda: AttainingBandit("a"), r"risk \(a\) must"),
    (lambda: AttainingBandit().rounds(0, 0, 0), "steps must be"),
    (lambda: StateTable(0), r"arms \(K\) must be"),
    (lambda: StateTable(2, unseen=np.nan), "unseen must be"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()
