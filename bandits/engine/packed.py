"""A trajectory as the arrays of a file and back, and whether it is one that can be."""

from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits.classification import Classification
from bandits.engine.npz import StoreError
from bandits.experiments import RunSpec
from bandits.simulate import Trajectory


def pack(trajectory: Trajectory) -> dict[str, NDArray[Any]]:
    """The trajectory's arrays in few bytes; `unpack` gives the same values back."""
    packed = {"steps": np.array(len(trajectory))}
    for name, values in trajectory.arrays().items():
        if values.dtype == np.bool_:
            packed[name] = np.packbits(values)
        elif values.dtype != np.float32 and np.isin(values, np.arange(256)).all():
            packed[name] = values.astype(np.uint8)  # arms, and the means where they are digits
        else:
            packed[name] = values
    return packed


def unpack(arrays: dict[str, NDArray[Any]]) -> Trajectory:
    """The trajectory that `pack` packed.

    Raises:
        StoreError: if an array is missing, or of the wrong length or type.
    """
    try:
        steps = index(arrays["steps"][()])
        bits = arrays["explored"]
        if bits.shape != (-(-steps // 8),):  # too few would be padded in silence
            raise ValueError(f"{bits.size} bytes of bits for {steps} steps")
        explored = np.unpackbits(bits, count=steps).astype(bool)
        trajectory = Trajectory(
            actions=arrays["actions"].astype(np.int64, casting="safe"),
            rewards=arrays["rewards"].astype(np.float32, casting="safe"),
            means=arrays["means"].astype(np.float64, casting="safe"),
            best_means=arrays["best_means"].astype(np.float64, casting="safe"),
            explored=explored,
            propensities=arrays["propensities"].astype(np.float32, casting="safe"),
            predictions=arrays["predictions"].astype(np.float32, casting="safe")
            if "predictions" in arrays
            else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"it does not hold a run ({error})") from error
    if any(values.shape != (steps,) for values in trajectory.arrays().values()):
        raise StoreError("its arrays differ in length")
    return trajectory


def check_possible(run: Trajectory, spec: RunSpec) -> None:
    """Refuse steps that no run can have taken.

    Raises:
        StoreError: naming what cannot be, and the first time step t where it is.
    """
    means = (run.means, run.best_means)
    if spec.bandit is None:
        what_means, least, most = "a mean outside 0..9", 0.0, 9.0
    elif isinstance(spec.bandit, Classification):
        what_means, least, most = "a mean outside 0..1", 0.0, 1.0
    else:
        most = float(np.finfo(np.float64).max)
        what_means, least = "a mean that is not finite", -most
    for what, wrong in (
        (f"an action outside 0..{spec.arms - 1}", (run.actions < 0) | (run.actions >= spec.arms)),
        ("a reward that is not finite", ~np.isfinite(run.rewards)),
        (what_means, ~np.all([(mean >= least) & (mean <= most) for mean in means], axis=0)),
        ("a negative regret", run.means > run.best_means),
        ("a probability outside (0, 1]", (run.propensities <= 0) | (run.propensities > 1)),
    ):
        if wrong.any():
            raise StoreError(f"it holds {what}, at t = {wrong.argmax() + 1}")
    if (run.predictions is not None) != spec.keep_predictions:
        raise StoreError(f"it holds {'no ' if spec.keep_predictions else ''}predictions")
    if run.predictions is not None and np.isinf(run.predictions).any():
        raise StoreError(f"it predicts inf, at t = {np.isinf(run.predictions).argmax() + 1}")


def whole_run(arrays: dict[str, NDArray[Any]], spec: RunSpec) -> Trajectory:
    """The finished run in these arrays.

    Raises:
        StoreError: for another number of steps, and as `unpack` and `check_possible` do.
    """
    run = unpack(arrays)
    if len(run) != spec.steps:
        raise StoreError(f"it holds {len(run)} steps, not {spec.steps}")
    check_possible(run, spec)
    return run
