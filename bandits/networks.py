"""The paper's networks, and the predictor that keeps one of them per arm (Algorithm 1)."""

import math
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from bandits.architecture import SIDE, Architecture, Training
from bandits.checks import whole
from bandits.history import History
from bandits.predictors import State


class Network(nn.Module):
    """Φ: contexts (n, m), once arranged -> predicted rewards (n,).

    Max pooling comes before ReLU: they commute, and the smaller array is cheaper.

    Args:
        architecture: what to build.
        context_size: m; a multiple of 784 where there are convolutions.
        generator: draws the weights, uniform on ±1/√(fan in) as PyTorch's layers do by default.
    """

    _order: Tensor
    _shape: tuple[int, ...]

    def __init__(
        self, architecture: Architecture, context_size: int, *, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.architecture = architecture
        if architecture.channels and context_size % SIDE**2:
            raise ValueError(
                f"convolutions need whole {SIDE} x {SIDE} images, m a multiple of {SIDE**2}, "
                f"not {context_size}"
            )
        self.images = context_size // SIDE**2
        side_by_side = architecture.arrangement == "side_by_side"
        channels = architecture.fold**2 * (1 if side_by_side else self.images)
        height = SIDE // architecture.fold
        width = height * (self.images if side_by_side else 1)
        # On the meta device no weight is drawn from torch's global generator.
        with torch.device("meta"):
            self.convolutions = nn.ModuleList()
            for out, stride, pool, padding in zip(
                architecture.channels,
                architecture.stride,
                architecture.pool,
                architecture.padding,
                strict=True,
            ):
                self.convolutions.append(nn.Conv2d(channels, out, 3, stride, padding))
                channels = out
                height = ((height + 2 * padding - 3) // stride + 1) // pool
                width = ((width + 2 * padding - 3) // stride + 1) // pool
                if height < 1 or width < 1:
                    raise ValueError(f"nothing is left of the images after {architecture}")
            features = channels * height * width if architecture.channels else context_size
            self.hidden = nn.Linear(features, architecture.width)
            self.output = nn.Linear(architecture.width, 1)
        self.to_empty(device="cpu")
        for layer in [*self.convolutions, self.hidden, self.output]:
            bound = 1 / math.sqrt(layer.weight[0].numel())
            for parameter in (layer.weight, layer.bias):
                nn.init.uniform_(parameter, -bound, bound, generator=generator)
        self.to(memory_format=torch.channels_last)
        if architecture.channels:
            self._set_order()

    def _set_order(self) -> None:
        """Where each number of the input stands in a context, and the input's shape."""
        k, f = self.images, self.architecture.fold
        h = SIDE // f
        pixels = torch.arange(k * SIDE**2).view(k, h, f, h, f)
        if self.architecture.arrangement == "side_by_side":
            order, self._shape = pixels.permute(1, 0, 3, 2, 4), (h, k * h, f * f)
        else:
            order, self._shape = pixels.permute(1, 3, 0, 2, 4), (h, h, k * f * f)
        self.register_buffer("_order", order.reshape(-1), persistent=False)

    def arrange(self, contexts: Tensor) -> Tensor:
        """Contexts (n, m) -> the input that `forward` takes, in the order it is read in memory.

        (n, height, width, channels), or (n, m) as it is where there are no convolutions.
        """
        if not self.architecture.channels:
            return contexts
        # Eight times as fast as permuting the axes, of which the last is only `fold` long.
        return contexts.index_select(1, self._order).view(-1, *self._shape)

    def forward(self, inputs: Tensor) -> Tensor:
        """Predicted rewards (n,) of arranged contexts."""
        x = inputs.permute(0, 3, 1, 2) if self.architecture.channels else inputs
        for layer, pool in zip(self.convolutions, self.architecture.pool, strict=True):
            x = layer(x)
            x = F.relu(F.max_pool2d(x, pool) if pool > 1 else x)
        # Channels last already is the order in memory, so that flattening copies nothing.
        x = x.permute(0, 2, 3, 1).flatten(1) if self.architecture.channels else x
        reward: Tensor = self.output(F.relu(self.hidden(x)))
        return reward.squeeze(1)


def torch_generator(seed: np.random.SeedSequence) -> torch.Generator:
    """A seeded generator on the CPU, whatever device the networks are on."""
    return torch.Generator().manual_seed(int(seed.generate_state(1, np.uint64)[0] >> np.uint64(1)))


Shape = Architecture | Callable[[int], nn.Module]


def _network(shape: Shape, size: int, seed: torch.Generator) -> nn.Module:
    if isinstance(shape, Architecture):
        return Network(shape, size, generator=seed)
    with torch.random.fork_rng(devices=[]):  # layers draw their weights from torch's own generator
        torch.manual_seed(int(torch.randint(2**62, (), generator=seed)))
        return shape(size)


class Networks:
    """One network per arm, warm-started from stage to stage (Φ_{j,t} from Φ_{j,t−1}).

    Args:
        architecture: of every arm's network; or a function of m that makes a module of your own,
            from contexts (n, m) to n numbers, which draws nothing at random once it is made.
        context_size: m.
        arms: K.
        training: how a stage trains.
        weights: seeds the initial weights.
        batches: seeds the order of the samples.
        device: "cpu" or "cuda"; weights are kept there.
    """

    common = 0
    """How many weights, the last of each network, are those of all arms."""

    def __init__(
        self,
        architecture: Shape,
        context_size: int,
        arms: int,
        *,
        training: Training,
        weights: np.random.SeedSequence,
        batches: np.random.SeedSequence,
        device: str = "cpu",
    ) -> None:
        self.training = training
        self.device = torch.device(device)
        arms = whole("arms (K)", arms, 1)
        built = self._built(architecture, context_size, arms, torch_generator(weights))
        self.networks = [network.to(self.device) for network in built]
        self.optimizers = self._optimizers()
        self.shuffle = torch_generator(batches)

    def _built(self, shape: Shape, size: int, arms: int, seed: torch.Generator) -> list[nn.Module]:
        return [_network(shape, size, seed) for _ in range(arms)]

    def _optimizers(self) -> list[torch.optim.Adam]:
        return [self._optimizer(network) for network in self.networks]

    def _optimizer(self, network: nn.Module) -> torch.optim.Adam:
        return torch.optim.Adam(network.parameters(), lr=self.training.learning_rate, fused=True)

    def predict(self, contexts: NDArray[np.float32]) -> NDArray[np.float32]:
        """Contexts (n, m) -> Φ_j(x) of every arm, (n, K)."""
        with torch.inference_mode():
            x = self.inputs(contexts)
            scores = [network(x).reshape(len(x)) for network in self.networks]
            return torch.stack(scores, dim=1).cpu().numpy()

    def fit(self, history: History) -> None:
        """TrainNNet of Algorithm 1 for every arm with data."""
        for arm in range(len(self.networks)):
            rows = history.rows(arm)
            if len(rows):
                self._train(arm, history, rows)

    def inputs(self, contexts: NDArray[np.float32]) -> Tensor:
        """Contexts (n, m) as the networks take them, on their device."""
        inputs, first = torch.from_numpy(contexts).to(self.device), self.networks[0]
        return first.arrange(inputs) if isinstance(first, Network) else inputs

    def _train(self, arm: int, history: History, rows: NDArray[np.int64]) -> None:
        if not self.training.keep_optimizer:
            self.optimizers[arm] = self._optimizer(self.networks[arm])
        for rate, batch in self.training.batches(rows, self._shuffled):
            # Contexts become floats here, a mini-batch at a time: see `History`.
            inputs = self.inputs(history.contexts_of(batch))
            predicted = self.networks[arm](inputs).reshape(len(inputs))
            self._step(arm, rate, predicted, history.rewards[batch])

    def _step(self, arm: int, rate: float, predicted: Tensor, r: NDArray[np.float32]) -> None:
        """One step on the mean squared error of a mini-batch with rewards r (n,)."""
        optimizer = self.optimizers[arm]
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad(set_to_none=True)
        F.mse_loss(predicted, torch.from_numpy(r).to(self.device)).backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    def _shuffled(self, n: int) -> NDArray[np.int64]:
        order: NDArray[np.int64] = torch.randperm(n, generator=self.shuffle).numpy()
        return order

    def state(self) -> State:
        """Weights, Adam's moments and the shuffling generator, as arrays."""
        state = {"shuffle": self.shuffle.get_state().numpy()}
        for arm, (network, optimizer) in enumerate(
            zip(self.networks, self.optimizers, strict=True)
        ):
            for name, parameter in network.named_parameters():
                state[f"{arm}/{name}"] = parameter.detach().cpu().numpy().copy()
                for key, value in optimizer.state.get(parameter, {}).items():
                    state[f"{arm}/{name}/{key}"] = value.detach().cpu().numpy().copy()
        return state

    def load_state(self, state: State) -> None:
        """Continue from arrays that `state` gave."""
        self.shuffle.set_state(torch.from_numpy(state["shuffle"]))
        for arm, (network, optimizer) in enumerate(
            zip(self.networks, self.optimizers, strict=True)
        ):
            for name, parameter in network.named_parameters():
                where = f"{arm}/{name}"
                with torch.no_grad():
                    parameter.copy_(torch.from_numpy(state[where]))
                moments = {
                    key.rsplit("/", 1)[1]: torch.from_numpy(np.array(value))
                    for key, value in state.items()
                    if key.startswith(where + "/")
                }
                if moments:
                    optimizer.state[parameter] = {
                        key: _like(value, parameter) for key, value in moments.items()
                    }


def _like(moment: Tensor, parameter: Tensor) -> Tensor:
    """Adam's moments in the layout and place of their parameter; the step counter is a scalar."""
    if moment.ndim == 0:
        return moment.to(parameter.device)
    return torch.empty_like(parameter).copy_(moment)
