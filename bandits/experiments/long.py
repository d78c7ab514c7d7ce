"""Twenty times the horizon: the paper's comparisons with training stages of bounded cost (ours)."""

from dataclasses import replace
from functools import partial

from bandits.architecture import Training
from bandits.experiments.beyond import deep_with
from bandits.experiments.method import Method, NetworkSpec
from bandits.experiments.paper import COMPARED, DEEP
from bandits.experiments.spec import Experiment, Scale

BOUNDED = Training(max_batches=20)
"""Chosen on tuning seeds against the paper's rule: see the experiment `bounded_training`."""


def bounded(method: Method, training: Training = BOUNDED) -> Method:
    """The same method; if it has networks, each stage of theirs ends after so many mini-batches."""
    if not isinstance(method.predictor, NetworkSpec):
        return method
    return replace(method, predictor=replace(method.predictor, training=training))


AT_LENGTH = partial(Experiment, quick=Scale(2000, 2), keep_predictions=True)
LONG = (
    AT_LENGTH(
        "long_low_noise",
        "Twenty times the horizon, without noise",
        tuple(bounded(method) for method in COMPARED),
        paper=Scale(40_000, 12),
    ),
    AT_LENGTH(
        "long_exponent",
        "Exploration exponents at twenty times the horizon",
        (
            *(bounded(deep_with(p)) for p in ("1/3", "1/2", "2/3")),
            # Under its own name, so that its runs are those of `long_low_noise`.
            replace(bounded(DEEP), label="p = 1"),
        ),
        paper=Scale(40_000, 6),
    ),
    AT_LENGTH(
        "long_high_noise",
        "Twenty times the horizon, noise σ = 1",
        tuple(bounded(method) for method in COMPARED),
        paper=Scale(40_000, 12),
        noise=1.0,
    ),
    AT_LENGTH(
        "long_convergence",
        "Fifty times the horizon: the paper's exponent and the best of those that were tried",
        (replace(bounded(DEEP), label="p = 1"), bounded(deep_with("1/2"))),
        paper=Scale(100_000, 4),
    ),
    AT_LENGTH(
        "error_causes",
        "Why Deep's networks still err: fitted outside the bandit, one thing changed at a time",
        (bounded(DEEP),),
        paper=Scale(40_000, 3),
    ),
)
