"""One network for all arms, against the vectors with zeros that it stands for, in plain torch."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from commands import python
from torch import nn

from bandits.architecture import SIMPLE, Training
from bandits.engine.compute import compute
from bandits.engine.jobs import jobs
from bandits.engine.progress import bound
from bandits.environments import Rounds, SyntheticBandit, table
from bandits.experiments import (
    CLASSIFY,
    DEEP_ARCHITECTURE,
    EXPERIMENTS,
    SHARED,
    Method,
    NetworkSpec,
    RunSpec,
    Scale,
    build_policy,
)
from bandits.experiments.long import BOUNDED
from bandits.history import History
from bandits.mnist import Mnist
from bandits.policies import Choice
from bandits.policies.dropout import Dropout
from bandits.policies.neural_ucb import NeuralUCB
from bandits.settings import plain
from bandits.shared_network import SharedNetwork
from bandits.simulate import restore, simulate

ARMS, SIZE, WIDTH = 3, 4, 100
WEIGHTS, BATCHES = np.random.SeedSequence(1), np.random.SeedSequence(2)


def shared(**training: Any) -> SharedNetwork:
    how = Training(**{"epochs": 2, "batch_size": 4, **training})
    return SharedNetwork(SIMPLE, SIZE, ARMS, training=how, weights=WEIGHTS, batches=BATCHES)


def generator(seed: np.random.SeedSequence) -> torch.Generator:
    return torch.Generator().manual_seed(int(seed.generate_state(1, np.uint64)[0]) // 2)


def literal() -> nn.Sequential:
    """The network that they have, its weights uniform on ±1/√(fan in)."""
    drawn = generator(WEIGHTS)
    net = nn.Sequential(nn.Linear(ARMS * SIZE, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))
    for layer in (net[0], net[2]):
        for parameter in layer.parameters():
            edge = layer.weight[0].numel() ** -0.5
            with torch.no_grad():
                parameter.uniform_(-edge, edge, generator=drawn)
    return net


def padded(x: np.ndarray, arms: np.ndarray) -> torch.Tensor:
    """Each context in the block of its arm, and zeros."""
    rows = torch.zeros(len(x), ARMS * SIZE)
    for row, arm in enumerate(arms):
        rows[row, arm * SIZE : (arm + 1) * SIZE] = torch.from_numpy(x[row])
    return rows


def predicted(net: nn.Module, x: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        columns = [net(padded(x, np.full(len(x), arm)))[:, 0] for arm in range(ARMS)]
    return torch.stack(columns, dim=1).numpy()


def steps(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arm 1 is rare: most mini-batches have none of it."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, SIZE), dtype=np.float32)
    return x, rng.choice(ARMS, n, p=(0.6, 0.05, 0.35)), rng.random(n).astype(np.float32)


def history(x: np.ndarray, arms: np.ndarray, rewards: np.ndarray) -> History:
    kept = History()
    kept.append(x, arms, rewards)
    return kept


def same(ours: SharedNetwork, theirs: nn.Sequential) -> None:
    """Their weights and ours, block by block."""
    for arm, net in enumerate(ours.networks):
        mine = [p.detach().numpy() for p in net.parameters()]
        block = theirs[0].weight[:, arm * SIZE : (arm + 1) * SIZE]
        for own, other in zip(mine, [block, *list(theirs.parameters())[1:]], strict=True):
            np.testing.assert_allclose(own, other.detach().numpy(), atol=1e-5)


def test_at_first_it_predicts_what_one_network_on_padded_vectors_does() -> None:
    ours, theirs = shared(), literal()
    same(ours, theirs)
    x = steps(7)[0]
    np.testing.assert_allclose(ours.predict(x), predicted(theirs, x), atol=1e-6)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("batches", [1, None])
def test_a_stage_is_that_of_one_network_on_padded_vectors(keep: bool, batches: int | None) -> None:
    """Two stages: of one step each, or of all; with Adam's moments kept, or anew."""
    how = Training(epochs=2, batch_size=4, max_batches=batches, keep_optimizer=keep)
    ours, theirs, order = shared(**vars(how)), literal(), generator(BATCHES)
    adam = torch.optim.Adam(theirs.parameters(), lr=1e-3)
    absent = 0
    for n in (22, 40):
        x, arms, rewards = steps(n)
        ours.fit(history(x, arms, rewards))
        if not keep:
            adam = torch.optim.Adam(theirs.parameters(), lr=1e-3)
        parts: list[torch.Tensor] = []
        for _ in range(1 if batches else how.epochs):
            parts += torch.randperm(n, generator=order).split(how.batch_size)[:batches]
        for some in parts:
            rows = padded(x, arms)[some]
            loss = ((theirs(rows)[:, 0] - torch.from_numpy(rewards)[some]) ** 2).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
            absent += ARMS - len(set(arms[some.numpy()]))
        same(ours, theirs)
    assert absent  # an arm that is not in a mini-batch has moved by its moments
    drift = np.abs(ours.predict(x) - predicted(literal(), x)).max()
    assert drift > (1e-3 if batches else 1e-2)


def test_neural_ucbs_width_is_that_of_one_network_on_padded_vectors() -> None:
    """U is one diagonal over all weights, before and after it has grown."""
    theirs = literal()
    policy = NeuralUCB(shared(), ARMS, ridge=0.5, nu=0.3)
    x, arms, rewards = steps(12)
    u = np.full(sum(p.numel() for p in theirs.parameters()), 0.5)

    def squares(row: int, arm: int) -> np.ndarray:
        theirs.zero_grad()
        theirs(padded(x[row : row + 1], np.array([arm]))).sum().backward()
        parts = [p.grad.reshape(-1) for p in theirs.parameters() if p.grad is not None]
        return np.asarray(torch.cat(parts).double()) ** 2

    def widths() -> np.ndarray:
        each = [[0.15 * (squares(row, arm) / u).sum() for arm in range(ARMS)] for row in range(12)]
        return np.sqrt(each)

    mean, before = policy.mean_and_width(x)
    np.testing.assert_allclose(mean, predicted(theirs, x), atol=1e-5)
    np.testing.assert_allclose(before, widths(), rtol=1e-5)
    policy.record(x, Choice(arms, np.ones(12)), rewards)
    for row, arm in enumerate(arms):
        u += squares(row, arm)
    policy.predictor.fit = lambda history: None  # type: ignore[method-assign]
    policy.train()
    after = policy.mean_and_width(x)[1]
    np.testing.assert_allclose(after, widths(), rtol=1e-5)
    assert (after < before).all()  # what is shared is better known for every arm


def test_dropout_masks_the_layer_that_arms_share_once() -> None:
    """Each part is there with probability keep: the variance is that of one mask, not of K."""
    networks, x, n = shared(), steps(1)[0], 2000
    hidden = torch.relu(networks.networks[0].hidden(torch.from_numpy(x)))[0]  # type: ignore[operator]
    parts = (hidden * networks.networks[0].output.weight[0]).detach().numpy().astype(float)  # type: ignore[union-attr,index]
    policy = Dropout(networks, ARMS, np.random.default_rng, np.random.SeedSequence(4), keep=0.8)
    found = np.array([policy.scores(x)[0, 0] for _ in range(n)])
    assert found.var() == pytest.approx((parts**2).sum() * 0.2 / 0.8, rel=0.15)


# With every policy that takes a network

POLICIES: dict[str, dict[str, float]] = {
    "epsilon_greedy": {"epsilon": 0.1},
    "squarecb": {},
    "bootstrapped": {},
    "dropout": {},
    "neural_linear": {},
    "neural_ucb": {"nu": 0.01},
    "neural_thompson": {"nu": 0.01},
}


def fresh(name: str, rounds: Rounds, **training: Any) -> Any:
    spec = NetworkSpec(SIMPLE, Training(max_batches=24, **training), shared=True)
    method = Method(name, name, name, predictor=spec, parameters=POLICIES[name])
    return build_policy(RunSpec(method, 0, rounds.steps, arms=rounds.arms), rounds)


def first(rounds: Rounds, n: int) -> Rounds:
    return Rounds(rounds.means[:n], rounds.noise[:n], rounds.sigma, rounds.draws[:n],
                  rounds.context_size, rounds.gather)  # fmt: skip


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_learns_with_it(name: str) -> None:
    """Three arms, each best where its coordinate is 1; a uniform choice loses 2/3."""
    best = np.random.default_rng(0).integers(0, 3, 300)
    rounds = table(np.eye(3)[best], np.eye(3)[best], noise=0.1, seed=1, run=0)
    run = simulate(fresh(name, rounds), rounds)
    assert run.regret[200:].mean() < 0.45


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("name", POLICIES)
def test_it_goes_on_from_a_checkpoint_as_if_never_interrupted(name: str, keep: bool) -> None:
    rounds = SyntheticBandit(3, size=4, noise=0.1).rounds(1, 0, 100)
    whole = fresh(name, rounds, keep_optimizer=keep)
    run = simulate(whole, rounds)
    half = fresh(name, rounds, keep_optimizer=keep)
    past = simulate(half, first(rounds, 60))
    again = fresh(name, rounds, keep_optimizer=keep)
    restore(again, rounds, past, 20, half.state())
    np.testing.assert_array_equal(simulate(again, rounds, resume=past).actions, run.actions)
    for key, value in whole.state().items():
        if keep or "exp_avg" not in key:
            np.testing.assert_array_equal(again.state()[key], value)


# The setting


def test_a_network_for_each_arm_keeps_its_fingerprint() -> None:
    assert "shared" not in plain(NetworkSpec(SIMPLE))
    assert plain(NetworkSpec(SIMPLE, shared=True))["shared"] is True


def test_convolutions_and_a_module_of_ones_own_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"without channels, .* not Architecture\(channels=\(8, 16"
    ):
        NetworkSpec(DEEP_ARCHITECTURE, shared=True)
    with pytest.raises(ValueError, match="shared must be True or False, not 'yes'"):
        NetworkSpec(SIMPLE, shared="yes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="without channels, as SIMPLE is, not <function"):
        SharedNetwork(
            lambda size: nn.Linear(size, 1), 4, 2,
            training=Training(), weights=WEIGHTS, batches=BATCHES,
        )  # fmt: skip


def test_the_experiment_is_mnists_with_one_network_and_as_many_mini_batches(sample: Mnist) -> None:
    (separate,) = (e for e in CLASSIFY if e.name == "classify_mnist")
    assert EXPERIMENTS["classify_mnist_shared"] == SHARED
    assert (SHARED.bandit, SHARED.paper, SHARED.seed) == (
        separate.bandit, separate.paper, separate.seed,
    )  # fmt: skip
    names = [method.name for method in SHARED.methods]
    for ours, other in zip(SHARED.methods, separate.select(names).methods, strict=True):
        assert replace(ours, predictor=other.predictor) == other
        if ours.training is not None:
            assert bound(SHARED.spec(ours, 0, 40)) == bound(separate.spec(other, 0, 40))
            assert replace(ours.training, max_batches=BOUNDED.max_batches) == BOUNDED
    for job in jobs(SHARED, Scale(40, 1)):
        run = compute(job.spec, sample)  # type: ignore[arg-type]
        assert len(run.actions) == 40


def test_a_network_for_each_arm_does_without_this_module() -> None:
    """In a reader's browser there is no torch, and another module stands for `bandits.networks`."""
    code = (
        "import sys; from bandits.environments import SyntheticBandit\n"
        "from bandits.experiments import *; method = SIMPLE_DEEP\n"
        "build_policy(RunSpec(method, 0, 20), SyntheticBandit(5).rounds(1, 0, 20))\n"
        "print('bandits.networks' in sys.modules, 'bandits.shared_network' in sys.modules)"
    )
    assert python("-c", code).stdout == "True False\n"
