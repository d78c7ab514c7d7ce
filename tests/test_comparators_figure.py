"""The comparators' figure: its numbers by hand, its marks where they belong, its readings."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from bandits import mnist
from bandits.engine.compute import compute
from bandits.experiments import COMPARATORS, EXPERIMENTS, RunSpec, Scale
from bandits.results import comparators, cost
from bandits.results.data import Data
from bandits.simulate import Trajectory

NAMES = ["deep", "neural_ucb", "epsilon_0_1", "linucb"]


def run(regret: list[float]) -> Trajectory:
    """A run whose best arm always pays 9."""
    n = len(regret)
    return Trajectory(
        actions=np.arange(n) % 5,
        rewards=np.ones(n, np.float32),
        means=9 - np.array(regret),
        best_means=np.full(n, 9.0),
        explored=np.zeros(n, bool),
        propensities=np.ones(n, np.float32),
    )


def collected(late: dict[str, list[float]]) -> Data:
    """Runs of eight steps, which lose 4 at the first six and so much at each of the last two."""
    shown = COMPARATORS.select(list(late))
    runs = {name: [run([4.0] * 6 + [x, x]) for x in values] for name, values in late.items()}
    return comparators.collect(shown, runs, [])


def test_the_numbers_by_hand() -> None:
    data = collected({"deep": [1.0, 2.0, 0.0], "linucb": [3.0, 3.0, 3.0]})
    np.testing.assert_allclose(data["late_regret"], [[1, 2, 0], [3, 3, 3]])
    np.testing.assert_allclose(data["total_regret"], [[26 / 8, 28 / 8, 3], [30 / 8] * 3])
    np.testing.assert_allclose(data["normalized_regret"][0, 0, -1], 26 / 8)
    np.testing.assert_array_equal(data["arm_counts"][1, 2], [2, 2, 2, 1, 1])
    assert np.isnan(data["seconds"]).all()


def test_the_learners_are_in_the_order_of_their_late_regret_and_the_best_arm_is_left_out() -> None:
    data = collected({"optimal": [0.0], "deep": [2.0], "linucb": [1.0], "random": [3.0]})
    data["total_regret"][0] = 0
    assert [str(data["methods"][k]) for k in comparators.learners(data)] == [
        "linucb", "deep", "random",
    ]  # fmt: skip


def test_each_learner_is_held_against_deep_and_the_published_orders_are_read() -> None:
    late = {"deep": [2.0, 2.1, 1.9], "neural_ucb": [1.0, 1.2, 0.9], "linucb": [3.0, 3.1, 2.9],
            "epsilon_0_1": [1.0, 1.1, 1.0]}  # fmt: skip
    read = comparators.read(collected(late))
    assert [r.verdict for r in read] == [
        "agrees", "does not agree", "agrees",  # NeuralUCB, LinUCB and ε = 0.1 against Deep
        "undecided",  # NeuralUCB against ε-greedy
        "agrees",  # ε-greedy against LinUCB
    ]  # fmt: skip
    assert read[0].value.mean == pytest.approx(np.mean([1.0, 0.9, 1.0]))
    assert {r.case for r in read} == {"σ = 0"}
    assert comparators.read(collected({name: runs[:1] for name, runs in late.items()})) == []


def marks(figure: Figure) -> dict[str, list[np.ndarray]]:
    return {axes.get_title() or axes.get_xlabel(): [np.asarray(line.get_xdata()) for line in
            axes.lines] for axes in figure.axes}  # fmt: skip


def test_every_learner_has_its_marks_and_an_axes_of_its_own() -> None:
    data = collected({name: [1.0 + k, 1.5 + k, 1.2 + k] for k, name in enumerate(NAMES)})
    data["seconds"] = np.array([0.001, 0.002, 0.003, 0.004])
    figure = comparators.draw(data, "small")
    drawn = marks(figure)
    late = np.concatenate(drawn["regret per step, last quarter"])
    assert all(np.isclose(late, value).any() for value in data["late_regret"].ravel())
    assert sorted(np.concatenate(drawn["milliseconds of a step"])) == pytest.approx([1, 2, 3, 4])
    assert set(map(str, data["labels"])) <= set(drawn)
    figure.canvas.draw()
    written = {text.get_text() for text in figure.axes[2].texts}
    assert written == set(map(str, data["labels"]))
    many = collected({name: [1.0] for name in NAMES})
    with pytest.raises(ValueError, match="4 methods need as many axes, not 3"):
        comparators.each_alone(figure.axes[:3], many)


def test_a_timed_run_counts_the_steps_of_its_last_half(
    sample: mnist.Mnist, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that moves by one second at each look: one look a stage, and one at the end."""
    now = iter(range(1000))
    monkeypatch.setattr(cost.time, "process_time", lambda: float(next(now)))
    method = COMPARATORS.select(["random"]).methods[0]
    spec = RunSpec(method, run=0, steps=100, train_every=20)
    # Looks at 0, 20, 40, 60, 80, 100 and the end: the last half begins at 40.
    seconds = cost._seconds(spec, sample, compute(spec, sample))["seconds"]
    assert float(seconds) == pytest.approx(4 / 60)


def test_all_methods_are_timed_on_at_most_so_many_steps() -> None:
    long = comparators.tasks(COMPARATORS, Scale(10_000, 12))
    assert len(long) == len(COMPARATORS.methods)
    assert {task.decides["measured"] for task in long} == {
        "processor seconds of each step of the last half of 1000"
    }
    (short,) = comparators.tasks(COMPARATORS.select(["deep"]), Scale(100, 3))
    assert short.decides["measured"].endswith("of 100")


def test_with_noise_some_of_the_methods_are_the_same() -> None:
    noise = EXPERIMENTS["comparators_noise"]
    some = COMPARATORS.select([method.name for method in noise.methods])
    assert replace(noise, name="comparators", title=COMPARATORS.title, noise=0.0) == some
    assert noise.noise == 1
