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
# # The algorithm: believe, choose, and sometimes try something else
#
# [The previous notebook](01_the_problem.ipynb) posed the problem. Here is the paper's answer,
# Algorithm 1 (*Deep Epsilon Greedy*), first in English, then in ten lines, then as pictures. After
# this notebook you will be able to
#
# * say the algorithm in four sentences, and write it down in ten lines;
# * read from a picture what the algorithm believes, when it explores, and how its belief sharpens;
# * run the study's own version, and trust it: it takes the same decisions;
# * exchange the predictor (nearest neighbours here, networks there) without touching the rest;
# * compare the schedules $\epsilon_t = 1/t$, $1/t^{1/2}$ and $1/t^{1/3}$, and recognise
#   *starvation*.

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
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb

from bandits import study
from bandits.environments import SyntheticBandit, draw_exploration
from bandits.results.plots import PALETTE, use_style
from bandits.policies import EpsilonGreedy
from bandits.schedules import PowerSchedule
from bandits.simulate import simulate
from bandits.streams import Stream, seed_sequence

use_style()
runs = {"glance": 10, "quick": 40, "paper": 200}[study.scale()]
print(f"Scale: {study.scale()} (averages over {runs} runs). Data: synthetic, drawn here.")

# %% [markdown]
# ## A task that fits in a picture
#
# Five images are 3920 numbers, too many to draw. So take a state that is a single number $x$,
# uniform on $[0, 1]$, and three arms with the mean rewards
#
# $$ \mu_j(x) = \tfrac12 + \tfrac12 \cos\big( 2\pi (x - (j - 1)/3) \big) , \qquad j = 1, 2, 3 . $$
#
# Each arm is best on a third of the states; arm 1 has its third in two pieces, at the two ends.
# The reward is this mean plus noise with $\sigma = 0.2$. As in notebook 1 the two ends are known
# exactly: Random earns $\tfrac12$ per step, and Optimal $\tfrac12 + \tfrac{3}{2\pi}
# \sin\tfrac{\pi}{3} = 0.9135$.

# %%
bandit = SyntheticBandit(arms=3, noise=0.2)
arm_colours = PALETTE[:3]
grid = np.linspace(0, 1, 201, dtype=np.float32)
truth = bandit.mean_rewards(grid[:, None])

figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.set(xlabel="state x", ylabel="mean reward", xlim=(0, 1), ylim=(-0.05, 1.2))
for j in range(3):
    axes.plot(grid, truth[:, j], color=arm_colours[j], linestyle="dashed", label=f"arm {j + 1}")
axes.legend(ncols=3, loc="upper center")
assert abs(truth.max(axis=1).mean() - bandit.best_mean) < 0.005  # the grid's mean of the maximum
assert abs(bandit.best_mean - 0.9135) < 0.0001


# %% [markdown]
# ## The algorithm in English
#
# At each time step $t = 1, 2, \dots$
#
# 1. **Believe.** For each arm $j$, predict the reward it would pay in the state $X_t$.
# 2. **Choose.** With probability $\epsilon_t$ *explore*: take any arm, all equally likely.
#    Otherwise be *greedy*: take the arm with the highest prediction.
# 3. **Receive** the reward $R_t$ of that arm, and of no other.
# 4. **Learn.** For each arm $j$, train its predictor on $S_j$, the steps at which $j$ was chosen.
#
# The paper has $\epsilon_t = 1/t$ or, more generally, $1/t^p$, and its predictors are neural
# networks, one for each arm. Neither matters for the idea. The simplest predictor that can follow
# a curve is this one: *look up the five most similar states in which this arm was taken, and
# average what it paid.* With no such state yet, predict 0.

# %%
def believe(x, states, rewards):
    """The average of the rewards in the five states nearest to x."""
    nearest = np.argsort(abs(states - x))[:5]
    return rewards[nearest].mean() if len(nearest) else 0.0


# %% [markdown]
# ## The algorithm in ten lines
#
# The random numbers are drawn in advance, as everything in this study: $\eta_t$, uniform between 0 and 1,
# decides whether step $t$ explores, and $\rho_t$ says which arm is taken then.

# %%
def algorithm_1(rounds, epsilon):
    X = rounds.contexts(slice(0, rounds.steps))[:, 0]
    D, R = np.zeros(rounds.steps, dtype=int), np.zeros(rounds.steps)
    for i in range(rounds.steps):  # i steps have passed: t = i + 1
        S = [D[:i] == j for j in range(rounds.arms)]
        prediction = [believe(X[i], X[:i][S_j], R[:i][S_j]) for S_j in S]
        explore = rounds.draws.eta[i] <= epsilon(i + 1)
        D[i] = rounds.draws.rho[i] if explore else np.argmax(prediction)
        R[i] = rounds.rewards(slice(i, i + 1), D[i : i + 1])[0]
    return X, D, R


# %% [markdown]
# Let it play 200 steps, with $\epsilon_t = 1/\sqrt{t}$ so that every arm is tried often enough to
# be seen in a picture; what $1/t$ does comes below. These are the first steps.

# %%
rounds = bandit.rounds(seed=1, run=0, steps=200)
epsilon = PowerSchedule(1 / 2)  # ε_t = 1 / √t
X, D, R = algorithm_1(rounds, epsilon)
explored = rounds.draws.eta <= epsilon(np.arange(1, 201))

print("  t  state  beliefs about arms 1, 2, 3   eps_t    eta     does      arm  reward")
for i in range(10):
    S = [D[:i] == j for j in range(3)]
    beliefs = [believe(X[i], X[:i][S_j], R[:i][S_j]) for S_j in S]
    shown = "  ".join(f"{belief:5.2f}" for belief in beliefs)
    does = "explores" if explored[i] else "greedy"
    dice = f"{epsilon(i + 1):6.2f}  {rounds.draws.eta[i]:5.2f}"
    print(f"{i + 1:3}  {X[i]:5.2f}      {shown}      {dice}   {does:8}  {D[i] + 1:4}  {R[i]:6.2f}")
    assert explored[i] or D[i] == np.argmax(beliefs)


# %% [markdown]
# Read one line of it. *Greedy* takes the largest of the three beliefs; *explores* (which happens
# when $\eta \le \epsilon_t$) ignores them. At $t = 1$ nothing is known and $\epsilon_1 = 1$, so
# the first step always explores.
#
# ## How belief sharpens
#
# Each row is an arm, each column a moment. Dots are the rewards that the algorithm has received
# from the arm until then, the solid line is what it believes the arm to pay, the dashed line is the
# truth, which it never sees.

# %%
def beliefs_at(t):
    """What is believed before step t, on the grid: (201, 3)."""
    S = [D[: t - 1] == j for j in range(3)]
    return np.array([[believe(x, X[: t - 1][s], R[: t - 1][s]) for s in S] for x in grid])


moments = (5, 20, 60, 200)
figure, panels = plt.subplots(
    3, 4, figsize=(9, 5.6), sharex=True, sharey=True, layout="constrained"
)
wrong = []
for column, t in enumerate(moments):
    belief = beliefs_at(t)
    wrong.append(((belief - truth) ** 2).mean())
    for j in range(3):
        axes = panels[j, column]
        seen = D[: t - 1] == j
        axes.plot(grid, truth[:, j], color=arm_colours[j], linestyle="dashed", linewidth=1)
        axes.plot(grid, belief[:, j], color=arm_colours[j])
        axes.plot(X[: t - 1][seen], R[: t - 1][seen], ".", color="0.3", markersize=4)
        axes.set(xlim=(0, 1), ylim=(-0.5, 1.5), xticks=(0, 0.5, 1))
    panels[0, column].set_title(f"before t = {t}")
    panels[2, column].set_xlabel("state x")
for j in range(3):
    panels[j, 0].set_ylabel(f"arm {j + 1}")
print("mean squared error of the beliefs:", ", ".join(f"{error:.3f}" for error in wrong))
assert np.all(np.diff(wrong) < 0)
assert wrong[-1] < 0.04

# %% [markdown]
# Two things to see. The belief sharpens where there are dots. And in time the dots gather where
# the arm is *good*: greedy steps take an arm only where it looks best, so where it is poor it is
# known roughly, mostly from exploration, and that is all one needs to know there. Its belief may
# stay wrong without costing anything, as long as it stays below the others. (Arm 3 has dots
# everywhere because it was tried first. As long as nothing else was known, it looked best in all
# states.)
#
# ## When it explores, and what it takes
#
# Each dot is a step: its height is the state, its colour the arm taken. Bands of colour in the
# background show the best arm. Black rings mark the exploring steps.

# %%
figure, axes = plt.subplots(figsize=(9, 3.4), layout="constrained")
bands = np.array([to_rgb(colour) for colour in arm_colours])[truth.argmax(axis=1)]
axes.imshow(bands[:, None], alpha=0.15, extent=(0, 201, 0, 1), origin="lower", aspect="auto")
axes.set(xlabel="time step t", ylabel="state x", xlim=(0, 201), ylim=(0, 1))
axes.grid(False)
for j, x in ((0, 0.08), (1, 0.33), (2, 0.67), (0, 0.92)):
    axes.text(203, x, f"arm {j + 1}", color=arm_colours[j], va="center")
t = np.arange(1, 201)
axes.scatter(t, X, c=np.array(arm_colours)[D], s=18, zorder=2)
axes.scatter(t[explored], X[explored], s=55, facecolors="none", edgecolors="black", linewidths=0.8)

right = rounds.means.argmax(axis=1) == D
print(f"explored in {explored.sum()} of 200 steps, {epsilon(t).sum():.1f} expected")
print(f"the best arm in {right[:50].mean():.0%} of the first 50 steps,", end=" ")
print(f"in {right[-50:].mean():.0%} of the last 50;", end=" ")
others = ~right[-50:]
print(f"of the other {others.sum()} steps {explored[-50:][others].sum()} explored")
spread = np.sqrt((epsilon(t) * (1 - epsilon(t))).sum())
assert abs(explored.sum() - epsilon(t).sum()) < 4 * spread
assert right[-50:].mean() > right[:50].mean()
gap = rounds.means.max(axis=1) - rounds.means[t - 1, D]
assert gap[-50:][others & ~explored[-50:]].max() < 0.2

# %% [markdown]
# At the left the rings are dense and the colours mixed. To the right the dots take on the colour
# of their band. The few that do not are ringed or lie near an edge of a band, where two arms are
# almost equally good and a mistake costs little.
#
# ## The study's own version
#
# The study runs the same algorithm for states of any size and for any predictor, and decides whole
# blocks of steps at once when nothing is learned in between. Its parts are a **schedule**
# ($\epsilon_t$), a **predictor** (what is believed) and the **policy** that joins them. Our
# predictor has a name, *k-nearest neighbours*, and scikit-learn has its own implementation of it.
# With training after every step, all 200 decisions are the same.

# %%
from sklearn.neighbors import KNeighborsRegressor

from bandits.predictors import Regressor


def nearest_neighbours(p, run=0):
    """ε-greedy with ε_t = 1/t^p that believes its five nearest neighbours."""
    seed = seed_sequence(1, run, Stream.WEIGHTS)  # for regressors with randomness of their own
    predictor = Regressor(KNeighborsRegressor(5), arms=3, seed=seed)
    return EpsilonGreedy(PowerSchedule(p), predictor, arms=3)


played = simulate(nearest_neighbours(p=1 / 2), rounds, train_every=1)
print(f"{(played.actions == D).sum()} of 200 decisions are the same")
assert np.array_equal(played.actions, D)
assert np.array_equal(played.rewards, R)
assert np.array_equal(played.explored, explored)

# %% [markdown]
# ## Networks in place of neighbours
#
# *Deep* Epsilon Greedy believes a neural network for each arm. Here each has one hidden layer of
# 100 neurons, the paper's *Simple* network. As in the paper's experiments the networks are trained
# every 20 steps, 16 times over all the data of their arm, and go on from where they were. (One
# choice is ours: the learning rate is 0.01 and not 0.001, since this little task has few data.)
# Nothing else changes: the policy, the schedule, the loop and the table of the run are the same
# objects.

# %%
from bandits.architecture import SIMPLE, Training
from bandits.networks import Networks
from bandits.engine.threads import one_thread

networks = Networks(
    SIMPLE,
    context_size=1,
    arms=3,
    training=Training(epochs=16, learning_rate=0.01),
    weights=seed_sequence(1, 0, Stream.WEIGHTS),
    batches=seed_sequence(1, 0, Stream.BATCHES),
)
longer = bandit.rounds(seed=1, run=0, steps=400)
network_beliefs = {1: networks.predict(grid[:, None])}


def remember(so_far):
    """Keep what the networks believe after each training stage."""
    network_beliefs[len(so_far) + 1] = networks.predict(grid[:, None])


with one_thread():
    deep = simulate(
        EpsilonGreedy(PowerSchedule(1 / 3), networks, arms=3),
        longer,
        train_every=20,
        after_stage=remember,
    )

figure, panels = plt.subplots(1, 4, figsize=(9, 2.7), sharey=True, layout="constrained")
panels[0].set_ylabel("reward")
for axes, t in zip(panels, (1, 21, 101, 401), strict=True):
    for j in range(3):
        axes.plot(grid, truth[:, j], color=arm_colours[j], linestyle="dashed", linewidth=1)
        axes.plot(grid, network_beliefs[t][:, j], color=arm_colours[j])
    axes.set(title=f"before t = {t}", xlabel="state x", xlim=(0, 1), ylim=(-0.7, 1.5))
    axes.set_xticks((0, 0.5, 1))

# Training depends on the machine in its last digits, and then on every decision after. So the
# bounds are wide: guessing the mean of each curve would be wrong by 0.125.
network_wrong = {t: ((belief - truth) ** 2).mean() for t, belief in network_beliefs.items()}
assert network_wrong[401] < 0.05 < 0.125 < network_wrong[1]
assert deep.regret[-100:].mean() < 0.2  # Random's is 0.41

# %% [markdown]
# Before the first training the networks believe almost nothing: nearly flat lines, different from
# arm to arm because the initial weights are random. After one training stage, on 20 rewards of all
# arms together, they have a first rough idea, after twenty stages the curves. A network fills the
# gaps between dots with
# a smooth curve, where neighbours leave steps; which of the two is closer to the truth depends on
# the task. For images, notebook 6 shows that the *shape* of the network decides.
#
# ## How fast should exploration stop?
#
# $\epsilon_t = 1/t^p$: a large $p$ stops early and may know too little, a small $p$ goes on paying
# for what it knows already. The predictor is nearest neighbours again, trained every 20 steps from
# here on. Left: averages over runs, each on the same tables for all three schedules; dotted is the
# price of exploring alone, $\frac{1}{t} \sum_{s \le t} \epsilon_s \, (0.9135 - 0.5)$, which remains
# even for one who knows everything. Right: each dot is one run.

# %%
horizon = 600
schedules = {
    1: ("p = 1", PALETTE[5]),
    1 / 2: ("p = 1/2", PALETTE[4]),
    1 / 3: ("p = 1/3", PALETTE[3]),
}
tables = [bandit.rounds(seed=1, run=run, steps=horizon) for run in range(runs)]
results = {
    p: [simulate(nearest_neighbours(p, run), table) for run, table in enumerate(tables)]
    for p in schedules
}

t = np.arange(1, horizon + 1)
late = slice(horizon - 200, horizon)
figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 3.4), width_ratios=(3, 2), layout="constrained"
)
left.set(xlabel="time step t", ylabel="normalized regret", xlim=(1, horizon), ylim=(0, 0.42))
right.set(xlabel="regret per step, last 200 steps", ylim=(2.6, -0.6), xticks=(0, 0.05, 0.1, 0.15))
right.set_yticks(range(3), [name for name, _ in schedules.values()])
for row, (p, (name, colour)) in enumerate(schedules.items()):
    mean_regret = np.mean([run.normalized_regret for run in results[p]], axis=0)
    exploring = np.cumsum(PowerSchedule(p)(t)) / t * (bandit.best_mean - 0.5)
    left.plot(t, mean_regret, color=colour, label=name)
    left.plot(t, exploring, color=colour, linestyle="dotted")
    at_the_end = [run.regret[late].mean() for run in results[p]]
    right.plot(at_the_end, np.full(runs, row), "o", color=colour, alpha=0.5)
    print(f"{name:7}  regret per step over all {horizon}: {mean_regret[-1]:.3f},", end=" ")
    print(f"the last 200: {np.mean(at_the_end):.3f}, the worst run: {max(at_the_end):.3f}")
    assert 0.8 * exploring[-1] < mean_regret[-1] < 0.25
    assert np.allclose(mean_regret[-1], np.mean([run.regret.mean() for run in results[p]]))
left.legend()
settled = {p: np.array([run.regret[late].mean() for run in results[p]]) for p in schedules}
stuck = {p: (regret > 0.1).mean() for p, regret in settled.items()}
assert stuck[1] > 0.1 + stuck[1 / 2]
assert np.median(settled[1]) < np.median(settled[1 / 2])  # the other runs of p = 1 lose least
assert settled[1 / 2].mean() < settled[1 / 3].mean()

# %% [markdown]
# With $p = 1/3$ all runs are alike and all go on paying: at $t = 600$ one step in eight still
# explores. With $p = 1$ there are *two kinds of runs*: some have found out all they need and
# hardly lose anything; others are stuck at a regret that does not shrink. Their average is a curve
# that no single run follows. $p = 1/2$ is the best of the three here. The paper's second corollary
# finds $p = 1/3$ to be best for its *upper bound*; [notebook 4](04_the_bounds.ipynb) looks at how
# it does so.
#
# ## Starvation
#
# What are the stuck runs stuck in? An arm gets a random pull at step $s$ with probability
# $\epsilon_s / K$, independently from step to step. So exactly
#
# $$ P\big( T_j^R(t) = 0 \big) = \prod_{s=1}^{t-1} \Big( 1 - \frac{\epsilon_s}{K} \Big) $$
#
# is the probability that exploration has not reached arm $j$ before step $t$.

# %%
draws = [draw_exploration(seed=1, run=run, steps=horizon, arms=3) for run in range(500)]
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
axes.set(
    xlabel="time step t", ylabel="probability", xscale="log", xlim=(1, horizon), ylim=(0, 1.02)
)
axes.set_title("An arm has not been explored yet")
for p, (name, colour) in ({2: ("p = 2", "black")} | schedules).items():
    never = np.cumprod(1 - PowerSchedule(p)(t) / 3)
    pulled = np.array([(d.eta <= PowerSchedule(p)(t)) & (d.rho == 0) for d in draws])
    counted = (pulled.cumsum(axis=1) == 0).mean(axis=0)
    axes.plot(np.append(1, t + 1), np.append(1, never), color=colour, label=name)
    axes.plot(t[9::60] + 1, counted[9::60], "o", color=colour, markersize=4)
    axes.legend()
    print(f"{name:7}  exactly {never[-1]:.2g}, counted in 500 runs {counted[-1]:.3f}")
    assert np.all(abs(counted - never) <= 4 * np.sqrt(never * (1 - never) / 500) + 1 / 500)

# %% [markdown]
# Lines are exact, dots are counted in 500 runs (arm 1). With $p = 1$ the probability falls like
# $t^{-1/3}$, or $t^{-1/K}$ in general: slowly, and more slowly with more arms. With $p = 2$ it
# never falls to 0; the paper's remark calls this the *starvation scenario*. But at any horizon
# that one can run, $p = 1$ starves arms as well. Here is the worst of the runs above, from inside.

# %%
worst = int(settled[1].argmax())
policy = nearest_neighbours(1, worst)
starved = simulate(policy, tables[worst])
belief = policy.predictor.predict(grid[:, None])
times = [int((starved.actions == j).sum()) for j in range(3)]
neglected = int(np.argmin(times))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
left.set(xlabel="state x", ylabel="reward", xlim=(0, 1), ylim=(-0.2, 1.3), title="What it believes")
right.set(
    xlabel="time step t", ylabel="regret of the step", xlim=(1, horizon), title="What it costs"
)
for j in range(3):
    left.plot(grid, truth[:, j], color=arm_colours[j], linestyle="dashed", linewidth=1)
    left.plot(grid, belief[:, j], color=arm_colours[j], label=f"arm {j + 1}: {times[j]} pulls")
left.legend(fontsize=8)
right.plot(t, starved.regret, ".", color=PALETTE[5], markersize=3)
print(f"run {worst}: arm {neglected + 1} was pulled {times[neglected]} times in {horizon} steps")
assert np.array_equal(starved.actions, results[1][worst].actions)
assert times[neglected] <= 5
needed = starved.best_means == tables[worst].means[:, neglected]
assert starved.regret[late][needed[late]].mean() > 5 * starved.regret[late][~needed[late]].mean()

# %% [markdown]
# The neglected arm was unlucky in its few pulls, or had none; it is believed to be poor
# everywhere, so greedy steps do not take it, so nothing is learned about it. In the states where
# it is the best, the run goes on paying, and no better predictor would help: *there are no data to
# predict from.* For five arms $\epsilon_t = 1/t$ reaches each arm 1.6 times on average in 2,000
# steps. When the MNIST bandit is played in notebooks 6 and 7, remember this picture.
#
# ## What you have seen
#
# * The algorithm in four steps (believe, choose, receive, learn), and ten lines that do them.
# * Belief sharpens where an arm is taken, and arms are taken where they look good.
# * The predictor is a part that can be exchanged, as the paper's first corollary says.
# * Exploring too long costs regret at every step; stopping too early starves arms in some runs.
#
# ## Questions to think about
#
# **1.** Suppose rewards are between 10 and 11 instead of 0 and 1, and untrained predictors still
# say 0. What changes? And what if untrained predictors say 20?
#
# <details><summary>Answer</summary>
#
# With 0, an arm that has not been tried looks hopeless beside one that paid 10; the same as here,
# only more extreme, since here an unlucky first reward can be below 0. With 20, an untried arm
# looks better than all others and is tried at once, without any exploring step. This is
# *optimism*, the idea behind LinUCB, and it cannot starve an arm before the first pull.
#
# </details>
#
# **2.** An exploring step takes the greedy arm with probability $1/K$. Why not explore among the
# other arms only?
#
# <details><summary>Answer</summary>
#
# One could. The paper does not: $\rho$ is uniform on all arms. It makes $T_j^R(t)$ a sum of
# independent draws with probability $\epsilon_s / K$ that do not depend on what is believed, and
# so the exact product above, and the paper's lemma about $T_j^R$, hold for every predictor.
#
# </details>
#
# **3.** The dots gather where an arm looks good, so the states in $S_j$ are not distributed like
# $X$. Does this harm the theory?
#
# <details><summary>Answer</summary>
#
# The theorem about the predictor's error needs independent samples of the state's own
# distribution. The exploring steps provide such a sample, the greedy steps do not. The paper
# counts the exploring steps, but trains on all of $S_j$. One can train on the exploring steps only
# (`train_on="random_branch"` in the study's policy), at the price of fewer data.
#
# </details>
