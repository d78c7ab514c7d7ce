"""Dropout Thompson sampling: each decision is by a network with some neurons left out at random."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from bandits.checks import finite
from bandits.environments import Draws
from bandits.history import Recall
from bandits.policies.choice import Choice, StepGenerator, argmax, chosen
from bandits.policies.learner import Learner
from bandits.predictors import State


class Dropout(Learner):
    """Dropout of Riquelme, Tucker and Snoek (2018), "Deep Bayesian Bandits Showdown", ICLR, after
    Gal and Ghahramani (2016), "Dropout as a Bayesian Approximation", ICML.

    It is Thompson sampling (Algorithm 1 of the first) where a draw from the posterior is a network
    with each hidden neuron kept with probability `keep`, both in training and in deciding. keep =
    0.8 is what their published code has. Ours are the networks, one per arm, each with a mask of
    its own, and that only the neurons before the last layer are left out.

    Args:
        predictor: networks (`bandits.networks.Networks`), whose last layer reads masked neurons
            from now on.
        arms, recall: see `Learner`.
        generator: gives a step's random numbers.
        batches: seeds the masks in training.
        keep: above 0, up to 1.

    Raises:
        ValueError: for a value out of range.
    """

    def __init__(
        self,
        predictor: Any,
        arms: int,
        generator: StepGenerator,
        batches: np.random.SeedSequence,
        *,
        keep: float = 0.8,
        recall: Recall | None = None,
    ) -> None:
        super().__init__(predictor, arms, recall=recall)
        self.generator = generator
        self.keep = finite("keep", keep, positive=True)
        if self.keep > 1:
            raise ValueError(f"keep must be above 0 and up to 1, not {keep!r}")
        (child,) = batches.spawn(1)
        self.in_training = seeded(np.random.default_rng(child))
        self._masks = self.in_training
        for layer in {network.output for network in predictor.networks}:  # arms may share one
            layer.register_forward_pre_hook(self._mask)

    def _mask(self, layer: nn.Module, given: tuple[Tensor]) -> tuple[Tensor]:
        (hidden,) = given
        kept = torch.rand(hidden.shape, generator=self._masks) < self.keep
        return (hidden * kept.to(hidden.device) / self.keep,)

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """D_t = argmax_j Φ_j(x) with masks of the step's own; its probability is not known."""
        scores = np.empty((len(t), self.arms))
        try:
            for row, step in enumerate(t):
                self._masks = seeded(self.generator(int(step)))
                scores[row] = self.scores(contexts[row : row + 1])[0]
        finally:
            self._masks = self.in_training
        actions, _ = argmax(scores, draws.tie, "first")
        return Choice(actions, None, predictions=chosen(scores, actions))

    def state(self) -> State | None:
        """The networks' state, and that of the masks in training."""
        return {"masks": self.in_training.get_state().numpy()} | (super().state() or {})

    def load_state(self, state: State) -> None:
        """Continue from a trained state, once the history has been recorded again."""
        self.in_training.set_state(torch.from_numpy(np.array(state["masks"])))
        super().load_state(state)


def seeded(generator: np.random.Generator) -> torch.Generator:
    """A torch generator, seeded by a draw of NumPy's."""
    return torch.Generator().manual_seed(int(generator.integers(2**63)))


POLICY = Dropout
SOURCE = "Riquelme et al. (2018), Algorithm 1 with Dropout"
AUTHORS = {"keep": 0.8}
