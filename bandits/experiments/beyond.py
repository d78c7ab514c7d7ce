"""Five experiments that the paper does not run, each asking why its own came out as they did."""

from dataclasses import replace

from bandits.experiments.method import LeastSquaresSpec, Method, RegressorSpec
from bandits.experiments.paper import DEEP, LINEAR, LINUCB, RANDOM
from bandits.experiments.spec import Experiment, Scale
from bandits.settings import TrainOn


def _number(fraction: str) -> float:
    top, _, bottom = fraction.partition("/")
    return int(top) / int(bottom or 1)


# p as printed and as a number; the paper proves 1/3 best in the limit and runs p = 1.
EXPONENTS = {p: _number(p) for p in ("0", "1/4", "1/3", "1/2", "1", "2")}
TRAINED_ON: tuple[TrainOn, ...] = ("all", "random_branch")
PIXEL_SCALES = (1 / 255, 1 / 64, 1 / 16, 1 / 4, 1.0, 4.0, 16.0, 64.0, 255.0)


def _named(text: str) -> str:
    return text.replace("/", "_").replace(".", "_")


def deep_with(p: str) -> Method:
    """Deep with ε_t = 1/t^p, p given as a fraction; p = 1 is the paper's own."""
    return replace(DEEP, name=f"deep_p{_named(p)}", label=f"p = {p}", p=_number(p))


def linucb_at(scale: float) -> Method:
    """LinUCB on pixels in [0, scale]."""
    text = f"{scale:g}" if scale >= 1 else f"1/{1 / scale:.0f}"
    return replace(
        LINUCB, name=f"linucb_s{_named(text)}", label=f"pixels to {text}", pixel_scale=scale
    )


def greedy(name: str, label: str, **changes: object) -> Method:
    """Linear with something changed."""
    return replace(LINEAR, name=name, label=label, **changes)  # type: ignore[arg-type]


def trained_on(p: str, train_on: TrainOn) -> Method:
    """Deep with ε_t = 1/t^p, trained on all steps or on the random branch only.

    The first is the `exponent` experiment's own method, so that its runs serve both.
    """
    if train_on == "all":
        return replace(deep_with(p), label=f"p = {p}, all steps")
    name, label = f"deep_p{_named(p)}_{train_on}", f"p = {p}, random steps only"
    return replace(deep_with(p), name=name, label=label, train_on=train_on)


def predicted_by(name: str, label: str) -> Method:
    """ε-greedy with p = 1/3 and a scikit-learn regressor per arm."""
    return Method(name, label, "epsilon_greedy", 1 / 3, RegressorSpec(name))


SMALL = Scale(1000, 6)
BEYOND = (
    Experiment(
        "exponent",
        "Exploration exponents: reward, and arms never tried at random",
        tuple(deep_with(p) for p in EXPONENTS),
        paper=SMALL,
    ),
    Experiment(
        "pixel_scale",
        "LinUCB against the scale of the pixels",
        tuple(linucb_at(s) for s in PIXEL_SCALES),
        paper=SMALL,
    ),
    Experiment(
        "linear_failure",
        "Why Linear does badly: ties, no exploration, the interpolation peak",
        (
            greedy("linear", "Linear (first of equals)"),
            greedy("linear_ties", "random ties", ties="random"),
            greedy("linear_explore", "exploring, p = 1/3", p=1 / 3),
            greedy("linear_ridge", "ridge 1", predictor=LeastSquaresSpec(ridge=1.0)),
            greedy(
                "linear_ridge_explore",
                "ridge 1, exploring",
                p=1 / 3,
                predictor=LeastSquaresSpec(ridge=1.0),
            ),
            RANDOM,
        ),
        paper=Scale(2000, 6),
    ),
    Experiment(
        "random_branch_only",
        "Training on random steps only, as the proof needs, against all steps",
        tuple(trained_on(p, which) for p in ("1/3", "1/2") for which in TRAINED_ON),
        paper=SMALL,
    ),
    Experiment(
        "predictors",
        "Any predictor: other regressors in place of the network, p = 1/3",
        (
            replace(deep_with("1/3"), label="network"),
            predicted_by("k_nearest", "k-nearest neighbours"),
            predicted_by("ridge", "ridge"),
            predicted_by("boosted_trees", "gradient boosting"),
        ),
        paper=SMALL,
    ),
)
