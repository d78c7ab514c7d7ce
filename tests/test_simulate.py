"""The loop: its arithmetic by hand, when it trains, and what it refuses."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bandits import mnist
from bandits.environments import Draws, MnistBandit, Rounds, SyntheticBandit
from bandits.policies import Choice, EpsilonGreedy, Linear, LinUCB, Optimal, Random
from bandits.predictors import LeastSquares
from bandits.schedules import PowerSchedule
from bandits.simulate import Trajectory, blocks, restore, simulate


def same(first: Trajectory, second: Trajectory):
    assert first.arrays().keys() == second.arrays().keys()
    for name, values in first.arrays().items():
        np.testing.assert_array_equal(values, second.arrays()[name])


class Diary:
    """A policy that plays a given list of arms and writes down what the loop asks of it."""

    def __init__(self, actions):
        self.actions = np.asarray(actions)
        self.calls = []

    def choose(self, contexts, t, draws):
        self.calls.append(("choose", *t))
        assert len(contexts) == len(t) == len(draws.eta) == len(draws.rho) == len(draws.tie)
        n = len(t)
        return Choice(self.actions[t - 1], np.full(n, 0.5), np.zeros(n, bool))

    def record(self, contexts, choice, rewards):
        assert rewards.dtype == contexts.dtype == np.float32
        self.calls.append(("record", *(float(r) for r in rewards)))

    def train(self):
        self.calls.append(("train",))


def by_hand() -> Rounds:
    """Three steps and two arms, σ = 2."""
    return Rounds(
        means=np.array([[1.0, 4.0], [3.0, 2.0], [0.5, 0.5]]),
        noise=np.array([[0.5, -1.0], [1.0, 0.25], [-2.0, 3.0]]),
        sigma=2.0,
        draws=Draws(np.full(3, 0.5), np.zeros(3, np.int64), np.zeros(3)),
        context_size=1,
        gather=lambda block: np.array([[0.1], [0.2], [0.3]], dtype=np.float32)[block],
    )


# ── Arithmetic ──────────────────────────────────────────────────────────────────────────────────


def test_three_steps_by_hand():
    # D = (0, 1, 1): rewards 1 + 2·0.5, 2 + 2·0.25 and 0.5 + 2·3; best means 4, 3, 0.5.
    run = simulate(Diary([0, 1, 1]), by_hand(), train_every=2)
    np.testing.assert_array_equal(run.actions, [0, 1, 1])
    np.testing.assert_array_equal(run.rewards, np.float32([2.0, 2.5, 6.5]))
    np.testing.assert_array_equal(run.means, [1.0, 2.0, 0.5])
    np.testing.assert_array_equal(run.best_means, [4.0, 3.0, 0.5])
    np.testing.assert_array_equal(run.t, [1, 2, 3])
    np.testing.assert_allclose(run.normalized_reward, [2.0, 4.5 / 2, 11 / 3], rtol=1e-15)
    np.testing.assert_array_equal(run.regret, [3.0, 1.0, 0.0])
    np.testing.assert_allclose(run.normalized_regret, [3.0, 4 / 2, 4 / 3], rtol=1e-15)
    np.testing.assert_array_equal(run.propensities, np.float32([0.5] * 3))
    assert len(run) == 3
    same(run[1:], Trajectory(*(values[1:] for values in run.arrays().values())))
    kinds = {name: values.dtype for name, values in run.arrays().items()}
    assert kinds == {
        "actions": np.int64,
        "rewards": np.float32,
        "means": np.float64,
        "best_means": np.float64,
        "explored": np.bool_,
        "propensities": np.float32,
    }


@pytest.mark.parametrize("sigma", [0, 1, 10, 1e6])
def test_optimal_has_regret_exactly_zero_whatever_the_noise(sigma):
    bandit = MnistBandit(mnist.load("sample"), noise=sigma)
    rounds = bandit.rounds(seed=5, run=0, steps=300)
    run = simulate(Optimal(rounds.means), rounds)
    np.testing.assert_array_equal(run.regret, np.zeros(300))
    np.testing.assert_array_equal(run.normalized_regret, np.zeros(300))
    assert not run.explored.any()
    # The lowest-numbered arm among the best.
    for t in range(300):
        row = list(rounds.means[t])
        assert run.actions[t] == row.index(max(row))


def test_regret_does_not_see_the_noise():
    runs = [
        simulate(Random(3), SyntheticBandit(arms=3, noise=noise).rounds(1, 0, 50))
        for noise in (0, 7)
    ]
    np.testing.assert_array_equal(runs[0].regret, runs[1].regret)
    assert np.all(runs[0].rewards != runs[1].rewards)
    assert np.all(runs[0].regret >= 0)


# ── When it trains ──────────────────────────────────────────────────────────────────────────────


def test_the_order_of_events():
    diary = Diary([0, 1, 1])
    simulate(diary, by_hand(), train_every=2)
    assert diary.calls == [
        ("choose", 1, 2),
        ("record", 2.0, 2.5),
        ("train",),
        ("choose", 3),  # the last, partial block is recorded and not trained on
        ("record", 6.5),
    ]


@given(steps=st.integers(1, 90), train_every=st.integers(1, 100), start=st.integers(0, 3))
def test_blocks_cover_every_step_once_and_end_at_stages(steps, train_every, start):
    begin = start * train_every
    cut = list(blocks(steps, train_every, begin))
    covered = [t for block in cut for t in range(block.start, block.stop)]
    assert covered == list(range(begin, steps))
    assert all(block.stop % train_every == 0 for block in cut[:-1])
    assert all(block.start % train_every == 0 for block in cut)


@pytest.mark.parametrize(("steps", "train_every", "stages"), [(60, 20, 3), (59, 20, 2), (3, 1, 3)])
def test_stages_fall_where_train_every_divides_t(steps, train_every, stages):
    seen = []
    simulate(
        Diary([0] * steps),
        SyntheticBandit(arms=2).rounds(0, 0, steps),
        train_every=train_every,
        after_stage=lambda past: seen.append(len(past)),
    )
    assert seen == [train_every * (i + 1) for i in range(stages)]


@pytest.mark.parametrize("steps", [1, 2])
def test_runs_of_one_and_two_steps_and_stages_beyond_the_end(steps):
    rounds = SyntheticBandit(arms=3, size=2, noise=1).rounds(3, 0, steps)
    for train_every in (1, 2, 20, 1000):
        for policy in (Linear(2, 3), LinUCB(2, 3), Random(3), Optimal(rounds.means)):
            run = simulate(policy, rounds, train_every=train_every)
            assert len(run) == steps
    untrained = simulate(Linear(2, 3), rounds, train_every=3)
    np.testing.assert_array_equal(untrained.actions, np.zeros(steps))


@pytest.mark.parametrize("arms", [1, 2, 50])
@pytest.mark.parametrize("size", [1, 7])
def test_any_number_of_arms_and_any_state_size(arms, size):
    rounds = SyntheticBandit(arms=arms, size=size, noise=1).rounds(0, 0, 45)
    greedy = EpsilonGreedy(PowerSchedule(0.5), LeastSquares(size, arms), arms)
    for policy in (greedy, LinUCB(size, arms), Random(arms)):
        run = simulate(policy, rounds)
        assert run.actions.min() >= 0
        assert run.actions.max() < arms
        assert np.all((run.propensities > 0) & (run.propensities <= 1))


@settings(max_examples=25)
@given(
    steps=st.integers(1, 40),
    train_every=st.integers(1, 15),
    stages=st.integers(0, 3),
    seed=st.integers(0, 2**32),
)
def test_a_resumed_run_is_the_undisturbed_one(steps, train_every, stages, seed):
    rounds = SyntheticBandit(arms=3, size=2, noise=1).rounds(seed, 0, steps)

    def fresh():
        return EpsilonGreedy(PowerSchedule(0.5), LeastSquares(2, 3), 3, ties="random")

    whole = simulate(fresh(), rounds, train_every=train_every)
    done = min(stages * train_every, steps // train_every * train_every)
    policy = fresh()
    restore(policy, rounds, whole[:done], train_every, None)
    same(whole, simulate(policy, rounds, train_every=train_every, resume=whole[:done]))


# ── What it refuses ─────────────────────────────────────────────────────────────────────────────


def spoilt(**changes):
    return replace(SyntheticBandit(arms=2, size=2, noise=1).rounds(0, 0, 50), **changes)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("train_every", [1, 20])
def test_a_context_that_is_not_finite_is_refused_by_name_and_time(value, train_every):
    contexts = np.zeros((50, 2), np.float32)
    contexts[33, 1] = value
    rounds = spoilt(gather=lambda block: contexts[block])
    with pytest.raises(ValueError, match=f"the context at t = 34 is {value}; every context must"):
        simulate(Random(2), rounds, train_every=train_every)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_reward_that_is_not_finite_is_refused_by_name_and_time(value):
    noise = np.zeros((50, 2))
    noise[7] = value
    with pytest.raises(ValueError, match=f"the reward at t = 8 is {value}; every reward must"):
        simulate(Linear(2, 2), spoilt(noise=noise))
    # The reward of an arm that was not chosen is never looked at.
    noise = np.zeros((50, 2))
    noise[:, 1] = value
    assert np.isfinite(simulate(Diary([0] * 50), spoilt(noise=noise)).rewards).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_mean_that_is_not_finite_is_refused_by_name_and_time(value):
    means = np.zeros((50, 2))
    means[20, 1] = value
    rounds = spoilt(means=means)
    for policy in (Diary([0] * 50), Optimal(means)):  # not chosen, it would spoil the best mean
        with pytest.raises(ValueError, match=f"the mean reward at t = 21 is {value}; every mean"):
            simulate(policy, rounds)


def test_a_reward_too_large_for_float32_is_refused_as_infinite():
    with pytest.raises(ValueError, match="the context at t = 1 is inf"):
        simulate(Random(2), spoilt(gather=lambda block: np.full((50, 2), 1e300)[block]))


def test_float64_contexts_of_a_users_own_environment_are_taken_as_float32():
    rounds = SyntheticBandit(arms=2, size=2, noise=1).rounds(0, 0, 50)
    double = replace(rounds, gather=lambda block: rounds.gather(block).astype(np.float64))
    same(simulate(LinUCB(2, 2), rounds), simulate(LinUCB(2, 2), double))


@pytest.mark.parametrize(
    ("gather", "message"),
    [
        (lambda b: np.zeros((50, 1), np.float32)[b], r"shape \(20, 1\); it must be \(20, 2\)"),
        (lambda b: np.zeros((50,), np.float32)[b], r"shape \(20,\); it must be \(20, 2\)"),
        (lambda b: np.zeros((50, 2), np.float32), r"shape \(50, 2\); it must be \(20, 2\)"),
    ],
)
def test_contexts_of_another_shape_are_refused(gather, message):
    with pytest.raises(ValueError, match=f"the contexts from t = 1 on have {message}"):
        simulate(Random(2), spoilt(gather=gather))


def test_rewards_as_a_column_are_refused():
    class Column(Rounds):
        def rewards(self, block, actions):
            return super().rewards(block, actions)[:, None]

    rounds = by_hand()
    column = Column(**{f.name: getattr(rounds, f.name) for f in fields(rounds)})
    with pytest.raises(ValueError, match=r"the rewards from t = 1 on have shape \(1, 1\)"):
        simulate(Diary([0, 1, 1]), column, train_every=1)


@pytest.mark.parametrize("action", [-1, 2])
def test_an_action_that_is_no_arm_is_refused(action):
    with pytest.raises(ValueError, match=f"the action at t = 3 is {action}; it must be 0 to 1"):
        simulate(Diary([0, 1, action]), by_hand())


def test_actions_of_another_kind_are_refused():
    with pytest.raises(ValueError, match=r"must be \(3,\) whole numbers, not \(3,\) of float64"):
        simulate(Diary([0.0, 1.0, 1.0]), by_hand())
    with pytest.raises(ValueError, match=r"must be \(3,\) whole numbers, not \(3, 1\) of int64"):
        simulate(Diary([[0], [1], [1]]), by_hand())


@pytest.mark.parametrize("train_every", [0, -20, 2.5, None])
def test_a_stage_before_any_step_is_refused(train_every):
    with pytest.raises(ValueError, match=f"train_every must be a whole .* not {train_every}"):
        simulate(Random(2), by_hand(), train_every=train_every)


class Choosing:
    """A user's own policy, which chooses what it was told to, right or wrong."""

    def __init__(self, **wrong):
        self.wrong = wrong

    def choose(self, contexts, t, draws):
        n = len(t)
        right = Choice(np.zeros(n, np.int64), np.full(n, 0.5), np.zeros(n, np.bool_))
        return replace(right, **self.wrong) if "nothing" not in self.wrong else None

    def record(self, contexts, choice, rewards):
        pass

    def train(self):
        pass


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"nothing": 0}, "a policy must return a Choice, and at t = 1 returned None"),
        ({"propensities": np.full(5, np.nan)}, "the propensity at t = 1 is nan"),
        ({"propensities": np.array([1, 0.5, 0, 1, 1])}, r"at t = 3 is 0.0; it must be in \(0, 1\]"),
        ({"propensities": np.full(5, np.inf)}, "the propensity at t = 1 is inf"),
        ({"propensities": np.full(5, 1.5)}, r"at t = 1 is 1.5; it must be in \(0, 1\]"),
        ({"propensities": np.ones((5, 1))}, r"have shape \(5, 1\)"),
        ({"explored": np.full(5, 0.3)}, r"^explored from t = 1 on must be \(5,\) of bool, not"),
        ({"explored": np.zeros(1, np.bool_)}, r"must be \(5,\) of bool, not \(1,\) of bool"),
        ({"actions": [0.0] * 5}, r"^the actions from t = 1 on must be \(5,\) whole numbers, not"),
    ],
)
def test_what_a_users_policy_chooses_is_looked_at(wrong, message):
    rounds = SyntheticBandit().rounds(1, 0, 10)
    with pytest.raises(ValueError, match=message):
        simulate(Choosing(**wrong), rounds, train_every=5)
    assert simulate(Choosing(), rounds, train_every=5).propensities.tolist() == [0.5] * 10
    unknown = simulate(Choosing(propensities=None), rounds, train_every=5)
    assert np.isnan(unknown.propensities).all()


def test_what_a_policy_raises_tells_the_steps():
    class Failing(Choosing):
        def train(self):
            raise LookupError

    with pytest.raises(LookupError) as caught:
        simulate(Failing(), SyntheticBandit().rounds(1, 0, 10), train_every=5)
    assert caught.value.__notes__ == ["at the steps t = 1 to 5"]


@pytest.mark.parametrize("done", [1, 19, 30, 41, 60])
def test_steps_that_end_between_stages_or_are_too_many_are_refused(done):
    """From 30 steps on every later stage would fall between two steps of the loop."""
    rounds = SyntheticBandit().rounds(1, 0, 60)
    past = simulate(Random(3), rounds)[:done]
    with pytest.raises(ValueError, match=f"a multiple of 20 up to 40, not from {done} steps"):
        simulate(Random(3), SyntheticBandit().rounds(1, 0, 40), resume=past)


def test_a_finished_run_is_given_back_wherever_it_ended():
    rounds = SyntheticBandit().rounds(1, 0, 30)
    past = simulate(Random(3), rounds)
    same(simulate(Random(3), rounds, resume=past), past)


def test_what_a_policy_writes_on_its_contexts_no_other_policy_sees():
    rounds = SyntheticBandit(size=2).rounds(1, 0, 20)
    before = rounds.contexts(slice(0, 20)).copy()
    rounds.contexts(slice(0, 20))[:] = 7.0
    np.testing.assert_array_equal(rounds.contexts(slice(0, 20)), before)


def test_a_policy_is_given_contexts_in_the_order_that_torch_takes():
    class Looking(Choosing):
        def choose(self, contexts, t, draws):
            assert contexts.flags.c_contiguous
            return super().choose(contexts, t, draws)

    rounds = SyntheticBandit(size=3).rounds(1, 0, 20)
    for odd in (lambda x: x[:, ::-1], np.asfortranarray, lambda x: x.astype(">f8")):
        spoilt_order = replace(rounds, gather=lambda block, odd=odd: odd(rounds.gather(block)))
        assert len(simulate(Looking(), spoilt_order)) == 20


def test_contexts_of_any_layout_are_learned_from():
    rounds = SyntheticBandit(arms=2, size=3).rounds(1, 0, 60)
    mirrored = replace(rounds, gather=lambda block: rounds.gather(block)[:, ::-1])
    straight = replace(
        rounds, gather=lambda block: np.ascontiguousarray(rounds.gather(block)[:, ::-1])
    )
    same(*(simulate(LinUCB(3, 2), r) for r in (mirrored, straight)))


# ── Predictions ─────────────────────────────────────────────────────────────────────────────────


def test_predictions_of_the_arms_taken_are_kept_where_asked_for():
    bandit = SyntheticBandit(arms=3, size=2, noise=0.5)
    rounds = bandit.rounds(seed=4, run=0, steps=70)
    runs = []
    for keep in (False, True):
        policy = EpsilonGreedy(PowerSchedule(0.5), LeastSquares(2, 3), 3)
        runs.append(simulate(policy, rounds, train_every=10, keep_predictions=keep))
    without, kept = runs
    assert without.predictions is None
    same(without, replace(kept, predictions=None))
    # By hand: least squares on the steps before the block, for the arm taken.
    x = rounds.contexts(slice(None)).astype(float)
    for t in range(70):
        before = np.flatnonzero(kept.actions[: t - t % 10] == kept.actions[t])
        fitted = np.linalg.lstsq(x[before], kept.rewards[before].astype(float), rcond=None)[0]
        assert kept.predictions[t] == pytest.approx(x[t] @ fitted, rel=1e-5, abs=1e-6)
    resumed = EpsilonGreedy(PowerSchedule(0.5), LeastSquares(2, 3), 3)
    restore(resumed, rounds, kept[:40], 10, None)
    again = simulate(resumed, rounds, train_every=10, keep_predictions=True, resume=kept[:40])
    same(again, kept)


def test_a_policy_that_predicts_nothing_has_no_predictions_to_keep():
    run = simulate(Diary([0, 1, 1]), by_hand(), train_every=2, keep_predictions=True)
    np.testing.assert_array_equal(run.predictions, np.float32([np.nan] * 3))
