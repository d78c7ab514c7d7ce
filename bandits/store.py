"""One file per finished run: written at once or not at all, and believed only if it is whole."""

import io
import json
import os
import platform
import struct
import zipfile
import zlib
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits import __version__, cpu
from bandits.experiments import NetworkSpec, RunSpec
from bandits.predictors import State
from bandits.simulate import Trajectory

FORMAT = 1

NOT_WHOLE = (
    *(OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, MemoryError),
    *(RuntimeError, NotImplementedError, OverflowError, struct.error),  # damaged zip headers
    *(zipfile.BadZipFile, zlib.error),
)
"""What NumPy and zipfile raise on files that are damaged or of another kind."""


class StoreError(Exception):
    """A stored run that cannot be used; the message says why."""


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

    def path(self, experiment: str, spec: RunSpec) -> Path:
        """EXPERIMENT-METHOD-runNN-FINGERPRINT.npz."""
        fingerprint = spec.fingerprint(self.digest, self.device)
        return self.folder / f"{experiment}-{spec.method.name}-run{spec.run:02d}-{fingerprint}.npz"

    def checkpoint_path(self, experiment: str, spec: RunSpec) -> Path:
        """Beside the run's own file."""
        return self.path(experiment, spec).with_suffix(".partial.npz")

    def save(
        self,
        experiment: str,
        spec: RunSpec,
        trajectory: Trajectory,
        made_on: dict[str, str] | None = None,
    ) -> Path:
        """Write a finished run; `made_on` tells of the CPU, unless it was this process's."""
        path = self.path(experiment, spec)
        about = self._about(spec)
        write_arrays(path, pack(trajectory), about | {"cpu": made_on or about["cpu"]})
        return path

    def load(self, experiment: str, spec: RunSpec) -> Trajectory:
        """Read a finished run.

        Raises:
            FileNotFoundError: if there is none.
            StoreError: if the file is truncated, foreign or of other settings.
        """
        arrays, _ = self._read(self.path(experiment, spec), spec)
        trajectory = unpack(arrays)
        if len(trajectory) != spec.steps:
            raise StoreError(f"it holds {len(trajectory)} steps, not {spec.steps}")
        return trajectory

    def adopt(self, experiment: str, spec: RunSpec) -> bool:
        """Take over the same run from another experiment in this folder, if one is there and whole.

        The fingerprint covers everything that decides a run, so equal ones are the same run.
        """
        own = self.path(experiment, spec)
        same = own.name.removeprefix(experiment)
        for path in sorted(self.folder.glob(f"*{same}")):
            try:
                arrays, about = self._read(path, spec)
            except (FileNotFoundError, StoreError):
                continue
            write_arrays(own, arrays, about)
            return True
        return False

    def provenance(self, experiment: str, spec: RunSpec) -> dict[str, str]:
        """The versions that made a finished run."""
        _, about = self._read(self.path(experiment, spec), spec)
        versions: dict[str, str] = about.get("versions", {})
        return versions

    def made_on(self, experiment: str, spec: RunSpec) -> dict[str, str]:
        """The CPU that made a finished run; early ones do not tell."""
        _, about = self._read(self.path(experiment, spec), spec)
        features: dict[str, str] = about.get("cpu", {})
        return features

    def save_checkpoint(
        self, experiment: str, spec: RunSpec, done: Trajectory, state: State | None
    ) -> None:
        """Write how far a run has come: its steps, and the policy's trained state if it has one."""
        arrays = pack(done) | {f"state:{k}": v for k, v in (state or {}).items()}
        about = self._about(spec) | {"has_state": state is not None}
        try:
            write_arrays(self.checkpoint_path(experiment, spec), arrays, about)
        except FileNotFoundError:
            # Another command finished the same run and swept our file away: none is needed now.
            if not self.path(experiment, spec).exists():
                raise

    def load_checkpoint(self, experiment: str, spec: RunSpec) -> tuple[Trajectory, State | None]:
        """Read how far a run has come; raises as `load` does."""
        arrays, about = self._read(self.checkpoint_path(experiment, spec), spec)
        state = {k.removeprefix("state:"): v for k, v in arrays.items() if k.startswith("state:")}
        return unpack(arrays), state if about.get("has_state") else None

    def drop_checkpoint(self, experiment: str, spec: RunSpec) -> None:
        """Remove what a finished run left behind, also the temporary files of a killed writer."""
        path = self.checkpoint_path(experiment, spec)
        path.unlink(missing_ok=True)
        sweep(path)
        sweep(self.path(experiment, spec))

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
        return arrays, about


def versions() -> dict[str, str]:
    """Of the package and of what its numbers depend on."""
    names = ("numpy", "scipy", "scikit-learn", "torch")
    installed = {name: metadata.version(name) for name in names}
    return {"bandits": __version__, "python": platform.python_version()} | installed


def features_used(spec: RunSpec) -> dict[str, str]:
    """Of this process's CPU, what can decide the last bits of such a run."""
    return cpu.features(torch=isinstance(spec.method.predictor, NetworkSpec))


def set_aside(path: Path) -> Path:
    """Rename a file that cannot be used, never overwriting an earlier one."""
    number = 0
    while (target := path.with_name(f"{path.name}.set-aside{number}")).exists():
        number += 1
    os.replace(path, target)
    return target


def pack(trajectory: Trajectory) -> dict[str, NDArray[Any]]:
    """The trajectory's arrays in few bytes; `unpack` gives the same values back."""
    arrays = {f.name: getattr(trajectory, f.name) for f in fields(trajectory)}
    packed = {"steps": np.array(len(trajectory))}
    for name, values in arrays.items():
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
        steps = int(arrays["steps"])
        bits = arrays["explored"]
        if bits.shape != (-(-steps // 8),):  # too few would be padded in silence
            raise ValueError(f"{bits.size} bytes of bits for {steps} steps")
        explored = np.unpackbits(bits, count=steps).astype(bool)
        trajectory = Trajectory(
            actions=arrays["actions"].astype(np.int64),
            rewards=arrays["rewards"].astype(np.float32),
            means=arrays["means"].astype(np.float64),
            best_means=arrays["best_means"].astype(np.float64),
            explored=explored,
            propensities=arrays["propensities"].astype(np.float32),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"it does not hold a run ({error})") from error
    if any(getattr(trajectory, f.name).shape != (steps,) for f in fields(trajectory)):
        raise StoreError("its arrays differ in length")
    return trajectory


def write_arrays(path: Path, arrays: dict[str, NDArray[Any]], about: dict[str, Any]) -> None:
    """Write arrays and a JSON description to one .npz, through a temporary file beside it.

    The same content gives the same bytes.
    """
    # Packed in memory, since NumPy 1 would leave open an archive that a full disk cut short.
    packed = io.BytesIO()
    text = json.dumps(about, sort_keys=True)
    np.savez_compressed(packed, about=np.array(text), **arrays)  # type: ignore[arg-type]
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{platform.node()}-{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(packed.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        try:
            os.replace(temporary, path)
        except FileNotFoundError:
            # Another command finished the same run and swept our file away: its content is ours.
            if not path.exists():
                raise
    finally:
        temporary.unlink(missing_ok=True)


def sweep(path: Path) -> None:
    """Remove the temporary files that killed writers of this path left beside it."""
    for leftover in path.parent.glob(f".{path.name}.*.tmp"):
        leftover.unlink(missing_ok=True)


def read_arrays(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read what `write_arrays` wrote, without pickle.

    Raises:
        FileNotFoundError: if there is no such file.
        StoreError: if it is not whole.
    """
    if not path.exists():
        raise FileNotFoundError(path)
    try:
        # Opened here, since np.load leaves a file that is no whole zip archive open.
        with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(str(arrays.pop("about")))
    except NOT_WHOLE as error:
        raise StoreError(f"it is not a whole .npz file ({error})") from error
    if not isinstance(about, dict):
        raise StoreError("its description is not a JSON object")
    return arrays, about
