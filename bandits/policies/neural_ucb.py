"""NeuralUCB: confidence bounds from the gradients of the networks, with a diagonal matrix."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bandits.checks import finite
from bandits.environments import Draws
from bandits.history import Recall
from bandits.policies.choice import Choice, argmax, chosen
from bandits.policies.learner import Learner
from bandits.predictors import State


class NeuralUCB(Learner):
    """Algorithm 1 of Zhou, Li and Gu (2020), "Neural Contextual Bandits with UCB-based
    Exploration", ICML, with the diagonal matrix that their experiments have.

    The score of arm j is Φ_j(x) + √(λ ν Σ_i g_i² / U_ji), where g is the gradient of Φ_j(x) by the
    network's weights, U_ji = λ + the sum of g_i² over the steps that took arm j. That is how the
    authors' published code has it (of NeuralTS, which is theirs, too; λ = 0.001 and ν = 1 if it is
    told nothing); in the paper ν is γ² and the width of the layer divides g, which changes ν and λ
    only. Ours are one network per arm, where theirs is one with a place in its input for each arm
    (with a `SharedNetwork` it is here, too, and U of the weights that all arms share is one); and
    that U grows at training stages, by the gradients at the weights that chose, where theirs grows
    at each step.

    Args:
        predictor: networks (`bandits.networks.Networks`).
        arms, recall: see `Learner`.
        ridge: λ > 0.
        nu: ν ≥ 0.
    """

    def __init__(
        self,
        predictor: Any,
        arms: int,
        *,
        ridge: float = 1.0,
        nu: float = 1.0,
        recall: Recall | None = None,
    ) -> None:
        super().__init__(predictor, arms, recall=recall)
        self.networks: Any = predictor
        self.ridge = finite("NeuralUCB's ridge (lambda)", ridge, positive=True)
        self.nu = finite("NeuralUCB's nu", nu)
        sizes = [sum(p.numel() for p in n.parameters()) for n in self.networks.networks]
        self.seen = [torch.full((size,), self.ridge, dtype=torch.float64) for size in sizes]
        self._pending: list[tuple[NDArray[np.float32], NDArray[np.int64]]] = []

    def gradient(self, arm: int, inputs: Tensor) -> tuple[float, Tensor]:
        """Φ_j of one arranged context (1, …), and its gradient's squares, (P,) float64."""
        network = self.networks.networks[arm]
        value = network(inputs).sum()
        parts = torch.autograd.grad(value, tuple(network.parameters()))
        squares = torch.cat([part.reshape(-1) for part in parts]).double().cpu() ** 2
        return float(value.detach()), squares

    def mean_and_width(
        self, contexts: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Φ_j(x) and √(λ ν Σ_i g_i² / U_ji) of every arm, (n, m) -> (n, K) each."""
        inputs = self.networks.inputs(contexts)
        mean, width = np.empty((2, len(contexts), self.arms))
        for row in range(len(contexts)):
            for arm, seen in enumerate(self.seen):
                mean[row, arm], squares = self.gradient(arm, inputs[row : row + 1])
                width[row, arm] = np.sqrt(self.ridge * self.nu * float((squares / seen).sum()))
        return mean, width

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """D_t = argmax_j of mean + width."""
        mean, width = self.mean_and_width(contexts)
        actions, probability = argmax(mean + width, draws.tie, "first")
        return Choice(actions, chosen(probability, actions), predictions=chosen(mean, actions))

    def record(
        self, contexts: NDArray[np.float32], choice: Choice, rewards: NDArray[np.float32]
    ) -> None:
        """Append the block to the history, and keep it until the training stage."""
        super().record(contexts, choice, rewards)
        self._pending.append((contexts, choice.actions))

    def train(self) -> None:
        """U_j grows by the new gradients' squares; then the networks are trained."""
        for contexts, actions in self._pending:
            inputs = self.networks.inputs(contexts)
            for row, arm in enumerate(actions):
                self._grow(int(arm), self.gradient(int(arm), inputs[row : row + 1])[1])
        self._pending.clear()
        super().train()

    def _grow(self, arm: int, squares: Tensor) -> None:
        """Add a gradient's squares to U: the part of weights that arms share, to that of each."""
        own = len(squares) - self.networks.common
        self.seen[arm][:own] += squares[:own]
        for seen in self.seen:
            seen[own:] += squares[own:]

    def state(self) -> State | None:
        """The networks' state and U."""
        own = {f"seen/{arm}": seen.numpy().copy() for arm, seen in enumerate(self.seen)}
        return own | (super().state() or {})

    def load_state(self, state: State) -> None:
        """Continue from a trained state, once the history has been recorded again."""
        self._pending.clear()
        self.seen = [torch.from_numpy(np.array(state[f"seen/{a}"])) for a in range(self.arms)]
        super().load_state(state)


POLICY = NeuralUCB
SOURCE = "Zhou et al. (2020), Algorithm 1"
AUTHORS = {"ridge": 0.001, "nu": 1.0}
