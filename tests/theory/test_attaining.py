"""The attaining bandits against closed forms in high precision, and against every schedule."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bandits.theory import (
    attained_limit,
    attained_regret,
    bound_over_truth,
    least_total_law,
    least_total_regret,
    risk_constant,
    unseen_after,
    variant_regret,
)

RISKS = (0.06, 0.3, 0.5, 0.7, 0.94)


def unseen_by_zeta_functions(shares, risk):
    """Σ_k p_k Π_l (1 - x_l p_k) = Σ_m (-1)^m e_m(x) ζ(b(m+1))/ζ(b)^(m+1), a finite sum."""
    with mpmath.workdps(60):
        b = 1 / (1 - mpmath.mpf(risk))
        symmetric = [mpmath.mpf(1)]
        for share in shares:
            share = mpmath.mpf(share)
            symmetric = [
                (symmetric[m] if m < len(symmetric) else 0) + (symmetric[m - 1] * share if m else 0)
                for m in range(len(symmetric) + 1)
            ]
        return float(mpmath.fsum(
            (-1) ** m * e * mpmath.zeta(b * (m + 1)) / mpmath.zeta(b) ** (m + 1)
            for m, e in enumerate(symmetric)))  # fmt: skip


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("p", [0.2, 1 / 3, 0.5, 1.0, 2.0])
def test_the_regret_for_every_power_against_a_finite_sum(risk, p):
    for t in (1, 2, 7, 60):
        eps = [step**-p for step in range(1, t)]
        unseen = unseen_by_zeta_functions([e / 2 for e in eps], risk)
        truth = t**-p / 4 + (1 - t**-p) / 2 * unseen
        found = attained_regret(t, schedule=p, risk=risk)
        assert found.value == pytest.approx(truth, rel=2e-12, abs=0)
        assert abs(found.value - truth) <= found.error + 4e-16
        listed = attained_regret(t, schedule=[*eps, t**-p], risk=risk)
        assert listed.value == pytest.approx(truth, rel=2e-12, abs=0)
        variant = t**-p / 4 + (1 - t**-p) / 2 * unseen_by_zeta_functions(eps, risk)
        assert variant_regret(t, schedule=p, risk=risk).value == pytest.approx(variant, rel=2e-12)


@settings(deadline=None, max_examples=15)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0.06, 0.94))
def test_the_regret_for_any_schedule_against_a_finite_sum(epsilon, risk):
    unseen = unseen_by_zeta_functions([e / 2 for e in epsilon[:-1]], risk)
    truth = epsilon[-1] / 4 + (1 - epsilon[-1]) / 2 * unseen
    found = attained_regret(len(epsilon), schedule=epsilon, risk=risk)
    assert found.value == pytest.approx(truth, rel=1e-11, abs=0)
    assert abs(found.value - truth) <= found.error + 4e-16


@pytest.mark.parametrize("risk", RISKS)
def test_the_missing_mass_at_any_size_against_its_expansion(risk):
    """Σ p(1-p)^n = κn^-a (1 - a(a+1)/(2n) + O(n^-2)): all corrections to the integral of
    p·e^(-np) over k vanish faster than any power of n, as the integrand does at k = 0."""
    a = risk
    with mpmath.workdps(40):
        b = 1 / (1 - mpmath.mpf(a))
        kappa = float((1 - mpmath.mpf(a)) * mpmath.gamma(a) * mpmath.zeta(b) ** (mpmath.mpf(a) - 1))
    assert risk_constant(risk) == pytest.approx(kappa, rel=1e-13)
    for n in (10**10, 10**14, 10**20, 10**30):
        truth = kappa * float(n) ** -a * (1 - a * (a + 1) / (2 * n))
        if risk > 0.9:  # few states are in play, and the corrections not yet small: add them up
            with mpmath.workdps(40):
                p = [mpmath.mpf(k) ** -b / mpmath.zeta(b) for k in range(1, 1500)]
                truth = float(mpmath.fsum(x * (1 - x) ** n for x in p))
        found = unseen_after(n, risk=risk)
        assert found.value == pytest.approx(truth, rel=1e-10, abs=0)
        assert abs(found.value - truth) <= found.error + 1e-13 * truth


@pytest.mark.parametrize("n", [300, 10**4, 10**6, 3 * 10**8])
def test_the_missing_mass_against_adding_up_ten_million_states(n):
    k = np.arange(1, 10**7 + 1, dtype=float)
    p = 6 / np.pi**2 / k**2
    head = (p * np.exp(n * np.log1p(-p))).sum()
    tail = 6 / np.pi**2 / (1e7 + 0.5) * (1 - n * 6 / np.pi**2 / 1e14 / 3)  # (1-p)^n ≈ 1 - np there
    assert unseen_after(n).value == pytest.approx(head + tail, rel=3e-9)


def test_the_squared_risk_is_at_most_kappa_n_to_the_minus_a():
    assert risk_constant() == pytest.approx(math.sqrt(6 / math.pi) / 2, rel=1e-14)
    for risk in (0.1, 0.3, 0.5):
        constant = risk_constant(risk)
        for n in [*range(1, 400), 10**3, 10**5, 10**10, 10**20]:
            found = unseen_after(n, risk=risk)
            assert found.value <= constant * float(n) ** -risk * (1 + 1e-11)
    assert unseen_after(1).value == pytest.approx(1 - 36 / 90)  # 1 - ζ(4)/ζ(2)²
    # so not for every a: with few states in play the mass goes up and down about its limit
    assert unseen_after(1000, risk=0.9).value > 1.5 * risk_constant(0.9) * 1000**-0.9


def test_the_four_limits_of_the_paper_s_risk():
    kappa = math.sqrt(6 / math.pi) / 2
    for p, power, log_power, constant in (
        (0.2, 0.2, 0, 1 / 4),
        (1 / 3, 1 / 3, 0, 1 / 4 + kappa / math.sqrt(3)),
        (0.5, 0.25, 0, kappa * math.sqrt(0.25)),
        (0.8, 0.1, 0, kappa * math.sqrt(0.1)),
        (1.0, 0, 0.5, kappa / math.sqrt(2)),
    ):
        assert attained_limit(p) == pytest.approx((power, log_power, constant))
        far = [
            attained_regret(10**k, schedule=p).value
            * 10.0 ** (k * power)
            * math.log(10**k) ** log_power
            / constant
            for k in (10, 20, 30)
        ]
        assert abs(far[0] - 1) >= abs(far[1] - 1) >= abs(far[2] - 1)
        assert far[2] == pytest.approx(1, abs=1e-5 if p < 1 else 0.005)


@pytest.mark.parametrize("risk", [0.1, 0.3, 0.5, 0.8])
def test_the_best_power_is_a_over_one_plus_a(risk):
    best = risk / (1 + risk)
    least = attained_regret(10**30, schedule=best, risk=risk).value
    for p in (best - 0.05, best + 0.05, best / 2, (best + 1) / 2, 1.0):
        if risk > 0.1:  # where the rate is so small, 10^30 is early
            assert attained_regret(10**30, schedule=p, risk=risk).value > 1.2 * least
        assert attained_limit(p, risk=risk).power < attained_limit(best, risk=risk).power


def test_the_unified_theorem_s_constant_is_too_large_by_two_at_most():
    ratios = [bound_over_truth(10**k, schedule=1 / 3) for k in (1, 2, 4, 8, 16, 30)]
    assert all(ratio >= 2 for ratio in ratios)
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[-1] == pytest.approx(2, abs=1e-9)
    assert bound_over_truth(10**30, schedule=1 / 3, risk=0.3) == pytest.approx(4**0.3, abs=1e-6)
    # by hand at t = 3, ε = 1, 1: (2K/δ)C n^(-1/2) at n = 2/4, and Σ p(1-p)² in zeta functions
    truth = unseen_by_zeta_functions([1, 1], 0.5) / 2
    bound = 8 * (math.sqrt(6 / math.pi) / 32) / math.sqrt(0.5)
    assert bound_over_truth(3, schedule=[1.0, 1.0]) == pytest.approx(bound / truth)


def total_regret(epsilon):
    return math.fsum(
        eps / 4 + (1 - eps) / 2 * unseen_by_zeta_functions([e / 2 for e in epsilon[:step]], 0.5)
        for step, eps in enumerate(epsilon)
    )


@settings(deadline=None, max_examples=15)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_no_schedule_has_less_total_regret(epsilon):
    assert total_regret(epsilon) >= least_total_regret(len(epsilon)) * (1 - 1e-7)


def test_exploring_first_attains_the_least_total_regret():
    for steps in (1, 2, 5, 12, 30):
        first = [total_regret([1.0] * k + [0.0] * (steps - k)) for k in range(steps + 1)]
        assert least_total_regret(steps) <= min(first) * (1 + 1e-9)
        assert least_total_regret(steps) >= min(first) * 0.95  # between two whole numbers
    assert least_total_regret(2) == pytest.approx(total_regret([1.0, 1.0]))


def test_the_two_thirds_law():
    kappa = math.sqrt(6 / math.pi) / 2
    for steps in (10**6, 10**20):
        law = least_total_law(steps)
        assert law.regret == pytest.approx(1.5 * (kappa * steps / 2) ** (2 / 3))
        assert law.explored == pytest.approx((2 * kappa**2 * float(steps) ** 2) ** (1 / 3))
    ratios = [least_total_regret(10**k) / least_total_law(10**k).regret for k in (3, 6, 12, 20, 30)]
    assert ratios == sorted(ratios)
    assert ratios[-1] == pytest.approx(1, abs=1e-8)
    assert least_total_regret(10**30, risk=0.3) == pytest.approx(
        least_total_law(10**30, risk=0.3).regret, rel=1e-5
    )


@pytest.mark.parametrize("call, words", [
    (lambda: attained_regret(0, schedule=1), "t must be a whole number >= 1"),
    (lambda: attained_regret(10**31, schedule=1), r"<= 1000000000000000000000000000000"),
    (lambda: attained_regret(3, schedule=[1.0, 0.5]), r"ε_1 to ε_\{t\}, 3 numbers, not 2"),
    (lambda: attained_regret(3, schedule=-1), "exponent p must be a finite number > 0"),
    (lambda: attained_regret(3, schedule=1, risk=1), "risk must lie strictly between 0.05 and"),
    (lambda: attained_regret(np.array([3, 4]), schedule=1), r"not an array of shape \(2,\)"),
    (lambda: attained_regret(3, schedule=1, risk=np.ones(2)), r"not an array of shape \(2,\)"),
    (lambda: unseen_after(-1), "n must be a whole number >= 0"),
    (lambda: attained_limit(1.5), "0 < p <= 1"),
    (lambda: bound_over_truth(1, schedule=1), "t must be a whole number >= 2"),
    (lambda: bound_over_truth(3, schedule=[0.0, 0.0]), "the schedule must explore before t = 3"),
    (lambda: least_total_regret(0), "steps must be a whole number >= 1"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()
