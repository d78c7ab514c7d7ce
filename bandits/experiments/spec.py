"""What an experiment is: methods, noise, steps, runs and seeds, as frozen data."""

from collections.abc import Callable
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, Literal

from bandits.checks import file_safe, finite, one_of, whole, yes_or_no
from bandits.classification import Classification
from bandits.experiments.code import Code, as_code
from bandits.experiments.method import Method
from bandits.settings import ADDED_LATER, check_all, digits, plain, setting

RESULTS_VERSION = 1
"""Raised by hand when the same settings give other results; a golden run guards it."""

FIGURE_SEED = 2022
"""Every reported figure."""

TUNING_SEED = 77
"""Every choice that the paper leaves open; no reported figure uses it."""

ScaleName = Literal["glance", "quick", "paper"]
SCALES: tuple[ScaleName, ...] = ("glance", "quick", "paper")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What all runs of an experiment share: one field a setting, see `bandits.settings`.

    Attributes:
        noise: σ of the reward.
        arms: K.
        train_every: steps between training stages (paper: 20).
        seed: of the runs' tables, weights and mini-batches.
        keep_predictions: whether a stored run holds what was predicted of each arm taken.

    Raises:
        ValueError: for a value out of range.
    """

    noise: float = setting(
        0.0,
        lambda value: finite("noise (sigma)", value),
        "standard deviation of the reward's noise",
        small_print="noise σ",
        metavar="SIGMA",
    )
    arms: int = setting(
        5,
        lambda value: whole("arms (K)", value, 1),
        "number of images and actions",
        small_print="arms K",
        metavar="K",
    )
    train_every: int = setting(
        20,
        lambda value: whole("train_every", value, 1),
        "steps between training stages",
        small_print="train every",
        metavar="N",
    )
    seed: int = setting(
        FIGURE_SEED,
        lambda value: whole("seed", value, 0),
        "another seed than the reported figures'",
        small_print="seed",
    )
    keep_predictions: bool = setting(
        False,
        lambda value: yes_or_no("keep_predictions", value),
        "keep what was predicted of each arm taken",
        small_print=None,
        added_later=True,
    )

    def __post_init__(self) -> None:
        # As plain numbers, so that 1, 1.0 and NumPy's 1 have one fingerprint.
        check_all(self, SETTINGS)

    def shared(self) -> "Settings":
        """These settings alone, of whatever they are a part of."""
        return Settings(**{name: getattr(self, name) for name in SETTINGS})


SETTINGS: dict[str, Field[Any]] = {field.name: field for field in fields(Settings)}

Bandit = Classification | Code | Callable[..., Any] | None
"""A task of the package, or what makes the bandit that is played, given what it names; None is the
paper's bandit, on MNIST."""


@dataclass(frozen=True)
class RunSpec(Settings):
    """Everything that decides one run's result, beside the data and the kind of device.

    Attributes:
        method: the policy and how it learns.
        run: its number, from 0.
        steps: T.
        bandit: see `Experiment`.

    Raises:
        ValueError: for a number out of range.
    """

    method: Method
    run: int
    steps: int
    bandit: Bandit = field(default=None, metadata=ADDED_LATER)

    def __post_init__(self) -> None:
        super().__post_init__()
        _take_bandit(self)
        object.__setattr__(self, "run", whole("run", self.run, 0))
        object.__setattr__(self, "steps", whole("steps", self.steps, 1))

    def fingerprint(self, digest: str, device: str = "cpu") -> str:
        """16 hexadecimal digits that change whenever the result may.

        The method's label does not count, and neither does the data's path: `digest` is of the
        images and labels themselves, `device` is "cpu" or "cuda".
        """
        return digits(self.settings(digest, device))

    def settings(self, digest: str, device: str = "cpu") -> dict[str, Any]:
        """The fingerprinted settings as plain JSON values."""
        settings: dict[str, Any] = plain(self)
        del settings["method"]["label"]
        return settings | {"data": digest, "device": device, "results_version": RESULTS_VERSION}


@dataclass(frozen=True)
class Scale:
    """How large an experiment is run: T steps, and how many independent runs."""

    steps: int
    runs: int


@dataclass(frozen=True)
class Experiment(Settings):
    """One figure's experiment.

    Attributes:
        name: as on the command line, and of the figure's files: letters, digits and _.
        title: what the figure shows.
        methods: one per curve.
        glance, quick, paper: the three scales.
        bandit: a `Classification`, or a class or function of your own that makes the bandit, given
            what its parameters name of `bandits.experiments.supply.BANDIT_GIVEN`; its
            `rounds(seed, run, steps)` gives a run's table. None is the paper's bandit.
        over: experiments whose runs it shows, each with its own bandit and arms, and at most its
            own steps; methods and other settings are this one's.
        drawn_as: the name of the package's figure whose kind of picture it gets, or a
            `bandits.results.data.Kind` of your own; None is by its own name, or as "low_noise".

    Raises:
        ValueError: for a setting out of range.
    """

    name: str
    title: str
    methods: tuple[Method, ...]
    paper: Scale
    glance: Scale = Scale(200, 2)
    quick: Scale = Scale(600, 3)
    bandit: Bandit = None
    over: tuple["Experiment", ...] = ()
    drawn_as: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        file_safe("an experiment's name", self.name)
        _take_bandit(self)

    @property
    def bandit_told(self) -> dict[str, Any]:
        """The bandit as JSON values, if it is not the paper's; or those of each it is over."""
        if self.over:
            told = {
                p.name: {"arms": p.arms, "steps": p.paper.steps} | p.bandit_told for p in self.over
            }
            return {"over": told}
        return {} if self.bandit is None else {"bandit": plain(self.bandit)}

    def scale(self, name: ScaleName) -> Scale:
        """The steps and runs of a scale by its name.

        Raises:
            ValueError: for another name.
        """
        scale: Scale = getattr(self, one_of("scale", name, SCALES))
        return scale

    def select(self, methods: list[str] | None) -> "Experiment":
        """The same experiment with the named methods only.

        Raises:
            ValueError: for a name that this experiment does not have.
        """
        if methods is None:
            return self
        known = {method.name: method for method in self.methods}
        for name in methods:
            if name not in known:
                raise ValueError(
                    f"experiment {self.name} has the methods {', '.join(known)}, not {name!r}"
                )
        return replace(self, methods=tuple(known[name] for name in dict.fromkeys(methods)))

    def parts(self, scale: Scale) -> list[tuple["Experiment", Scale]]:
        """The experiments that have its runs, and their scale: itself, or those it is over."""
        if not self.over:
            return [(self, scale)]
        own = {name: value for name, value in vars(self.shared()).items() if name != "arms"}
        return [
            (
                replace(part, methods=self.methods, **own),
                Scale(min(scale.steps, part.paper.steps), scale.runs),
            )
            for part in self.over
        ]

    def spec(self, method: Method, run: int, steps: int) -> RunSpec:
        """One run of one method under this experiment's settings."""
        return RunSpec(method, run, steps, self.bandit, **vars(self.shared()))

    def specs(self, scale: Scale) -> list[RunSpec]:
        """Every run of the experiment, run by run, so that early results cover every method.

        Raises:
            ValueError: naming the value given and the values allowed, for a setting out of range,
                or two methods of one name.
        """
        names = [method.name for method in self.methods]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"experiment {self.name} has two methods of the name {name!r}")
        if self.over:
            return [spec for part, size in self.parts(scale) for spec in part.specs(size)]
        return [
            self.spec(method, run, scale.steps)
            for run in range(whole("runs", scale.runs, 1))
            for method in self.methods
        ]


def _take_bandit(value: RunSpec | Experiment) -> None:
    if not isinstance(value.bandit, Classification | None):
        object.__setattr__(value, "bandit", as_code(value.bandit))
