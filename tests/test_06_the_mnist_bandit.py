"""Notebook 06: what it says about the network and the task, beyond what it asserts itself."""

import numpy as np
import pytest
import torch

from bandits import mnist
from bandits.architecture import SIMPLE
from bandits.environments import MnistBandit
from bandits.experiments import DEEP_ARCHITECTURE, PAPER_FIGURES, experiment
from bandits.networks import Network
from bandits.results.supervised import megaflops
from bandits.theory import mnist_facts


@pytest.fixture(scope="module")
def network() -> Network:
    return Network(DEEP_ARCHITECTURE, 3920, generator=torch.Generator().manual_seed(5))


def test_the_multiplications_of_the_table_are_those_that_pytorch_counts(network: Network) -> None:
    """Its counter takes a multiplication and an addition as two operations."""
    assert megaflops(DEEP_ARCHITECTURE, 3920) == pytest.approx(2 * 555_620 / 1e6, abs=0.002)
    assert sum(p.numel() for p in network.parameters()) == 31_905
    simple = Network(SIMPLE, 3920, generator=torch.Generator().manual_seed(5))
    assert sum(p.numel() for p in simple.parameters()) == 392_201


def test_a_filter_sees_six_by_six_pixels(network: Network, sample: mnist.Mnist) -> None:
    state = MnistBandit(sample, arms=5).rounds(seed=5, run=0, steps=1).contexts(slice(0, 1))
    images = state[0].reshape(5, 28, 28).transpose(1, 0, 2).reshape(28, 140)
    window = images[10:16, 10:16].reshape(3, 2, 3, 2).transpose(1, 3, 0, 2).reshape(4, 3, 3)
    first = network.convolutions[0]
    with torch.no_grad():
        folded = network.arrange(torch.from_numpy(state)).permute(0, 3, 1, 2)
        by_hand = (first.weight[0].numpy() * window).sum() + first.bias[0].item()
        assert first(folded)[0, 0, 5, 5].item() == pytest.approx(by_hand, abs=1e-5)


@pytest.mark.parametrize("column", [0, 3, 7])
def test_a_column_of_the_last_layer_sees_44_pixels(network: Network, column: int) -> None:
    """Change one column of pixels, and see which columns of the last layer change."""

    def last_layer(states: torch.Tensor) -> torch.Tensor:
        value = network.arrange(states).permute(0, 3, 1, 2)
        for layer, pool in zip(network.convolutions, DEEP_ARCHITECTURE.pool, strict=True):
            value = torch.nn.functional.max_pool2d(layer(value), pool)
        return value[0, :, 0]

    begin = 16 * column - 8  # a border of zeros to the left of the last layer
    with torch.no_grad():
        blank, reach = last_layer(torch.zeros(1, 3920)), []
        assert blank.shape[1] == 8
        for pixel in range(140):
            stripe = torch.zeros(1, 5, 28, 28)
            stripe[:, pixel // 28, :, pixel % 28] = 1000.0
            changed = last_layer(stripe.view(1, 3920)) != blank
            reach += [pixel] * bool(changed[:, column].any())
    assert reach[0] >= max(0, begin)
    assert reach[-1] < min(140, begin + 44)
    assert len(reach) > min(140, begin + 44) - max(0, begin) - 8  # and nearly all of them


def test_what_one_earns_who_recognises_nines_and_eights() -> None:
    nine, eight = 1 - 0.9**5, 0.9**5 - 0.8**5
    assert round(9 * nine + 4 * 0.9**5, 3) == 6.048
    assert round(9 * nine + 8 * eight + 3.5 * 0.8**5, 3) == 6.935
    assert str(mnist_facts.expected_best(5)) == "31167/4000"


def test_noise_leaves_the_range_of_the_digits(sample: mnist.Mnist) -> None:
    drawn = MnistBandit(sample, arms=5, noise=1.0).rounds(seed=5, run=1, steps=200_000)
    rewards = drawn.means[:, 0] + drawn.noise[:, 0]
    assert rewards.min() < 0
    assert rewards.max() > 9
    equal = (np.ptp(drawn.means, axis=1) == 0).sum()
    assert abs(equal - 20) < 5 * 20**0.5


def test_the_settings_are_the_papers_where_it_names_them() -> None:
    assert [experiment(name).paper.runs for name in PAPER_FIGURES] == [1, 12, 12]
    training = experiment("low_noise").select(["deep"]).methods[0].predictor.training
    assert (training.epochs, training.learning_rate) == (16, 1e-3)
    assert len(DEEP_ARCHITECTURE.channels) == 3
