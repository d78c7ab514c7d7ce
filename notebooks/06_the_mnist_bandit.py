# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: tags,jupyter,mystnb,-all
#     formats: ipynb,py:percent
#     notebook_metadata_filter: -jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The MNIST bandit: the data, the state, and the networks
#
# [Notebook 1](01_the_problem.ipynb) let you play the paper's task, and
# [notebook 2](02_the_algorithm.ipynb) showed its algorithm on a toy. Before the paper's figures are
# repeated in [notebook 7](07_the_paper_figures.ipynb), everything that they rest on is laid open
# here. After this notebook you will be able to
#
# * say what the images are, where they come from, and how one wrong type turns ink into paper;
# * unfold a state of 3920 numbers into five images, and see what happens if you unfold it wrongly;
# * state exact facts about the task as fractions, and check what is drawn against them;
# * name the two assumptions of the paper that its own experiment does not meet;
# * follow a state through the network layer by layer, and count parameters and operations;
# * explain why the *arrangement* of the five images decides what can be learned from few rewards;
# * tell what the paper states from what we had to choose, with the reason for each choice.

# %% jupyter={"source_hidden": true}
# On Google Colab only: fetch and install the study, with the PyTorch that Colab has.
import importlib.util
import os
import subprocess
import sys

if "google.colab" in sys.modules and importlib.util.find_spec("bandits") is None:
    address = input("Address of this study's repository, as for git clone: ")
    subprocess.run(["git", "clone", "--depth", "1", address, "study"], check=True)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "./study"], check=True)
    os.chdir("study/notebooks")

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from IPython.display import Markdown

from bandits import study
from bandits.results import (
    architecture_study,
    bounded_training,
    horizon,
    saved,
    supervised,
    verdicts,
)
from bandits.results.statistics import paired_difference
from bandits.results.tables import Table
from bandits.architecture import SIMPLE
from bandits.environments import MnistBandit
from bandits.experiments import DEEP_ARCHITECTURE, PAPER_FIGURES, experiment
from bandits.networks import Network
from bandits.results.plots import PALETTE, use_style
from bandits.theory import mnist_facts

use_style()
states = {"glance": 200_000, "quick": 500_000, "paper": 1_000_000}[study.scale()]
data = study.data()
print(f"Scale: {study.scale()} ({states:,} states drawn). Data: {data.description}.")

# %% [markdown]
# ## The data
#
# MNIST is 60,000 handwritten digits for training and 10,000 for testing, each 28 × 28 pixels, one
# byte a pixel: 0 is paper, 255 is full ink. The study looks for the four original files and checks
# each byte of them by a checksum. Where they cannot be had it falls back to 5,000 of these very
# digits that come with a Python package, and says so, as in the line above. Every figure and every
# result that the study stores names the data it was made from.

# %%
print("images", data.images.dtype, data.images.shape)
print("labels", data.labels.dtype, data.labels.shape)
counts = np.bincount(data.labels)
print("images of each digit:", ", ".join(f"{count:,}" for count in counts))

examples = [data.images[data.labels == digit][:4] for digit in range(10)]
wall = np.block([[examples[digit][k] for digit in range(10)] for k in range(4)])
figure, axes = plt.subplots(figsize=(7, 2.9), layout="constrained")
axes.imshow(wall, cmap="gray_r")
axes.set(xticks=28 * np.arange(10) + 14, yticks=[], xlabel="the reward that this image pays")
axes.set_xticklabels(range(10))
axes.grid(False)
assert wall.shape == (4 * 28, 10 * 28)
assert (wall.min(), wall.max()) == (0, 255)
assert data.images.dtype == np.uint8
assert len(counts) == 10
assert counts.min() > 0

# %% [markdown]
# ### One type, and ink turns into paper
#
# Networks want numbers of moderate size, so pixels are divided by 255. The order matters. Bytes
# without a sign (`uint8`) hold 0 to 255; with a sign (`int8`) they hold −128 to 127, and 255
# becomes −1: the blackest ink lands next to the paper. And `uint8` wraps around: 0 − 1 is 255, so
# that subtracting a little from an image makes its paper black. Both mistakes give arrays of the
# right shape and raise no error.

# %%
image = data.images[data.labels == 8][0]
right = image / np.float32(255)
signed = image.astype(np.int8) / np.float32(127)
wrapped = image - np.uint8(1)  # modulo 256

print("byte        ", *(f"{byte:6}" for byte in (0, 100, 128, 200, 255)))
bytes_ = np.array([0, 100, 128, 200, 255], dtype=np.uint8)
print("/ 255       ", *(f"{value:6.2f}" for value in bytes_ / 255))
print("int8 / 127  ", *(f"{value:6.2f}" for value in bytes_.astype(np.int8) / 127))
print("byte − 1    ", *(f"{value:6}" for value in bytes_ - np.uint8(1)))

figure, panels = plt.subplots(1, 3, figsize=(7, 2.5), layout="constrained")
titles = ("pixel / 255", "read as int8: ink is −1", "uint8 minus 1: paper is 255")
for axes, picture, title in zip(panels, (right, signed, wrapped), titles, strict=True):
    axes.imshow(picture, cmap="gray_r")
    axes.set(xticks=[], yticks=[], title=title)
    axes.grid(False)
assert right.min() == 0
assert 0.99 < right.max() <= 1
assert signed.min() < 0
assert (wrapped[image == 0] == 255).all()

# %% [markdown]
# The scale of the pixels is a choice too, and not a harmless one. Least squares predicts the same
# whether pixels end at 1 or at 255. But *LinUCB*, which the paper compares with, scores an arm in
# state $x$ by a linear prediction $\Theta^\top x$ plus a width $\sqrt{x^\top B^{-1} x}$ for what it
# does not know yet ($B$ is the identity at first, and gains $x x^\top$ whenever the arm is taken in
# $x$). As long as little is known the width grows with the pixels' scale, and the reward does not.
# This study uses 0 to 1; the assignment *Digits for rewards* looks at what 0 to 255 does.
#
# ## The state
#
# A state is five images, one after the other: $5 \cdot 28 \cdot 28 = 3920$ numbers. The policy is
# not told that they are pixels. A network with convolutions has to be, and the 3920 numbers must
# be unfolded correctly: image by image, and within an image row by row. Telling the computer that
# they are one picture of 28 × 140 looks right, runs without complaint, and tears the digits apart.

# %%
bandit = MnistBandit(data, arms=5)
rounds = bandit.rounds(seed=5, run=0, steps=8)
X = rounds.contexts(slice(0, 8))
x = X[0]
side_by_side = x.reshape(5, 28, 28).transpose(1, 0, 2).reshape(28, 140)
torn = x.reshape(28, 140)

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 3.2), layout="constrained")
for axes, picture, title in (
    (above, side_by_side, "x.reshape(5, 28, 28), then the images side by side"),
    (below, torn, "x.reshape(28, 140): the same numbers, torn"),
):
    axes.imshow(picture, cmap="gray_r")
    axes.set(xticks=[], yticks=[], title=title)
    axes.grid(False)

digits = rounds.means[0].astype(int)
print("x:", x.dtype, x.shape, "from", x.min(), "to", x.max())
print("rewards of the five arms:", *digits)
shown = [(data.images[data.labels == digit] / np.float32(255)) for digit in digits]
for j in range(5):
    ours = side_by_side[:, 28 * j : 28 * (j + 1)]
    assert (shown[j] == ours).all(axis=(1, 2)).any(), "arm j pays the digit of image j"
assert np.array_equal(np.sort(torn.ravel()), np.sort(side_by_side.ravel()))

# %% [markdown]
# ## What is known exactly
#
# How well anyone can do has nothing to do with pixels. A digit is uniform on 0 to 9 (first the
# digit is drawn, then an image of it), five of them are independent, and so everything below is a
# rational number. With $M$ the largest of the five digits and $\Delta_i$ the gap of arm $i$:
#
# * $\mathbb{E} M = \sum_{d=1}^{9} (1 - (d/10)^5)$, what Optimal earns;
# * $\mathbb{E} \Delta_i = \mathbb{E} M - 9/2$, what always choosing arm $i$ costs;
# * $\mathbb{E} (M - \min)$, the most that anyone can lose, by always taking the smallest;
# * $P(\text{tie})$: several images show the largest digit, so that several arms are optimal;
# * $P(\text{no arm is suboptimal})$: all five digits are equal.
#
# The last column is the distance between what is drawn and the truth, in standard errors.

# %%
drawn = bandit.rounds(seed=5, run=1, steps=states).means
best = drawn.max(axis=1)
quantities = {
    "E max, Optimal": (mnist_facts.expected_best(5), best),
    "E of any one arm": (mnist_facts.expected_choice_at_random(5), drawn[:, 0]),
    "E gap of an arm": (mnist_facts.expected_regret_of_an_arm(5), best - drawn[:, 0]),
    "E (max - min)": (mnist_facts.expected_range(5), best - drawn.min(axis=1)),
    "P(tie for the best)": (
        mnist_facts.probability_of_tie(5),
        (drawn == best[:, None]).sum(axis=1) > 1,
    ),
    "P(no suboptimal arm)": (
        mnist_facts.probability_of_no_suboptimal_arm(5),
        np.ptp(drawn, axis=1) == 0,
    ),
}
print("quantity              exactly                    drawn     errors away")
for name, (exact, values) in quantities.items():
    spread = float(values.std())
    if name.startswith("P"):  # known exactly; the sample may hold too few cases to tell
        spread = float(exact * (1 - exact)) ** 0.5
    away = (values.mean() - float(exact)) / (spread / np.sqrt(states))
    print(f"{name:20}  {exact!s:>12} = {float(exact):<8.6g} {values.mean():9.5f}  {away:+10.1f}")
    assert abs(away) < 4.5, "further from the exact value than chance allows"
assert str(mnist_facts.expected_best(5)) == "31167/4000"
assert str(mnist_facts.expected_regret_of_an_arm(5)) == "13167/4000"

# %%
names = np.arange(10)
law = ((names + 1) / 10) ** 5 - (names / 10) ** 5  # P(M = d)
counted = np.bincount(best.astype(int), minlength=10) / states
figure, axes = plt.subplots(figsize=(6, 2.8), layout="constrained")
axes.bar(names, counted, color=PALETTE[4], label="drawn")
axes.plot(names, law, "_", color="black", markersize=22, label="exactly")
axes.set(xticks=names, xlabel="the largest of five digits", ylabel="probability")
axes.legend(frameon=False)
assert abs(law.sum() - 1) < 1e-12
assert (abs(counted - law) < 5 * np.sqrt(law * (1 - law) / states)).all()

# %% [markdown]
# In two states out of five a 9 is there to be found. Whoever learns to tell 9 and 8 from the rest,
# and chooses uniformly at random where there is neither, earns 6.93: three quarters of the way from 4.5 to 7.79.
#
# ## Two assumptions that do not hold here
#
# The paper's theorems assume, among other things, that
#
# 1. **"there is at least one suboptimal action for any context"**. Here all five digits are equal
#    in one state out of 10,000, and then no arm is suboptimal. The assumption is used for the lower
#    bound only. What is left without it is an average: exploring costs $\epsilon_t \cdot
#    \mathbb{E} \Delta_i = 3.29175 \, \epsilon_t$ at step $t$, whatever is believed.
# 2. **rewards are "almost surely bounded"**. With noise they are not: a normal variable exceeds
#    any bound with positive probability. Figure 3 has $\sigma = 1$, and so the theorem about
#    networks that everything is built on does not speak about it.
#
# Neither is a disaster. One is mended by an average, and the other would be by a theorem for
# rewards with light tails, which is not in the paper. But they are the reason to say *the
# experiment illustrates the theorems* and not *it is covered by them*. (The gap assumption does
# hold: different digits differ by at least $\delta = 1$, and ties are allowed, because tied arms
# are optimal together. What the theorems ask of the *training data* is another matter, see
# [notebook 4](04_the_bounds.ipynb).)

# %%
noisy = MnistBandit(data, arms=5, noise=1.0).rounds(seed=5, run=1, steps=states)
rewards = noisy.means[:, 0] + noisy.noise[:, 0]
least, largest = rewards.min(), rewards.max()
equal = int((np.ptp(drawn, axis=1) == 0).sum())
print(f"states with five equal digits: {equal} of {states:,}, {states / 10_000:g} expected")
print(f"rewards of arm 1 with noise: from {least:.2f} to {largest:.2f}; digits end at 0 and 9")
assert least < 0
assert largest > 9
assert abs(equal - states / 10_000) < 5 * (states / 10_000) ** 0.5

# %% [markdown]
# ## The network, layer by layer
#
# Each arm has a network of its own, and each network sees *all five images*, though its reward
# depends on one of them. It must find out which. The paper's Deep network has three convolutional
# layers and one fully connected layer of 100 neurons (1000 in its first figure). A convolution
# slides one small filter over the whole picture, so what it learns about a stroke in one place
# holds in all places. Ours works like this:
#
# * **side by side**: the five images are joined to one of 28 × 140, and all share the filters;
# * **folded by 2**: each 2 × 2 square of pixels becomes one place with four numbers. This loses
#   nothing: the 3 × 3 places of the first filters are 6 × 6 pixels, moved in steps of two pixels.
#   What comes out has a quarter of the places, so that all later layers have less to do;
# * after each convolution, **max pooling** keeps the largest of 2 × 2 neighbours, and **ReLU**
#   replaces negative numbers by zero. (Only the third convolution has a border of zeros around its
#   input, since two rows are too few for a filter of three.)

# %%
network = Network(DEEP_ARCHITECTURE, 3920, generator=torch.Generator().manual_seed(5))
pixels = network.arrange(torch.from_numpy(X))
assert pixels.shape == (8, 14, 70, 4)

steps_inside = []  # (name, input, output, layer) of each step of the forward pass
inside = pixels.permute(0, 3, 1, 2)
with torch.no_grad():
    for number, (layer, pool) in enumerate(
        zip(network.convolutions, DEEP_ARCHITECTURE.pool, strict=True), start=1
    ):
        outcome = layer(inside)
        steps_inside.append((f"convolution {number}", inside, outcome, layer))
        inside = torch.relu(torch.nn.functional.max_pool2d(outcome, pool))
        steps_inside.append((f"pooling, ReLU {number}", outcome, inside, None))
    flat = inside.permute(0, 2, 3, 1).flatten(1)
    hidden = network.hidden(flat)
    steps_inside.append(("hidden layer", flat, hidden, network.hidden))
    reward = network.output(torch.relu(hidden))
    steps_inside.append(("predicted reward", hidden, reward, network.output))
    # The same up to rounding: float32 sums of a few thousand terms of size one.
    assert torch.allclose(reward[:, 0], network(pixels), atol=1e-5)


def times(shape):
    return " × ".join(str(n) for n in shape[1:])


print(f"{'':18}{'in':>13}{'out':>14}{'parameters':>12}{'multiplications':>17}")
total_parameters = total_products = 0
for name, before, after, layer in steps_inside:
    parameters = sum(p.numel() for p in layer.parameters()) if layer else 0
    products = after[0].numel() * layer.weight[0].numel() if layer else 0
    total_parameters += parameters
    total_products += products
    row = f"{parameters:12,}{products:17,}" if layer else ""
    print(f"{name:18}{times(before.shape):>13}{times(after.shape):>14}{row}")
print(f"{'sum':45}{total_parameters:12,}{total_products:17,}")
assert total_parameters == sum(p.numel() for p in network.parameters())
# PyTorch's own counter, which counts a multiplication and an addition as two operations.
assert abs(supervised.megaflops(DEEP_ARCHITECTURE, 3920) - 2 * total_products / 1e6) < 0.002

# %% [markdown]
# Shapes are channels × height × width. Read the table from above: a picture becomes lower, narrower
# and deeper, until 256 numbers are left for the hidden layer to combine. Parameters and
# work sit in different places: the convolutions do nearly all the multiplications, the hidden layer
# holds most of the parameters.
#
# Here is the state on its way through. The network is untrained: its filters are random, and
# already find strokes and edges, only not yet the useful ones. The darkest colour is zero; a
# channel can be zero everywhere in one state and not in another.

# %%
figure = plt.figure(figsize=(9, 3.9), layout="constrained")
grid = figure.add_gridspec(4, 4)
axes = figure.add_subplot(grid[0, :])
axes.imshow(side_by_side, cmap="gray_r")
axes.set(xticks=[], yticks=[], title="one state, and the 6 × 6 pixels that a first filter sees")
axes.add_patch(plt.Rectangle((9.5, 9.5), 6, 6, fill=False, edgecolor=PALETTE[1], linewidth=2))
axes.grid(False)
for row, (step, what) in enumerate(
    ((1, "after layer 1"), (3, "after layer 2"), (5, "after layer 3")), start=1
):
    maps = steps_inside[step][2][0].numpy()
    for k in range(4):
        panel = figure.add_subplot(grid[row, k])
        panel.imshow(maps[k], cmap="viridis")
        panel.set(xticks=[], yticks=[])
        panel.grid(False)
        if k == 0:
            panel.set_ylabel(what, fontsize=8)
    assert maps.min() == 0  # ReLU
    assert maps.max() > 0

# What one filter computes at one place, by hand: 6 × 6 pixels as 3 × 3 places of 2 × 2.
window = side_by_side[10:16, 10:16].reshape(3, 2, 3, 2).transpose(1, 3, 0, 2).reshape(4, 3, 3)
first = network.convolutions[0]
by_hand = (first.weight[0].detach().numpy() * window).sum() + first.bias[0].item()
assert abs(by_hand - steps_inside[0][2][0, 0, 5, 5].item()) < 1e-5

# %% [markdown]
# Four channels are shown of each layer. What can one number of the last layer know about? Walk
# backwards: a number of a layer sees a window of the layer below, which sees a window of the
# one before. The widths follow from filter sizes and steps alone.

# %%
window_size, step, left = DEEP_ARCHITECTURE.fold, DEEP_ARCHITECTURE.fold, 0
for padding, pool in zip(DEEP_ARCHITECTURE.padding, DEEP_ARCHITECTURE.pool, strict=True):
    left -= padding * step
    window_size += 2 * step  # a filter of three places
    window_size += (pool - 1) * step
    step *= pool
columns = steps_inside[5][2].shape[-1]
print(f"{columns} columns at the end; each sees {window_size} pixels, in steps of {step}")

figure, axes = plt.subplots(figsize=(9, 2.6), layout="constrained")
axes.imshow(side_by_side, cmap="gray_r")
for column in range(columns):
    begin = max(0, left + column * step)
    end = min(140, left + column * step + window_size)
    height = 31 + 3 * (column % 4)
    axes.plot((begin, end), (height, height), color=PALETTE[column % 7], linewidth=3)
for edge in range(1, 5):
    axes.axvline(28 * edge - 0.5, color="0.7", linewidth=0.8)
axes.set(xticks=[], yticks=[], ylim=(43, -1), title="what each column of the last layer sees")
axes.grid(False)

# The truth: change one pixel column of the state, and see which numbers change.
with torch.no_grad():

    def last_layer(states):
        value = network.arrange(states).permute(0, 3, 1, 2)
        for layer, pool in zip(network.convolutions, DEEP_ARCHITECTURE.pool, strict=True):
            value = torch.nn.functional.max_pool2d(layer(value), pool)
        return value[:, :, 0]

    blank = last_layer(torch.zeros(1, 3920))
    for column in (0, 3, 7):
        reach = []
        for pixel in range(140):
            stripe = torch.zeros(1, 5, 28, 28)
            stripe[:, pixel // 28, :, pixel % 28] = 1000.0
            changed = (last_layer(stripe.view(1, 3920)) != blank)[0, :, column].any()
            reach += [pixel] * bool(changed)
        begin, end = left + column * step, left + column * step + window_size
        assert reach[0] >= max(0, begin)
        assert reach[-1] < min(140, end)
assert (columns, window_size, step) == (8, 44, 16)

# %% [markdown]
# Each column sees more than an image and less than two, all of its height. Which columns matter to
# arm 3 is for the hidden layer of arm 3 to learn; the filters that find a curved stroke are the
# same in all five places.
#
# ## What can be learned from n samples?
#
# Leave the bandit aside for a moment: give one arm's network $n$ random states with the digit of
# the *first* image, train it, and ask it about states made of images that it never saw. Guessing
# the mean digit has a squared error of $99/12 = 8.25$.
#
# Three candidates, trained here on 200 states:
#
# * *Simple*: one hidden layer of 100 neurons on the 3920 numbers;
# * *stacked*: the five images as five channels of one 28 × 28 picture, with filters of their own;
# * *side by side*: the network above.

# %% tags=["nbval-ignore-output"]
epochs = {"glance": 48, "quick": 64, "paper": 64}[study.scale()]
repeats = {"glance": 1, "quick": 3, "paper": 3}[study.scale()]
errors = {}
for name in ("simple", "stacked_pool", supervised.CHOSEN):
    label, architecture = supervised.CANDIDATES[name]
    trials = [supervised.Trial(name, 200, run, epochs) for run in range(repeats)]
    errors[name] = np.mean([supervised.held_out_error(trial, data) for trial in trials])
    print(f"{label:45} squared error {errors[name]:.1f} of 8.25")

# Training depends on the machine in its last digits, so only wide gaps are asserted: guessing is
# at 8.25, and the chosen network is better than Simple by far more than the 0.3 asked for here.
assert errors[supervised.CHOSEN] < errors["simple"] - 0.3
assert errors[supervised.CHOSEN] < 6 < 8.25

# %% [markdown]
# With 200 rewards (an arm that gets its fifth of the steps has seen as many after a thousand) the
# shape of the network decides. A likely reason: stacked, the first layer adds up what its filters
# find in all five images, place by place, and the strokes of image 1 lie under those of four others
# from then on. Side by side the images stay apart until the hidden layer, which has to learn only
# which places to listen to. (The two differ in their numbers of channels as well; the study below
# has more candidates.) The Simple network knows no neighbourhoods: a stroke moved by a few pixels
# is a new thing to it, and it needs far more samples.
#
# The full study tries nine candidates at several sizes on data that no reported figure uses
# (`bandits run architecture_study`). Its committed result:

# %%
found, note = None, "The architecture study is not among the committed figures yet."
if Path("../figures/architecture_study.npz").exists():
    found, caption = saved.load_data(supervised.NAME, Path("../figures"))
    note = f"{caption[0].upper()}{caption[1:]}."
    mean_error = found["error"].mean(axis=2)
    head = "".join(f"  n = {n}" for n in found["sizes"])
    print(f"{'candidate':46}{head}   million operations")
    for k, label in enumerate(found["labels"]):
        row = "".join(f"{error:9.2f}" for error in mean_error[k])
        mark = " *" if found["candidates"][k] == found["chosen"] else ""
        print(f"{label:46}{row}{found['megaflops'][k]:12.1f}{mark}")
    print("* chosen for the figures")
print(note)

# %%
picture = None
if found is not None:
    picture = architecture_study.study_figure(found, caption)
    chosen = list(found["candidates"]).index(str(found["chosen"]))
    simple = list(found["candidates"]).index("simple")
    drawn_error = [line.get_ydata()[0] for line in picture.axes[-1].lines[1::2]]
    assert np.allclose(drawn_error, mean_error[:, -1])  # the large marks are the means
    assert mean_error[chosen, -1] < mean_error[simple, -1]
picture

# %% [markdown]
# Where the study is shown: down is better, left is cheaper. The choice is a network at the lower
# left edge, not the most exact one at any price, since the whole experiment trains it some hundred
# times on everything it has seen.
#
# ## What the paper states, and what we chose
#
# The paper's settings are in the second column; where it is silent, the third says what this study
# does and the fourth why. The numbers are read off the frozen experiments, so that the table cannot
# fall behind them.

# %% jupyter={"source_hidden": true}
deep = experiment("low_noise").select(["deep"]).methods[0].predictor
training, shape = deep.training, deep.architecture
filters = "-".join(str(channels) for channels in shape.channels)
lengths = {name: experiment(name).paper for name in PAPER_FIGURES}
choices = [
    (
        "state",
        "five random images, each digit equally likely",
        "first the digit, then an image of it; pixels from 0 to 1",
        "“each digit equally likely” to the letter, although MNIST has more 1s than 5s",
    ),
    (
        "reward",
        "the digit plus Gaussian noise, σ = 0 or 1",
        "the same noise for all methods; σ multiplies it",
        "comparisons are paired, between methods and between figures, and need fewer runs",
    ),
    (
        "Deep network of each arm",
        "three convolutions, then a layer of 100 (Fig. 1: 1000)",
        f"{shape.arrangement.replace('_', ' ')}, folded by {shape.fold}, 3 × 3 filters, "
        f"{filters} channels, pooling by {shape.pool[0]}",
        "the study above: error and cost are both low",
    ),
    (
        "Simple network",
        f"one hidden layer of {SIMPLE.width}",
        "ReLU, on the 3920 numbers as they are",
        "the plainest reading",
    ),
    (
        "training",
        f"every {experiment('low_noise').train_every} steps, {training.epochs} epochs, "
        f"rate {training.learning_rate:g} at first",
        f"Adam, squared error, batches of {training.batch_size}, {training.decay} rate, "
        f"Adam's memory {'kept' if training.keep_optimizer else 'lost'} between stages",
        "in trials these made no difference that could be told from chance: so, the simplest",
    ),
    (
        "exploration",
        "ε = 1/t",
        "explore if η ≤ ε, then all five arms are equally likely",
        "as Algorithm 1 has it",
    ),
    (
        "Linear",
        "least squares, greedy from the start",
        "the solution of least norm where there are many",
        "with fewer rewards than 3920 there always are many",
    ),
    ("LinUCB", "B = I", "ridge 1, the width with factor 1", "as Algorithm 5 has it"),
    (
        "equal scores",
        "not said",
        "the lowest-numbered arm",
        "as NumPy and PyTorch do; random ties are an option, because they change Linear a lot",
    ),
    ("runs", "12 (Figs 2, 3), 1 (Fig. 1)", "the same", "as the paper has it"),
    (
        "horizon",
        "not said",
        f"{lengths['low_noise'].steps:,} steps (Figs 2, 3), "
        f"{lengths['convergence'].steps:,} (Fig. 1)",
        "what two processor cores can do in hours",
    ),
]
rows = [("setting", "the paper", "this study", "why"), ("---",) * 4, *choices]
assert [scale.runs for scale in lengths.values()] == [1, 12, 12]
assert (training.epochs, training.learning_rate, SIMPLE.width) == (16, 1e-3, 100)
assert len(shape.channels) == 3
Markdown("\n".join(f"| {' | '.join(row)} |" for row in rows))

# %% [markdown]
# ## Stages of bounded cost
#
# Sixteen passes over everything seen so far, every 20 steps, cost $0.4\,T^2$ passes in $T$ steps. That
# is why the figures by the paper's rule end at 2,000. To look further, each arm's stage can end after
# 20 mini-batches of 32 samples, so that a step costs the same at every $t$. This is our choice, not
# the paper's. What does it lose?
#
# Both rules met the same states and the same random numbers, on seeds that no other figure uses.
# Each panel shows the reward per step that the bound loses in the last quarter of 2,000 steps; below
# the dashed line we call it nothing.

# %%
bound, bound_caption = saved.load_data("bounded_training", Path("../figures"))
lost = bounded_training.read(bound)
assert all(reading.value.mean < reading.high for reading in lost)
bounded_training.draw(bound, bound_caption)

# %%
columns = ["what is compared", "lost per step", "runs"]
told = pd.DataFrame([(r.measured, r.value, r.runs) for r in lost], columns=columns)
Table(told, "Reward per step that the bound loses, with its 95 % interval")

# %% [markdown]
# On average the bound loses less than 0.1 digits per step, for 16 % of the passes. Three runs are
# few: three of the four intervals reach above the margin of 0.15, so that this picture alone does not
# exclude a loss. The long runs of chapter 7 can be asked as well, since their first 2,000 steps meet
# the states of the figures without noise, run by run.

# %%
rule, _ = saved.load_data("low_noise", Path("../figures"))
long, _ = saved.load_data("long_low_noise", Path("../figures"))
at_2000 = horizon.at_horizon(long, 2000)
shared = at_2000["late_mean"].shape[1]
for name in ("deep", "simple"):
    late = [d["late_mean"][verdicts.place_of(d, name)][:shared] for d in (rule, at_2000)]
    print(f"{name}: the bound loses {paired_difference(*late)} per step, {shared} runs")

# %% [markdown]
# For Deep that settles it: whatever the bound loses by step 2,000 is less than 0.15. For Simple the
# interval is wider, and its mean is on the other side.
#
# ## What you have seen
#
# * The task is known to the last digit: 31167/4000 for Optimal, 9/2 for a uniform choice.
# * Two assumptions of the theorems fail in it: bounded rewards, and a suboptimal arm everywhere.
# * A state has structure. A network that is told of it (side by side) learns from few rewards what
#   one that is not told needs many for. The paper does not say how it arranged the images, and how
#   far Deep can be ahead of Simple after so many steps depends on that.
#
# ## Questions to think about
#
# **1.** Nothing tells arm 3's network that its reward depends on the third image. How does it find
# out, and why is that harder with five arms than with two?
#
# <details><summary>Answer</summary>
#
# Only by correlation: over many states the reward goes with what is seen in the third place and not
# with what is seen elsewhere. The other four images are noise to it, with a variance of the same
# size each; with more arms there is more to rule out. This is also why predictions from 200 states
# are far from perfect although 200 images suffice to tell most digits apart.
#
# </details>
#
# **2.** One could give all arms *one* network that reads a single image, and apply it to the five
# images in turn. What would it gain, and why does the study not do it?
#
# <details><summary>Answer</summary>
#
# It would learn from every reward for all arms at once, five times the samples of a much easier
# task, and no arm could starve. But it builds in what the learner is supposed to find out: that
# arm $j$ pays for image $j$, in the same way for all $j$. The paper's Algorithm 1 has one predictor
# per arm, each for the whole state, and so has this study.
#
# </details>
#
# **3.** Optimal earns 7.79 and two states in five hold a 9. Suppose a policy recognises 9 without
# fail and knows nothing else: it takes a 9 where there is one and chooses uniformly at random otherwise. What
# does it earn?
#
# <details><summary>Answer</summary>
#
# A state has a 9 with probability $1 - 0.9^5 = 0.40951$. Without one, digits are uniform on 0 to 8
# and a uniform choice earns 4. So $9 \cdot 0.40951 + 4 \cdot 0.59049 = 6.048$, nearly half of the way
# from 4.5 to 7.79.
#
# </details>
