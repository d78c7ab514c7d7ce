"""The book's table of choices: made from the experiments, and enough to build Deep from."""

import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from bandits import mnist
from bandits.architecture import Architecture, Training
from bandits.engine.compute import compute
from bandits.engine.threads import one_thread
from bandits.experiments import (
    DEEP,
    EXPERIMENTS,
    PAPER_FIGURES,
    Experiment,
    NetworkSpec,
    RunSpec,
    Scale,
    build_policy,
    environment,
)
from bandits.results.choices import network_of, rows, table
from book import pages

PAGE = Path(__file__).resolve().parent.parent / "book" / "settings.md"
LINES = [line for line in table().splitlines() if line.startswith("| ") and line.count("|") == 4]
OURS = {line.split("|")[1].strip(): line.split("|")[3].strip() for line in LINES}


def test_the_book_has_the_table_of_the_experiments() -> None:
    assert pages.fill(PAGE.read_text(encoding="utf-8")).count(table()) == 1


# ── Nothing that decides a result is missing ────────────────────────────────────────────────────

OTHER: dict[str, Any] = {
    "channels": (8, 16, 33), "width": 101, "arrangement": "stacked", "fold": 1,
    "stride": (1, 1, 2), "pool": (2, 2, 1), "padding": (1, 1, 1),
    "epochs": 15, "learning_rate": 0.002, "batch_size": 31, "decay": "linear",
    "keep_optimizer": False, "max_batches": 7,
    "p": 0.5, "ties": "random", "train_on": "random_branch", "pixel_scale": 255.0,
    "arms": 4, "noise": 0.5, "train_every": 10, "seed": 3, "paper": Scale(7, 3),
}  # fmt: skip


def changed(what: str, name: str) -> dict[str, Experiment]:
    """The experiments with one thing changed in the method `deep`, or in Fig. 2 as a whole."""
    fig2 = EXPERIMENTS["low_noise"]
    if what == "experiment":
        return EXPERIMENTS | {"low_noise": replace(fig2, **{name: OTHER[name]})}
    spec = DEEP.predictor
    assert isinstance(spec, NetworkSpec)
    other = {name: OTHER[name]}
    if name == "stride":  # after all the pooling nothing would be left
        other["pool"] = OTHER["pool"]
    if what == "method":
        deep = replace(DEEP, **other)
    elif what == "training":
        deep = replace(DEEP, predictor=replace(spec, training=replace(spec.training, **other)))
    else:
        shape = replace(spec.architecture, **other)
        deep = replace(DEEP, predictor=replace(spec, architecture=shape))
    methods = tuple(deep if method.name == "deep" else method for method in fig2.methods)
    return EXPERIMENTS | {"low_noise": replace(fig2, methods=methods)}


@pytest.mark.parametrize(
    ("what", "name"),
    [
        *(("architecture", field.name) for field in fields(Architecture)),
        *(("training", field.name) for field in fields(Training)),
        *(("method", name) for name in ("p", "ties", "train_on", "pixel_scale")),
        *(("experiment", name) for name in ("arms", "noise", "train_every", "seed", "paper")),
    ],
)
def test_whatever_is_changed_in_the_experiments_changes_the_table(what: str, name: str) -> None:
    before = changed(what, "pool") if name == "stride" else EXPERIMENTS
    assert rows(changed(what, name)) != rows(before)


def test_the_table_speaks_for_all_methods_and_figures_that_it_is_not_asked_about() -> None:
    """Fig. 1's network differs in its width only; one way of training, one seed, one K for all."""
    figures = [EXPERIMENTS[name] for name in PAPER_FIGURES]
    assert len({(e.arms, e.train_every, e.seed) for e in figures}) == 1
    assert figures[1].methods == figures[2].methods
    deep, wide = network_of(figures[1], "deep"), network_of(figures[0], "deep_wide")
    simple = network_of(figures[1], "simple")
    assert deep[1].training == wide[1].training == simple[1].training
    assert replace(wide[1].architecture, width=100) == deep[1].architecture
    for one in (wide[0], simple[0]):
        for name in ("p", "ties", "train_on", "pixel_scale"):
            assert getattr(one, name) == getattr(deep[0], name)


# ── Deep, built from the table's words and numbers alone ────────────────────────────────────────


def said(row: str, pattern: str) -> tuple[Any, ...]:
    """The numbers in a row of the table that stand where the pattern has brackets."""
    found = re.search(pattern, OURS[row])
    assert found, f"{pattern} is not said of {row}"
    return tuple(float(text.replace(",", "")) for text in found.groups())


def whole(row: str, pattern: str) -> list[int]:
    return [int(number) for number in said(row, pattern)]


class Rebuilt(nn.Module):
    """One arm's network as the table describes it, with PyTorch's own layers."""

    def __init__(self) -> None:
        super().__init__()
        deep = "Deep ε-greedy"
        (self.arms,) = whole("task", r"K = (\d+)")
        self.fold, _, channels = whole(deep, r"each (\d+) × (\d+) square .* into (\d+) channels")
        three = r"(\d+), (\d+) and (\d+)"
        outs = whole(deep, rf"3 × 3 convolutions with {three} channels")
        strides = whole(deep, rf"stride {three}")
        borders = whole(deep, rf"a border of {three} zeros")
        self.pools = whole(deep, rf"max pooling of side {three}")
        features, width = whole(
            deep, r"the (\d+) numbers row by row, channels last; a layer of (\d+)"
        )
        self.convolutions = nn.ModuleList()
        for out, stride, border in zip(outs, strides, borders, strict=True):
            self.convolutions.append(nn.Conv2d(channels, out, 3, stride, border))
            channels = out
        self.hidden, self.output = nn.Linear(features, width), nn.Linear(width, 1)

    def draw(self, generator: torch.Generator) -> None:
        assert "uniform on ±1/√(fan-in)" in OURS["initial weights"]
        for layer in (*self.convolutions, self.hidden, self.output):
            bound = layer.weight[0].numel() ** -0.5
            for parameter in (layer.weight, layer.bias):
                with torch.no_grad():
                    parameter.uniform_(-bound, bound, generator=generator)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        n, f = len(states), self.fold
        picture = torch.cat(list(states.view(n, self.arms, 28, 28).unbind(1)), dim=2)
        assert f"{picture.shape[1]} × {picture.shape[2]}" in OURS["Deep ε-greedy"]
        # Each square's pixels, row by row, become the channels.
        x = torch.stack([picture[:, i::f, j::f] for i in range(f) for j in range(f)], dim=1)
        for layer, pool in zip(self.convolutions, self.pools, strict=True):
            x = F.relu(F.max_pool2d(layer(x), pool))
        flat = x.movedim(1, 3).reshape(n, -1)
        return self.output(F.relu(self.hidden(flat)))[:, 0]


def sequence(run: int, stream: str) -> np.random.SeedSequence:
    (number,) = whole("random numbers", rf"(\d) {stream}")
    (seed,) = whole("random numbers", r"SeedSequence\((\d+), ")
    return np.random.SeedSequence(seed, spawn_key=(run, number))


def generator(run: int, stream: str) -> torch.Generator:
    assert "half of the first 64-bit word" in OURS["initial weights"]
    return torch.Generator().manual_seed(
        int(sequence(run, stream).generate_state(1, np.uint64)[0]) // 2
    )


def learned(run: int, actions: Any, rewards: Any, states: torch.Tensor) -> list[Rebuilt]:
    """The five networks after a run's first stage, by the words of the rows on training."""
    training = "training"
    (epochs, batch) = whole(training, r"(\d+) epochs, .* mini-batches of (\d+)")
    (rate,) = said(training, r"constant rate ([\d.]+)")
    betas = said(training, r"β = ([\d.]+) and ([\d.]+)")
    (eps,) = said(training, r"ε = ([\de.-]+),")
    (decay,) = said(training, r"weight decay ([\d.]+)")
    weights, order = generator(run, "weights"), generator(run, "batches")
    networks = [Rebuilt() for _ in range(Rebuilt().arms)]
    for network in networks:
        network.draw(weights)
    targets = torch.from_numpy(rewards)
    for arm, network in enumerate(networks):
        mine = torch.from_numpy(np.flatnonzero(actions == arm))
        adam = torch.optim.Adam(network.parameters(), rate, betas, eps, decay)
        for _ in range(epochs if len(mine) else 0):
            for some in mine[torch.randperm(len(mine), generator=order)].split(batch):
                adam.zero_grad()
                ((network(states[some]) - targets[some]) ** 2).mean().backward()
                adam.step()
    return networks


@pytest.fixture
def stage(sample: mnist.Mnist) -> tuple[RunSpec, Any, Any]:
    (every,) = whole("training", r"divisible by (\d+)")
    spec = RunSpec(DEEP, 1, every)
    rounds = environment(spec, sample).rounds(spec.seed, spec.run, every)
    return spec, rounds, compute(spec, sample)


def test_the_states_and_the_dice_are_those_of_the_table(
    stage: tuple[RunSpec, Any, Any], sample: mnist.Mnist
) -> None:
    spec, rounds, run = stage
    steps, (arms,) = spec.steps, whole("task", r"K = (\d+)")
    u = np.random.default_rng(sequence(1, "states")).random((steps, 2, arms))
    noise = np.random.default_rng(sequence(1, "noise")).standard_normal((steps, arms))
    dice = np.random.default_rng(sequence(1, "exploration")).random((steps, 2))
    contexts = rounds.contexts(slice(None)).reshape(steps, arms, 28, 28)
    for t in range(steps):
        for arm in range(arms):
            digit = int(10 * u[t, 0, arm])
            images = [n for n, label in enumerate(sample.labels) if label == digit]
            image = sample.images[images[int(len(images) * u[t, 1, arm])]]
            assert rounds.means[t, arm] == digit
            np.testing.assert_array_equal(contexts[t, arm], image / np.float32(255))
        explores = 1 - dice[t, 0] <= 1 / (t + 1)
        assert run.explored[t] == explores
        if explores:
            assert run.actions[t] == int(arms * dice[t, 1])
    np.testing.assert_array_equal(rounds.noise, noise)


def test_deep_is_what_the_table_says(stage: tuple[RunSpec, Any, Any]) -> None:
    """Shapes and first weights exactly; what a stage makes of them, up to float32's rounding."""
    spec, rounds, run = stage
    states = rounds.contexts(slice(None))
    with one_thread():
        policy: Any = build_policy(spec, rounds)
        ours = policy.predictor
        drawn, weights = Rebuilt(), generator(1, "weights")
        for network in ours.networks:
            drawn.draw(weights)
            for mine, theirs in zip(drawn.parameters(), network.parameters(), strict=True):
                assert mine.shape == theirs.shape
                assert torch.equal(mine, theirs)
        before = ours.predict(states)
        policy.record(states, run, run.rewards)
        policy.train()
        theirs = learned(1, run.actions, run.rewards, torch.from_numpy(states))
        with torch.no_grad():
            expected = torch.stack([net(torch.from_numpy(states)) for net in theirs], dim=1)
        got = ours.predict(states)
    np.testing.assert_allclose(got, expected.numpy(), rtol=1e-3, atol=1e-3)
    assert np.abs(got - before).max() > 1  # it has learned something


@pytest.mark.parametrize(
    ("row", "old", "new"),
    [
        ("training", "mini-batches of 32", "mini-batches of 8"),
        ("training", "constant rate 0.001", "constant rate 0.002"),
        ("training", "16 epochs", "15 epochs"),
        ("Deep ε-greedy", "border of 0, 0 and 1", "border of 1, 1 and 1"),
    ],
)
def test_with_another_number_in_the_table_deep_would_be_another(
    row: str, old: str, new: str, stage: tuple[RunSpec, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the test above could not fail."""
    assert old in OURS[row]
    monkeypatch.setitem(OURS, row, OURS[row].replace(old, new))
    with pytest.raises((AssertionError, RuntimeError)):
        test_deep_is_what_the_table_says(stage)
