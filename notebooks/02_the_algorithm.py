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
# Of three dishes on a menu you know one, and it is good. The next one may be better, or it may spoil the
# evening. [The previous notebook](01_the_problem.ipynb) posed this problem for digits. **How much should a
# learner try, and when may it stop?** The paper's answer is its Algorithm 1, *Deep Epsilon Greedy*. Here it
# is in English, then in ten lines, then in pictures. After this notebook you will be able to
#
# * say the algorithm in four sentences, and write it down in ten lines;
# * read from a picture what the algorithm believes, when it explores, and how its belief sharpens;
# * run the study's own version, and trust it: it takes the same decisions;
# * exchange the predictor (nearest neighbours here, networks there) without touching the rest;
# * compare the schedules $\varepsilon_t = 1/t$, $1/t^{1/2}$ and $1/t^{1/3}$, and recognise
#   *starvation*.

# %% jupyter={"source_hidden": true} tags=["remove-cell"]
# Where the study is not installed, as on Google Colab, install it with the PyTorch that is there.
import importlib.util

if importlib.util.find_spec("bandits") is None:
    from IPython import get_ipython

    get_ipython().run_line_magic("pip", "install -q git+" + input("Address of this repository: "))

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from sklearn.neighbors import KNeighborsRegressor

from bandits import study
from bandits.environments import SyntheticBandit, draw_exploration
from bandits.policies import EpsilonGreedy
from bandits.predictors import Regressor
from bandits.results.plots import PALETTE, use_style
from bandits.results.tables import Table
from bandits.schedules import PowerSchedule
from bandits.simulate import simulate
from bandits.streams import Stream, seed_sequence

use_style()
plt.rcParams["figure.dpi"] = 200

# %%
runs = {"glance": 10, "quick": 40, "paper": 200}[study.scale()]
print(f"Scale: {study.scale()} (averages over {runs} runs). Data: synthetic, drawn here.")

# %% [markdown]
# <a id="s1"></a>
#
# ## 1. A task that fits in a picture
#
# Five images are 3920 numbers, too many to draw. So take a state that is a single number $x$,
# uniform on $[0, 1]$, and three arms with the mean rewards
#
# $$ \mu_j(x) = \tfrac12 + \tfrac12 \cos\big( 2\pi (x - (j - 1)/3) \big) , \qquad j = 1, 2, 3 . $$
#
# Each arm is best on a third of the states; arm 1 has its third in two pieces, at the two ends.
# The reward is this mean plus noise with $\sigma = 0.2$. As in notebook 1 the two ends of the scale are
# known exactly: Random earns $\tfrac12$ per step, and Optimal $\tfrac12 + \tfrac{3}{2\pi}
# \sin\tfrac{\pi}{3} = 0.9135$.

# %%
bandit = SyntheticBandit(arms=3, noise=0.2)
grid = np.linspace(0, 1, 201, dtype=np.float32)
truth = bandit.mean_rewards(grid[:, None])

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Mean reward of three arms against the state x from 0 to 1: three dashed cosines that peak at 0 and 1, at 1/3 and at 2/3."}} tags=["hide-input"]
ARM_COLOURS = PALETTE[:3]
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.set(xlabel="state x", ylabel="mean reward", xlim=(0, 1), ylim=(-0.05, 1.15))
axes.set_title("Three arms (synthetic)")
for j in range(3):
    axes.plot(grid, truth[:, j], color=ARM_COLOURS[j], linestyle="dashed")
for j, x, side in ((0, 0.01, "left"), (1, 1 / 3, "center"), (2, 2 / 3, "center"), (0, 0.99, "right")):
    axes.text(x, 1.04, f"arm {j + 1}", color=ARM_COLOURS[j], ha=side)
assert abs(truth.max(axis=1).mean() - 0.9135) < 0.005  # the grid's mean of the maximum

# %% [markdown]
# **Figure 2.1.** *What each arm pays on average in the state $x$. The learner does not know these curves.*
#
# <a id="s2"></a>
#
# ## 2. The algorithm in English
#
# At each time step $t = 1, 2, \dots$
#
# 1. **Believe.** For each arm $j$, predict the reward it would pay in the state $X_t$.
# 2. **Choose.** With probability $\varepsilon_t$ *explore*: take any arm, all equally likely.
#    Otherwise be *greedy*: take the arm with the highest prediction.
# 3. **Receive** the reward $R_t$ of that arm, and of no other.
# 4. **Learn.** For each arm $j$, train its predictor on $S_j$, the steps at which $j$ was chosen.
#
# The paper has $\varepsilon_t = 1/t$ or, more generally, $1/t^p$, and its predictors are neural
# networks, one for each arm. Neither matters for the idea. The simplest predictor that can follow
# a curve is this one: *look up the five most similar states in which this arm was taken, and
# average what it paid.* With no such state yet, predict 0.

# %%
def believe(x, states, rewards):
    """The average of the rewards in the five states nearest to x."""
    nearest = np.argsort(abs(states - x))[:5]
    return rewards[nearest].mean() if len(nearest) else 0.0


# %% [markdown]
# <a id="s3"></a>
#
# ## 3. The algorithm in ten lines
#
# The random numbers are drawn in advance, as everything in this study: $\eta_t$, uniform between 0 and 1,
# decides whether step $t$ explores, and $\rho_t$ says which arm is taken then. The paper (Algorithm 1)
# writes "$\eta > \epsilon_t$" for the greedy branch and "$\rho \sim$ Uniform$(\{1, \dots, K\})$" for the
# other one.

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
# Let it play 200 steps, with $\varepsilon_t = 1/\sqrt{t}$ so that every arm is tried often enough to
# be seen in a picture; what $1/t$ does comes below.

# %%
rounds = bandit.rounds(seed=1, run=0, steps=200)
epsilon = PowerSchedule(1 / 2)  # ε_t = 1 / √t
X, D, R = algorithm_1(rounds, epsilon)
explored = rounds.draws.eta <= epsilon(np.arange(1, 201))

# %% [markdown]
# Here are the first ten steps.

# %%
def believed_before(t, states):
    """What is believed of each arm before step t, in each of the states: (states, 3)."""
    S = [D[: t - 1] == j for j in range(3)]
    return np.array([[believe(x, X[: t - 1][s], R[: t - 1][s]) for s in S] for x in states])


# %% jupyter={"source_hidden": true} tags=["hide-input"]
ten = slice(0, 10)
beliefs = np.concatenate([believed_before(i + 1, X[i : i + 1]) for i in range(10)])
shown = pd.DataFrame({"t": range(1, 11), "state": X[ten]})
shown[[f"belief {j}" for j in (1, 2, 3)]] = beliefs
shown["ε"], shown["η"] = epsilon(np.arange(1, 11)), rounds.draws.eta[ten]
shown["it"] = np.where(explored[ten], "explores", "is greedy")
shown["arm"], shown["reward"] = D[ten] + 1, R[ten]
assert (explored[ten] | (D[ten] == beliefs.argmax(axis=1))).all()
numbers = [name for name in shown if name not in ("t", "it", "arm")]
Table(shown, "Table 2.1. The first ten steps.", dict.fromkeys(numbers, ".2f"))

# %% [markdown]
# Read one line of it. *Greedy* takes the largest of the three beliefs; *explores* (which happens
# when $\eta \le \varepsilon_t$) ignores them. At $t = 1$ nothing is known and $\varepsilon_1 = 1$, so
# the first step always explores.
#
# <a id="s4"></a>
#
# ## 4. How belief sharpens
#
# We stop the run before the steps 5, 20, 60 and 200, and ask what is believed everywhere.

# %%
moments = (5, 20, 60, 200)
snapshots, errors = {}, []
for t in moments:
    belief = believed_before(t, grid)
    snapshots[t] = belief
    errors.append(((belief - truth) ** 2).mean())
print("mean squared error of the beliefs:", ", ".join(f"{error:.3f}" for error in errors))
assert (np.diff(errors) < 0).all()

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Twelve panels, a row for each arm, a column for each moment. Before step 5 the beliefs are flat or zero; before step 200 the solid lines follow the dashed ones where there are dots."}} tags=["hide-input"]
figure, panels = plt.subplots(3, 4, figsize=(9, 5.6), sharex=True, sharey=True, layout="constrained")
for column, t in enumerate(moments):
    for j in range(3):
        axes, seen = panels[j, column], D[: t - 1] == j
        axes.plot(grid, truth[:, j], color=ARM_COLOURS[j], linestyle="dashed", linewidth=1)
        axes.plot(grid, snapshots[t][:, j], color=ARM_COLOURS[j])
        axes.plot(X[: t - 1][seen], R[: t - 1][seen], ".", color="0.3", markersize=4)
        axes.set(xlim=(0, 1), ylim=(-0.5, 1.5), xticks=(0, 0.5, 1))
    panels[0, column].set_title(f"before t = {t}")
    panels[2, column].set_xlabel("state x")
for j in range(3):
    panels[j, 0].set_ylabel(f"arm {j + 1}")
figure.suptitle("Belief and truth (synthetic, σ = 0.2, ε = 1/√t)", fontsize=10)
assert errors[-1] < 0.04

# %% [markdown]
# **Figure 2.2.** *Each row is an arm, each column a moment. Dots are the rewards received from the arm until
# then, the solid line is what the algorithm believes it to pay, the dashed line is the truth.*
#
# Two things to see. The belief sharpens where there are dots. And in time the dots gather where
# the arm is *good*: greedy steps take an arm only where it looks best, so where it is poor it is
# known roughly, mostly from exploration, and that is all one needs to know there. Its belief may
# stay wrong without costing anything, as long as it stays below the others. (Arm 3 has dots
# everywhere because it was tried first. As long as nothing else was known, it looked best in all
# states.)
#
# <a id="s5"></a>
#
# ## 5. When it explores, and what it takes

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Two hundred dots, time against state, over four bands of colour. At the left more dots are ringed, and the colours are mixed; at the right nearly all have the colour of their band."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(9, 3.4), layout="constrained")
bands = np.array([to_rgb(colour) for colour in ARM_COLOURS])[truth.argmax(axis=1)]
axes.imshow(bands[:, None], alpha=0.15, extent=(0, 201, 0, 1), origin="lower", aspect="auto")
axes.set(xlabel="time step t", ylabel="state x", xlim=(0, 201), ylim=(0, 1))
axes.set_title("Which arm is taken (synthetic, σ = 0.2, ε = 1/√t, 200 steps)")
axes.grid(False)
for j, x in ((0, 0.08), (1, 0.33), (2, 0.67), (0, 0.92)):
    axes.text(203, x, f"arm {j + 1}", color=ARM_COLOURS[j], va="center")
t = np.arange(1, 201)
axes.scatter(t, X, c=np.array(ARM_COLOURS)[D], s=18, zorder=2)
axes.scatter(t[explored], X[explored], s=55, facecolors="none", edgecolors="black", linewidths=0.8)
spread = np.sqrt((epsilon(t) * (1 - epsilon(t))).sum())
assert abs(explored.sum() - epsilon(t).sum()) < 4 * spread

# %% [markdown]
# **Figure 2.3.** *Each dot is a step: its height is the state, its colour the arm taken. The bands in the
# background show the best arm, black rings mark the exploring steps.*
#
# At the left the rings are denser and the colours mixed. To the right the dots take on the colour
# of their band. In numbers:

# %%
best = rounds.means.argmax(axis=1) == D
print(f"explored in {explored.sum()} of 200 steps, {epsilon(t).sum():.1f} expected")
print(f"the best arm in {best[:50].mean():.0%} of the first 50 steps, in {best[-50:].mean():.0%} "
      f"of the last 50; of the other {(~best[-50:]).sum()} steps {(~best & explored)[-50:].sum()} explored")

# %% [markdown]
# The three that remain lie near an edge of a band, where two arms are almost equally good: each of them
# costs less than 0.2.
#
# <a id="s6"></a>
#
# ## 6. The study's own version
#
# The study runs the same algorithm for states of any size and for any predictor, and decides whole
# blocks of steps at once when nothing is learned in between. Its parts are a **schedule**
# ($\varepsilon_t$), a **predictor** (what is believed) and the **policy** that joins them. Our
# predictor has a name, *k-nearest neighbours*, and scikit-learn has its own implementation of it.

# %%
def nearest_neighbours(p, run=0):
    """ε-greedy with ε_t = 1/t^p that believes its five nearest neighbours."""
    seed = seed_sequence(1, run, Stream.WEIGHTS)  # for regressors with randomness of their own
    predictor = Regressor(KNeighborsRegressor(5), arms=3, seed=seed)
    return EpsilonGreedy(PowerSchedule(p), predictor, arms=3)


# %%
played = simulate(nearest_neighbours(p=1 / 2), rounds, train_every=1)
print(f"{(played.actions == D).sum()} of 200 decisions are the same")
assert np.array_equal(played.actions, D)

# %% [markdown]
# With training after every step, all 200 decisions are the same.
#
# <a id="s7"></a>
#
# ## 7. Networks in place of neighbours
#
# *Deep* Epsilon Greedy believes a neural network for each arm. Here each has one hidden layer of
# 100 neurons, the paper's *Simple* network. As in the paper's experiments the networks are trained
# every 20 steps, 16 times over all the data of their arm, and go on from where they were. (One
# choice is ours: the learning rate is 0.01 and not 0.001, since this little task has few data.)

# %%
from bandits.architecture import SIMPLE, Training
from bandits.engine.threads import one_thread
from bandits.networks import Networks

# %%
networks = Networks(
    SIMPLE, context_size=1, arms=3, training=Training(epochs=16, learning_rate=0.01),
    weights=seed_sequence(1, 0, Stream.WEIGHTS), batches=seed_sequence(1, 0, Stream.BATCHES),
)
network_beliefs = {1: networks.predict(grid[:, None])}


def remember(so_far):
    """Keep what the networks believe after each training stage."""
    network_beliefs[len(so_far) + 1] = networks.predict(grid[:, None])


# %% [markdown]
# The policy and the loop are the ones of section 6, unchanged. Different are the numbers that they are
# given: the networks for the neighbours, $p = 1/3$ for $1/2$, 400 steps for 200 (of which the first 200
# are drawn as before), and a training stage every 20 steps.

# %%
longer = bandit.rounds(seed=1, run=0, steps=400)
with one_thread():
    policy = EpsilonGreedy(PowerSchedule(1 / 3), networks, arms=3)
    deep = simulate(policy, longer, train_every=20, after_stage=remember)

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Four panels of what the networks believe before steps 1, 21, 101 and 401: lines with a small slope at first, smooth curves close to the dashed truth in the end."}} tags=["hide-input"]
figure, panels = plt.subplots(1, 4, figsize=(9, 2.9), sharey=True, layout="constrained")
panels[0].set_ylabel("reward")
for axes, t in zip(panels, (1, 21, 101, 401), strict=True):
    for j in range(3):
        axes.plot(grid, truth[:, j], color=ARM_COLOURS[j], linestyle="dashed", linewidth=1)
        axes.plot(grid, network_beliefs[t][:, j], color=ARM_COLOURS[j])
    axes.set(title=f"before t = {t}", xlabel="state x", xlim=(0, 1), ylim=(-0.7, 1.5))
    axes.set_xticks((0, 0.5, 1))
figure.suptitle("What networks believe (synthetic, σ = 0.2, p = 1/3)", fontsize=10)
# Training depends on the machine in its last digits, and then on every decision after. So the
# bounds are wide: guessing the mean of each curve would be wrong by 0.125.
wrong = {t: ((network_beliefs[t] - truth) ** 2).mean() for t in (1, 401)}
assert wrong[401] < 0.05 < 0.125 < wrong[1]

# %% [markdown]
# **Figure 2.4.** *What the networks of the three arms believe (solid), in the colours of Figure 2.1, and the
# truth (dashed).*
#
# Before the first training the networks know nothing of the rewards: lines with a small slope, different
# from arm to arm because the initial weights are random. After one training stage, on 20 rewards of all
# arms together, they have a first rough idea, after twenty stages the curves. A network fills the
# gaps between dots with a smooth curve, where neighbours leave steps; which of the two is closer to the
# truth depends on the task. For images, [notebook 6](06_the_mnist_bandit.ipynb) shows that the *shape* of
# the network decides.
#
# <a id="s8"></a>
#
# ## 8. How fast should exploration stop?
#
# $\varepsilon_t = 1/t^p$: a large $p$ stops early and may know too little, a small $p$ goes on paying
# for what it knows already. The predictor is nearest neighbours again, trained every 20 steps from
# here on, and in each run all three schedules meet the same tables.

# %%
horizon, powers = 600, {"1": 1, "1/2": 1 / 2, "1/3": 1 / 3}
tables = [bandit.rounds(seed=1, run=run, steps=horizon) for run in range(runs)]
results = {name: [simulate(nearest_neighbours(p, run), table) for run, table in enumerate(tables)]
           for name, p in powers.items()}

# %%
lost = {name: np.array([run.regret for run in of_p]) for name, of_p in results.items()}
late = {name: regret[:, -200:].mean(axis=1) for name, regret in lost.items()}  # of each run
columns = {"p": list(powers), "all 600 steps": [regret.mean() for regret in lost.values()],
           "the last 200": [one.mean() for one in late.values()],
           "the last 200, worst run": [one.max() for one in late.values()]}
Table(pd.DataFrame(columns), f"Table 2.2. Regret per step, mean of {runs} runs.",
      dict.fromkeys(list(columns)[1:], ".3f"))

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Left: normalized regret of the three schedules over 600 steps, with p = 1/2 lowest at the end. Right: late regret of each run; those of p = 1 fall into two groups, near 0 and above 0.1."}} tags=["hide-input"]
P_COLOURS = dict(zip(powers, (PALETTE[5], PALETTE[4], PALETTE[3]), strict=True))
t = np.arange(1, horizon + 1)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), width_ratios=(3, 2), layout="constrained")
left.set(xlabel="time step t", ylabel="normalized regret", xlim=(1, horizon), ylim=(0, 0.42))
right.set(xlabel="regret per step, last 200 steps", ylim=(2.6, -0.6), xticks=(0, 0.05, 0.1, 0.15))
right.set_yticks(range(3), [f"p = {name}" for name in powers])
for row, (name, p) in enumerate(powers.items()):
    mean = (lost[name].cumsum(axis=1) / t).mean(axis=0)
    exploring = np.cumsum(PowerSchedule(p)(t)) / t * (bandit.best_mean - 0.5)
    left.plot(t, mean, color=P_COLOURS[name], label=f"p = {name}")
    left.plot(t, exploring, color=P_COLOURS[name], linestyle="dotted")
    right.plot(late[name], np.full(runs, row), "o", color=P_COLOURS[name], alpha=0.5)
left.legend()
figure.suptitle(f"Three schedules (synthetic, σ = 0.2, {runs} runs of {horizon} steps)", fontsize=10)
stuck = {name: (one > 0.1).mean() for name, one in late.items()}
assert stuck["1"] > 0.1 + stuck["1/2"]

# %% [markdown]
# **Figure 2.5.** *Left: averages over the runs; dotted is the price of exploring alone,
# $\frac{1}{t} \sum_{s \le t} \varepsilon_s \, (0.9135 - 0.5)$, which remains even for one who knows
# everything. Right: each dot is one run.*
#
# With $p = 1/3$ all runs are alike and all go on paying: at $t = 600$ one step in eight still
# explores. With $p = 1$ there are *two kinds of runs*: some have found out all they need and
# hardly lose anything; others are stuck at a regret that does not shrink. Their average is a curve
# that no single run follows. $p = 1/2$ is the best of the three here. The paper's Corollary 3.7
# finds $p = 1/3$ to be best for its *upper bound*; [notebook 4](04_the_bounds.ipynb) looks at how
# it does so.
#
# <a id="s9"></a>
#
# ## 9. Starvation
#
# What are the stuck runs stuck in? An arm gets a random pull at step $s$ with probability
# $\varepsilon_s / K$, independently from step to step. So exactly
#
# $$ P\big( T_j^R(t) = 0 \big) = \prod_{s=1}^{t-1} \Big( 1 - \frac{\varepsilon_s}{K} \Big) $$
#
# is the probability that exploration has not reached arm $j$ before step $t$. We also count it in 500
# runs, for arm 1.

# %%
draws = [draw_exploration(seed=1, run=run, steps=horizon, arms=3) for run in range(500)]
never, counted = {}, {}  # after each of the steps
for name, p in {"2": 2, **powers}.items():
    never[name] = np.cumprod(1 - PowerSchedule(p)(t) / 3)
    pulled = [(d.eta <= PowerSchedule(p)(t)) & (d.rho == 0) for d in draws]
    counted[name] = (np.cumsum(pulled, axis=1) == 0).mean(axis=0)

# %%
ends = {"p": list(never), "exactly": [one[-1] for one in never.values()],
        "counted in 500 runs": [one[-1] for one in counted.values()]}
Table(pd.DataFrame(ends), "Table 2.3. The probability that 600 steps bring an arm no random pull.",
      {"exactly": ".2g", "counted in 500 runs": ".3f"})

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Probability that an arm has had no random pull, against t. For p = 2 it stays above one half, for p = 1 it falls slowly to about 0.09 at 600, for smaller p it is soon 0. Counted dots lie on the lines."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
axes.set(xlabel="time step t", ylabel="probability", xscale="log", xlim=(1, horizon), ylim=(0, 1.02))
axes.set_title("An arm has not been explored yet (K = 3)")
for name, one in never.items():
    colour = P_COLOURS.get(name, "black")
    axes.plot(np.append(1, t + 1), np.append(1, one), color=colour, label=f"p = {name}")
    axes.plot(t[9::60] + 1, counted[name][9::60], "o", color=colour, markersize=4)
axes.legend()
error = {name: np.sqrt(one * (1 - one) / 500) for name, one in never.items()}
assert all((abs(counted[name] - never[name]) <= 4 * error[name] + 1 / 500).all() for name in never)

# %% [markdown]
# **Figure 2.6.** *Lines are exact, dots are counted.*
#
# With $p = 1$ the probability falls like $t^{-1/3}$, or $t^{-1/K}$ in general: slowly, and more slowly
# with more arms. With $p = 2$ it never falls to 0. The paper says of $p > 1$ (Remark 3.6): "The
# number of samples is finite and the approximation will not converge in general. This is called a
# starvation scenario since the optimal action is not sampled sufficiently." But over 600 steps $p = 1$ starves
# arms as well. Here is the worst of the runs above, from inside.

# %%
worst = int(late["1"].argmax())
policy = nearest_neighbours(1, worst)
starved = simulate(policy, tables[worst])
learned = policy.predictor.predict(grid[:, None])
times = [int((starved.actions == j).sum()) for j in range(3)]
neglected = int(np.argmin(times))
print(f"arm {neglected + 1} was pulled {times[neglected]} times in {horizon} steps")

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Left: beliefs against the state. Two arms are known well where they are good, the belief about arm 3 is flat at 0. Right: the regret of each step; up to the end dots are scattered between 0 and 0.8."}} tags=["hide-input"]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
left.set(xlabel="state x", ylabel="reward", xlim=(0, 1), ylim=(-0.2, 1.55), title="What it believes")
right.set(xlabel="time step t", ylabel="regret of the step", xlim=(1, horizon), title="What it costs")
for j in range(3):
    left.plot(grid, truth[:, j], color=ARM_COLOURS[j], linestyle="dashed", linewidth=1)
    left.plot(grid, learned[:, j], color=ARM_COLOURS[j], label=f"arm {j + 1}: {times[j]} pulls")
left.legend(fontsize=8, ncols=3, loc="upper center")
right.plot(t, starved.regret, ".", color=PALETTE[5], markersize=3)
figure.suptitle(f"One run of p = 1 (synthetic, σ = 0.2, {horizon} steps)", fontsize=10)
needed = starved.best_means == tables[worst].means[:, neglected]
with_it, without = (starved.regret[-200:][which].mean() for which in (needed[-200:], ~needed[-200:]))
assert with_it > 5 * without

# %% [markdown]
# **Figure 2.7.** *The run that lost most in its last 200 steps. Where the neglected arm is the best one, a
# step costs more than five times as much as elsewhere.*
#
# The neglected arm had no pull at all; it is believed to be poor everywhere, so greedy steps do not take
# it, so nothing is learned about it. In the states where it is the best, the run goes on paying, and no
# better predictor would help: *there are no data to predict from.* For five arms $\varepsilon_t = 1/t$
# reaches each arm 1.6 times on average in 2,000 steps. When the MNIST bandit is played in
# [notebook 7](07_the_paper_figures.ipynb), remember this picture.
#
# ## What was seen
#
# * The algorithm is four steps (believe, choose, receive, learn), and ten lines that do them.
# * Belief sharpens where an arm is taken, and arms are taken where they look good.
# * The predictor is a part that can be exchanged, as the paper's Corollary 3.5 says.
# * Exploring too long costs regret at every step; stopping too early starves arms in some runs. Of the
#   three powers tried here, over 600 steps, $1/2$ lost least.
#
# How many random pulls an arm gets, and whether the paper counts them rightly, is the subject of
# [the next notebook](03_the_lemma.ipynb).

# %% [markdown]
# ## Exercises
#
# **1.** For how long must one play with $\varepsilon_t = 1/t$ until an arm of three has had a random pull
# with probability 95 %? And an arm of five?

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
for arms in (3, 5):
    chance = np.cumprod(1 - 1 / (arms * np.arange(1, 4_000_001)))
    print(f"{arms} arms: {1 + np.argmax(chance <= 0.05):,} steps")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The probability of no pull falls like $t^{-1/K}$. To have it at 0.05, some $20^K$ steps are needed, up to a
# constant: 3,222 for three arms, 1,496,086 for five.
#
# </details>
#
# **2.** Suppose rewards are between 10 and 11 instead of 0 and 1, and untrained predictors still
# say 0. What changes? And what if untrained predictors say 20?

# %% [markdown]
# <details><summary>Answer</summary>
#
# With 0, an arm that has not been tried looks hopeless beside one that paid 10; the same as here,
# only more extreme, since here an unlucky first reward can be below 0. With 20, an untried arm
# looks better than all others and is tried at once, without any exploring step. This is
# *optimism*, the idea behind LinUCB, and it cannot starve an arm before the first pull.
#
# </details>
#
# **3.** The dots gather where an arm looks good, so the states in $S_j$ are not distributed like
# $X$. Does this harm the theory? Compare the states of arm 3's greedy and exploring steps.

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
for name, of_run in (("greedy", ~explored), ("exploring", explored)):
    states = X[(D == 2) & of_run]
    print(f"{name}: {len(states)} states, {(abs(states - 2 / 3) < 1 / 6).mean():.0%} where arm 3 is best")

# %% [markdown]
# <details><summary>Answer</summary>
#
# Arm 3 is best in a third of all states, and 66 % of its greedy steps are there. The theorem
# about the predictor's error needs independent samples of the state's own distribution. The exploring
# steps provide such a sample, the greedy steps do not. The paper counts the exploring steps, but trains
# on all of $S_j$. One can train on the exploring steps only (`train_on="random_branch"` in the study's
# policy), at the price of fewer data.
#
# </details>
