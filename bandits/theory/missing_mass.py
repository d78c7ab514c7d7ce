"""Σ_k p_k Π_l (1 - x_l p_k) for p_k proportional to k^-b: the mass of the states not yet drawn.

With S_m = Σ_l x_l^m the product is exp(-Σ_m p_k^m S_m/m). States up to k = N - 1 are added one by
one. The rest is an integral, by Euler-Maclaurin: for h(u) = p_u Π_l (1 - x_l p_u),

    |Σ_{k≥N} h(k) - ∫_N^∞ h - h(N)/2 + h'(N)/12| ≤ (1/12) ∫_N^∞ |h''|,

and with A = Σ_l x_l p_u/(1 - x_l p_u) one finds u²h''/h = b²(A-1)² - bA + b - b²Σ_m m p_u^m S_m,
so that |u²h''/h| ≤ b² A² + (3b² + b) A + b² + b. All integrals are incomplete gamma functions.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gamma, gammainc, zeta

Floats = NDArray[np.float64]
ORDERS = 8  # S_1..S_8: for k ≥ 10, p_k ≤ 0.1 and what is left out is below p_k^8 of the exponent
FEW = 10
FEWEST, MOST = 20_000, 400_000  # states added one by one
NOTHING = 1e-30  # Σ x_l below which the loss is negligible: the sum is at least 1 - Σ x_l
ROUNDING = 8e-12  # relative: the stated accuracy of the sums S_m, and of adding up


class Enclosed(NamedTuple):
    """A number and a bound on its error: |value - truth| ≤ error."""

    value: float
    error: float

    def times(self, factor: float, plus: float = 0.0) -> "Enclosed":
        """factor·x + plus, for an exact factor and summand."""
        return Enclosed(factor * self.value + plus, abs(factor) * self.error)


def power_of_states(risk: float) -> float:
    """b = 1/(1 - a): with p_k ∝ k^-b the missing mass falls as n^-a."""
    return 1 / (1 - risk)


@cache
def first_states(b: float, count: int) -> Floats:
    """p_1, …, p_count, (count,) float64."""
    weights: Floats = np.arange(1, count + 1, dtype=float) ** -b / float(zeta(b))
    weights.flags.writeable = False
    return weights


def missing_mass(
    risk: float, share: float, sums: Sequence[float], log_product: Callable[[float], float]
) -> Enclosed:
    """Σ_k p_k Π_l (1 - share·x_l·p_k) for p_k = k^-b/ζ(b), b = 1/(1 - risk), with its error bound.

    sums: S_1, …, S_8 of the x_l in [0, 1], (8,); log_product(x) = Σ_l log(1 + x·x_l) for
    -1 < x ≤ 0; 0 < share ≤ 1.
    """
    b = power_of_states(risk)
    if sums[0] < NOTHING:
        return Enclosed(1.0, sums[0])
    scaled = [share**m * total / m for m, total in enumerate(sums, start=1)]
    reach = (scaled[0] / zeta(b)) ** (1 / b)  # where p_k·S_1 is about 1
    count = FEWEST if 16 * reach <= FEWEST else MOST
    weights = first_states(b, count)
    few = weights[: FEW - 1]
    logs = np.array([log_product(-share * weight) for weight in few])
    direct = float((few * np.exp(logs)).sum())
    middle = weights[FEW - 1 :]
    exponents = np.zeros(len(middle))
    for coefficient in reversed(scaled):
        exponents = (exponents + coefficient) * middle
    terms = middle * np.exp(-exponents)
    direct += float(terms[:-1].sum())
    tail = _tail(b, share, sums, float(terms[-1]), count)
    value = direct + tail.value
    return Enclosed(value, tail.error + ROUNDING * value)


def _tail(b: float, share: float, sums: Sequence[float], last: float, first: int) -> Enclosed:
    """Σ_{k ≥ first} of the terms, the first of which is `last`."""
    one, two, three = (share**m * sums[m - 1] for m in (1, 2, 3))
    weight = first**-b / zeta(b)  # p_N
    s, z = one / zeta(b), one * weight

    def integral(order: float, power: float) -> float:
        """(1/bζ)·s^(-power)·∫_0^z a^(order - 1) e^-a da."""
        lower = gamma(order) * gammainc(order, z)
        return float(s**-power * lower / (b * zeta(b)))

    risk = 1 - 1 / b
    # ∫ p_u e^(-a - g) du with a = p_u S_1 and 0 ≤ g - p_u² S_2/2 ≤ p_u³ S_3/3/(1 - p_u)
    main = integral(risk, risk)
    correction = two / (2 * one**2) * integral(risk + 2, risk)
    left_out = three / (3 * one**3) * integral(risk + 3, risk) / (1 - weight)
    left_out += two**2 / (8 * one**4) * integral(risk + 4, risk) / (1 - weight) ** 2
    slope = last * (b * z - b) / first  # h'(N), A taken for a
    value = main - correction + last / 2 - slope / 12
    second = sum(  # (1/12)∫|h''|, with a^(1/b) from the change of variables and A ≤ a/(1 - p_N)
        factor / (1 - weight) ** degree * integral(1 + 1 / b + degree, 1 + 1 / b)
        for degree, factor in ((2, b**2), (1, 3 * b**2 + b), (0, b**2 + b))
    )
    slack = last * b * z * weight / (1 - weight) / first / 12  # A - a in the slope
    return Enclosed(value, left_out + second / 12 + slack)
