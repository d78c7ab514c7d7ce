"""What the paper says holds almost surely."""

import sympy as sp

from bandits.theory.anytime import anytime_bound
from bandits.theory.claims.ledger import TRUE, Ledger
from bandits.theory.symbols import q, u, x

ALMOST_SURELY = Ledger()


@ALMOST_SURELY.claim(
    "Theorem 3, regret → 0 almost surely (p < 1)",
    says="The bound holds at all large t at once, so the regret tends to 0 almost surely.",
    verdict=TRUE,
    note="Borel-Cantelli: K·exp(-3L_p/(28K)) is summable over t; or, for every p ≤ 1 at once, let "
    "t_1 → ∞ in the any-time lemma. This is the regret given the exploration draws; given the data "
    "too, Assumption A yields convergence in probability.",
    mutants={"for p = 1.2": {"p": 1.2}},
)
def _almost_surely_below_one(p: float = 0.9) -> bool:
    if anytime_bound(10**60, arms=5, schedule=p) < 1 - 1e-12:
        return False
    a = sp.Symbol("a", positive=True)
    value = sp.integrate(sp.exp(-a * x**q), (x, 0, sp.oo), conds="none")
    closed = sp.gamma(1 + 1 / q) / a ** (1 / q)
    example = {a: sp.Rational(1, 2), q: sp.Rational(2, 3)}
    number = sp.Integral(sp.exp(-(x ** sp.Rational(2, 3)) / 2), (x, 0, sp.oo)).evalf(12)
    return bool(
        abs(value.subs(example).evalf(12) - closed.subs(example).evalf(12)) < 1e-9
        and abs(number - closed.subs(example).evalf(12)) < 1e-6
    )


@ALMOST_SURELY.claim(
    "Theorem 2, regret → 0 almost surely (p = 1)",
    says="The same for ε_t = 1/t.",
    verdict=TRUE,
    note="The sum of K·t^(-3/(28K)) diverges, so look at t_k = ⌈e^k⌉ only, where it is geometric, "
    "and use that T never falls. Or, for all p ≤ 1: Σ ε_l = ∞ and the second Borel-Cantelli "
    "lemma give T → ∞.",
    mutants={"for p = 1.01": {"p": 1.01}},
)
def _almost_surely_at_one(p: float = 1.0) -> bool:
    if anytime_bound(10**2000, arms=5, schedule=p) < 1 - 1e-12:
        return False
    k = sp.Symbol("k", integer=True, positive=True)
    arms = sp.Integer(5)
    every_t = sp.Sum(k ** (-sp.Rational(3, 28) / arms), (k, 1, sp.oo)).is_convergent()
    along = sp.Sum(sp.exp(-sp.Rational(3, 28) * k / arms), (k, 1, sp.oo)).is_convergent()
    explored = [
        sp.Sum(k**-p, (k, 1, sp.oo)).is_convergent()
        for p in (sp.Rational(1, 3), sp.Integer(1), sp.Integer(2))
    ]
    log_form = sp.simplify(sp.exp(-sp.Rational(3, 28) * u / arms).subs(u, k)
                           - sp.exp(-sp.Rational(3, 28) * k / arms)) == 0  # fmt: skip
    verdicts = [bool(v) for v in (every_t, along, *explored)]
    return verdicts == [False, True, False, False, True] and bool(log_form)
