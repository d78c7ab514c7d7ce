"""One file per finished run: written at once or not at all, and believed only if it is whole."""

import glob
import os
import platform
import re
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits import __version__
from bandits.engine import cpu
from bandits.engine.files import sweep, there
from bandits.engine.npz import StoreError, read_arrays, write_arrays
from bandits.experiments import RunSpec
from bandits.predictors import State
from bandits.simulate import Trajectory

FORMAT = 1


@dataclass(frozen=True)
class Made:
    """What made a run: the versions, and the CPU, of which early runs do not tell."""

    versions: dict[str, str]
    cpu: dict[str, str]


@dataclass(frozen=True)
class Store:
    """A folder of finished runs and, while they are made, of checkpoints.

    Attributes:
        folder: created when first written to.
        digest: of the images and labels that the runs use.
        device: kind of device, "cpu" or "cuda".
    """

    folder: Path
    digest: str
    device: str = "cpu"

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(self.folder))

    def path(self, spec: RunSpec) -> Path:
        """METHOD-runNN-FINGERPRINT.npz, for whichever experiments the run is a part of."""
        return self.folder / f"{self._stem(spec)}.npz"

    def checkpoint_path(self, spec: RunSpec) -> Path:
        """Beside the run's own file."""
        return self.folder / f"{self._stem(spec)}.partial.npz"

    def _stem(self, spec: RunSpec) -> str:
        fingerprint = spec.fingerprint(self.digest, self.device)
        return f"{spec.method.name}-run{spec.run:02d}-{fingerprint}"

    def save(
        self,
        spec: RunSpec,
        trajectory: Trajectory,
        made_on: dict[str, str] | None = None,
    ) -> Path:
        """Write a finished run; `made_on` tells of the CPU, unless it was this process's."""
        path = self.path(spec)
        about = self._about(spec)
        write_arrays(path, pack(trajectory), about | {"cpu": made_on or about["cpu"]})
        return path

    def load(self, spec: RunSpec) -> Trajectory:
        """Read a finished run; raises as `read` does."""
        return self.read(spec)[0]

    def read(self, spec: RunSpec) -> tuple[Trajectory, Made]:
        """Read a finished run, and what made it.

        Raises:
            FileNotFoundError: if there is none.
            StoreError: if the file is truncated, foreign, of other settings, or tells of what
                cannot have happened.
            Unreadable: if it is there but cannot be read now.
        """
        arrays, about = self._read(self.path(spec), spec)
        return _whole_run(arrays, spec), Made(about["versions"], about.get("cpu", {}))

    def has(self, spec: RunSpec) -> bool:
        """Whether there is a file of this run; one of an older name is given today's.

        Version 0.1 named a run after its experiment, too, and kept it once for each.
        """
        return self._there(self.path(spec))

    def _there(self, path: Path) -> bool:
        if not there(path):
            for old in sorted(self.folder.glob(f"*-{glob.escape(path.name)}")):
                named_by = old.name.removesuffix(f"-{path.name}")
                if re.fullmatch(r"[a-z0-9_]+", named_by) and there(old):
                    with suppress(FileNotFoundError):  # another command was quicker
                        os.replace(old, path)
                    break
        return there(path)

    def save_checkpoint(self, spec: RunSpec, done: Trajectory, state: State | None) -> None:
        """Write how far a run has come: its steps, and the policy's trained state if it has one."""
        arrays = pack(done) | {f"state:{k}": v for k, v in (state or {}).items()}
        about = self._about(spec) | {"has_state": state is not None}
        try:
            write_arrays(self.checkpoint_path(spec), arrays, about)
        except FileNotFoundError:
            # Another command finished the same run and swept our file away: none is needed now.
            if not self.path(spec).exists():
                raise

    def load_checkpoint(self, spec: RunSpec) -> tuple[Trajectory, State | None]:
        """Read how far a run has come; raises as `load` does."""
        path = self.checkpoint_path(spec)
        self._there(path)
        arrays, about = self._read(path, spec)
        done = unpack(arrays)
        check_possible(done, spec)
        if len(done) > spec.steps or len(done) % spec.train_every:
            raise StoreError(
                f"it holds {len(done)} steps, not a multiple of {spec.train_every} up to "
                f"{spec.steps}"
            )
        state = {k.removeprefix("state:"): v for k, v in arrays.items() if k.startswith("state:")}
        for name, values in state.items():
            if values.dtype.kind not in "fiu" or not np.isfinite(values).all():
                raise StoreError(f"its trained state {name!r} is not all finite numbers")
        return done, state if about.get("has_state") else None

    def drop_checkpoint(self, spec: RunSpec) -> None:
        """Remove what a finished run left behind, also the temporary files of a killed writer."""
        path = self.checkpoint_path(spec)
        self._there(path)
        path.unlink(missing_ok=True)
        sweep(path)
        sweep(self.path(spec))

    def _about(self, spec: RunSpec) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "settings": spec.settings(self.digest, self.device),
            "versions": versions(),
            "cpu": features_used(spec),
        }

    def _read(self, path: Path, spec: RunSpec) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        arrays, about = read_arrays(path)
        if about.get("format") != FORMAT:
            raise StoreError(f"its format is {about.get('format')!r}, not {FORMAT}")
        if about.get("settings") != spec.settings(self.digest, self.device):
            raise StoreError("it was made with other settings than its name says")
        made_by = about.get("versions")
        if not isinstance(made_by, dict) or not all(isinstance(v, str) for v in made_by.values()):
            raise StoreError("it does not say which versions made it")
        return arrays, about


def versions() -> dict[str, str]:
    """Of the package and of what its numbers depend on."""
    names = ("numpy", "scipy", "scikit-learn", "torch")
    installed = {name: metadata.version(name) for name in names}
    return {"bandits": __version__, "python": platform.python_version()} | installed


def features_used(spec: RunSpec) -> dict[str, str]:
    """Of this process's CPU, what can decide the last bits of such a run."""
    return cpu.features(torch=spec.method.torch)


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
    """Refuse steps that no run on digits can have taken.

    Raises:
        StoreError: naming what cannot be, and the first time step t where it is.
    """
    means = (run.means, run.best_means)
    for what, wrong in (
        (f"an action outside 0..{spec.arms - 1}", (run.actions < 0) | (run.actions >= spec.arms)),
        ("a reward that is not finite", ~np.isfinite(run.rewards)),
        ("a mean outside 0..9", ~np.all([(mean >= 0) & (mean <= 9) for mean in means], axis=0)),
        ("a negative regret", run.means > run.best_means),
        ("a probability outside (0, 1]", ~((run.propensities > 0) & (run.propensities <= 1))),
    ):
        if wrong.any():
            raise StoreError(f"it holds {what}, at t = {wrong.argmax() + 1}")
    if (run.predictions is not None) != spec.keep_predictions:
        raise StoreError(f"it holds {'no ' if spec.keep_predictions else ''}predictions")
    if run.predictions is not None and np.isinf(run.predictions).any():
        raise StoreError(f"it predicts inf, at t = {np.isinf(run.predictions).argmax() + 1}")


def _whole_run(arrays: dict[str, NDArray[Any]], spec: RunSpec) -> Trajectory:
    run = unpack(arrays)
    if len(run) != spec.steps:
        raise StoreError(f"it holds {len(run)} steps, not {spec.steps}")
    check_possible(run, spec)
    return run
