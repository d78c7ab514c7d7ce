"""One file per finished run or task: written whole or not at all, believed only if whole."""

import glob
import os
import platform
import re
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, overload

import numpy as np

from bandits import __version__
from bandits.engine import cpu
from bandits.engine.files import sweep, there
from bandits.engine.npz import StoreError, read_arrays, write_arrays
from bandits.engine.packed import check_possible, pack, unpack, whole_run
from bandits.engine.task import Arrays, Task
from bandits.experiments import RunSpec
from bandits.predictors import State
from bandits.simulate import Trajectory

FORMAT = 1


@dataclass(frozen=True)
class Made:
    """What made a run or task: the versions, and the CPU; early ones do not tell everything."""

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

    def path(self, spec: RunSpec | Task) -> Path:
        """METHOD-runNN-FINGERPRINT.npz, for whichever experiments the run is a part of.

        A task has its own words in place of METHOD-runNN.
        """
        return self.folder / f"{self._stem(spec)}.npz"

    def checkpoint_path(self, spec: RunSpec | Task) -> Path:
        """Beside the run's own file."""
        return self.folder / f"{self._stem(spec)}.partial.npz"

    def _stem(self, spec: RunSpec | Task) -> str:
        fingerprint = spec.fingerprint(self.digest, self.device)
        if isinstance(spec, Task):
            return f"{spec.stem}-{fingerprint}"
        return f"{spec.method.name}-run{spec.run:02d}-{fingerprint}"

    def save(
        self,
        spec: RunSpec | Task,
        result: Trajectory | Arrays,
        made_on: dict[str, str] | None = None,
    ) -> Path:
        """Write a result; `made_on` tells of the CPU, unless it was this process's."""
        path = self.path(spec)
        about = self._about(spec)
        arrays = pack(result) if isinstance(result, Trajectory) else result
        write_arrays(path, arrays, about | {"cpu": made_on or about["cpu"]})
        return path

    def load(self, spec: RunSpec) -> Trajectory:
        """Read a finished run; raises as `read` does."""
        return self.read(spec)[0]

    @overload
    def read(self, spec: RunSpec) -> tuple[Trajectory, Made]: ...

    @overload
    def read(self, spec: Task) -> tuple[Arrays, Made]: ...

    def read(self, spec: RunSpec | Task) -> tuple[Trajectory | Arrays, Made]:
        """Read a finished run, or what a task gave, and what made it.

        Raises:
            FileNotFoundError: if there is none.
            StoreError: if the file is truncated, foreign, of other settings, or tells of what
                cannot have happened.
            Unreadable: if it is there but cannot be read now.
        """
        arrays, about = self._read(self.path(spec), spec)
        made = Made(about.get("versions", {}), about.get("cpu", {}))
        if isinstance(spec, RunSpec):
            return whole_run(arrays, spec), made
        try:
            spec.check(arrays)
        except ValueError as error:
            raise StoreError(str(error)) from error
        return arrays, made

    def has(self, spec: RunSpec | Task) -> bool:
        """Whether there is a file of it; one of an older name is given today's.

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

    def drop_checkpoint(self, spec: RunSpec | Task) -> None:
        """Remove what a finished run left behind, also the temporary files of a killed writer."""
        path = self.checkpoint_path(spec)
        self._there(path)
        path.unlink(missing_ok=True)
        sweep(path)
        sweep(self.path(spec))

    def _about(self, spec: RunSpec | Task) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "settings": spec.settings(self.digest, self.device),
            "versions": versions(),
            "cpu": features_used(spec),
        }

    def _read(self, path: Path, spec: RunSpec | Task) -> tuple[Arrays, dict[str, Any]]:
        arrays, about = read_arrays(path)
        if isinstance(spec, Task):  # the first ones tell neither their format nor the versions
            about = {"format": FORMAT, "versions": {}} | about
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


def features_used(spec: RunSpec | Task) -> dict[str, str]:
    """Of this process's CPU, what can decide the last bits of such a result."""
    if isinstance(spec, Task):
        return cpu.features(torch=spec.networks)
    return cpu.features(torch=spec.method.torch)
