"""The theorems' bounds against formulas written out by hand, and against an exact bandit."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bandits.theory import theorem_bounds
from bandits.theory.theorems import start_of_validity

MNIST = {"arms": 5, "delta": 1.0, "alpha": 3.29175, "mean_gap": 3.29175, "C": 1.0}


def by_hand(t, arms, p, delta, alpha, mean_gap, C, version):
    q, eps = 1 - p, t**-p
    if version == "printed" and p == 1:
        inside = (math.log(math.log(t)) - math.log(2 * arms)) / math.log(t)
        second = arms**1.5 * 8 * math.sqrt(2) * C / delta * math.sqrt(inside)
    elif version == "printed":
        inside = (math.log(t**q) - math.log(2 * q * arms)) / t**q
        second = arms**1.5 * 8 * math.sqrt(2 * q) * C / delta * math.sqrt(inside)
    if version == "printed":
        return delta * eps / arms, alpha * eps + second
    length = math.log(t) if p == 1 else (t**q - 1) / q
    n = length / (2 * arms)
    greedy = 2 * arms / delta * C * math.sqrt(math.log(n) / n)
    return mean_gap * eps, mean_gap * eps + (1 - eps) * greedy


@settings(deadline=None)
@given(t=st.integers(10**3, 10**9), p=st.floats(0.1, 0.7), arms=st.integers(1, 4),
       delta=st.floats(0.1, 2), alpha=st.floats(0, 5), mean_gap=st.floats(0, 5),
       C=st.floats(0.1, 9), version=st.sampled_from(["printed", "corrected"]))  # fmt: skip
def test_bounds_by_hand(t, p, arms, delta, alpha, mean_gap, C, version):
    start = start_of_validity(arms=arms, p=p, version=version)
    settings_ = {"arms": arms, "p": p, "delta": delta, "alpha": alpha,
                 "mean_gap": mean_gap, "C": C, "version": version}  # fmt: skip
    if t < start:
        with pytest.raises(ValueError, match="t must be at least t_0"):
            theorem_bounds(t, **settings_)
        return
    found = theorem_bounds(t, **settings_)
    lower, upper = by_hand(t, **settings_)
    assert (found.lower, found.upper) == (pytest.approx(lower), pytest.approx(upper))
    assert found.t_0 == pytest.approx(start)


def test_theorem_two_at_its_own_start():
    t = math.ceil(start_of_validity(version="printed", arms=5, p=1))
    assert t == pytest.approx(6.3878e11, rel=1e-4)
    printed = theorem_bounds(t, p=1, version="printed", **MNIST)
    assert printed.upper == pytest.approx(by_hand(t, 5, 1, 1, 3.29175, 3.29175, 1, "printed")[1])
    assert printed.upper == pytest.approx(24.26, abs=5e-3)
    assert printed.lower == pytest.approx(1 / (5 * t))
    assert printed.probability == pytest.approx(1 - 5 * math.exp(-3 * math.e / 14))


@pytest.mark.parametrize("p, n_min, version, quoted, digits", [
    (1, 2, "printed", 6.3878e11, 1e-4), (1, 10, "printed", 2.688e43, 1e-3),
    (1 / 3, 1, "printed", 77.14, 1e-4), (1 / 3, 1, "corrected", 83.617, 1e-5),
])  # fmt: skip
def test_quoted_starts(p, n_min, version, quoted, digits):
    start = start_of_validity(arms=5, p=p, n_min=n_min, version=version)
    assert start == pytest.approx(quoted, rel=digits)
    assert start_of_validity(arms=5, p=0.99, version="printed") < 1
    assert start_of_validity(arms=5, p=1, n_min=100, version="printed") == math.inf


@pytest.mark.parametrize("change, words", [
    ({"arms": -3}, "arms must be a whole number >= 1, not -3"),
    ({"arms": 2.5}, "arms must be"), ({"arms": 10**400}, r"arms must be .*, not 10\^400"),
    ({"p": 0}, "0 < p <= 1"), ({"p": 1.2}, "0 < p <= 1"), ({"n_min": 0}, "n_min must be"),
    ({"n_min": 1.5}, "n_min must be"), ({"n_min": 10**400}, r"n_min must be .*, not 10\^400"),
    ({"version": "exact"}, "version must be one of"),
])  # fmt: skip
def test_starts_refuse_bad_input_by_name(change, words):
    with pytest.raises(ValueError, match=words):
        start_of_validity(**{"arms": 5, "p": 0.5, "version": "corrected", **change})


def test_the_corrected_bound_holds_for_an_exactly_known_bandit():
    """Two arms with constant means 0.5 (fixed) and Bernoulli(0.9), sample means: a risk of
    0.09/n <= C·sqrt(ln n/n) for n >= 2 with C = 0.0765. Given n_2 random pulls of arm 2 the
    greedy step errs when their mean is at most 0.5, exactly a binomial probability."""
    from scipy.stats import binom

    for t in (10**3, 10**5, 10**7):
        found = theorem_bounds(t, arms=2, p=1 / 3, delta=0.4, alpha=0.4, mean_gap=0.2,
                               C=0.0765, n_min=2)  # fmt: skip
        length = 1.5 * (t ** (2 / 3) - 1)
        fewest = math.ceil(length / 4)
        assert 0.09 / fewest <= 0.0765 * math.sqrt(math.log(fewest) / fewest)
        eps = t ** (-1 / 3)
        worst = max(
            0.4 * binom.cdf(n // 2, n, 0.9) for n in (fewest, fewest + 1, 2 * fewest, 5 * fewest)
        )
        regret = 0.2 * eps + (1 - eps) * worst
        assert found.lower <= regret <= found.upper


@settings(deadline=None)
@given(st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_greedy_regret_is_at_most_two_over_delta_times_the_squared_errors(arms, seed):
    rng = np.random.default_rng(seed)
    means = rng.integers(0, 4, size=(300, arms)).astype(float)  # gap 1, many ties
    guesses = means + rng.normal(size=means.shape) * rng.uniform(0.1, 2)
    guesses[:50] = np.round(guesses[:50])  # ties among the predictions too
    chosen = guesses.argmax(axis=1)
    lost = means.max(axis=1) - means[np.arange(300), chosen]
    assert (lost <= 2 * ((guesses - means) ** 2).sum(axis=1) + 1e-12).all()


@pytest.mark.parametrize("change, words", [
    ({"t": 0}, "t must be a whole number"), ({"t": 10.5}, "t must be a whole number"),
    ({"arms": 0}, "arms must be"), ({"p": 0}, "0 < p <= 1"), ({"p": 1.2}, "0 < p <= 1"),
    ({"delta": 0}, "delta must be a finite number > 0, not 0"),
    ({"delta": -1.0}, "delta must be"), ({"C": 0}, "C must be"), ({"alpha": -1}, "alpha must be"),
    ({"mean_gap": math.nan}, "mean_gap must be"), ({"n_min": 0}, "n_min must be"),
    ({"version": "exact"}, "version must be one of"),
    ({"t": 83}, r"t must be at least t_0 = 83\.6172, where the corrected bound starts"),
    ({"t": 77, "version": "printed"}, r"t must be at least t_0 = 77\.1445, where the printed"),
    ({"t": 10**400, "p": 0.1}, r"t must be at most about 10\^342\.\d for p=0\.1, .* is 10\^400"),
    ({"t": 10**5000, "p": 1, "n_min": 10**6}, r"t must be at least t_0 = inf.* it is 10\^5000"),
    ({"t": 10**11, "p": 1}, r"t_0 = 6\.38775e\+11"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(change, words):
    with pytest.raises(ValueError, match=words):
        theorem_bounds(**{"t": 10**6, "p": 1 / 3, **MNIST, **change})


def test_after_2000_steps_the_corrected_bound_is_worse_than_a_uniform_choice():
    """At p = 1/3 with C = δ = 1; a uniform choice loses 3.29."""
    n = 1.5 * (2000 ** (2 / 3) - 1) / 10  # L_p(t)/(2K)
    direct = 3.29175 / 2000 ** (1 / 3) + (1 - 2000 ** (-1 / 3)) * 10 * math.sqrt(math.log(n) / n)
    found = theorem_bounds(2000, p=1 / 3, version="corrected", **MNIST)
    assert found.upper == pytest.approx(direct, rel=1e-12)
    assert direct == pytest.approx(3.63, abs=5e-3)
