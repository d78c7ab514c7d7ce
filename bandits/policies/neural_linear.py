"""Neural-linear Thompson sampling: an exact posterior of each network's last layer."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from bandits.checks import finite
from bandits.environments import Draws
from bandits.history import Recall
from bandits.policies.choice import Choice, StepGenerator, argmax
from bandits.policies.learner import Learner
from bandits.predictors import State

BLOCK = 1000
"""The most contexts whose features are computed at once, which bounds temporary arrays."""


@dataclass(frozen=True)
class Posterior:
    """The law of (β, σ²): σ² is inverse gamma (shape, rate), and β normal (mean, σ² (L Lᵀ)⁻¹).

    Attributes:
        mean: (w,) float64.
        root: L (w, w), lower triangular.
        shape, rate: > 0.
    """

    mean: NDArray[np.float64]
    root: NDArray[np.float64]
    shape: float
    rate: float

    def sample(self, features: NDArray[np.float64], generator: np.random.Generator) -> float:
        """One draw of βᵀz for the features z (w,)."""
        variance = self.rate / generator.gamma(self.shape)
        width = np.linalg.norm(solve_triangular(self.root, features, lower=True))
        return float(features @ self.mean + np.sqrt(variance) * width * generator.normal())


def posterior(
    features: NDArray[np.float64],
    rewards: NDArray[np.float64],
    ridge: float,
    shape: float,
    rate: float,
) -> Posterior:
    """What features (n, w) with rewards (n,), n ≥ 0, say of β and σ²; ridge is of the prior."""
    gram = features.T @ features + ridge * np.eye(features.shape[1])
    root = np.asarray(np.linalg.cholesky(gram), dtype=np.float64)
    half = solve_triangular(root, features.T @ rewards, lower=True)
    mean = solve_triangular(root.T, half, lower=False)
    left = max(0.0, float(rewards @ rewards - half @ half))  # ≥ 0 but for rounding
    return Posterior(mean, root, shape + len(rewards) / 2, rate + left / 2)


class NeuralLinear(Learner):
    """NeuralLinear of Riquelme, Tucker and Snoek (2018), "Deep Bayesian Bandits Showdown", ICLR.

    It is Thompson sampling (their Algorithm 1) with Bayesian linear regression on what each
    network's last layer reads, and 1 for its bias. Theirs are the prior, ridge = 1/4 and both
    parameters of the inverse gamma 6, and that the posterior is of all data, computed anew from the
    features of today. Ours are the networks, one per arm, and that β is drawn at each step, while
    the posterior changes at training stages. With a `SharedNetwork` each arm still has a posterior
    of its own, as theirs have, on features that are learned from all arms.

    Args:
        predictor: networks (`bandits.networks.Networks`).
        arms, recall: see `Learner`.
        generator: gives a step's random numbers.
        ridge, shape, rate: > 0, of the prior.
    """

    def __init__(
        self,
        predictor: Any,
        arms: int,
        generator: StepGenerator,
        *,
        ridge: float = 0.25,
        shape: float = 6.0,
        rate: float = 6.0,
        recall: Recall | None = None,
    ) -> None:
        super().__init__(predictor, arms, recall=recall)
        self.networks: Any = predictor
        self.generator = generator
        self.prior = tuple(
            finite(f"neural-linear's {name}", value, positive=True)
            for name, value in (("ridge", ridge), ("shape", shape), ("rate", rate))
        )
        self._update()

    def features(self, arm: int, contexts: NDArray[np.float32]) -> NDArray[np.float64]:
        """What the last layer of an arm's network reads, and 1, (n, m) -> (n, w)."""
        network, read = self.networks.networks[arm], []
        with (
            torch.inference_mode(),
            network.output.register_forward_pre_hook(lambda layer, given: read.append(given[0])),
        ):
            for start in range(0, max(1, len(contexts)), BLOCK):
                network(self.networks.inputs(contexts[start : start + BLOCK]))
        hidden = torch.cat(read).cpu().numpy().astype(np.float64)
        return np.hstack([hidden, np.ones((len(hidden), 1))])

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """D_t = argmax_j of a draw of β_jᵀz_j; its probability is not known."""
        features = [self.features(arm, contexts) for arm in range(self.arms)]
        sampled = np.empty((len(t), self.arms))
        for row, step in enumerate(t):
            generator = self.generator(int(step))
            for arm, law in enumerate(self.posteriors):
                sampled[row, arm] = law.sample(features[arm][row], generator)
        actions, _ = argmax(sampled, draws.tie, "first")
        return Choice(actions, None)

    def train(self) -> None:
        """Train the networks, then compute the posteriors from their features."""
        super().train()
        self._update()

    def load_state(self, state: State) -> None:
        """Continue from the networks' state, once the history has been recorded again."""
        super().load_state(state)
        self._update()

    def _update(self) -> None:
        self.posteriors = []
        for arm in range(self.arms):
            rows = self.history.rows(arm)
            width = self.networks.networks[arm].output.in_features + 1
            known = (
                self.features(arm, self.history.contexts_of(rows))
                if len(rows)
                else np.empty((0, width))
            )
            rewards = self.history.rewards[rows].astype(np.float64)
            self.posteriors.append(posterior(known, rewards, *self.prior))


POLICY = NeuralLinear
SOURCE = "Riquelme et al. (2018), Algorithm 1 with NeuralLinear"
AUTHORS = {"ridge": 0.25, "shape": 6.0, "rate": 6.0}
