"""The rule of each comparator, worked by hand, and against a slow transcription of its source."""

import numpy as np
import pytest
import torch
from scipy import stats

from bandits.architecture import SIMPLE, Training
from bandits.engine.compute import compute
from bandits.engine.jobs import jobs
from bandits.environments import Draws, Rounds, SyntheticBandit, table
from bandits.experiments import COMPARATORS, Method, NetworkSpec, RunSpec, Scale, build_policy
from bandits.mnist import Mnist
from bandits.networks import Networks
from bandits.policies import Choice
from bandits.policies.bootstrapped import Bootstrapped
from bandits.policies.dropout import Dropout
from bandits.policies.linear_thompson import LinearThompson
from bandits.policies.neural_linear import NeuralLinear, posterior
from bandits.policies.neural_thompson import NeuralThompson
from bandits.policies.neural_ucb import NeuralUCB
from bandits.policies.squarecb import SquareCB
from bandits.simulate import Trajectory, restore, simulate


def step_generator(t: int) -> np.random.Generator:
    return np.random.default_rng([7, t])


def draws(n: int, seed: int = 0) -> Draws:
    rng = np.random.default_rng(seed)
    return Draws(1 - rng.random(n), rng.integers(0, 3, n), rng.random(n))


class Fixed:
    """Predicts what it was told."""

    def __init__(self, *scores: float) -> None:
        self.given = np.array(scores)

    def predict(self, contexts: np.ndarray) -> np.ndarray:
        return np.tile(self.given, (len(contexts), 1))


def small_networks(arms: int = 2, size: int = 3) -> Networks:
    return Networks(
        SIMPLE,
        size,
        arms,
        training=Training(epochs=2, batch_size=4),
        weights=np.random.SeedSequence(1),
        batches=np.random.SeedSequence(2),
    )


# SquareCB


def test_squarecb_by_hand() -> None:
    policy = SquareCB(Fixed(3.0, 5.0, 4.5), 3, gamma=2.0, exponent=0.5)
    # At t = 4 the steepness is 2 · √4 = 4; the gaps are 2, 0 and 0.5.
    first, last = 1 / (3 + 4 * 2), 1 / (3 + 4 * 0.5)
    by_hand = [first, 1 - first - last, last]
    found = policy.probabilities(np.array([[3.0, 5.0, 4.5]]), np.array([4]))
    np.testing.assert_allclose(found, [by_hand], rtol=1e-12)
    n = 6000
    choice = policy.choose(np.zeros((n, 1), np.float32), np.full(n, 4), draws(n))
    assert choice.propensities is not None
    np.testing.assert_allclose(choice.propensities, np.array(by_hand)[choice.actions], rtol=1e-12)
    shares = np.bincount(choice.actions, minlength=3) / n
    np.testing.assert_allclose(shares, by_hand, atol=0.02)


def test_squarecb_is_uniform_where_all_arms_are_equal_and_greedy_in_the_end() -> None:
    policy = SquareCB(Fixed(1.0, 1.0), 2)
    np.testing.assert_allclose(policy.probabilities(np.ones((1, 2)), np.array([9])), [[0.5, 0.5]])
    late = policy.probabilities(np.array([[0.0, 1.0]]), np.array([10**12]))
    assert late[0, 1] == pytest.approx(1, abs=2e-6)


# Linear Thompson sampling


def test_linear_thompson_draws_from_the_posterior() -> None:
    """Against draws of the whole θ, as the algorithm is printed."""
    rng = np.random.default_rng(3)
    x, actions = rng.random((12, 4), dtype=np.float32), rng.integers(0, 2, 12)
    rewards = rng.random(12).astype(np.float32)
    policy = LinearThompson(4, 2, step_generator, scale=0.7)
    policy.model.update(x, actions, rewards)
    context, n = rng.random(4), 4000
    sampled = np.empty((n, 2))
    for arm in range(2):
        rows = actions == arm
        gram = np.eye(4) + x[rows].T.astype(float) @ x[rows]
        mean = np.linalg.solve(gram, x[rows].T.astype(float) @ rewards[rows])
        theta = rng.multivariate_normal(mean, 0.7**2 * np.linalg.inv(gram), n)
        sampled[:, arm] = theta @ context
    told = np.tile(context, (n, 1)).astype(np.float32)
    choice = policy.choose(told, np.arange(1, n + 1), draws(n))
    assert choice.propensities is None
    # Two shares of 4,000 draws each differ by more than 4 standard deviations once in 16,000 times.
    assert abs(choice.actions.mean() - sampled.argmax(axis=1).mean()) < 4 * np.sqrt(0.5 / n)


def test_linear_thompson_without_width_is_greedy() -> None:
    policy = LinearThompson(2, 2, step_generator, scale=0.0)
    policy.model.update(np.eye(2, dtype=np.float32), np.array([0, 1]), np.float32([1, 1]))
    x = np.float32([[1, 0], [0, 1]])
    assert policy.choose(x, np.array([1, 2]), draws(2)).actions.tolist() == [0, 1]


# Neural-linear Thompson sampling


def test_a_posterior_by_hand() -> None:
    """One feature z = 1 with rewards 1 and 3: the conjugate law of a mean with unknown variance."""
    law = posterior(np.ones((2, 1)), np.array([1.0, 3.0]), ridge=2.0, shape=6.0, rate=6.0)
    assert law.mean == pytest.approx([1.0])  # 4 / (2 + 2)
    assert law.root[0, 0] ** 2 == pytest.approx(4.0)
    assert (law.shape, law.rate) == (7.0, pytest.approx(6 + (10 - 4) / 2))
    prior = posterior(np.empty((0, 2)), np.empty(0), 0.25, 6.0, 6.0)
    assert prior.mean.tolist() == [0, 0]
    assert prior.root == pytest.approx(np.eye(2) / 2)


def test_a_draw_has_students_law() -> None:
    """βᵀz is Student's t with 2 · shape degrees of freedom, scaled by the width."""
    rng = np.random.default_rng(5)
    features, z = rng.random((9, 3)), rng.random(3)
    law = posterior(features, rng.random(9), 0.25, 6.0, 6.0)
    gram = features.T @ features + 0.25 * np.eye(3)
    scale = np.sqrt(law.rate / law.shape * z @ np.linalg.solve(gram, z))
    found = [law.sample(z, rng) for _ in range(3000)]
    exact = stats.t(2 * law.shape, loc=z @ law.mean, scale=scale)
    assert stats.kstest(found, exact.cdf).pvalue > 1e-3


def test_neural_linear_reads_the_last_layer_and_all_data() -> None:
    networks = small_networks()
    policy = NeuralLinear(networks, 2, step_generator)
    x = np.random.default_rng(1).random((8, 3), dtype=np.float32)
    z = policy.features(0, x)
    output = networks.networks[0].output
    weights = np.append(output.weight.detach().numpy(), output.bias.detach().numpy())
    np.testing.assert_allclose(z @ weights, networks.predict(x)[:, 0], atol=1e-6)
    choice = policy.choose(x, np.arange(1, 9), draws(8))
    policy.record(x, choice, np.arange(8, dtype=np.float32))
    policy.train()
    for arm in (0, 1):
        rows = choice.actions == arm
        known = policy.features(arm, x[rows])
        gram = known.T @ known + 0.25 * np.eye(known.shape[1])
        mean = np.linalg.solve(gram, known.T @ np.arange(8.0)[rows])
        np.testing.assert_allclose(policy.posteriors[arm].mean, mean, atol=1e-8)


# NeuralUCB and NeuralTS


def slow_gradient(network: torch.nn.Module, x: np.ndarray) -> np.ndarray:
    """∂Φ/∂w by hand for one hidden layer with ReLU, in the order of the parameters."""
    w, b = (p.detach().numpy().astype(float) for p in network.hidden.parameters())  # type: ignore[union-attr]
    v = network.output.weight.detach().numpy()[0].astype(float)  # type: ignore[union-attr,index,operator]
    before = w @ x + b
    on = before > 0
    return np.concatenate([np.outer(v * on, x).ravel(), v * on, np.maximum(before, 0), [1.0]])


def test_neural_ucb_is_the_authors_formula() -> None:
    networks = small_networks()
    policy = NeuralUCB(networks, 2, ridge=0.5, nu=0.3)
    x = np.random.default_rng(2).random((6, 3), dtype=np.float32)
    u = [np.full(len(slow_gradient(n, x[0])), 0.5) for n in networks.networks]

    def scores() -> np.ndarray:
        found = np.empty((6, 2))
        for row in range(6):
            for arm, network in enumerate(networks.networks):
                g = slow_gradient(network, x[row].astype(float))
                width = np.sqrt(0.5 * 0.3 * (g**2 / u[arm]).sum())
                found[row, arm] = networks.predict(x[row : row + 1])[0, arm] + width
        return found

    choice = policy.choose(x, np.arange(1, 7), draws(6))
    mean, width = policy.mean_and_width(x)
    np.testing.assert_allclose(mean + width, scores(), rtol=1e-5)
    assert choice.actions.tolist() == scores().argmax(axis=1).tolist()
    policy.record(x, choice, np.ones(6, np.float32))
    for row, arm in enumerate(choice.actions):
        u[arm] = u[arm] + slow_gradient(networks.networks[arm], x[row].astype(float)) ** 2
    policy.train()  # U grows by the gradients of before
    for arm in (0, 1):
        np.testing.assert_allclose(policy.seen[arm].numpy(), u[arm], rtol=1e-5)
    np.testing.assert_allclose(sum(policy.mean_and_width(x)), scores(), rtol=1e-5)


def test_neural_thompson_draws_with_neural_ucbs_width() -> None:
    networks, n = small_networks(), 3000
    policy = NeuralThompson(networks, 2, step_generator)
    x = np.float32([[0.2, 0.5, 0.1]])
    mean, width = policy.mean_and_width(x)
    exact = stats.norm.cdf((mean[0, 0] - mean[0, 1]) / np.hypot(*width[0]))
    policy.mean_and_width = lambda contexts: (  # type: ignore[method-assign]
        np.tile(mean, (n, 1)), np.tile(width, (n, 1))
    )  # fmt: skip
    choice = policy.choose(np.tile(x, (n, 1)), np.arange(1, n + 1), draws(n))
    share = (choice.actions == 0).mean()
    assert abs(share - exact) < 4 * np.sqrt(0.25 / n)
    assert choice.propensities is None


# The ensemble


def test_an_ensemble_follows_a_member_drawn_uniformly_and_tells_how_many_agree() -> None:
    members = [Fixed(1, 0, 0), Fixed(1, 0, 0), Fixed(0, 2, 0), Fixed(0, 0, 1), Fixed(3, 0, 1)]
    policy = Bootstrapped(lambda count: members[:count], 3, step_generator)
    n = 3000
    choice = policy.choose(np.zeros((n, 1), np.float32), np.arange(1, n + 1), draws(n))
    shares = np.array([0.6, 0.2, 0.2])
    np.testing.assert_allclose(choice.propensities, shares[choice.actions])
    np.testing.assert_allclose(np.bincount(choice.actions) / n, shares, atol=0.04)


def test_each_member_keeps_its_share_of_the_steps_by_itself() -> None:
    policy = Bootstrapped(lambda count: [Fixed(1, 0, 0)] * count, 3, step_generator)
    n = 2000
    x = np.arange(n, dtype=np.float32)[:, None]
    nothing = np.zeros(n, np.int64)
    for block in (slice(0, 900), slice(900, n)):
        choice = Choice(nothing[block], np.ones(n)[block], np.zeros(n, bool)[block])
        policy.record(x[block], choice, np.zeros(n, np.float32)[block])
    kept = np.array([np.isin(x[:, 0], history.contexts[:, 0]) for history in policy.histories])
    assert kept.mean(axis=1) == pytest.approx(0.8, abs=0.05)
    assert np.abs(np.corrcoef(kept) - np.eye(5)).max() < 0.1
    every = Bootstrapped(lambda count: [Fixed(1, 0, 0)] * count, 3, step_generator, keep=1.0)
    every.record(x, Choice(nothing, np.ones(n), np.zeros(n, bool)), np.zeros(n, np.float32))
    assert [len(history) for history in every.histories] == [n] * 5


# Dropout


def test_dropout_leaves_neurons_out_and_keeps_the_mean() -> None:
    networks = small_networks(1)
    x = np.float32([[0.2, 0.5, 0.1]])
    plain = float(networks.predict(x)[0, 0])
    network = networks.networks[0]
    hidden = torch.relu(network.hidden(torch.from_numpy(x)))[0].detach().numpy()
    parts = hidden * network.output.weight.detach().numpy()[0]
    policy = Dropout(networks, 1, step_generator, np.random.SeedSequence(4), keep=0.8)
    n = 2000
    choice = policy.choose(np.tile(x, (n, 1)), np.arange(1, n + 1), draws(n))
    # Each part is there with probability 0.8, divided by 0.8: the mean is as before.
    variance = (parts.astype(float) ** 2).sum() * 0.2 / 0.8
    assert choice.predictions is not None
    assert choice.predictions.mean() == pytest.approx(plain, abs=4 * np.sqrt(variance / n))
    assert choice.predictions.var() == pytest.approx(variance, rel=0.15)
    whole = Dropout(small_networks(1), 1, step_generator, np.random.SeedSequence(4), keep=1.0)
    np.testing.assert_allclose(whole.scores(x)[0, 0], plain, rtol=1e-6)


@pytest.mark.parametrize("keep", [0.0, 1.5])
def test_a_share_out_of_range_is_refused(keep: float) -> None:
    with pytest.raises(ValueError, match="keep must be"):
        Dropout(small_networks(), 2, step_generator, np.random.SeedSequence(4), keep=keep)
    with pytest.raises(ValueError, match="keep must be"):
        Bootstrapped(lambda count: [], 2, step_generator, keep=keep + 1.5)


# All of them


NAMES = (
    "bootstrapped",
    "dropout",
    "squarecb",
    "linear_thompson",
    "neural_linear",
    "neural_ucb",
    "neural_thompson",
)


def play(
    name: str, rounds: Rounds, until: int, past: Trajectory | None = None, state: object = None
) -> tuple[Trajectory, object]:
    """A run up to a step, and the state there."""
    predictor = None if name == "linear_thompson" else NetworkSpec(SIMPLE, Training(max_batches=8))
    own = {"nu": 0.01} if name in ("neural_ucb", "neural_thompson") else {}
    method = Method(name, name, name, predictor=predictor, parameters=own)
    spec = RunSpec(method, 0, rounds.steps, arms=rounds.arms)
    policy = build_policy(spec, rounds)
    if past is not None:
        restore(policy, rounds, past, 20, state)  # type: ignore[arg-type]
    short = Rounds(rounds.means[:until], rounds.noise[:until], rounds.sigma, rounds.draws[:until],
                   rounds.context_size, rounds.gather)  # fmt: skip
    run = simulate(policy, short, resume=past)
    return run, policy.state() if hasattr(policy, "state") else None


@pytest.mark.parametrize("name", NAMES)
def test_a_comparator_goes_on_from_its_checkpoint_as_if_never_interrupted(name: str) -> None:
    rounds = SyntheticBandit(3, size=4, noise=0.1).rounds(1, 0, 100)
    whole, _ = play(name, rounds, 100)
    half, state = play(name, rounds, 60)
    np.testing.assert_array_equal(half.actions, whole.actions[:60])
    again, _ = play(name, rounds, 100, half, state)
    np.testing.assert_array_equal(again.actions, whole.actions)


@pytest.mark.parametrize("name", NAMES)
def test_a_comparator_learns(name: str) -> None:
    """Three arms, each best where its coordinate is 1; a uniform choice loses 2/3."""
    rng = np.random.default_rng(0)
    best = rng.integers(0, 3, 300)
    rounds = table(np.eye(3)[best], np.eye(3)[best], noise=0.1, seed=1, run=0)
    run, _ = play(name, rounds, 300)
    assert run.regret[200:].mean() < 0.45


def test_the_experiment_runs_at_a_small_scale(sample: Mnist) -> None:
    """Every method plays the paper's task; 40 steps are two training stages."""
    for job in jobs(COMPARATORS, Scale(40, 1)):
        run = compute(job.spec, sample)  # type: ignore[arg-type]
        unknown = np.isnan(run.propensities).all()
        assert unknown == job.spec.method.name.endswith(("thompson", "neural_linear", "dropout"))  # type: ignore[union-attr]
        if job.spec.method.name.startswith("epsilon"):  # type: ignore[union-attr]
            constant = float(job.spec.method.name[8:].replace("_", "."))  # type: ignore[union-attr]
            greedy = run.propensities[~run.explored]
            np.testing.assert_allclose(greedy, 1 - constant * 4 / 5, rtol=1e-6)
