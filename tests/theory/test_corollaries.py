"""Best exponents against plain minimisation, and starvation against an exact bandit."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bandits.theory import best_exponent, exponent_for_risk, two_armed_floor

MNIST = {"arms": 5, "delta": 1.0, "alpha": 3.29175, "mean_gap": 3.29175, "C": 1.0}


@pytest.mark.parametrize("t, constant, greedy_factor, quoted", [
    (10**6, "printed", False, 0.149627), (10**12, "printed", False, 0.232028),
    (10**6, "printed", True, 0.139806), (10**12, "printed", True, 0.231978),
    (10**6, "corrected", False, 0.222088), (10**12, "corrected", False, 0.266745),
])  # fmt: skip
def test_quoted_minimisers(t, constant, greedy_factor, quoted):
    found = best_exponent(t, constant=constant, greedy_factor=greedy_factor, **MNIST)
    assert found == pytest.approx(quoted, abs=6e-7)


@settings(deadline=None, max_examples=40)
@given(log_t=st.floats(5, 60), arms=st.integers(1, 6), delta=st.floats(0.1, 2),
       alpha=st.floats(0, 5), mean_gap=st.floats(0, 5), C=st.floats(0.01, 20),
       constant=st.sampled_from(["corrected", "printed"]), factor=st.booleans())  # fmt: skip
def test_no_other_exponent_does_better(log_t, arms, delta, alpha, mean_gap, C, constant, factor):
    t = int(math.exp(log_t))

    def bound(p):
        length = (t ** (1 - p) - 1) / (1 - p) if p < 1 else math.log(t)
        if length < 2 * arms * math.e * (1 - 1e-9):
            return math.inf
        n = length / (2 * arms)
        greedy = 2 * arms * C / delta * math.sqrt(math.log(n) / n)
        greedy *= 4 if constant == "printed" else 1
        explore = (alpha if constant == "printed" else mean_gap) * t**-p
        return explore + (1 - t**-p if factor else 1) * greedy

    try:
        found = best_exponent(t, arms=arms, delta=delta, alpha=alpha, mean_gap=mean_gap, C=C,
                              constant=constant, greedy_factor=factor)  # fmt: skip
    except ValueError as error:
        assert "falls all the way to p → 0" in str(error)  # noqa: PT017
        limit = bound(1e-12)
        assert all(limit <= bound(p) * (1 + 1e-7) for p in np.linspace(1e-6, 1, 700))
        return
    assert 0 < found <= 1
    least = bound(found)
    assert least < math.inf
    assert all(least <= bound(p) * (1 + 1e-7) for p in np.linspace(1e-6, 1, 700))


def test_until_when_exploring_always_is_best():
    """t = 320 in the paper's task: by hand, the bound at p = 1e-9 against a fine grid of p."""

    def bound(p, t):
        length = (t ** (1 - p) - 1) / (1 - p)
        n = length / 10
        return 3.29175 * t**-p + (1 - t**-p) * 10 * math.sqrt(math.log(n) / n)

    for t, always in ((100, True), (320, True), (321, False), (400, False)):
        allowed = [p for p in np.geomspace(1e-6, 0.5, 4000) if t ** (1 - p) - 1 >= 27.2 * (1 - p)]
        assert (bound(1e-9, t) < min(bound(p, t) for p in allowed)) == always
        if always:
            with pytest.raises(ValueError, match=f"no p is best at t = {t} for these constants"):
                best_exponent(t, **MNIST)
        else:
            assert 0 < best_exponent(t, **MNIST) < 0.05


@pytest.mark.parametrize("scale", [1e-300, 1e-20, 1.0, 1e20, 1e290])
def test_only_the_ratio_of_the_terms_counts(scale):
    """And nothing overflows on the way: warnings are errors here."""
    usual = best_exponent(10**9, **MNIST)
    scaled = {**MNIST, "C": scale, "mean_gap": 3.29175 * scale}
    assert best_exponent(10**9, **scaled) == pytest.approx(usual, rel=1e-9)
    with pytest.raises(ValueError, match="no p is best"):
        best_exponent(10**9, **{**MNIST, "C": 1e300, "delta": 1e-300})
    assert best_exponent(10**40, **{**MNIST, "C": 1e-300, "delta": 1e300}) == 1.0


def test_the_best_exponent_creeps_towards_one_third():
    found = [best_exponent(10**k, **MNIST) for k in (4, 8, 16, 32, 64, 128, 300)]
    assert found == sorted(found)
    assert found[0] < 0.2
    assert 0.32 < found[-1] < 1 / 3


def test_exponent_for_other_risks():
    assert exponent_for_risk(0.5) == pytest.approx(1 / 3)
    assert exponent_for_risk(1) == 0.5
    assert exponent_for_risk(1, gap=False) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="a must be a finite number > 0"):
        exponent_for_risk(0)


def expected_regret_by_enumeration(t, p):
    """E regret at step t of the two-armed example, over every path of branches and rewards."""
    states = {(0, 0, 0): 1.0}  # (pulls of arm 1, pulls of arm 2, successes of arm 2)
    for step in itertools.count(1):
        eps = step**-p
        regret, following = 0.0, {}
        for (n1, n2, wins), weight in states.items():
            mean1 = 0.5 if n1 else 0.0
            mean2 = wins / n2 if n2 else 0.0
            second = eps / 2 + (1 - eps) * (mean2 > mean1)
            regret += weight * 0.4 * (1 - second)
            for state, chance in (
                ((n1 + 1, n2, wins), 1 - second),
                ((n1, n2 + 1, wins + 1), second * 0.9),
                ((n1, n2 + 1, wins), second * 0.1),
            ):
                following[state] = following.get(state, 0.0) + weight * chance
        if step == t:
            return regret
        states = following


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
def test_the_floor_lies_below_the_exact_expected_regret(p):
    for t in (1, 2, 3, 10, 40):
        exact = expected_regret_by_enumeration(t, p)
        assert two_armed_floor(t, p=p) <= exact + 1e-12
    assert two_armed_floor(40, p=p) > exact / 3  # a floor worth having


def test_the_floor_s_limit():
    assert two_armed_floor(math.inf, p=2) == pytest.approx(0.14328, abs=5e-6)
    assert two_armed_floor(10**9, p=1) < 1e-3
    for t in (5000, 10**4000, math.inf):
        assert two_armed_floor(t, p=1e110) == pytest.approx(0.4 / 2, rel=1e-15)
    assert two_armed_floor(10**4000, p=0.5) == 0


@pytest.mark.parametrize("change, words", [
    ({"t": 0}, "t must be a whole number"), ({"arms": 0}, "arms must be"),
    ({"delta": 0}, "delta must be"), ({"C": -1}, "C must be"), ({"alpha": -1}, "alpha must be"),
    ({"mean_gap": -1}, "mean_gap must be"), ({"constant": "other"}, "constant must be one of"),
    ({"arms": 10**400}, r"arms must be .*, not 10\^400"),
    ({"t": 10**400}, r"t must be at most 10\^308, not 10\^400"),
    ({"t": 10**5000}, r"t must be at most 10\^308, not 10\^5000"),
    ({"t": np.arange(3)}, r"t must be a whole number .*, not an array of shape \(3,\)"),
    ({"C": np.ones(2)}, r"C must be .*, not an array of shape \(2,\)"),
    ({"constant": np.ones(2)}, r"constant must be one of .*, not an array of shape \(2,\)"),
    ({"t": 28}, r"t must exceed t_0 = 1 \+ 2K·e = 28\.1828 for some p, not 28"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(change, words):
    with pytest.raises(ValueError, match=words):
        best_exponent(**{"t": 10**6, **MNIST, **change})
