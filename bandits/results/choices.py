"""What the paper states of its experiments, and all that we chose: the book's table.

Made from the frozen experiments, so that the table cannot fall behind them, and complete enough to
rebuild the experiments from it alone.
"""

from collections.abc import Mapping

import numpy as np

from bandits.architecture import SIDE
from bandits.experiments import EXPERIMENTS, Experiment, Method, NetworkSpec
from bandits.streams import Stream

Row = tuple[str, str, str]
"""The setting, what the paper says of it, and what we do."""


def network_of(experiment: Experiment, name: str) -> tuple[Method, NetworkSpec]:
    """A method of an experiment, and its network.

    Raises:
        ValueError: if there is no such method, or it has no network.
    """
    (method,) = experiment.select([name]).methods
    if not isinstance(method.predictor, NetworkSpec):
        raise ValueError(f"{name} has no network")
    return method, method.predictor


def listed(values: tuple[int | str, ...]) -> str:
    """As "8, 16 and 32"."""
    *first, last = map(str, values)
    return f"{', '.join(first)} and {last}" if first else last


def rows(experiments: Mapping[str, Experiment] = EXPERIMENTS) -> list[Row]:
    """The table's rows, from the three figures of the paper."""
    from bandits.networks import Networks

    fig1, fig2, fig3 = (experiments[n] for n in ("convergence", "low_noise", "high_noise"))
    deep, spec = network_of(fig2, "deep")
    wide = network_of(fig1, "deep_wide")[1].architecture
    simple = network_of(fig2, "simple")[1].architecture
    linear, linucb = fig2.select(["linear", "linucb"]).methods
    shape, training, arms = spec.architecture, spec.training, fig2.arms
    size, f = SIDE**2 * arms, shape.fold
    seed = np.random.SeedSequence(0)
    built = Networks(shape, size, 1, training=training, weights=seed, batches=seed)
    adam = built.optimizers[0].defaults
    features = built.networks[0].get_parameter("hidden.weight").shape[1]
    most = getattr(training, "max_batches", None)
    rate = {"constant": "constant rate", "linear": "rate falling to 0 within each stage"}
    joined = {
        "side_by_side": f"the images side by side, {SIDE} × {SIDE * arms}",
        "stacked": f"the images as {arms} channels",
    }
    ties = {"first": "the first arm, as NumPy and PyTorch do", "random": "a random one of them"}
    streams = ", ".join(
        f"{stream.value} {stream.name.lower()}" for stream in Stream if stream < Stream.POLICY
    )
    return [
        (
            "task",
            "five random images, each digit equally likely; reward = digit of the chosen image, "
            "plus Gaussian noise with σ = 0 or 1",
            f"K = {arms}; a uniform digit, then a uniform image of that digit, from the 60,000 "
            f"training images, with replacement; pixels from 0 to {deep.pixel_scale:g}, image "
            f"after image and row by row ({size:,} numbers); σ = {fig1.noise:g} in Fig. 1, "
            f"{fig2.noise:g} in Fig. 2, {fig3.noise:g} in Fig. 3",
        ),
        (
            "random numbers",
            "not said",
            "per run r = 0, 1, …: NumPy's "
            f"`default_rng(SeedSequence({fig2.seed}, spawn_key=(r, s)))` with s = {streams}; all "
            "methods of a run, and Figs 2 and 3, meet the same states, noise and random numbers; "
            "states: "
            "`random((T, 2, K))`, the digit is ⌊10 u⌋ of the first, the image number ⌊n u⌋ of the "
            "digit's n in the file's order of the second; noise: `standard_normal((T, K))`; "
            "exploration: `random((T, 2))`, η is 1 − u of the first, the arm ⌊K u⌋ of the second",
        ),
        (
            "exploration",
            "ε_t = 1/t",
            f"ε_t = 1/t^{deep.p:g}, t from 1; if η ≤ ε_t, uniform on (0, 1], all K arms are "
            "equally likely",
        ),
        (
            "Deep ε-greedy",
            "one network per arm that sees all images; three convolutional layers, then a fully "
            "connected one of width 100 (1000 in Fig. 1)",
            f"{joined[shape.arrangement]}; each {f} × {f} square of pixels folded into {f * f} "
            f"channels, row by row; 3 × 3 convolutions with {listed(shape.channels)} channels, "
            f"stride {listed(shape.stride)}, a border of {listed(shape.padding)} zeros, each "
            f"followed by max pooling of side {listed(shape.pool)} (what is left over is dropped) "
            f"and ReLU; the {features} numbers row by row, channels last; a layer of {shape.width} "
            f"({wide.width} in Fig. 1) with ReLU, one linear output; a bias everywhere",
        ),
        (
            "Simple Deep",
            "one hidden layer of width 100",
            f"the {size:,} pixels, a layer of {simple.width} with ReLU, one linear output",
        ),
        (
            "initial weights",
            "not said",
            "weights and biases of each layer uniform on ±1/√(fan-in); drawn arm after arm, layer "
            "after layer, weights before biases, by one PyTorch generator, whose seed is half of "
            f"the first 64-bit word of SeedSequence s = {Stream.WEIGHTS.value}, rounded down",
        ),
        (
            "training",
            "every 20 steps, always 16 epochs, initial learning rate 10⁻³",
            f"where t is divisible by {fig2.train_every}; arm after arm, each that has data, new "
            "or not, from its last weights; on "
            f"{'all its samples' if deep.train_on == 'all' else 'those of its random steps'}, "
            f"{training.epochs} epochs, each in a new order (`randperm` of a generator seeded by "
            f"s = {Stream.BATCHES.value} in the same way), mini-batches of "
            f"{training.batch_size} and a smaller last one"
            + (f", at most {most} a stage" if most is not None else "")
            + f"; mean squared error; Adam, {rate[training.decay]} {training.learning_rate:g}, "
            f"β = {adam['betas'][0]:g} and {adam['betas'][1]:g}, ε = {adam['eps']:g}, weight decay "
            f"{adam['weight_decay']:g}, moments {'kept' if training.keep_optimizer else 'reset'} "
            "from stage to stage; float32 throughout, one thread",
        ),
        (
            "Linear",
            "least squares, greedy, B_j = 0 at first",
            "no intercept; the minimum-norm solution where there are many; float64",
        ),
        (
            "LinUCB",
            "B_j = I, b_j = 0, score Θᵀx + √(xᵀB_j⁻¹x)",
            f"as written, on pixels from 0 to {linucb.pixel_scale:g}; float64",
        ),
        (
            "equal predictions",
            "not said",
            "; ".join(dict.fromkeys(ties[m.ties] for m in (deep, linear, linucb)))
            + "; random ties on request",
        ),
        (
            "horizon and runs",
            "12 runs in Figs 2 and 3, one in Fig. 1",
            f"{fig2.paper.steps:,} steps, {fig2.paper.runs} runs in Fig. 2, "
            f"{fig3.paper.steps:,} and {fig3.paper.runs} in Fig. 3, "
            f"{fig1.paper.steps:,} and {fig1.paper.runs} in Fig. 1",
        ),
        (
            "what is plotted",
            "reward divided by t; in Fig. 1 Optimal's minus Deep's",
            "the same: rewards with their noise, summed up to t; in Fig. 1 there is none",
        ),
        (
            "Optimal in Figs 2, 3",
            "not among the five methods named",
            "added, as the ceiling; the lowest-numbered of the best arms",
        ),
    ]


def table(experiments: Mapping[str, Experiment] = EXPERIMENTS) -> str:
    """The rows as Markdown."""
    head: list[Row] = [
        ("setting", "the paper", "our choice where it is silent"),
        ("---", "---", "---"),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in [*head, *rows(experiments)])
