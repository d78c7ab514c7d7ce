"""One network for all arms, whose input says by its place which arm is meant."""

import numpy as np
import torch
from torch import nn

from bandits.architecture import check_shared
from bandits.history import History
from bandits.networks import Network, Networks, Shape


class SharedNetwork(Networks):
    """One network Φ for all arms, with the input of Zhou, Li and Gu (2020), section 7.

    For the arm j that is a vector of K m numbers, in which the context is the j-th block, and all
    else is 0. So only the j-th block of the first layer's weights takes part, and no such vector is
    made: `networks[j]` has this block, and its other weights, the last `common`, are those of all.
    The first weights are drawn as those of one network on K m numbers, and a training stage is of
    the steps of all arms together. Arguments are those of `Networks`.

    Raises:
        ValueError: for an architecture with convolutions.
    """

    def _built(self, shape: Shape, size: int, arms: int, seed: torch.Generator) -> list[nn.Module]:
        shape = check_shared(shape)
        whole = Network(shape, arms * size, generator=seed)
        self.common = sum(p.numel() for p in whole.parameters()) - whole.hidden.weight.numel()
        networks: list[nn.Module] = []
        for block in torch.split(whole.hidden.weight.detach(), size, dim=1):
            network = Network(shape, size, generator=seed)
            network.hidden.weight = nn.Parameter(block.clone())
            network.hidden.bias, network.output = whole.hidden.bias, whole.output
            networks.append(network)
        return networks

    def _optimizers(self) -> list[torch.optim.Adam]:
        """One, under every arm's number."""
        return [self._optimizer(nn.ModuleList(self.networks))] * len(self.networks)

    def fit(self, history: History) -> None:
        """TrainNNet of Algorithm 1, once, on the steps of all arms."""
        if not self.training.keep_optimizer:
            self.optimizers = self._optimizers()
        count = len(self.networks)
        for rate, batch in self.training.batches(np.arange(len(history)), self._shuffled):
            # By arm. One without a sample has an empty part, which makes its gradients 0 and not
            # absent: Adam moves on by its moments, as it does for a column of zeros.
            ordered = batch[np.argsort(history.actions[batch], kind="stable")]
            sizes = np.bincount(history.actions[ordered], minlength=count).tolist()
            parts = torch.split(self.inputs(history.contexts_of(ordered)), sizes)
            predicted = torch.cat([net(x) for net, x in zip(self.networks, parts, strict=True)])
            self._step(0, rate, predicted, history.rewards[ordered])
