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
# # What is true: four theorems of our own
#
# [The bounds](04_the_bounds.ipynb) of the paper can be corrected, but they begin late, they are loose, and
# they do not cover the algorithm as it is run. **How does the regret of epsilon greedy really fall?** Four
# theorems answer, each with an idea, a statement, a picture, a short proof and a number. (On a first reading
# take the proofs on trust.) After this notebook you can
#
# * say from which step on *all* arms keep up for ever, and prove it by a bet;
# * name bandits whose regret falls exactly as the bound says, and no faster: there $1/3$ is the best
#   exponent of the regret itself;
# * bound the regret of a run by its own prediction errors, whatever data the predictor was trained on;
# * compute what $\varepsilon_t = 1/t$ costs even a perfect learner.
#
# The letters are those of [notebook 04](04_the_bounds.ipynb): $K$ arms, $\varepsilon_t$ the chance of a
# random step, $B(t) = \frac1K\sum_{l<t}\varepsilon_l$ the expected random pulls of an arm, $\delta$ the gap,
# $\bar D$ the loss of a uniform choice, $e_j$ the error of arm $j$'s prediction, $\hat I$ the greedy arm.

# %% jupyter={"source_hidden": true} tags=["remove-cell"]
# Where the study is not installed, as on Google Colab, install it with the PyTorch that is there.
import importlib.util

if importlib.util.find_spec("bandits") is None:
    from IPython import get_ipython

    get_ipython().run_line_magic("pip", "install -q git+" + input("Address of this repository: "))

# %%
import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from bandits import theory
from bandits.attaining import AttainingBandit, StateTable
from bandits.policies import EpsilonGreedy
from bandits.results.plots import PALETTE, use_style
from bandits.results.tables import Table
from bandits.schedules import PowerSchedule
from bandits.simulate import simulate
from bandits.theory.anytime import anytime_rate

use_style()
plt.rcParams.update({"figure.figsize": (8, 3.6), "figure.dpi": 200})
BLUE, ORANGE, GREEN, PINK = PALETTE[:4]
GREY = "#777777"

# %% [markdown]
# <a id="s1"></a>
#
# ## 1. From when on do all arms keep up, for ever?
#
# **Idea.** The [lemma of notebook 03](03_the_lemma.ipynb) speaks of one step $t$. To have it at all steps at
# once, the paper needs a sum over $t$ that diverges for $p = 1$. A bet does it without a sum. A gambler bets
# against arm $i$: every random pull of it costs money, and every step without one earns a little. If the arm
# falls behind, the gambler is rich at that moment; in a game that is fair or worse, it is improbable that this
# happens *even once* (Ville's inequality, [notebook 04, section 2](04_the_bounds.ipynb)).
#
# **Theorem A.** Let $\varepsilon_1, \varepsilon_2, \dots$ be any fixed numbers in $[0, 1]$, $0 < \theta < 1$ and
# $c(\theta) = 1 - \theta + \theta\ln\theta$. Let $T_i^R(t)$ be the number of random pulls that arm $i$ has
# really had before step $t$; it *keeps up* while $T_i^R(t) > \theta\,B(t)$. For every $t_1 \ge 1$,
#
# $$P\bigl(T_i^R(t) > \theta\,B(t) \text{ for all } t \ge t_1 \text{ and all arms } i\bigr)
#   \;\ge\; 1 - K\exp\bigl(-c(\theta)\,B(t_1)\bigr).$$
#
# At $\theta = 1/2$ the rate $c = (1-\ln 2)/2 = 0.153$ is better than the paper's $3/28 = 0.107$, which
# holds for one step only. In the picture: five arms, $p = 1/3$, and the chance that a given arm falls
# behind *at any step* from $t_1$ to 8,000, computed exactly by `probability_ever_behind`.

# %%
starts = np.unique(np.geomspace(2, 4000, 14).astype(int))
exact = [theory.probability_ever_behind(t, 8000, arms=5, schedule=1 / 3) for t in starts]
pulls = np.array([theory.expected_random_pulls(int(t), arms=5, p=1 / 3) for t in starts])
bound = np.exp(-anytime_rate(1 / 2) * pulls)

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Log-log plot against t1. The exact probability of ever falling behind lies below the bound exp(-cB) everywhere, by a factor of about four where both are near 0.03, and both fall steeply after 1,000."}} tags=["hide-input"]
figure, axis = plt.subplots()
axis.plot(starts, exact, "o-", color=BLUE, ms=4, label="exact, any step from $t_1$ to 8,000")
axis.plot(starts, bound, color=ORANGE, lw=2, label="Theorem A: exp(−c B($t_1$))")
axis.plot(starts, np.exp(-3 / 28 * pulls), "--", color=GREY, label="the paper's, for the step $t_1$ alone")
axis.set(xscale="log", yscale="log", xlabel="$t_1$", ylabel="probability",
         title="One arm of five falls behind half its expected pulls (p = 1/3)")
axis.legend(fontsize=8, loc="lower left")
assert (np.array(exact) <= bound).all()
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 5.1.** *The exact chance of ever falling behind, and the bound of Theorem A. The bound for all
# times is smaller than the paper's for a single one.*
#
# *Proof.* In one step $T_i^R$ grows by $\xi$, which is 1 with probability $\varepsilon/K$, so
# $\mathbb E\,\theta^\xi = 1 - (1-\theta)\varepsilon/K \le \exp(-(1-\theta)\varepsilon/K)$. Hence the fortune
# $W_t = \theta^{T_i^R(t)}\exp((1-\theta)B(t))$ is that of a game which is fair or worse, and $W_1 = 1$. Since
# $\theta < 1$, fewer pulls mean a larger fortune: where $T_i^R(t) \le \theta B(t)$ for some $t \ge t_1$,
# $W_t \ge \theta^{\theta B(t)}\exp((1-\theta)B(t)) = \exp(c(\theta) B(t)) \ge \exp(c(\theta) B(t_1))$. By Ville
# this ever happens with probability at most $\exp(-c(\theta) B(t_1))$. Add up the $K$ arms. $\square$
#
# **Number.** With probability 95 %, from which step on do all five arms keep up for ever?

# %%
first = {p: theory.anytime_start(0.95, arms=5, schedule=p) for p in (1 / 3, 1 / 2, 1)}
Table(pd.DataFrame({"p": ["1/3", "1/2", "1"], "t₁": [f"{float(t):.4g}" for t in first.values()]}),
      "Table 5.1. From t₁ on, with 95 %, every arm has half its expected random pulls.")

# %% [markdown]
# From step 1,012 on for $p = 1/3$. For $\varepsilon_t = 1/t$ it takes longer than anybody will wait, since
# $B(t)$ grows like $\ln t/5$. And as $t_1 \to \infty$, the theorem is "almost surely" for every $p \le 1$,
# in one line: no Borel–Cantelli, and no subsequence ([notebook 04, section 9](04_the_bounds.ipynb)).
# This theorem has been proved in Coq as well (`make proofs`).
#
# *Ledger: [66](claims.md#claim-66).*

# %% [markdown]
# <a id="s2"></a>
#
# ## 2. Is $1/3$ best for the regret, or only for a bound?
#
# **Idea.** An upper bound can be best at $1/3$ while the regret does better elsewhere. To rule that out,
# take a task so simple that its regret can be computed, and so mean that nothing can be inferred from one
# state about another.
#
# **The bandit.** State $k = 1, 2, \dots$ comes with probability $w_k = 6/(\pi^2 k^2)$. Arm 1 always pays
# $1/2$, arm 2 always pays 1. So $\delta = 1/2$ and $\bar D = 1/4$. The predictor is a table: what the arm paid
# in this state, and 0 if it was not tried there; ties go to arm 1. Its squared risk after $n$ samples is at
# most $\kappa/\sqrt n$ with $\kappa = \frac12\sqrt{6/\pi} = 0.691$. That is the paper's rate but for the
# logarithm.
#
# **Theorem B.** Trained on all steps, as Algorithm 1 is printed, and for every fixed schedule and $t \ge 1$,
#
# $$\mathbb E\,\mathrm{regret}_t \;=\; \frac{\varepsilon_t}4
#   + (1-\varepsilon_t)\,\frac12\sum_{k}w_k\prod_{l<t}\Bigl(1 - \frac{\varepsilon_l w_k}2\Bigr). \tag{1}$$
#
# For $\varepsilon_t = t^{-p}$ the regret times the power in the second column tends to the third:
#
# | $p$ | power | limit |
# | :-- | :-- | :-- |
# | $p < 1/3$ | $t^p$ | $1/4$ |
# | $p = 1/3$ | $t^{1/3}$ | $1/4 + \kappa/\sqrt3 = 0.649$ |
# | $1/3 < p < 1$ | $t^{(1-p)/2}$ | $\kappa\sqrt{(1-p)/2}$ |
# | $p = 1$ | $\sqrt{\ln t}$ | $\kappa/\sqrt2$ |
#
# *Proof.* Arm 2 is greedy in state $k$ exactly if it was tried there, and that needs a random step, because
# untried it is predicted 0 and loses the tie. A random step before $t$ draws state $k$ and arm 2 with
# probability $\varepsilon_l w_k/2$, independently over $l$: hence the product. Since $1 - x \approx \exp(-x)$
# for small $x$, the sum is nearly $\sum_k w_k\exp(-w_k n)$ at $n = \frac12\sum_{l<t}\varepsilon_l$. States with
# $w_k$ much larger than $1/n$ have been seen, the others not. At $k$ of order $\sqrt n$ the weight $w_k$ is of
# order $1/n$, and the weights beyond add up to the order $1/\sqrt n$. The integral over $k$ (put $u = 1/k$)
# gives the factor: $\kappa/\sqrt n$. $\square$

# %%
powers, decades = {"1/6": 1 / 6, "1/3": 1 / 3, "1/2": 1 / 2, "1": 1}, range(31)
regret = {name: np.array([theory.attained_regret(10**d, schedule=p).value for d in decades])
          for name, p in powers.items()}

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Exact regret at step t against t up to 10^30, log-log, for p = 1/6, 1/3, 1/2 and 1. The curve for 1/3 falls fastest in the end; the one for 1 hardly falls at all."}} tags=["hide-input"]
figure, axis = plt.subplots()
for (name, curve), colour in zip(regret.items(), (BLUE, ORANGE, GREEN, PINK), strict=True):
    axis.plot(10.0 ** np.array(decades), curve, color=colour, lw=2)
    axis.text(1.5e30, curve[-1], f"p = {name}", color=colour, va="center")
axis.axhline(0.25, color="black", ls="--", lw=1)
axis.text(1e17, 0.3, "a uniform choice: 1/4", fontsize=8)
axis.set(xscale="log", yscale="log", xlabel="t", ylabel="E regret at step t", xlim=(1, 1e30),
         title="The attaining bandit, exactly (K = 2, δ = 1/2)")
assert min(regret, key=lambda name: regret[name][-1]) == "1/3"
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 5.2.** *The exact regret of Theorem B up to $10^{30}$ steps. In the end $p = 1/3$ is lowest, and
# $p = 1$ hardly falls. (It begins above the uniform choice: in an untried state greedy takes arm 1, and loses
# 1/2.)*
#
# **So among powers $1/3$ is best for the regret itself**, and what $\varepsilon_t = 1/t$ costs here really is of
# order $1/\sqrt{\ln t}$. Beyond powers: *no* fixed schedule has a total regret below
# $(1-o(1))\,\frac32(\kappa t/2)^{2/3}$ after $t$ steps, where $o(1)$ tends to 0. For $S$ random steps in all
# cost $S/4$, and leave a greedy step a loss of at least about $\kappa/\sqrt{2S}$; the best $S$ is
# $2(\kappa t/2)^{2/3}$, and exploring first comes close. (With other weights, $w_k \propto k^{-1/(1-a)}$, the
# risk falls as $n^{-a}$ and the best exponent is $a/(1+a)$.)
#
# **Number.** The limit at $p = 1/3$, and how near the regret is to it:

# %%
limit = theory.attained_limit(1 / 3).constant
times = [10**3, 10**6, 10**12, 10**30]
scaled = [theory.attained_regret(t, schedule=1 / 3).value * t ** (1 / 3) for t in times]
Table(pd.DataFrame({"t": times, "regret · t^(1/3)": scaled, "limit": limit}),
      "Table 5.2. The attaining bandit at p = 1/3.",
      {"t": ".0e", "regret · t^(1/3)": ".5f", "limit": ".5f"})

# %% [markdown]
# **And the loop itself?** The bandit and the table are parts of the package, so that the study's own loop
# can play them: 150 runs of 80 steps, trained after every step.

# %%
STEPS, RUNS = 80, 150
bandit, runs = AttainingBandit(), []
for run in range(RUNS):
    policy = EpsilonGreedy(PowerSchedule(1 / 3), StateTable(2), 2)
    rounds = bandit.rounds(seed=3, run=run, steps=STEPS)
    runs.append(simulate(policy, rounds, train_every=1, keep_predictions=True))

# %%
totals = np.cumsum([run.regret for run in runs], axis=1)  # (runs, steps)
seen, error = totals.mean(axis=0), totals.std(axis=0, ddof=1) / math.sqrt(RUNS)
exact = np.cumsum([theory.attained_regret(t, schedule=1 / 3).value for t in range(1, STEPS + 1)])
print(f"after {STEPS} steps: {seen[-1]:.2f} ± {error[-1]:.2f} in {RUNS} runs, exactly {exact[-1]:.2f}")

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Total regret over 80 steps. The exact curve runs inside the band of two standard errors around the mean of 150 played runs."}} tags=["hide-input"]
figure, axis = plt.subplots()
t = np.arange(1, STEPS + 1)
axis.fill_between(t, seen - 2 * error, seen + 2 * error, color=BLUE, alpha=0.25, lw=0)
axis.plot(t, seen, color=BLUE, label="150 played runs, mean ± 2 standard errors")
axis.plot(t, exact, color="black", ls="--", label="Theorem B, exactly")
axis.plot(t, t / 4, color=GREY, ls=":", label="a uniform choice")
axis.set(xlabel="t", ylabel="total regret up to t", xlim=(0, STEPS), ylim=(0, 21),
         title="The attaining bandit, played (p = 1/3)")
axis.legend(fontsize=8, loc="upper left")
assert (abs(seen - exact) < 4 * error + 0.05).all()
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 5.3.** *Total regret of the attaining bandit, as the package's loop plays it, and exactly.*
#
# *Ledger: [67](claims.md#claim-67), [68](claims.md#claim-68).*

# %% [markdown]
# <a id="s3"></a>
#
# ## 3. How loose is the corrected theorem?
#
# **Idea.** Change the table so that at one step of the proof nothing is given away. An arm that was not tried in
# a state is now predicted $3/4$ there, and only random steps train, as the theorem of
# [notebook 04, section 6](04_the_bounds.ipynb) demands. Greedy is wrong only where neither arm was tried: if arm
# 1 was, it is predicted $1/2 < 3/4$, and greedy takes arm 2. Where it is wrong, both errors are $1/4$, so
# $\sum_j e_j^2 = 1/8$ and $\frac2\delta\sum_j e_j^2 = \frac12 = \Delta_{\hat I}$: the inequality
# $\Delta_{\hat I} \le \frac2\delta\sum_j e_j^2$ holds with equality there.
#
# **Theorem B, continued.** The greedy loss is now $\frac12\sum_k w_k\prod_{l<t}(1 - \varepsilon_l w_k)$, and
# the theorem's bound for it, $\frac{2K}\delta\,C\,g(n)$ with $C = \kappa/16$, $g(n) = n^{-1/2}$ and
# $n = \frac1{2K}\sum_{l<t}\varepsilon_l$, exceeds it by a factor that tends to 2.
#
# *Proof.* Any random step in state $k$ ends the loss there: hence $\varepsilon_l w_k$, without the half. An
# untried arm errs by $1/4$, squared $1/16$, so its risk is at most $\frac\kappa{16}n^{-1/2}$. As in Theorem B
# the greedy loss is about $\frac\kappa2 m^{-1/2}$ with $m = \sum_{l<t}\varepsilon_l = 2Kn$, and the bound is
# $\frac\kappa2 n^{-1/2}$; their quotient is $\sqrt{2K} = 2$. $\square$

# %%
times = [10, 100, 10**4, 10**8, 10**16, 10**30]
factors = [theory.bound_over_truth(t, schedule=1 / 3) for t in times]
Table(pd.DataFrame({"t": times, "bound / truth": factors}),
      "Table 5.3. The unified theorem's greedy term over the truth, p = 1/3.",
      {"t": ".0e", "bound / truth": ".5f"})

# %% [markdown]
# **So the constant of the unified theorem cannot be improved by more than a factor 2**, for two arms. One
# $\sqrt2$ is lost where the theorem counts on half the expected pulls; the other where it counts the error of an
# untried arm even if the other arm was tried, when greedy is right and loses nothing.
#
# *Ledger: [69](claims.md#claim-69).*

# %% [markdown]
# <a id="s4"></a>
#
# ## 4. What holds for the algorithm as it is run?
#
# **Idea.** The algorithm trains on all steps, with warm starts, on data that its own choices have made. No
# sample of it is i.i.d. But random steps look at every arm with probability $\varepsilon_t/K$. So an error
# of *any* arm shows, now and then, in the error of the arm that is *taken*, which the run itself shows.
#
# **Theorem C.** Let the states be i.i.d. with mean rewards $\mu_j(X_t)$ and gap $\delta$, let each prediction
# be any function of the whole past, and let $\varepsilon_t$ never rise. Let $I_s$ be the arm taken at step $s$, and
# $e_{j,s}$ the error of arm $j$'s prediction in its state. Then
#
# $$\sum_{s\le t}\mathbb E\,\mathrm{regret}_s \;\le\; \bar D\sum_{s\le t}\varepsilon_s
#   + \frac{2K}{\delta\,\varepsilon_t}\;\mathbb E\sum_{s\le t} e_{I_s,s}^2 . \tag{2}$$
#
# *Proof.* Given the past and the state, arm $j$ is taken with probability at least $\varepsilon_s/K$, so
# $\mathbb E\sum_j e_{j,s}^2 \le \frac K{\varepsilon_s}\mathbb E\,e_{I_s,s}^2$. The regret of step $s$ is
# $\varepsilon_s\bar D + (1-\varepsilon_s)\mathbb E\,\Delta_{\hat I}$, with
# $\Delta_{\hat I} \le \frac2\delta\sum_j e_{j,s}^2$ (notebook 04, inequality (1)). Add up the steps, and use
# $\varepsilon_s \ge \varepsilon_t$. $\square$
#
# The last sum is how far the predictor was off on the data that the run itself produced. **Assumed are i.i.d.
# states, a gap, and an $\varepsilon_t$ that never rises; nothing about the predictor, or the data it was trained
# on.** So the theorem covers all our runs that explore by coin, the networks too. If the sum is of order
# $t^{1-a}$, the terms of (2) are of order $t^{1-p}$ and $t^{p+1-a}$, equal at $p = a/2$: a total regret of order
# $t^{1-a/2}$. With finitely many states, a table of sample means has a sum of order $\ln t$ at most, whatever is
# chosen; in the bandit of section 2, where every new state brings an error, it is of order $\sqrt t$. A sharper
# bound divides each $e_{I_s,s}^2$ by the probability with which the arm $I_s$ was taken, where (2) has
# $\varepsilon_t/K$. Here are both, from the errors of the runs of section 2:

# %%
epsilon = np.arange(1, STEPS + 1) ** (-1 / 3)
task = {"arms": 2, "delta": 0.5, "mean_gap": 0.25}
squares = [(run.predictions - run.means) ** 2 for run in runs]
plain = np.mean([theory.adaptive_bound(e2, epsilon, **task) for e2 in squares], axis=0)
sharp = np.mean([theory.adaptive_bound(e2, epsilon, **task, form="propensity",
                                       propensities=run.propensities)
                 for e2, run in zip(squares, runs, strict=True)], axis=0)

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Total regret over 80 steps on a log scale. The measured regret lies lowest, a uniform choice and the sharper adaptive bound above it, and the plain adaptive bound highest, above 100."}} tags=["hide-input"]
figure, axis = plt.subplots()
axis.plot(t, plain, color=ORANGE, lw=2, label="Theorem C, (2)")
axis.plot(t, sharp, color=GREEN, lw=2, label="Theorem C, by the probability of the arm taken")
axis.plot(t, t / 4, color=GREY, ls=":", label="a uniform choice")
axis.plot(t, seen, color=BLUE, lw=2, label="the runs themselves")
axis.set(xlabel="t", ylabel="total regret up to t", yscale="log", xlim=(1, STEPS),
         title="A bound out of the runs' own errors (attaining bandit, p = 1/3)")
axis.legend(fontsize=8, loc="lower right")
assert seen[-1] < sharp[-1] < plain[-1]
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 5.4.** *Total regret of the 150 runs, and Theorem C's two bounds on it, from the errors of the same
# runs. (The runs begin a little above a uniform choice for the reason given at Figure 5.2.)*
#
# **Number.** What the bounds are worth after 80 steps:

# %%
Table(pd.DataFrame({"total regret": ["of the runs", "of a uniform choice", "Theorem C, sharper", "Theorem C"],
                    f"after {STEPS} steps": [seen[-1], STEPS / 4, sharp[-1], plain[-1]]}),
      "Table 5.4. The adaptive bound in numbers.", {f"after {STEPS} steps": ".1f"})

# %% [markdown]
# In numbers the theorem is weak: a uniform choice does better than the bound says. The reason is the factor
# $K/\varepsilon_t$, by which (2) multiplies every error, as if each arm were taken only by chance. On the
# paper's task, five arms that pay [handwritten digits](06_the_mnist_bandit.ipynb), a uniform choice loses 3.29
# per step. Five runs of Deep, the paper's network, with $\varepsilon_t = 1/t$, lose 1.73 on average up to
# $t = 2{,}000$ and 0.60 up to 40,000; the sharper form allows 99 and 28
# ([notebook 07](07_the_paper_figures.ipynb) draws it). What the theorem is good for: it gives a rate, and needs
# no assumption about the training data.
#
# Neighbours in the literature: [Auer, Cesa-Bianchi and Fischer (2002)](10_what_holds.ipynb#auer2002) for one
# state, with $\varepsilon_t = \min(1, cK/(d^2t))$, $c > 5$, and not $1/t$;
# [Langford and Zhang (2007)](10_what_holds.ipynb#langford2007), who explore in epochs;
# [Foster and Rakhlin (2020)](10_what_holds.ipynb#foster2020), whose SquareCB has $t^{1-a/2}$ without a gap.
#
# *Ledger: [70](claims.md#claim-70).*

# %% [markdown]
# <a id="s5"></a>
#
# ## 5. What does $\varepsilon_t = 1/t$ cost a perfect learner?
#
# **Idea.** An arm that no random step has drawn is unknown, and a learner that never takes an unknown arm by
# choice has to do without it. How many arms are undrawn follows from the coins alone. So the price can be
# computed, whatever the learner learns from the others.
#
# **Theorem D.** Let $M_t$ be the number of arms that no random step before $t$ has drawn. Let the arms be alike
# (exchangeable: renumbered, their rewards have the same law), and let $v_k$ be the mean of the best of $k$ of
# them. Whoever takes no undrawn arm greedily has
#
# $$\mathbb E\,\mathrm{regret}_t \;\ge\; \varepsilon_t\bar D
#   + (1-\varepsilon_t)\sum_m P(M_t = m)\,(v_K - v_{K-m}), \tag{3}$$
#
# with equality for a learner that knows the drawn arms perfectly. At $p = 1$ the right side falls as
# $K(v_K - v_{K-1})\,t^{-1/K}/\Gamma(1 - \frac1K)$: **with five arms no such learner beats $t^{-1/5}$.**
#
# *Proof.* Given that $m$ arms are undrawn, the greedy arm is one of $K - m$, whose best has mean $v_{K-m}$, and
# which arms they are says nothing of the rewards. The law of $M_t$ follows by inclusion and exclusion, since
# $j$ given arms are all undrawn with probability $\prod_{l<t}(1 - j\varepsilon_l/K)$. At $p = 1$ and $j = 1$ this
# product is a quotient of gamma functions, and $\approx t^{-1/K}/\Gamma(1 - \frac1K)$. (While no arm is drawn,
# the learner takes one blindly, so $v_0$ means $v_1$.) $\square$

# %%
horizon = 5000
price = {name: theory.starvation_curve(horizon, schedule=p)
         for name, p in {"1": 1, "1/3": 1 / 3, "1/2": 1 / 2}.items()}
tail = [theory.starvation_tail(t) for t in range(1, horizon + 1)]

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Least possible regret against t, log-log. The curve for p = 1 approaches the line t^(-1/5) from above; the one for 1/3 lies a little lower, and 1/2 is lowest from ten steps on."}} tags=["hide-input"]
figure, axis = plt.subplots()
steps = np.arange(1, horizon + 1)
for (name, curve), colour in zip(price.items(), (PINK, ORANGE, GREEN), strict=True):
    axis.plot(steps, curve, color=colour, lw=2, label=f"p = {name}")
axis.plot(steps, tail, color=PINK, ls=":", label="$t^{-1/5}$ law of p = 1")
axis.axhline(theory.starvation_curve(1, schedule=1)[0], color="black", ls="--", lw=1,
             label="a uniform choice: 3.29")
axis.set(xscale="log", yscale="log", xlabel="t", ylabel="least regret at step t", ylim=(0.03, 5),
         title="The price of exploring by coin (five digits, a perfect learner)")
axis.legend(fontsize=8, loc="lower left")
assert price["1"][1999] > price["1/3"][1999] > price["1/2"][1999]
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 5.5.** *The least regret of Theorem D in the paper's task of five digits. At 2,000 steps
# $\varepsilon_t = 1/t$ costs five times as much as $1/\sqrt t$.*
#
# Here $1/2$ beats $1/3$, and that does not contradict section 2. This learner knows an arm perfectly after one
# draw, and needs less exploration than the table there, which must learn every state.
#
# **Numbers.** At the horizon of our Figs 2 and 3, and later:

# %%
times = [2000, 40_000, 100_000, 10**12]
least = {f"p = {name}": [theory.starvation_regret(t, schedule=p) for t in times]
         for name, p in {"1": 1, "1/3": 1 / 3, "1/2": 1 / 2}.items()}
Table(pd.DataFrame({"t": ["2,000", "40,000", "100,000", "10^12"]} | least),
      "Table 5.5. The least regret at step t.", dict.fromkeys(least, ".4f"))

# %% [markdown]
# The paper sees a rate of about $t^{-1/2}$ in the running average of the regret, with $\varepsilon_t = 1/t$ and five
# arms. **For a learner of this class that cannot be the rate in the limit**, which is
# $t^{-1/5}$ at best. But what would a perfect learner's running average look like at 2,000 steps?

# %%
steps = np.arange(1, 2001)
average = np.cumsum(price["1"][:2000]) / steps
fit = np.polyfit(np.log(steps[99:]), np.log(average[99:]), 1, w=1 / np.sqrt(steps[99:]))
print(f"fitted over t = 100 to 2,000: t^({fit[0]:.3f})")

# %% [markdown]
# Like $t^{-0.29}$, inside our interval for Deep over the same steps
# ([notebook 07](07_the_paper_figures.ipynb)).
#
# **Is Deep of this class?** Strictly, no. Untrained networks predict next to nothing, and before the first
# training, at $t = 20$, the largest of these numbers decides. Of the sixty arms of twelve runs (notebook 07),
# eleven were first taken by choice: ten before that training, one later. After 2,000 steps ten arms were still
# undrawn; three of these had been taken by choice, seven never. So Theorem D does not bound Deep's regret. It is
# a yardstick:
#
# | regret per step, averaged up to $t$ | 2,000 | 40,000 | 100,000 |
# | :-- | --: | --: | --: |
# | least in Theorem D's class | 0.50 | 0.24 | 0.20 |
# | Deep, five runs | 1.73 | 0.60 | |
# | Deep, one run of these, in the end with all arms in use | 1.48 | 0.45 | 0.26 |
#
# (Table 5.5 has the regret *at* $t$.)
#
# (With one state, the paper's introduction says, epsilon greedy "is known to converge". Its source, Auer et al.,
# explores with $\min(1, cK/(d^2t))$, $c > 5$. That leaves an arm undrawn with a probability of order $t^{-5}$ at
# most, for $K = 5$ and $d = 1$, where $1/t$ leaves it so with about $t^{-1/5}/\Gamma(4/5)$.)
#
# *Ledger: [49](claims.md#claim-49), [71](claims.md#claim-71).*

# %% [markdown]
# ## What was seen
#
# With probability 95 % all of five arms keep up for ever from about a thousand steps on, if $p = 1/3$ (A). There are bandits whose regret
# falls as $t^{-1/3}$ and no faster, so that the paper's exponent is right for the regret itself, and the
# corrected theorem's constant is within a factor 2 of the truth (B). The algorithm's own errors bound its regret,
# whatever data it was trained on (C). And $\varepsilon_t = 1/t$ costs even a learner that knows every drawn arm
# perfectly, and takes no other by choice, a regret of order $t^{-1/5}$ with five arms (D).
#
# From here on the study looks at the experiments: [the MNIST bandit](06_the_mnist_bandit.ipynb), its data and its
# networks.

# %% [markdown]
# ## Exercises
#
# **1.** In Theorem A, a smaller $\theta$ asks less of the arms. From which $t_1$ on have all five arms, with 95 %,
# a *tenth* of their expected pulls, for $p = 1/3$?

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
for theta in (0.5, 0.25, 0.1):
    start = theory.anytime_start(0.95, arms=5, schedule=1 / 3, theta=theta)
    print(f"θ = {theta:<5g} c(θ) = {anytime_rate(theta):.3f}   t_1 = {start:,}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The rate $c(\theta)$ rises from 0.153 to 0.670, so that fewer expected pulls $B(t_1)$ are needed, and $t_1$ falls from
# 1,012 to little more than a hundred. As $\theta \to 0$, $c \to 1$: the theorem then speaks of arms without any pull.
#
# </details>
#
# **2.** Explore always for the first $S$ steps of the attaining bandit and never again. Which $S$ is best for
# 10,000 steps, and what does it gain over $\varepsilon_t = t^{-1/3}$?

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
law = theory.least_total_law(10_000)
first = [1.0] * round(law.explored) + [0.0]
after = theory.attained_regret(len(first), schedule=first).value  # the same ever after
cube_root = sum(theory.attained_regret(t, schedule=1 / 3).value for t in range(50, 10_001, 100)) * 100
print(f"S = {law.explored:.0f}: in all {law.explored / 4 + (10_000 - law.explored) * after:.0f},",
      f"with t^(-1/3) about {cube_root:.0f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# $S = 2(\kappa t/2)^{2/3}$, some 460 of 10,000 steps. The gain is more than a fifth, and one has to know the horizon.
# Both totals grow as $t^{2/3}$.
#
# </details>
#
# **3.** With $\varepsilon_t = 1/t$, how long until all five arms have been drawn at random with probability 1/2?

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
for t in (2000, 5000, 10_000, 20_000):
    print(f"t = {t:6,}   P(no arm undrawn) = {theory.undrawn_law(t, arms=5, schedule=1)[0]:.3f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# About 14,600 steps, seven times the horizon of our Figs 2 and 3. At that horizon, 2,000 steps, two runs of three have
# an arm that no random step has drawn.
#
# </details>
