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
# # The problem: choosing well while learning what is good
#
# You see five handwritten digits and may take one. You are paid the digit you took, and you never
# learn what the others would have paid. Nobody tells you that the pictures are digits. **How fast
# could you learn to take the largest?**
#
# This is a **contextual bandit** ([Lattimore and Szepesvári 2020](10_what_holds.ipynb#lattimore2020) is the textbook), the problem of
# [Rawson and Balan](10_what_holds.ipynb#rawson2021), *Convergence Guarantees for Deep Epsilon Greedy Policy Learning*. After this notebook you will be able to
#
# * say what states, actions, rewards and policies are, in the paper's notation;
# * compute the regret of a policy, and say why noise plays no part in it;
# * state exactly what the worst sensible and the best possible player earn, 4.5 and 7.79175;
# * explain *exploration*, *propensity* and *unconfoundedness*, and show in numbers why each matters.
#
# You can read the text and the pictures alone; the code says the same thing once more.

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

from bandits import study
from bandits.environments import MnistBandit, draw_exploration
from bandits.experiments import Scale
from bandits.policies import Optimal, Random
from bandits.results.plots import PALETTE, style, use_style
from bandits.results.tables import Table
from bandits.schedules import PowerSchedule
from bandits.simulate import simulate

use_style()
plt.rcParams["figure.dpi"] = 200

# %% [markdown]
# <a id="s1"></a>
#
# ## 1. The game
#
# At each time step $t = 1, 2, \dots$
#
# 1. you see the **state** $X_t$ (also called the context): here five random images side by side;
# 2. you choose an **action** $D_t$ out of $K = 5$: arm 1 is the first image, arm 5 the last;
# 3. you receive the **reward** $R_t$: the digit on the image you chose, plus noise if there is any.
#
# The state is new at each step and does not depend on what you chose before. That is what makes
# this a bandit, and simpler than chess: no choice leads you into trouble later, but each teaches
# you only about itself.
#
# How long we play depends on the scale of this notebook, and the images on what is installed:

# %%
steps = {"glance": 2_000, "quick": 10_000, "paper": 50_000}[study.scale()]
print(study.banner(Scale(steps, runs=1)))

# %% [markdown]
# <a id="s2"></a>
#
# ## 2. Ten rounds for you
#
# Here are the states of the first ten rounds. Each row is one state: $5 \times 28 \times 28 =
# 3920$ numbers between 0 (paper) and 1 (ink), and that is all a policy ever sees.

# %%
bandit = MnistBandit(study.data(), arms=5)
ten = bandit.rounds(seed=4, run=0, steps=10)
states = ten.contexts(slice(0, 10))

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Ten rows of five handwritten digits each, rounds 1 to 5 on the left and 6 to 10 on the right, with the arms numbered 1 to 5 above."}} tags=["hide-input"]
def draw_states(axes, first, last):
    """Draw the states of the rounds first..last, one below the other."""
    rows = states[first - 1 : last].reshape(-1, 5, 28, 28)
    wall = rows.transpose(0, 2, 1, 3).reshape(28 * len(rows), 5 * 28)
    axes.imshow(wall, cmap="gray_r", extent=(0.5, 5.5, last + 0.5, first - 0.5), aspect="auto")
    axes.set(xticks=range(1, 6), yticks=range(first, last + 1), ylabel="round t", title="arm")
    axes.grid(False)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    for edge in range(1, 5):
        axes.axvline(edge + 0.5, color="0.85", linewidth=0.8)
    for edge in range(first, last):
        axes.axhline(edge + 0.5, color="0.85", linewidth=0.8)


figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
draw_states(left, 1, 5)
draw_states(right, 6, 10)
assert states.shape == (10, 3920)

# %% [markdown]
# **Figure 1.1.** *The states of ten rounds: five images of MNIST each.*
#
# **Your turn.** Replace the numbers below by the arms you want (1 to 5), one for each round, and
# run the notebook from here on (in JupyterLab: *Run*, *Run Selected Cell and All Below*). You have
# an unfair advantage, since you can read digits. The list as it stands is a player who tries the
# arms in turn, which is as good as any other way of not looking.

# %%
my_choices = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]

# %% [markdown]
# What did you earn, and what would the best arm of each round have paid? The difference is called
# your *regret*. (Python counts from 0 and the paper from 1, so that arm 1 is in column 0.)

# %%
if len(my_choices) != 10 or not set(my_choices) <= {1, 2, 3, 4, 5}:
    raise ValueError(f"my_choices must be ten numbers from 1 to 5, not {my_choices}")
mine = np.array(my_choices) - 1
earned, best = ten.rewards(slice(0, 10), mine), ten.means.max(axis=1)
columns = {"round": range(1, 11), "your arm": my_choices, "reward": earned,
           "best possible": best, "regret": best - earned}
Table(pd.DataFrame(columns), f"Table 1.1. Your ten rounds: {earned.sum():.0f} of {best.sum():.0f}.",
      dict.fromkeys(["reward", "best possible", "regret"], ".0f"))

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "The ten states again. In each row the arm chosen has an orange frame and the best arm a green one; in most rows they differ."}} tags=["hide-input"]
green, orange = PALETTE[2], PALETTE[5]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for axes, first, last in ((left, 1, 5), (right, 6, 10)):
    draw_states(axes, first, last)
    for t in range(first, last + 1):
        oracle = ten.means[t - 1].argmax()
        for arm, colour, width in ((oracle, green, 5), (mine[t - 1], orange, 2)):
            corner = (arm + 0.53, t - 0.47)
            box = plt.Rectangle(corner, 0.94, 0.94, fill=False, edgecolor=colour, linewidth=width)
            axes.add_patch(box)
assert np.array_equal(ten.means[np.arange(10), mine], earned)  # no noise: the digit itself

# %% [markdown]
# **Figure 1.2.** *Orange is what you chose, green is the best arm (the first of them, where several
# are as good).*
#
# You were told the digit in the orange box only. A learner has to find out from such scraps that
# the shape of a 9 is worth more than the shape of a 1, for each of the five places.
#
# <a id="s3"></a>
#
# ## 3. The notation
#
# | symbol | in words | here |
# | --- | --- | --- |
# | $X_t \in \mathbb{R}^m$ | state at step $t$ | five images, $m = 3920$ |
# | $D_t \in \{1, \dots, K\}$ | action (arm) chosen at step $t$ | one of the five places |
# | $R_t$ | reward received | digit of the chosen image + noise |
# | $Y_t^j$ | reward that arm $j$ would pay at step $t$ | digit at place $j$ + noise |
# | $\mu_j(X) = \mathbb{E}(Y_t^j \mid X)$ | mean reward of $j$ in state $X$ | digit at place $j$ |
# | $\mu_*(X) = \max_j \mu_j(X)$ | mean reward of the best arm | the largest digit |
# | $\Delta_j(X) = \mu_*(X) - \mu_j(X) \ge 0$ | what choosing $j$ loses | largest digit − its digit |
# | $\varepsilon_t$ | probability of exploring at step $t$ | see section 5 |
# | $T_j(t)$ | how often $j$ was chosen in the first $t - 1$ steps | |
# | $T_j^R(t)$ | how often of these by pure chance, as exploration | |
#
# A **policy** is a rule that names $D_t$ from $X_t$ and from what it has seen before.
#
# **Regret is what not knowing costs.** The regret of step $t$ is $\Delta_{D_t}(X_t)$: the mean
# reward of the best arm minus that of the chosen one. It uses means, never the noise. A lucky draw
# is no merit, and a player who always takes the best arm has regret 0 at every step, however the
# noise falls.
#
# Two curves are drawn in the paper, and in the rest of this study:
#
# * the **normalized reward**, $\frac{1}{t} \sum_{s \le t} R_s$: what you have earned per step so far;
# * the **normalized regret**, $\frac{1}{t} \sum_{s \le t} \Delta_{D_s}(X_s)$: what you have lost per
#   step so far. A policy *learns the task* if this goes to 0.

# %% [markdown]
# <a id="s4"></a>
#
# ## 4. The two ends of the scale
#
# *Random* chooses each arm with probability $1/5$, whatever it sees. A digit is uniform on 0 to 9,
# so Random earns $4.5$ per step. *Optimal* is an oracle that reads the digits and takes the
# largest. The largest of five digits is at least $d$ unless all five are below $d$, so
#
# $$ \mathbb{E} \max = \sum_{d=1}^{9} P(\max \ge d) = \sum_{d=1}^{9} \left( 1 - (d/10)^5 \right)
#  = 7.79175 . $$

# %%
def expected_maximum(arms):
    """The expected largest of so many independent digits."""
    return sum(1 - (d / 10) ** arms for d in range(1, 10))


for arms in range(1, 6):
    print(f"the best of {arms} digits earns {expected_maximum(arms):.5f} per step")

# %% [markdown]
# The rows between the two ends will matter later. A player who understands three arms perfectly
# but never tries the other two cannot earn more than 6.975 per step: *an arm that is never tried
# sets a ceiling that no amount of learning can lift.*
#
# Now the same two players on drawn rounds. One run of the bandit is a table that is drawn in
# advance, and both players meet the same table. How far is each from its exact value?

# %%
rounds = bandit.rounds(seed=4, run=0, steps=steps)
random = simulate(Random(arms=5), rounds)
optimal = simulate(Optimal(rounds.means), rounds)
players = pd.DataFrame({"player": ["Random", "Optimal"], "exactly": [4.5, expected_maximum(5)]})
drawn = [random.rewards, optimal.rewards]
players["drawn"] = [rewards.mean(dtype=float) for rewards in drawn]
players["standard error"] = [rewards.std(dtype=float) / np.sqrt(steps) for rewards in drawn]
assert (abs(players["drawn"] - players["exactly"]) < 4 * players["standard error"]).all()
Table(players, "Table 1.2. What the two ends of the scale earn per step.",
      {"exactly": ".5f", "drawn": ".3f", "standard error": ".3f"})

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Normalized reward of Optimal and Random against the time step. After some hundred steps both curves lie on their dashed lines, 7.79 and 4.5."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
axes.set(xlabel="time step t", ylabel="normalized reward", ylim=(3, 9), xlim=(1, steps))
axes.set_title("What the two ends of the scale earn (MNIST, σ = 0)")
for name, player, exact in (("Optimal", optimal, 7.79175), ("Random", random, 4.5)):
    colour = style(name.lower())["color"]
    mean_reward = np.cumsum(player.rewards) / player.t
    axes.plot(player.t, mean_reward, color=colour)
    axes.axhline(exact, color=colour, linestyle="dashed", linewidth=1)
    axes.text(steps * 1.01, exact, f"{name}\n{exact:g}", color=colour, va="center")
    assert abs(mean_reward[steps // 2 :] - exact).max() < 0.2

# %% [markdown]
# **Figure 1.3.** *Normalized reward of the two players in one run, and their exact means (dashed).*
#
# After some hundred steps the curves stay within 0.2 of their exact values, and they go on
# settling. Everything that a learner can achieve happens between the two dashed lines: there are
# $7.79175 - 4.5 = 3.29175$ digits per step to be gained by looking.

# %% [markdown]
# <a id="s5"></a>
#
# ## 5. Exploring, and writing down how likely the choice was
#
# A learner that always takes the arm it believes to be best never finds out about the others.
# **ε-greedy** mixes the two: with probability $\varepsilon_t$ it *explores*, taking any of the $K$
# arms with equal probability, the best one included; otherwise it takes the arm that it believes
# in. The paper's Algorithm 1 has $\varepsilon_t = 1/t$.
#
# The **propensity** is the probability that the chosen arm had. For ε-greedy
#
# $$ P(D_t = j \mid X_t) = \frac{\varepsilon_t}{K} + (1 - \varepsilon_t)
#    \cdot [\, j \text{ is the arm believed in} \,] , $$
#
# where $[\ldots]$ is 1 if what it says is true, and 0 if not.
#
# Let us believe in arm 3 for ever. We draw the random numbers of as many choices as the run above has
# steps, and count what they would choose if all were made at $t = 1$, at $2$, at $5$ or at $20$.

# %%
epsilon, draws = PowerSchedule(1), draw_exploration(seed=4, run=0, steps=steps, arms=5)  # ε_t = 1/t
believed, times, counted, propensity = 2, (1, 2, 5, 20), {}, {}  # arm 3 is in column 2
for t in times:
    chosen = np.where(draws.eta <= epsilon(t), draws.rho, believed)
    counted[t] = np.bincount(chosen, minlength=5) / steps
    propensity[t] = np.full(5, epsilon(t) / 5)
    propensity[t][believed] += 1 - epsilon(t)

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Four bar charts of how often each arm is chosen, at t = 1, 2, 5 and 20. At t = 1 all bars are 0.2; at t = 20 arm 3 has 0.96. The black marks of the formula lie on the bars."}} tags=["hide-input"]
figure, panels = plt.subplots(1, 4, figsize=(9, 2.6), sharey=True, layout="constrained")
panels[0].set_ylabel("share of choices")
for axes, t in zip(panels, times, strict=True):
    axes.bar(range(1, 6), counted[t], color=PALETTE[4])
    axes.plot(range(1, 6), propensity[t], "_", color="black", markersize=18)
    axes.set(title=f"t = {t}, ε = {epsilon(t):.2g}", xlabel="arm", xticks=range(1, 6), ylim=(0, 1))
    error = np.sqrt(propensity[t] * (1 - propensity[t]) / steps)
    assert (abs(counted[t] - propensity[t]) <= 4 * error + 1e-12).all()

# %% [markdown]
# **Figure 1.4.** *How often each arm is chosen if arm 3 is believed in. Bars are counted, black marks
# are the formula.*
#
# At $t = 1$ everything is tried; at $t = 20$ the believed arm gets $0.05/5 + 0.95 = 0.96$ and each
# other arm one choice in a hundred.
#
# **Why write it down?** Because a log with propensities can answer questions about policies that
# *never played*. Weight each reward by one over its propensity, and keep only the steps where the
# policy you ask about would have done the same. Over a log of $n$ steps:
#
# $$ \widehat{V} = \frac{1}{n} \sum_{t=1}^{n}
#    \frac{[\, D_t = \text{its choice at } X_t \,]}{P(D_t \mid X_t)} \; R_t . $$
#
# From Random's log alone, here is what Optimal would earn:

# %%
same = random.actions == rounds.means.argmax(axis=1)
weighted = same / random.propensities * random.rewards
estimate, error = weighted.mean(), weighted.std() / np.sqrt(steps)
assert abs(estimate - 7.79175) < 4 * error
print(f"Random did what Optimal would have done in {same.mean():.1%} of the steps.")
print(f"From these alone, Optimal would earn {estimate:.2f} with standard error {error:.2f}.")

# %% [markdown]
# The estimate is honest (it has no bias), and 7.79 is less than two standard errors away. But this error
# is some ten times that of Optimal's own run: an arm with a small propensity is seldom seen and then
# weighs much. With propensity 0 there is nothing to weigh. That is the second reason to explore.

# %% [markdown]
# <a id="s6"></a>
#
# ## 6. The choice must not know the noise
#
# The paper assumes that the state and the rewards of *all* arms at step $t$ are drawn independently of
# what is chosen; given what the policy sees, its choice carries no news about the noise. The field calls
# this last part **unconfoundedness**. In this study it holds by construction: the whole table of a
# run (images, digits, noise, and the random numbers of the policies) is drawn before anyone plays.
#
# To see what would go wrong otherwise, let someone cheat. The noise has $\sigma = 1$; the *peeker*
# sees all five rewards, noise included, and takes the largest.

# %%
noisy = MnistBandit(study.data(), arms=5, noise=1.0).rounds(seed=4, run=0, steps=steps)
chosen = {"Random": simulate(Random(arms=5), noisy).actions,
          "the peeker": (noisy.means + noisy.noise).argmax(axis=1)}
averages = [noisy.noise[np.arange(steps), actions].mean() for actions in chosen.values()]
assert abs(averages[0]) < 0.1 < 0.3 < averages[1]
Table(pd.DataFrame({"player": list(chosen), "average noise of the chosen arm": averages}),
      "Table 1.3. Who peeks at the noise finds it.", {"average noise of the chosen arm": "+.2f"})

# %% [markdown]
# In Random's log the noise averages out, so the mean reward of an arm in a state is what the arm
# is worth there. In the peeker's log every arm looks better than it is, and no amount of such data
# cures that. A learner trained on it would believe wrong things with great confidence.
#
# ## What was seen
#
# * A bandit shows a state, takes an action and pays for that action only.
# * Regret compares with the best arm of the same state, in means. Random loses 3.29175 per step
#   here, Optimal nothing.
# * Exploration keeps every arm's propensity above 0, which is what makes learning and honest
#   estimates possible; each exploring step costs regret.
#
# How to share the steps between the two is the subject of the paper, and of
# [the next notebook](02_the_algorithm.ipynb).

# %% [markdown]
# ## Exercises
#
# **1.** A policy explores with $\varepsilon_t = 0.1$ at every step and otherwise always takes the
# best arm. What is its normalized regret in the long run? Work it out, then count it.

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
arms = np.where(draws.eta <= 0.1, draws.rho, rounds.means.argmax(axis=1))
lost = rounds.means.max(axis=1) - rounds.means[np.arange(steps), arms]
print(f"counted {lost.mean():.3f}, exactly {0.1 * 3.29175:.3f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It explores in a tenth of the steps and then earns 4.5 on average instead of 7.79175. The regret
# per step tends to $0.1 \times 3.29175 = 0.329$ and never to 0, although the policy knows
# everything. This is why $\varepsilon_t$ must go to 0, and the other notebooks ask how fast it may.
#
# </details>
#
# **2.** Would it help Random to take the same arm in all steps?

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
print("always arm 1, 2, …, 5:", rounds.means.mean(axis=0).round(2))

# %% [markdown]
# <details><summary>Answer</summary>
#
# No. Each place shows a uniform digit, so every rule that does not look at the state earns 4.5.
# What varies from step to step is *which* arm is good, and only the state tells. This is the
# difference between a contextual bandit and a plain one, where some arm is best once and for all.
#
# </details>
#
# **3.** Optimal's log holds the propensity 1 at every step. Can you estimate from it what Random
# would earn?
#
# <details><summary>Answer</summary>
#
# Not by weighting. Random takes arms that Optimal never takes, with propensity 0, and the log says
# nothing about what they pay. It is known only that on average they pay no more than the ones
# taken.
#
# </details>
