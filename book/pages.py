"""What the pages take from the committed data and the package, so that nobody copies it by hand."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bandits.experiments import CLASSIFY, EXPERIMENTS, SHARED
from bandits.results import (
    choices,
    comparator_settings,
    figures,
    horizon_verdicts,
    paper,
    questions,
    saved,
    verdicts,
)
from book import chapters

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "figures"
CITATION = ROOT / "CITATION.cff"
HOLE = re.compile(r"@@(\w+)@@")

ALT = {
    "convergence": "Normalized regret of Deep against the step, on linear and on logarithmic axes, "
    "with a fitted power law and the paper's slope of −1/2, which is steeper.",
    "low_noise": "Six curves of mean reward per step without noise. At the end, from the top: "
    "Optimal, Deep, LinUCB, Simple Deep, Linear, and Random at 4.5.",
    "high_noise": "Six curves of mean reward per step with noise. At the end, from the top: "
    "Optimal, Deep, LinUCB, Simple Deep, Linear, and Random at 4.5.",
    "convergence_repeats": "Normalized regret of Deep in several runs and their mean, on linear "
    "and on logarithmic axes, with a fitted power law, flatter than the paper's slope of −1/2.",
    "architecture_study": "Squared error on unseen states against operations per sample for "
    "several networks, after 200 and 800 samples; the chosen one is cheap and among the best.",
    "comparators": "Late regret, milliseconds of a step, and regret against seconds of one "
    "network with several ways to explore and of two linear methods; below, each curve alone.",
    "comparators_study": "Late regret of every comparator with each amount of exploration that was "
    "tried, two runs each: NeuralTS loses least, near 0.85; linear Thompson with scale 1 most.",
    "comparators_noise": "Late regret with noise of one network with six ways to explore, of "
    "LinUCB and of Random: five near 0.7, Deep at 0.92, LinUCB at 1.49, Random at 3.36.",
    "ranks": "Regret per step of every method on each classification task, as a table that is "
    "shaded by rank, and beside it the methods' mean ranks with the critical difference.",
    "exponent": "Left: reward of Deep for six exponents p, worst for p = 0. Right: share of arms "
    "that no random step has drawn, which falls slowly for p = 1 and stays near 0.7 for p = 2.",
    "pixel_scale": "LinUCB against the largest pixel value: reward is highest near 1 and falls to "
    "chance on both sides; shares of the arms; range of predictions and of widths.",
    "linear_failure": "Left: reward of six linear methods. Middle: squared error of least squares, "
    "with a peak where samples reach the rank. Right: reward of the greedy choice, lowest there.",
    "random_branch_only": "Reward of Deep trained on all steps, and on random steps only, which "
    "earns less for both exponents; and the paired differences, all above 0.",
    "predictors": "Left: reward with four predictors; nearest neighbours earn least. Right: late "
    "regret of each against the seconds of its last training stage.",
    "bounded_training": "Reward per step that training stages of bounded cost lose against the "
    "paper's rule, for Deep and Simple and two exponents: means near 0, intervals of three runs.",
    "error_causes": "Regret per step and squared error of networks fitted outside the bandit with "
    "one thing changed at a time, beside what Deep's networks lose in the bandit.",
    "training_study": "Reward of Deep with five ways to train its networks.",
    "long_low_noise": "Regret of every method over 40,000 steps without noise on logarithmic axes, "
    "its local slope, and what it comes from.",
    "long_high_noise": "Regret of every method over 40,000 steps with noise on logarithmic axes, "
    "its local slope, and what it comes from.",
    "long_convergence": "Regret of Deep for two exponents p over 100,000 steps on logarithmic "
    "axes, its local slope, and what it comes from.",
    "long_exponent": "Regret of Deep for four exponents p over 40,000 steps on logarithmic axes, "
    "its local slope, and what it comes from.",
    "bounds": "Regret per step on logarithmic axes. Deep's falls below a uniform choice's 3.29 "
    "after some 300 steps and stays above a perfect learner's; the bounds from its own errors lie "
    "far above, and the unified theorem begins at 6e11 steps, near 6.",
    "undrawn": "Step at which each of 60 arms was first taken against the step of its first random "
    "draw. Most lie on the diagonal; eleven lie below it, ten of them before step 20.",
}
ALT |= {
    task.name: "Share of wrong answers in the last quarter of the steps, by method, with a dot "
    "for each run and 95 % intervals."
    for task in (*CLASSIFY, SHARED)
}
"""What is seen in each figure, for those who do not see it."""


def fill(page: str) -> str:
    """A written page with each @@name@@ replaced by what HOLES makes of it.

    Raises:
        ValueError: for a name that HOLES does not have.
    """

    def made(hole: re.Match[str]) -> str:
        if hole[1] not in HOLES:
            raise ValueError(f"a page asks for {hole[0]}; there are {', '.join(HOLES)}")
        return HOLES[hole[1]]()

    return HOLE.sub(made, page)


def papers_verdicts() -> str:
    """The paper's claims about its figures, held against the committed data."""
    return _whole(verdicts.table(paper.read_all(_found())))


def our_questions() -> str:
    """What was expected of the study's own questions, held against the committed data."""
    rows = questions.read_all(_found())
    return _whole(verdicts.table(rows, heading="expected, beyond the paper"))


def horizons() -> str:
    """Every claim at each horizon, once there are several."""
    columns = horizon_verdicts.read_columns(_found())
    if len(columns) < 2:
        return "The committed data has one horizon so far."
    return _whole(horizon_verdicts.table(columns))


def _whole(table: str) -> str:
    """The table, in which no interval is broken over two lines."""
    return re.sub(r"\[[-−.\d]+, [-−.\d]+\]", lambda m: m[0].replace(", ", ",\u00a0"), table)


def gallery() -> str:
    """Every committed figure with what it shows, the command that makes it, and its provenance."""
    there = [path.stem for path in sorted(FIGURES.glob("*.png"))]
    names = [name for name in EXPERIMENTS if name in there]
    return "\n".join(_exhibit(name) for name in dict.fromkeys([*names, *there]))


def _exhibit(name: str) -> str:
    told: dict[str, Any] = json.loads((FIGURES / f"{name}.json").read_text(encoding="utf-8"))
    title = EXPERIMENTS[name].title if name in EXPERIMENTS else "What each network learns"
    drawn = ", ".join(f"{key} {value}" for key, value in told["drawn_with"].items())
    files = " · ".join(
        f"{{download}}`{label} <figures/{name}.{ending}>`"
        for label, ending in (("data", "npz"), ("provenance", "json"), ("PDF", "pdf"))
    )
    return f"""
(figure-{name})=
## {title}

```{{figure}} figures/{name}.png
:alt: {ALT[name]}
:name: picture-{name}

`{name}`, {told["caption"]}.
```

Made by `bandits figures {name} --scale paper` from {told["data"]["description"]};
results version {told["results_version"]}; drawn with {drawn}. Get its {files}.
"""


def settings() -> str:
    """What the paper states of its experiments, and what the study chose where it is silent."""
    return choices.table()


def comparators() -> str:
    """Source, settings and cost of every comparator on the paper's task."""
    return comparator_settings.table(saved.load_data("comparators", FIGURES)[0])


ROOMS = (
    ("theory", "The mathematics: exact laws, bounds, and the ledger's checks."),
    ("checks, settings", "What is refused, and what a setting is."),
    ("streams, schedules, architecture, mnist", "Random numbers, schedules, networks, images."),
    ("environments, linear", "The bandits; least squares and LinUCB's widths."),
    ("history, predictors, attaining", "What was seen, and what an ε-greedy policy believes."),
    ("networks, shared_network, policies", "Networks, and the algorithms."),
    ("simulate", "The loop, and what a run is."),
    ("experiments", "Which methods, settings, steps and runs make which figure."),
    ("engine", "Computes runs, keeps them, and resumes."),
    ("results", "One module a figure: collect, draw, read; the rule for verdicts."),
    ("study", "What the notebooks share."),
)
"""The pages of the reference: modules or packages of `bandits`, and what is in them."""


def reference(source: Path) -> None:
    """Write the reference: a page for each entry of ROOMS, from the docstrings of its modules."""
    (source / "api").mkdir()
    for number, (names, what) in enumerate(ROOMS, start=1):
        title = ", ".join(f"`bandits.{name}`" for name in names.split(", "))
        parts = [f"# {title}", "", what, ""]
        for module in (m for name in names.split(", ") for m in modules(name)):
            parts += [f"## {module}", "", "```{eval-rst}", f".. automodule:: {module}"]
            parts += ["   :members:", "   :ignore-module-all:", "```", ""]
        path = source / "api" / f"{number:02}_{names.split(', ')[0]}.md"
        path.write_text("\n".join(parts), encoding="utf-8")


def modules(name: str) -> list[str]:
    """The module `bandits.NAME`, or the package and all that is in it, by name."""
    base = ROOT / "bandits" / name
    if not base.is_dir():
        return [f"bandits.{name}"]
    files = (path.relative_to(ROOT).with_suffix("").parts for path in sorted(base.rglob("*.py")))
    dotted = (".".join(parts).removesuffix(".__init__") for parts in files)
    return sorted(name for name in dotted if not name.endswith("__main__"))


def _found() -> dict[str, Any]:
    return saved.load_those_there(figures.KINDS, FIGURES)[0]


def reading_path() -> str:
    """The chapters as a list of links; their titles have their numbers."""
    names = [path.name for path in chapters.found(ROOT / "notebooks")]
    return "\n".join(f"* [](notebooks/{name})" for name in names)


def citation() -> str:
    """BibTeX of the study, from CITATION.cff."""
    told = dict(re.findall(r"^(title|version): \"?([^\"\n]*)", CITATION.read_text("utf-8"), re.M))
    (author,) = re.findall(r"^  - name: (.*)$", CITATION.read_text("utf-8"), re.M)
    return f"""@software{{deep_epsilon_greedy_checked,
  author  = {{{{{author}}}}},
  title   = {{{told["title"]}}},
  version = {{{told["version"]}}}
}}"""


HOLES: dict[str, Callable[[], str]] = {
    "verdicts": papers_verdicts,
    "questions": our_questions,
    "horizons": horizons,
    "gallery": gallery,
    "settings": settings,
    "comparators": comparators,
    "chapters": reading_path,
    "citation": citation,
    "low_noise_alt": lambda: ALT["low_noise"],
}
"""What a written page may ask for."""
