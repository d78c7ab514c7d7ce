"""The paper's claims about its figures, in its order."""

from collections.abc import Mapping

from bandits.results.data import Data
from bandits.results.regret import read_rate
from bandits.results.reward import read_noise, read_reward
from bandits.results.verdicts import Reading


def read_all(found: Mapping[str, Data]) -> list[Reading]:
    """Every claim that the figures at hand can be asked about, in the paper's order.

    Args:
        found: figures' data by name; convergence, convergence_repeats, low_noise and high_noise
            are looked at, and any of them may be missing.
    """
    readings = []
    for name, case in (("convergence", "Fig. 1"), ("convergence_repeats", "Fig. 1, repeated")):
        if name in found:
            readings.append(read_rate(found[name], case))
    for name, case in (("low_noise", "σ = 0"), ("high_noise", "σ = 1")):
        if name in found:
            readings += read_reward(found[name], case)
    low, high = found.get("low_noise"), found.get("high_noise")
    # Late rewards at different horizons are no pair.
    if low is not None and high is not None and low["t"][-1] == high["t"][-1]:
        readings += read_noise(low, high)
    return readings
