"""The Simple networks in NumPy: in the browser's wheel this is `bandits.networks`.

There is no torch for WebAssembly, and chapter 2 trains networks with one hidden layer. These draw
the same initial weights and the same order of samples as `bandits.networks` does, from torch's
generator, and take the same steps of Adam; only the rounding differs.
"""

import math

import numpy as np
from numpy.typing import NDArray

from bandits.architecture import Architecture, Training
from bandits.checks import whole
from bandits.history import History
from bandits.predictors import State

Floats = NDArray[np.float32]
PARAMETERS = ("hidden.weight", "hidden.bias", "output.weight", "output.bias")


class TorchGenerator:
    """The numbers of a seeded `torch.Generator` on the CPU: the Mersenne Twister's, 32 bits each.

    Source: ATen/core/MT19937RNGEngine.h, TransformationHelper.h and native/TensorFactories.cpp.
    """

    def __init__(self, seed: np.random.SeedSequence) -> None:
        # As in `bandits.networks.torch_generator`; of a seed torch's twister takes the low 32 bits.
        number = int(seed.generate_state(1, np.uint64)[0] >> np.uint64(1))
        self.twister = np.random.RandomState(number & 0xFFFFFFFF)

    def words(self, count: int) -> NDArray[np.uint32]:
        """The next numbers, uniform on 0 .. 2^32 − 1."""
        return self.twister.randint(0, 2**32, count, np.uint32)

    def uniform(self, bound: float, shape: tuple[int, ...]) -> Floats:
        """What `uniform_(-bound, bound)` fills a tensor with: of 24 bits each."""
        low, high = np.float32(-bound), np.float32(bound)
        bits = self.words(math.prod(shape)) & np.uint32(0xFFFFFF)
        of_one = bits.astype(np.float32) / np.float32(2**24)
        return (of_one * (high - low) + low).reshape(shape)

    def permutation(self, n: int) -> list[int]:
        """What `torch.randperm(n)` gives: Fisher and Yates's shuffle from the front."""
        order = list(range(n))
        for i, word in enumerate(self.words(n - 1).tolist()):
            j = i + word % (n - i)
            order[i], order[j] = order[j], order[i]
        return order


class Networks:
    """One network per arm; arguments and methods are those of `bandits.networks.Networks`.

    Raises:
        ValueError: for an architecture with convolutions, or a device other than the CPU.
    """

    def __init__(
        self,
        architecture: Architecture,
        context_size: int,
        arms: int,
        *,
        training: Training,
        weights: np.random.SeedSequence,
        batches: np.random.SeedSequence,
        device: str = "cpu",
    ) -> None:
        if architecture.channels or device != "cpu":
            raise ValueError(
                "without torch, networks have no convolutions and are on the cpu, not "
                f"channels={architecture.channels} on {device!r}"
            )
        generator = TorchGenerator(weights)
        self.training = training
        width = architecture.width
        self.weights = []
        for _ in range(whole("arms (K)", arms, 1)):
            to_hidden, to_output = 1 / math.sqrt(context_size), 1 / math.sqrt(width)
            self.weights.append(
                [
                    generator.uniform(to_hidden, (width, context_size)),
                    generator.uniform(to_hidden, (width,)),
                    generator.uniform(to_output, (1, width)),
                    generator.uniform(to_output, (1,)),
                ]
            )
        self.moments = [_zero_moments(weights) for weights in self.weights]
        self.steps = [0] * arms
        self.shuffle = TorchGenerator(batches)

    def predict(self, contexts: Floats) -> Floats:
        """Contexts (n, m) -> Φ_j(x) of every arm, (n, K)."""
        return np.stack([_forward(weights, contexts)[1] for weights in self.weights], axis=1)

    def fit(self, history: History) -> None:
        """TrainNNet of Algorithm 1 for every arm with data."""
        for arm in range(len(self.weights)):
            rows = history.rows(arm)
            if len(rows):
                self._train(arm, history, rows)

    def _train(self, arm: int, history: History, rows: NDArray[np.int64]) -> None:
        if not self.training.keep_optimizer:
            self.moments[arm], self.steps[arm] = _zero_moments(self.weights[arm]), 0
        for rate, batch in self.training.batches(rows, self.shuffle.permutation):
            slopes = _slopes(self.weights[arm], history.contexts_of(batch), history.rewards[batch])
            self.steps[arm] += 1
            t = self.steps[arm]
            for w, (m, v), g in zip(self.weights[arm], self.moments[arm], slopes, strict=True):
                # Adam (Kingma & Ba, 2015) with its customary β₁ = 0.9, β₂ = 0.999, ε = 1e-8.
                m += 0.1 * (g - m)
                v += 0.001 * (g * g - v)
                w -= rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)

    def state(self) -> State:
        """Weights, Adam's moments and steps, and the shuffling generator, as arrays."""
        twister = self.shuffle.twister.get_state(legacy=False)["state"]
        state: State = {"shuffle": np.append(twister["key"], np.uint32(twister["pos"]))}
        for arm, (weights, moments) in enumerate(zip(self.weights, self.moments, strict=True)):
            state[f"{arm}/steps"] = np.array(self.steps[arm])
            for name, w, (m, v) in zip(PARAMETERS, weights, moments, strict=True):
                state[f"{arm}/{name}"] = np.stack([w, m, v])
        return state

    def load_state(self, state: State) -> None:
        """Continue from arrays that `state` gave."""
        words = state["shuffle"]
        twister = {"key": words[:-1], "pos": int(words[-1])}
        self.shuffle.twister.set_state({"bit_generator": "MT19937", "state": twister})
        for arm, (weights, moments) in enumerate(zip(self.weights, self.moments, strict=True)):
            self.steps[arm] = int(state[f"{arm}/steps"])
            for name, w, (m, v) in zip(PARAMETERS, weights, moments, strict=True):
                w[...], m[...], v[...] = state[f"{arm}/{name}"]


def _zero_moments(weights: list[Floats]) -> list[tuple[Floats, Floats]]:
    return [(np.zeros_like(w), np.zeros_like(w)) for w in weights]


def _forward(weights: list[Floats], x: Floats) -> tuple[Floats, Floats]:
    """The hidden layer (n, width) of contexts (n, m), and the predicted rewards (n,)."""
    hidden = np.maximum(x @ weights[0].T + weights[1], 0)
    reward: Floats = (hidden @ weights[2].T + weights[3])[:, 0]
    return hidden, reward


def _slopes(weights: list[Floats], x: Floats, rewards: Floats) -> tuple[Floats, ...]:
    """The gradient of the mean squared error, in the order of the weights."""
    hidden, predicted = _forward(weights, x)
    error: Floats = np.multiply(predicted - rewards, 2 / len(x), dtype=np.float32)[:, None]
    back: Floats = np.where(hidden > 0, error @ weights[2], np.float32(0))
    return back.T @ x, np.sum(back, axis=0), error.T @ hidden, np.sum(error, axis=0)
