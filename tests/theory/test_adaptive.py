"""The adaptive theorem against the exact expectation over everything random in a tiny bandit."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bandits.theory import adaptive_bound, adaptive_exponents, table_error_bound

MEANS = np.array([[0.2, 0.7], [0.9, 0.4]])  # (S, K); the gap is 0.5 in both states
SHARES = np.array([0.3, 0.7])
DELTA, MEAN_GAP = 0.5, 0.25


class Warm:
    """One weight per arm shared by both states, and one per cell, moved a step at a time."""

    def __init__(self):
        self.shared, self.cell = np.zeros(2), np.full((2, 2), 0.3)

    def predict(self, state):
        return self.shared + self.cell[state]

    def learn(self, state, arm, reward):
        error = reward - self.shared[arm] - self.cell[state, arm]
        self.shared[arm] += 0.3 * error
        self.cell[state, arm] += 0.5 * error


class Means:
    """The mean of the cell's rewards, 0 for an empty cell."""

    def __init__(self):
        self.count, self.total = np.zeros((2, 2)), np.zeros((2, 2))

    def predict(self, state):
        return self.total[state] / np.maximum(self.count[state], 1)

    def learn(self, state, arm, reward):
        self.count[state, arm] += 1
        self.total[state, arm] += reward


class Contrary:
    """Predicts the worst for whatever paid last, a function of the whole past without any sense."""

    def __init__(self):
        self.past = []

    def predict(self, state):
        wins = [sum(r for s, a, r in self.past if a == arm) for arm in range(2)]
        return np.array([1.0 - wins[0] + 0.1 * state, 0.6 - wins[1] * 0.5])

    def learn(self, state, arm, reward):
        self.past.append((state, arm, reward))


def everything_that_can_happen(make, epsilon, *, noisy):
    """(weight, regrets, squared errors of the arm taken, propensities, Σ_j e_j²) of each path."""
    rewards = (0, 1) if noisy else (None,)
    branches = list(itertools.product(range(2), ("greedy", 0, 1), rewards))
    for path in itertools.product(branches, repeat=len(epsilon)):
        learner, weight, kept = make(), 1.0, []
        for eps, (state, branch, coin) in zip(epsilon, path, strict=True):
            guess = learner.predict(state)
            greedy = int(np.argmax(guess))
            arm = greedy if branch == "greedy" else branch
            weight *= SHARES[state] * (1 - eps if branch == "greedy" else eps / 2)
            mean = MEANS[state, arm]
            reward = mean if coin is None else float(coin)
            if coin is not None:
                weight *= mean if coin else 1 - mean
            if weight == 0:
                break
            squares = (guess - MEANS[state]) ** 2
            kept.append((MEANS[state].max() - mean, squares[arm],
                         eps / 2 + (1 - eps) * (arm == greedy), squares.sum()))  # fmt: skip
            learner.learn(state, arm, reward)
        if weight > 0:
            yield weight, *np.array(kept).T


@pytest.mark.parametrize("make", [Warm, Means, Contrary])
@pytest.mark.parametrize("noisy, epsilon", [
    (True, [1.0, 0.6, 0.35]), (False, [1.0, 0.5, 1 / 3, 1 / 4]),
])  # fmt: skip
def test_the_theorem_holds_in_exact_expectation(make, noisy, epsilon):
    total, regret, bounds, unbiased, squares = 0.0, 0.0, {}, 0.0, 0.0
    for weight, lost, errors, propensity, both in everything_that_can_happen(
        make, epsilon, noisy=noisy
    ):
        total += weight
        regret += weight * np.cumsum(lost)
        unbiased += weight * errors / propensity
        squares += weight * both
        for form in ("theorem", "step", "propensity"):
            bound = adaptive_bound(
                errors, epsilon, arms=2, delta=DELTA, mean_gap=MEAN_GAP, form=form,
                propensities=propensity if form == "propensity" else None)  # fmt: skip
            bounds[form] = bounds.get(form, 0.0) + weight * bound
    assert total == pytest.approx(1)
    assert unbiased == pytest.approx(squares)  # E e_I²/π(I) = E Σ_j e_j²
    assert (regret <= bounds["propensity"] + 1e-12).all()
    assert (bounds["propensity"] <= bounds["step"] + 1e-12).all()
    assert (bounds["step"] <= bounds["theorem"] + 1e-12).all()


@pytest.mark.slow
@pytest.mark.parametrize("make", [Warm, Means, Contrary])
def test_the_theorem_holds_in_exact_expectation_over_six_steps(make):
    epsilon = [t**-0.5 for t in range(1, 7)]
    regret = bound = 0.0
    for weight, lost, errors, _, _ in everything_that_can_happen(make, epsilon, noisy=False):
        regret += weight * np.cumsum(lost)
        bound += weight * adaptive_bound(errors, epsilon, arms=2, delta=DELTA, mean_gap=MEAN_GAP)
    assert (regret <= bound).all()


def test_the_propensity_form_is_attained():
    """Both arms predicted midway between their means, ties to the worse one: Δ = (2/δ)Σe²."""
    for eps in (1.0, 0.5, 0.1):
        regret = eps / 4 + (1 - eps) / 2  # means 1/2 and 1
        bound = 0.0
        for propensity in (eps / 2 + 1 - eps, eps / 2):
            bound += propensity * adaptive_bound(
                [1 / 16], [eps], arms=2, delta=0.5, mean_gap=0.25, form="propensity",
                propensities=[propensity])[0]  # fmt: skip
        assert regret == pytest.approx(bound)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_the_three_forms_by_hand(seed, n):
    rng = np.random.default_rng(seed)
    errors, eps = rng.random(n), np.sort(rng.uniform(0.01, 1, n))[::-1]
    pi = rng.uniform(eps / 3, 1)
    for form, weight in (("step", eps / 3), ("propensity", pi)):
        found = adaptive_bound(
            errors, eps, arms=3, delta=0.7, mean_gap=1.3, form=form,
            propensities=pi if form == "propensity" else None)  # fmt: skip
        by_hand = 0.0
        for t in range(n):
            by_hand += 1.3 * eps[t] + 2 / 0.7 * (1 - eps[t]) * errors[t] / weight[t]
            assert found[t] == pytest.approx(by_hand)
    found = adaptive_bound(errors, eps, arms=3, delta=0.7, mean_gap=1.3)
    for t in range(n):
        by_hand = 1.3 * eps[: t + 1].sum() + 6 / (0.7 * eps[t]) * errors[: t + 1].sum()
        assert found[t] == pytest.approx(by_hand)


def test_float32_propensities_of_a_run_are_taken():
    eps = np.full(5, 1 / 3)
    given_ = np.full(5, 1 / 9, dtype=np.float32)
    bound = adaptive_bound(np.ones(5), eps, arms=3, delta=1, mean_gap=0, form="propensity",
                           propensities=given_)  # fmt: skip
    assert bound[-1] == pytest.approx(2 * 5 * (2 / 3) * 9, rel=1e-6)


def test_table_errors_stay_below_their_bound_whatever_is_chosen():
    """Exact over rewards: the adversary picks cells to make the next error large."""
    sigma2 = MEANS * (1 - MEANS)
    for steps in (1, 2, 5, 40):
        # all visits to one cell: μ² + Σ_{m<T} σ²/m, the worst a single cell can do
        worst = max(
            MEANS[s, a] ** 2 + sigma2[s, a] * math.fsum(1 / m for m in range(1, steps))
            for s in range(2) for a in range(2))  # fmt: skip
        bound = table_error_bound(steps, MEANS, sigma=float(np.sqrt(sigma2.max())))
        assert worst <= bound
    total = 0.0
    for weight, _, errors, _, _ in everything_that_can_happen(Means, [1.0, 0.6, 0.35], noisy=True):
        total += weight * errors.sum()
    assert total <= table_error_bound(3, MEANS, sigma=0.5)
    assert table_error_bound(1, MEANS, sigma=0) == pytest.approx((MEANS**2).sum())
    assert table_error_bound(100, [[1, 2]], sigma=3) == pytest.approx(5 + 18 * (1 + math.log(100)))


def test_exponents():
    for a in (0.1, 0.5, 1.0):
        p, power = adaptive_exponents(a)
        assert (p, power) == (a / 2, 1 - a / 2)
        # T^(1-p) against T^p·T^(1-a), and without a gap T^((p+2-a)/2): both sides meet there
        assert power == pytest.approx(1 - p) == pytest.approx(p + 1 - a)
        p, power = adaptive_exponents(a, gap=False)
        assert power == pytest.approx(1 - p) == pytest.approx((p + 2 - a) / 2)


@pytest.mark.parametrize("change, words", [
    ({"squared_errors": [1.0, -1.0]}, r"squared_errors must hold .* number 2 is -1\.0"),
    ({"squared_errors": [1.0, math.nan]}, "number 2 is nan"),
    ({"squared_errors": [[1.0], [2.0]]}, r"squared_errors must be a list .* \(2, 1\)"),
    ({"epsilon": [1.0]}, "epsilon must hold as many numbers as squared_errors, 2, not 1"),
    ({"epsilon": [1.0, 0.0]}, "epsilon must hold numbers"),
    ({"epsilon": [0.5, 1.0]}, "epsilon must never rise for form 'theorem', and rises at t = 2"),
    ({"arms": 0}, "arms must be"), ({"delta": 0}, "delta must be"),
    ({"mean_gap": -1}, "mean_gap must be"), ({"form": "other"}, "form must be one of theorem"),
    ({"propensities": [1.0, 1.0]}, "propensities go with form 'propensity', and form is 'theorem'"),
    ({"form": "propensity"}, "propensities go with form 'propensity'"),
    ({"form": "propensity", "propensities": [1.0, 0.2]}, r"at least ε_t/K, 0\.25 at t = 2, not 0"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(change, words):
    usual = {"squared_errors": [1.0, 2.0], "epsilon": [1.0, 0.5], "arms": 2, "delta": 1.0,
             "mean_gap": 1.0}  # fmt: skip
    with pytest.raises(ValueError, match=words):
        adaptive_bound(**{**usual, **change})


def test_bad_input_elsewhere_is_refused_by_name():
    for call, words in (
        (lambda: adaptive_exponents(0), "a must be a finite number > 0"),
        (lambda: adaptive_exponents(2), "a must be at most 1, not 2"),
        (lambda: table_error_bound(0, MEANS, sigma=1), "steps must be"),
        (lambda: table_error_bound(5, [1.0], sigma=1), r"means must be \(S, K\) finite numbers"),
        (lambda: table_error_bound(5, [[math.nan]], sigma=1), r"means must be \(S, K\) finite"),
        (lambda: table_error_bound(5, MEANS, sigma=-1), "sigma must be"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
