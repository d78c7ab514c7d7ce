"""Notebook 09: its rules are the package's, and its numbers are those of the figures."""

import re

import numpy as np
import pytest
from chapter import variables
from notebook_checks import ROOT, read
from scipy.stats import norm

from bandits.environments import draw_exploration
from bandits.policies.squarecb import SquareCB
from bandits.results import comparators, ranks, saved
from bandits.results.data import Data
from bandits.results.statistics import paired_difference

TEXT = " ".join(
    "\n".join(
        cell.source
        for cell in read(ROOT / "notebooks" / "09_what_instead.ipynb").cells
        if cell.cell_type == "markdown"
    ).split()
)


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    return variables("09", tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def figure() -> Data:
    return saved.load_data("comparators", ROOT / "figures")[0]


def late(figure: Data, method: str) -> np.ndarray:
    runs: np.ndarray = figure["late_regret"][list(figure["methods"]).index(method)]
    return runs


class Fixed:
    """A predictor that knows one row of predictions."""

    def __init__(self, row: np.ndarray) -> None:
        self.row = row

    def predict(self, contexts: np.ndarray) -> np.ndarray:
        return np.tile(self.row, (len(contexts), 1))


def test_the_rules_of_the_first_table_are_the_packages(computed: dict[str, np.ndarray]) -> None:
    predicted, t = computed["predicted"], int(computed["t"])
    policy = SquareCB(Fixed(predicted), 5, gamma=3.0)  # type: ignore[arg-type]
    law = policy.probabilities(predicted[None], np.array([t]))[0]
    np.testing.assert_allclose(computed["square_cb"], law)
    draws = draw_exploration(1, 0, 4000, 5)
    policy = SquareCB(Fixed(predicted), 5, gamma=3.0)  # type: ignore[arg-type]
    taken = policy.choose(np.zeros((4000, 1), np.float32), np.full(4000, t), draws).actions
    shares = np.bincount(taken, minlength=5) / 4000
    assert abs(shares - law).max() < 4.5 * np.sqrt(0.25 / 4000)
    # Of three arms that matter the normal law gives Thompson's shares by quadrature.
    grid = np.linspace(-20, 30, 200_001)
    width = 6 / np.sqrt(computed["samples"])
    z = norm(predicted[:, None], width[:, None])
    below = z.cdf(grid)
    exact = [
        np.trapezoid(z.pdf(grid)[a] * np.delete(below, a, axis=0).prod(axis=0), grid)
        for a in range(5)
    ]
    np.testing.assert_allclose(computed["thompson"], exact, atol=0.006)
    assert [round(p, 2) for p in exact[1:4]] == [0.13, 0.0, 0.02]
    assert "in 13 of 100 steps" in TEXT
    assert round(0.02 / float(law[4])) in (11, 12)
    assert "eleven times more rarely" in TEXT


def test_the_promised_exponents_are_those_of_the_balance(computed: dict[str, object]) -> None:
    """The best p balances 1 − p with the errors' exponent: 1 / (1 + a), and 2 / (2 + a)."""
    growth = computed["growth"]
    for row, a in enumerate((0.5, 1.0)):
        found = [growth[name][row] for name in list(growth)[1:]]  # type: ignore[index,call-overload]
        np.testing.assert_allclose(found, [1 / (1 + a), 2 / (2 + a), 1 - a / 2], atol=1e-4)


def test_each_policy_that_knows_its_probabilities_records_them(
    computed: dict[str, dict[str, np.ndarray]],
) -> None:
    """SquareCB is unsure at first, as the words below the picture say."""
    square = computed["taken"]["SquareCB"]
    assert square[:20].mean() < 0.5 < square[-60:].mean()


def test_the_numbers_in_the_words_are_those_of_the_runs(figure: Data) -> None:
    five = ("neural_linear", "neural_thompson", "squarecb", "neural_ucb", "epsilon_0_01")
    means = sorted(late(figure, name).mean() for name in five)
    assert (round(means[0], 2), round(means[-1], 2)) == (0.48, 0.53)
    assert "lose 0.48 to 0.53 per step in the last quarter" in TEXT
    deep = late(figure, "deep")
    assert [f"{run:.2f}" for run in deep] == ["0.54", "0.71"]
    assert f"loses {deep.mean():.2f}. Two runs tell none" in TEXT
    for name in five:
        gain = paired_difference(deep, late(figure, name))
        assert gain.low < 0 < gain.high
    shown = [f"{late(figure, n).mean():.2f}" for n in ("bootstrapped", "dropout", "greedy")]
    assert f"and lost {shown[0]}, {shown[1]} and {shown[2]}." in TEXT


def test_who_left_arms_out(figure: Data) -> None:
    used = {
        str(name): (counts >= 100).sum(axis=1).tolist()
        for name, counts in zip(figure["methods"], figure["arm_counts"], strict=True)
    }
    assert {name for name, arms in used.items() if max(arms) < 5} == {
        "bootstrapped",
        "dropout",
        "greedy",
    }
    assert used["deep"] == [5, 4]
    assert {name for name, arms in used.items() if min(arms) < 5} == {
        "bootstrapped",
        "dropout",
        "greedy",
        "deep",
    }


def test_what_seconds_buy(figure: Data) -> None:
    names, t = list(figure["methods"]), figure["t"]
    mean = figure["normalized_regret"].mean(axis=1)
    linucb = names.index("linucb")
    spent = float(figure["seconds"][linucb]) * t[-1]
    assert f"has lost {mean[linucb, -1]:.2f} per step, in {spent:.1f} s" in TEXT
    networks = [k for k, n in enumerate(names)
                if n not in ("optimal", "random", "linucb", "linear_thompson")]  # fmt: skip
    at_once = [np.interp(spent, figure["seconds"][k] * t, mean[k]) for k in networks]
    assert round(min(at_once), 1) == 2.9
    assert "every network is at 2.9 or more" in TEXT
    first = []
    for k in networks:
        settled = (t >= 100) & (mean[k] < mean[linucb, -1])
        first.append(float(figure["seconds"][k] * t[settled][0]))
    assert 38 <= min(first) < 39.5
    milliseconds = sorted(1000 * float(figure["seconds"][k]) for k in networks)
    assert [round(milliseconds[place]) for place in (0, -2, -1)] == [8, 27, 44]
    assert "a step costs 8 to 27 ms, and 44 ms with five of them" in TEXT


def test_the_published_orders(figure: Data) -> None:
    verdicts = {
        r.claim.partition(" (")[0]: (r.verdict, str(r.value).replace("-", "−"))
        for r in comparators.read(figure)
    }
    first = verdicts["Neural ε-greedy is ahead of LinUCB"]
    assert first[0] == "agrees"
    assert f"by {first[1]}" in TEXT
    assert verdicts["Neural-linear is ahead of dropout"][0] == "agrees"
    for claim in ("NeuralUCB is ahead of neural ε-greedy", "NeuralTS is ahead of NeuralUCB"):
        assert verdicts[claim][0] == "undecided"
        assert verdicts[claim][1] in TEXT
    small = late(figure, "epsilon_0_01").mean()
    shown = f"NeuralUCB loses {late(figure, 'neural_ucb').mean():.3f} on average"
    assert f"{shown} and $\\varepsilon = 0.01$ loses {small:.3f}" in TEXT


def test_what_random_steps_cost(figure: Data) -> None:
    """The first exercise: 3.29 ε of what each constant ε loses."""
    parts = {"epsilon_0_1": 0.1, "epsilon_0_05": 0.05, "epsilon_0_01": 0.01}
    left = [late(figure, name).mean() - 3.29 * epsilon for name, epsilon in parts.items()]
    shown = [f"{value:.2f}" for value in left]
    assert f"{shown[0]}, {shown[1]} and {shown[2]}" in TEXT
    assert re.search("Two fifths of the regret at 0.1, a quarter at 0.05, a sixteenth", TEXT)
    share = [3.29 * e / late(figure, name).mean() for name, e in parts.items()]
    np.testing.assert_allclose(share, [2 / 5, 1 / 4, 1 / 16], atol=0.02)


def test_noise_changes_the_level_and_not_the_picture(figure: Data) -> None:
    noisy, _ = saved.load_data("comparators_noise", ROOT / "figures")
    five = ("neural_linear", "neural_thompson", "squarecb", "neural_ucb", "epsilon_0_01")
    lost = sorted(late(noisy, name)[0] for name in five)
    assert f"from {lost[0]:.2f} to {lost[-1]:.2f}" in TEXT
    costs = sorted(late(noisy, name)[0] - late(figure, name)[0] for name in five)
    assert f"costs them {costs[0]:.2f} to {costs[-1]:.2f} per step" in TEXT
    assert f"Deep loses {late(noisy, 'deep')[0]:.2f}" in TEXT
    assert f"more than before, {late(noisy, 'linucb')[0]:.2f}" in TEXT
    assert late(noisy, "linucb")[0] - late(figure, "linucb")[0] < costs[0]
    used = (noisy["arm_counts"][list(noisy["methods"]).index("deep"), 0] >= 100).sum()
    assert used == 4


def test_the_ranks_that_are_told() -> None:
    found, _ = saved.load_data("ranks", ROOT / "figures")
    places, test = ranks.ranked(found)
    names = [str(name) for name in found["methods"][places]]
    assert names[:5] == ["neural_linear", "neural_thompson", "squarecb", "neural_ucb",
                         "bootstrapped"]  # fmt: skip
    assert f"from {test.mean[0]:.1f} to {test.mean[4]:.1f}" in TEXT
    apart = {n for n, m in zip(names, test.mean, strict=True) if m > test.mean[0] + test.critical}
    assert apart == {"epsilon_0_1", "linucb", "linear_thompson"}
    assert f"differ by {test.critical:.1f}:" in TEXT
    greedy = [test.mean[names.index(n)]
              for n in ("decaying_p1", "decaying_p1_3", "epsilon_0_1", "epsilon_0_01")]  # fmt: skip
    assert f"mean ranks are {min(greedy):.1f} to {max(greedy):.1f}" in TEXT
    assert f"its mean rank is {greedy[3]:.1f}." in TEXT
    lost = dict(zip(map(str, found["methods"]), found["regret"].mean(axis=2).T, strict=True))

    def ahead(first: str, second: str) -> int:
        return int((lost[first] < lost[second]).sum())

    assert ahead("neural_ucb", "epsilon_0_1") == ahead("neural_linear", "dropout") == 6
    assert ahead("neural_thompson", "neural_ucb") == 5
    assert ahead("epsilon_0_1", "linucb") == 4
    paid = 0.1 * (1 - 1 / found["arms"])
    assert (lost["epsilon_0_1"] - paid < lost["linucb"]).all()
