"""A theorem for the algorithm as it is run (ours): adaptive data, warm starts.

States i.i.d., mean rewards μ_j(X_t), gap δ; the prediction Φ_{j,t} is any function of everything
before step t. With e_j = |Φ_{j,t}(X_t) - μ_j(X_t)| and π_t(j) ≥ ε_t/K the probability that arm j
is taken,

    Σ_{t≤T} E regret_t ≤ D̄ Σ ε_t + (2/δ) E Σ (1 - ε_t)·e_{I_t}²/π_t(I_t)            "propensity"
                        ≤ D̄ Σ ε_t + (2K/δ) E Σ (1 - ε_t)/ε_t · e_{I_t}²              "step"
                        ≤ D̄ Σ ε_t + (2K/(δ ε_T)) E Σ e_{I_t}²  for falling ε_t.      "theorem"

Proof. Given the past and X_t the regret is ε_t·(mean of Δ_j) + (1 - ε_t)·Δ_Î, and for the greedy
arm Δ_Î ≤ (2/δ) Σ_j e_j². The conditional mean of e_{I_t}²/π_t(I_t) is exactly Σ_j e_j².
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits.checks import shown
from bandits.theory import checked

Form = Literal["theorem", "step", "propensity"]
FORMS = ("theorem", "step", "propensity")


def adaptive_bound(
    squared_errors: ArrayLike,
    epsilon: ArrayLike,
    *,
    arms: int,
    delta: float,
    mean_gap: float,
    form: Form = "theorem",
    propensities: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """The bound on Σ_{s≤t} E regret_s for t = 1..n, from one run's own errors: (n,) float64.

    Its expectation over runs bounds the expected total regret; one run gives an unbiased estimate
    of that expectation.

    squared_errors: (n,), e_{I_t,t}² = (Φ_{I_t,t}(X_t) - μ_{I_t}(X_t))² ≥ 0 of the arm taken,
    predicted before the step. epsilon: (n,), ε_t in (0, 1]; falling for form "theorem".
    arms: K ≥ 1. delta > 0: the gap. mean_gap ≥ 0: D̄ = (1/K) Σ_j E Δ_j. form: which line above.
    propensities: (n,), π_t(I_t) in [ε_t/K, 1] up to float32 rounding, for form "propensity" only.
    Raises ValueError outside these ranges.
    """
    checked.one_of(form, "form", FORMS)
    arms, delta = checked.number_of_arms(arms), checked.positive(delta, "delta")
    mean_gap = checked.not_negative(mean_gap, "mean_gap")
    errors = checked.numbers(squared_errors, "squared_errors", 0.0, 1e300)
    eps = _same_length(checked.numbers(epsilon, "epsilon", 1e-300, 1.0), errors, "epsilon")
    explored = mean_gap * np.cumsum(eps)
    if (propensities is not None) != (form == "propensity"):
        raise ValueError(f"propensities go with form 'propensity', and form is {form!r}")
    if form == "theorem":
        if (np.diff(eps) > 0).any():
            late = int(np.flatnonzero(np.diff(eps) > 0)[0]) + 2
            raise ValueError(f"epsilon must never rise for form 'theorem', and rises at t = {late}")
        return np.asarray(explored + 2 * arms / (delta * eps) * np.cumsum(errors))
    weights = eps / arms
    if propensities is not None:
        given = checked.numbers(propensities, "propensities", 0.0, 1.0)
        short = _same_length(given, errors, "propensities") < weights * (1 - 1e-6)
        if short.any():
            where = int(np.flatnonzero(short)[0])
            raise ValueError(
                f"propensities must be at least ε_t/K, {weights[where]:g} at t = {where + 1}, "
                f"not {given[where]:g}"
            )
        weights = given
    return np.asarray(explored + 2 / delta * np.cumsum((1 - eps) * errors / weights))


def _same_length(
    values: NDArray[np.float64], errors: NDArray[np.float64], name: str
) -> NDArray[np.float64]:
    if len(values) != len(errors):
        raise ValueError(
            f"{name} must hold as many numbers as squared_errors, {len(errors)}, not {len(values)}"
        )
    return values


def adaptive_exponents(a: float, *, gap: bool = True) -> tuple[float, float]:
    """(p, power): with total squared error O(T^(1-a)), ε_t = t^-p gives total regret O(T^power).

    0 < a ≤ 1. With a gap p = a/2 and 1 - a/2; without one p = a/3 and 1 - a/3 (Δ_Î ≤ √(2Σe_j²)
    and Cauchy-Schwarz). ValueError outside the range.
    """
    a = checked.positive(a, "a")
    if a > 1:
        raise ValueError(f"a must be at most 1, not {a:g}: a sum of squares does not fall")
    p = a / 2 if gap else a / 3
    return p, 1 - p


def table_error_bound(steps: int, means: Any, *, sigma: float) -> float:
    """Σ over cells of μ² + σ²(1 + ln T): what sample means per state and arm can err in all.

    It bounds E Σ_{t≤T} e_{I_t,t}² for any choices, where the prediction is the mean of the rewards
    seen in the cell, and 0 before there are any: the m-th visit finds the mean of m - 1 of them.
    steps: T ≥ 1. means: (S, K), finite. sigma ≥ 0: the largest standard deviation of a reward.
    ValueError outside these ranges.
    """
    steps = checked.whole_number(steps, "steps", 1, checked.LARGEST)
    sigma = checked.not_negative(sigma, "sigma")
    table = np.asarray(means)
    if table.ndim != 2 or table.dtype.kind not in "iuf" or not np.isfinite(table).all():
        raise ValueError(f"means must be (S, K) finite numbers, not {shown(table)}")
    cells = float((table.astype(np.float64) ** 2).sum())
    return cells + table.size * sigma**2 * (1 + float(np.log(steps)))
