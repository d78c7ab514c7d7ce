"""Policies: each chooses for a block of steps, records it, and trains.

Choosing learns nothing. Recording keeps what was seen. Training changes the model, and happens at
training stages only. Each module but `choice` and `learner` holds one policy, its `POLICY`, and an
experiment's method names it by the module's name. `SOURCE` is where it was published, and `AUTHORS`
has the settings that its authors run, by name.
"""

from bandits.policies.choice import Choice, Policy, argmax, chosen, drawn
from bandits.policies.epsilon_greedy import EpsilonGreedy, Linear
from bandits.policies.learner import Learner
from bandits.policies.linucb import LinUCB
from bandits.policies.optimal import Optimal
from bandits.policies.random import Random

__all__ = [
    "Choice",
    "EpsilonGreedy",
    "Learner",
    "LinUCB",
    "Linear",
    "Optimal",
    "Policy",
    "Random",
    "argmax",
    "chosen",
    "drawn",
]
