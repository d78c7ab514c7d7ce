"""The paper's claims about its figures, in its order."""

from collections.abc import Mapping

from bandits.results.data import Data
from bandits.results.regret import read_rate
from bandits.results.reward import read_noise, read_reward
from bandits.results.verdicts import Reading, place_of

FITTED = {"convergence": "Fig. 1", "convergence_repeats": "Fig. 1, repeated"}
CASES = {"low_noise": "σ = 0", "high_noise": "σ = 1"}


def read_all(found: Mapping[str, Data]) -> list[Reading]:
    """Every claim that the figures at hand can be asked about, in the paper's order.

    Args:
        found: figures' data by name; those of `FITTED` and `CASES` are looked at, and any of them
            may be missing. A reward figure with `exponents` tells how fast Deep's regret falls.
    """
    readings = [read_rate(found[name], case) for name, case in FITTED.items() if name in found]
    there = {name: found[name] for name in CASES if name in found}
    for name, data in there.items():
        readings += read_reward(data, CASES[name])
        if "exponents" in data and "deep" in data["methods"]:
            deep = {"exponents": data["exponents"][place_of(data, "deep")]}
            readings.append(read_rate(deep, CASES[name]))
    # Late rewards at different horizons are no pair.
    if len(there) == len(CASES) and len({data["t"][-1] for data in there.values()}) == 1:
        readings += read_noise(there["low_noise"], there["high_noise"])
    return readings
