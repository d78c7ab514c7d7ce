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
# # The lemma: how often is every arm tried at random?
#
# Epsilon greedy learns from its random steps. The paper's whole argument stands on one lemma, which
# says that by time $t$ *every* arm has been drawn at random often enough, with high probability.
# **Is the lemma true, and from what time on does it say anything?** After this notebook you can
#
# * say exactly how the random pulls are distributed, and compute with that law;
# * point to the one printed inequality that is false, $\sum_{l<t} l^{-p} \ge t^{1-p}/(1-p)$, and
#   prove the inequality that replaces it;
# * prove the corrected lemma for $0 < p \le 1$ and see it hold in 16,000 exact cases;
# * explain why the printed conclusion nevertheless survives for the paper's favourite $p = 1/3$;
# * read off from what time on the lemma says anything at all. (For $\varepsilon_t = 1/t$ and five
#   arms: $4 \cdot 10^{32}$ steps.)
#
# Every number comes from `bandits.theory`.

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
import sympy as sp

from bandits import theory
from bandits.environments import SyntheticBandit
from bandits.policies import EpsilonGreedy
from bandits.predictors import LeastSquares
from bandits.results.plots import PALETTE, use_style
from bandits.results.tables import Table
from bandits.schedules import PowerSchedule
from bandits.simulate import simulate
from bandits.theory.lemma import RATES, exploration
from bandits.theory.scan import exact_cases
from bandits.theory.symbols import B, T, h, r, s, x

use_style()
plt.rcParams.update({"figure.figsize": (8, 3.6), "figure.dpi": 200})
BLUE, ORANGE, GREEN = PALETTE[:3]
GREY = "#777777"

# %% [markdown]
# <a id="s1"></a>
#
# ## 1. What is counted
#
# **At step $l$ the algorithm flips a coin that shows "random" with probability
# $\varepsilon_l = l^{-p}$, and on "random" it draws one of $K$ arms uniformly.** Let $T_i^R(t)$ be
# the number of steps among $1, \dots, t-1$ at which arm $i$ was drawn this way. It is a sum of
# independent 0/1 variables with probabilities $\varepsilon_l/K$, so
#
# $$B(t) := \mathbb E\,T_i^R(t) = \frac1K\sum_{l<t}\varepsilon_l , \qquad
#   \mathrm{Var}\,T_i^R(t) = \sum_{l<t}\frac{\varepsilon_l}{K}\Bigl(1-\frac{\varepsilon_l}{K}\Bigr)
#   \le B(t).$$
#
# The paper has this too (proof of Lemma 3.4), and both lines are true: the variance falls short of $B$ by the sum
# of the squared probabilities. The law itself is a chain of small convolutions, and `random_pull_pmf`
# computes it.

# %%
cases = [(t, p) for t in (100, 10_000, 1_000_000) for p in (1, 1 / 3)]
rows = []
for t, p in cases:
    law = theory.random_pull_pmf(t, arms=5, p=p)
    counts = np.arange(len(law))
    mean = law @ counts
    rows.append((f"{t:,}", "1" if p == 1 else "1/3", mean, law @ (counts - mean) ** 2))
Table(pd.DataFrame(rows, columns=["t", "p", "mean B", "variance"]),
      "Table 3.1. Random pulls of one of five arms before step t, from their exact law.",
      {"mean B": ".3f", "variance": ".3f"})

# %% [markdown]
# With $\varepsilon_t = 1/t$ a million steps bring each of five arms fewer than three random pulls on
# average. With $p = 1/3$ it is three thousand.
#
# *Ledger: [1](claims.md#claim-1).*

# %% [markdown]
# <a id="s2"></a>
#
# ## 2. The sum and the integral: where part II goes wrong
#
# **To turn $B(t)$ into a formula, compare the sum with an integral; the question is which one.**
# The paper needs a lower bound. For $p = 1$ it uses $\sum_{l<t} 1/l \ge \ln t$, which is right:
# each term is at least $\log(1 + 1/l)$, and these logarithms telescope to $\log t$. In sympy, with
# $h = 1/l$, the gap $h - \log(1 + h)$ starts at 0 and has this slope, which is never negative:

# %%
gap = h - sp.log(1 + h)
slope = sp.simplify(sp.diff(gap, h))
assert slope.is_nonnegative
slope

# %% [markdown]
# For $p < 1$ the paper prints (Appendix, proof of Lemma 3.4, part II), with $q = 1 - p$,
#
# $$\sum_{l=1}^{t-1} l^{-p} \;\ge\; \frac{t^{q}}{q}
#   \qquad\text{(this is the inequality that fails).}$$
#
# **Draw each term as a bar of width 1.** The bar of height $l^{-p}$ can stand to the left or to
# the right of $l$, and the curve $s^{-p}$ falls:
#
# * over $[l-1, l]$ the bar lies *below* the curve, so the sum is *at most*
#   $\int_0^{t-1} s^{-p}ds = (t-1)^q/q$;
# * over $[l, l+1]$ the bar lies *above* the curve, so the sum is *at least*
#   $\int_1^{t} s^{-p}ds = (t^q-1)/q$.

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Twice the falling curve s to the power \u22121/3 with six bars of width 1. Left, bars that end at l lie below the curve; right, bars that begin at l stand out above it."}} tags=["hide-input"]
p, t = 1 / 3, 7
bars, fine = np.arange(1, t), np.linspace(0.02, t, 600)
figure, axes = plt.subplots(1, 2, sharey=True)
for axis, start, words in ((axes[0], -1, "bars below the curve: sum ≤ $(t-1)^q/q$"),
                           (axes[1], 0, "bars above the curve: sum ≥ $(t^q-1)/q$")):
    axis.bar(bars + start, bars**-p, width=1, align="edge", color=BLUE, alpha=0.35, edgecolor=BLUE)
    axis.plot(fine, fine**-p, color=ORANGE, lw=2)
    axis.set(title=words, xlabel="s", xlim=(0, t), ylim=(0, 2.2))
axes[0].set_ylabel("$s^{-1/3}$")
assert all((left - 0.5) ** -p > left**-p > (left + 0.5) ** -p for left in bars)
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 3.1.** *The same six terms as bars on either side of the curve ($p = 1/3$, $t = 7$).*
#
# **So the printed right-hand side is above even the upper bound:** $\sum \le (t-1)^q/q < t^q/q$,
# for every $t \ge 1$ and every $p$ in $(0, 1)$. The inequality is not off for small $t$ only; it
# never holds. Here is the same in sympy, with $p = 1/(1+r)$, $r > 0$, so that sympy knows
# $0 < p < 1$: the integral from 0 to $t - 1$, whose slope in $t$ is positive.

# %%
quarter = r / (1 + r)  # this is q
primitive = x**quarter / quarter
assert sp.simplify(sp.diff(primitive, x) - x ** (-1 / (1 + r))) == 0
primitive.subs(x, T - 1)

# %% [markdown]
# And in numbers for $p = 1/3$, where the difference of the two sides tends to $\zeta(1/3) = -0.973360$
# (Riemann's zeta function):

# %%
times = [10**k for k in (0, 1, 2, 3, 6, 9, 12)]
sums = [theory.expected_random_pulls(t, arms=1, p=1 / 3) for t in times]
printed = [exploration(t, 1 / 3, "printed") for t in times]
table = pd.DataFrame({"t": times, "sum": sums, "printed": printed})
table["difference"] = table["sum"] - table["printed"]
assert (table["difference"] < 0).all()
Table(table, "Table 3.2. The sum of l^(-1/3), l < t, and what the paper has below it.",
      {"t": ".0e", "sum": ".3f", "printed": ".3f", "difference": ".4f"})

# %% [markdown]
# A warning about tools: asked for `limit(harmonic(T, 1/2), T, oo)`, sympy 1.14 answers
# $\zeta(1/2)$, a finite negative number for a sum of positive terms that diverges. That is why no
# symbolic answer in this study stands without a number beside it.
#
# *Ledger: [3](claims.md#claim-3), [9](claims.md#claim-9).*

# %% [markdown]
# <a id="s3"></a>
#
# ## 3. The inequality that holds
#
# **Use the integral from 1.** Put $L_p(t) = \int_1^t s^{-p}ds$. Then for all $t \ge 1$ and
# $0 < p \le 1$
#
# $$\boxed{\;K\,B(t) = \sum_{l<t} l^{-p} \;\ge\; L_p(t) = \frac{t^q-1}{q}
#   \quad(\ln t\ \text{when}\ p = 1)\;}$$
#
# *Proof.* $s^{-p}$ falls, so $l^{-p} \ge \int_l^{l+1}s^{-p}ds = ((l+1)^q - l^q)/q$, and these
# integrals add up to $L_p(t)$. $\square$
#
# One formula covers both parts of the lemma, since $(e^{qu}-1)/q \to u$ as $q \to 0$ (with
# $u = \ln t$). The single step, divided by $l^q/q$ and written with $h = 1/l$, is
# $f(h) = qh - (1+h)^q + 1 \ge 0$: it starts at 0 with slope 0 and bends upwards, since its second
# derivative is

# %%
step = quarter * h - (1 + h) ** quarter + 1
bend = sp.simplify(sp.diff(step, h, 2))
assert bend.is_positive
bend

# %% [markdown]
# How far apart are the sum and the two bounds?

# %%
times = np.unique(np.geomspace(1, 10**6, 60).astype(int))
misses = {}
for p in (1 / 3, 1 / 2, 0.7):
    total = np.array([theory.expected_random_pulls(int(t), arms=1, p=p) for t in times])
    misses[p] = [total - [exploration(int(t), p, version) for t in times]
                 for version in ("corrected", "printed")]

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Sum minus bound against t up to a million, for three exponents. With the corrected bound the curves rise from 0 and stay below 1; with the printed one they lie below 0 everywhere."}} tags=["hide-input"]
figure, axis = plt.subplots()
for (p, (corrected, printed)), colour in zip(misses.items(), (BLUE, GREEN, GREY), strict=True):
    axis.plot(times, corrected, color=colour, label=f"p = {p:.2f}: sum − $L_p$")
    axis.plot(times, printed, "--", color=colour, label="sum − printed")
axis.axhline(0, color="black", lw=0.8)
axis.set(xscale="log", xlabel="t", ylabel="sum minus bound",
         title="Above 0 the inequality holds, below 0 it fails")
axis.legend(ncol=3, fontsize=8, loc="lower right")
axis.set_ylim(-4.6, 1.3)
assert all(c.min() >= -1e-9 and c.max() <= 1 and p.max() < 0 for c, p in misses.values())
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 3.2.** *The sum minus the corrected bound (solid) and minus the printed one (dashed).*
#
# The corrected bound is below the sum and never by more than 1. The printed one is above it at every $t$.
# (By convexity one may even use $L_p + (1 - t^{-p})/2$.)
#
# *Ledger: [15](claims.md#claim-15).*

# %% [markdown]
# <a id="s4"></a>
#
# ## 4. Bernstein, and the 3/28
#
# **The chance that a sum falls to half its mean is exponentially small in the mean.** Bernstein's
# inequality with variance $\le B$ gives $\exp\bigl(-(B^2/8)/(B + B/6)\bigr)$, and the paper's
# exponent $-3B/28$ is not an estimate but the same number:

# %%
sp.simplify(B**2 / 8 / (B + B / 6))

# %% [markdown]
# **Better constants are free.** For $\sigma > 0$, Markov's inequality for $e^{-\sigma T}$ and
# $\mathbb E e^{-\sigma T} \le \exp\bigl(B(e^{-\sigma}-1)\bigr)$ give
# $P(T \le B/2) \le \exp\bigl(B(e^{-\sigma}-1) + \sigma B/2\bigr)$. The best $\sigma$ is $\ln 2$,
# which gives *Chernoff's* bound:

# %%
exponent = B * (sp.exp(-s) - 1) + s * B / 2
(best,) = sp.solve(sp.diff(exponent, s), s)
assert sp.simplify(best - sp.log(2)) == 0
sp.simplify(-exponent.subs(s, best))

# %% [markdown]
# Between the two lies the *one-sided* Bernstein inequality: what is never negative cannot fall far in one
# step, so downwards the term $B/6$ is not needed and $e^{-B/8}$ remains. The three rates, and the exact
# probability beside them:

# %%
print("rates: ", {name: round(float(rate), 4) for name, rate in RATES.items()})
means, tails = [], []
for t in np.unique(np.geomspace(30, 4_500, 36).astype(int)):
    means.append(theory.expected_random_pulls(int(t), arms=5, p=1 / 3))
    law = theory.random_pull_pmf(int(t), arms=5, p=1 / 3)
    tails.append(law[: math.floor(means[-1] / 2) + 1].sum())

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Probability of at most half the expected pulls against the expected pulls, on a logarithmic scale. The exact dots lie below three falling lines, of which Chernoff's is lowest."}} tags=["hide-input"]
figure, axis = plt.subplots()
axis.plot(means, tails, ".", color="black", label="exact $P(T ≤ B/2)$")
bounds = {name: np.exp(-float(rate) * np.array(means)) for name, rate in RATES.items()}
for (name, bound), colour in zip(bounds.items(), (ORANGE, GREEN, BLUE), strict=True):
    axis.plot(means, bound, color=colour, label=f"{name}: exp(−{float(RATES[name]):.4f} B)")
axis.set(yscale="log", xlabel="B, the expected random pulls (K = 5, p = 1/3)",
         ylabel="probability", title="The chance of half the expected pulls, and three bounds")
axis.legend(fontsize=8)
assert all((tails <= bound).all() for bound in bounds.values())
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 3.3.** *Three bounds and the truth.*
#
# All three hold. The paper's 3/28 gives away the most; we keep it below only so that the statements can be
# compared.
#
# *Ledger: [2](claims.md#claim-2), [4](claims.md#claim-4), [5](claims.md#claim-5).*

# %% [markdown]
# <a id="s5"></a>
#
# ## 5. The corrected lemma
#
# **Lemma (both parts).** For all $t \ge 1$, $K \ge 1$ and $0 < p \le 1$, with $L = L_p(t)$,
#
# $$P\bigl(T_i^R(t) \ge \tfrac{L}{2K}\ \text{for every arm } i\bigr)
#   \;\ge\; 1 - K\exp\Bigl(-\frac{3L}{28K}\Bigr).$$
#
# *Proof.* By section 3, $KB \ge L$. So $\{T_i < L/(2K)\} \subseteq \{T_i \le B/2\}$, and by section
# 4 this event has probability at most $e^{-3B/28} \le e^{-3L/(28K)}$. Add up over the $K$ arms
# (union bound) and take the complement. $\square$
#
# **Where the printed proof of part II breaks.** It is the same proof with $t^q/q$ in the place of
# $L$, and it uses $KB \ge t^q/q$ twice: once in the exponent, and once for
# $\{T \le t^q/(2qK)\} \subseteq \{T \le B/2\}$. Since $KB < t^q/q$, this inclusion goes the other
# way. For $K = 5$, $p = 1/3$, $t = 1000$:

# %%
half = theory.expected_random_pulls(1000, arms=5, p=1 / 3) / 2
printed = theory.lemma_bound(1000, arms=5, p=1 / 3, version="printed").threshold
corrected = theory.lemma_bound(1000, arms=5, p=1 / 3, version="corrected").threshold
assert corrected <= half < printed
print(f"corrected threshold {corrected:.4f}  <=  B/2 = {half:.4f}  <  printed threshold {printed:.4f}")

# %% [markdown]
# *Ledger: [6](claims.md#claim-6), [10](claims.md#claim-10), [14](claims.md#claim-14).*

# %% [markdown]
# <a id="s6"></a>
#
# ## 6. The exact law, to measure the bound by
#
# **First count the random steps, then deal them out.** The number $N$ of random steps before $t$ is
# a sum of independent 0/1 variables with probabilities $l^{-p}$; given $N = n$ the $K$ counts are
# multinomial. Hence
#
# $$P(\text{every } T_i^R \ge m) = \sum_n P(N = n)\,M(n, m), \qquad
#   M(n, m) = \frac{n!}{K^n}\,[z^n]\Bigl(\sum_{j\ge m}\frac{z^j}{j!}\Bigr)^{K}.$$
#
# Here $[z^n]$ takes the coefficient of $z^n$. For two arms and $m = 1$ this can be checked by hand:
# with $n \ge 1$ random steps both arms are hit unless all went to one of them,
# $M(n, 1) = 1 - 2^{1-n}$. So go through all $2^6$ ways in which the steps 1 to 6 can be random or not:

# %%
total = 0.0
for outcome in range(2**6):  # p = 1/2, t = 7
    is_random = [bool(outcome >> (step - 1) & 1) for step in range(1, 7)]
    weight = math.prod(step**-0.5 if yes else 1 - step**-0.5
                       for step, yes in enumerate(is_random, start=1))
    total += weight * max(0.0, 1 - 2.0 ** (1 - sum(is_random)))
value = theory.probability_all_pulled(7, arms=2, p=0.5, at_least=1)
assert math.isclose(total, value, rel_tol=1e-12)
print(f"by enumeration {total:.12f}, by the formula {value:.12f}")

# %% [markdown]
# The formula goes where neither enumeration nor simulation can: many steps, and rare events.

# %%
print("a million steps, p = 1/3, at least 3,100 pulls each:",
      f"{theory.probability_all_pulled(10**6, arms=5, p=1 / 3, at_least=3100):.6e}")
print("10^33 steps, p = 1, at least 30 pulls each:",
      f"{theory.probability_all_pulled(10**33, arms=5, p=1, at_least=30):.6e}")

# %% [markdown]
# *Ledger: [8](claims.md#claim-8).*

# %% [markdown]
# <a id="s7"></a>
#
# ## 7. The bound against the truth
#
# **The lemma claims a lower bound on a probability, so where it is 0 or less it says nothing.**
# Solving $K e^{-3L/(28K)} = 1$ gives $L = \frac{28K}{3}\ln K$, and so the time until which it is
# empty: $K^{28K/3}$ for $p = 1$.

# %%
K = [2, 3, 5, 10]
until = {name: [theory.vacuous_until(arms, p) for arms in K]
         for name, p in (("p = 1", 1), ("p = 1/3", 1 / 3))}
Table(pd.DataFrame({"K": K, **until}), "Table 3.3. The step until which the lemma says nothing.",
      {"p = 1": ".6e", "p = 1/3": ".2f"})

# %%
panels = ((2, 1, 1e9), (5, 1, 1e36), (2, 1 / 3, 1e4), (5, 1 / 3, 1e4))  # K, p, the last t
curves = []
for arms, p, last in panels:
    steps = sorted({int(t) for t in np.geomspace(2, last, 120)})
    bounds = [theory.lemma_bound(t, arms=arms, p=p) for t in steps]
    exact = [theory.probability_all_pulled(t, arms=arms, p=p, at_least=bound.at_least)
             for t, bound in zip(steps, bounds, strict=True)]
    claimed = [bound.probability for bound in bounds]
    curves.append((np.array(steps, dtype=float), np.array(exact), np.array(claimed)))

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Four panels, K = 2 and 5, p = 1 and 1/3. The exact probability is a saw that rises towards 1; the bound rises from 0 later and stays below it. For K = 5, p = 1 it is 0 until 10 to the 32."}} tags=["hide-input"]
figure, axes = plt.subplots(2, 2, figsize=(8, 5.4), sharey=True)
for axis, (arms, p, _), (times, exact, claimed) in zip(axes.flat, panels, curves, strict=True):
    axis.plot(times, exact, color=BLUE, lw=1.2, label="exact")
    axis.plot(times, np.maximum(claimed, 0), color=ORANGE, lw=1.6, label="lemma's bound")
    axis.axvspan(times[0], theory.vacuous_until(arms, p), color=GREY, alpha=0.2,
                 label="the bound says nothing")
    axis.set(xscale="log", xlim=(times[0], times[-1]), ylim=(-0.03, 1.03), xlabel="t",
             title=f"K = {arms}, p = {'1' if p == 1 else '1/3'}")
axes[1, 0].legend(fontsize=8, loc="lower right")
figure.supylabel("P(every arm has L/(2K) random pulls)", fontsize=10)
assert all((exact >= claimed - 1e-12).all() for _, exact, claimed in curves)
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 3.4.** *The corrected lemma and the exact probability that it bounds.*
#
# The exact curve is a saw: it rises with $t$ and drops whenever the threshold $L/(2K)$ passes a whole
# number. The bound is true and late. For five arms and $\varepsilon_t = 1/t$ no experiment will ever reach
# the white part of its panel.
#
# *Ledger: [7](claims.md#claim-7).*

# %% [markdown]
# <a id="s8"></a>
#
# ## 8. Is the printed part II false, or only its proof?
#
# **It is false near $p = 1$.** There $q$ is small, and $t^q/q$ is near $1/q$ already at $t = 1$:
# the printed threshold asks for pulls that had no time to happen. Two counterexamples, one early
# and one late:

# %%
def claim_and_truth(t, arms, p, version="printed"):
    """What the lemma asks for and claims, and the exact probability of it."""
    bound = theory.lemma_bound(t, arms=arms, p=p, version=version)
    exact = theory.probability_all_pulled(t, arms=arms, p=p, at_least=bound.at_least)
    return {"K": arms, "p": p, "t": t, "threshold": bound.threshold,
            "claimed": bound.probability, "exact": exact}


# %%
against = pd.DataFrame([claim_and_truth(2, 5, 0.99), claim_and_truth(127_483, 2, 0.95)])
assert (against["exact"] < against["claimed"]).all()
Table(against, "Table 3.4. Two cases in which the printed part II is false.",
      {"t": ",", "threshold": ".2f", "claimed": ".4f", "exact": ".4f"})

# %%
times = np.unique(np.geomspace(1, 10**6, 70).astype(int))
both = {version: pd.DataFrame([claim_and_truth(int(t), 2, 0.95, version) for t in times])
        for version in ("printed", "corrected")}

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Probability against t up to a million for K = 2, p = 0.95. The printed claim rises from 0.3 to 0.8, above its exact dots, which stay below 0.4; the corrected claim, 0 at first and 0.3 in the end, stays below its own."}} tags=["hide-input"]
figure, axis = plt.subplots()
for (version, case), colour in zip(both.items(), (ORANGE, GREEN), strict=True):
    axis.plot(times, case["claimed"].clip(lower=0), color=colour, lw=2, label=f"{version}: claimed")
    axis.plot(times, case["exact"], color=colour, lw=0.9, ls=":", marker=".", ms=3,
              label=f"{version}: exact")
axis.set(xscale="log", xlabel="t", ylabel="probability", ylim=(-0.03, 1.03),
         title="K = 2, p = 0.95: the printed claim is above the truth at every t shown")
axis.legend(fontsize=8, ncol=2, loc="center right", bbox_to_anchor=(1, 0.55))
held = [(both[version]["exact"] >= both[version]["claimed"]).mean() for version in both]
assert held == [0, 1]  # at no time, and at all times
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 3.5.** *What the printed and the corrected lemma claim, and the exact probabilities of what they
# claim.*
#
# **Why the conclusion survives for $p = 1/3$.** Three steps, none of which is the printed proof.
#
# 1. *Late times.* Put $y = t^q$. We know $qKB \ge y - 1$, and want $P(T \le y/(2qK))$ below
#    $e^{-3y/(28qK)}$. Chernoff's bound does it when
#    $\frac y2 - 1 + \frac y2\ln\frac{y}{2(y-1)} \ge \frac{3y}{28}$, that is for $y \ge 10.2384$
#    (one-sided Bernstein: $y \ge 11 + \sqrt{93}$). The lost 1 no longer matters, because Chernoff's
#    constant has room to spare.
# 2. *Early times.* The claim is empty until $y = q\,\frac{28K}{3}\ln K$. If that is at least
#    10.2384, that is if $qK\ln K \ge 1.09697$ (both rounded up), the two ranges overlap and nothing
#    is left to prove. For $q = 2/3$ this covers every $K \ge 3$.
# 3. *What is left.* For $K = 2$ there are a few times between, which are settled one by one.

# %%
y = sp.Symbol("y", positive=True)
surplus = y / 2 - 1 + y / 2 * sp.log(y / (2 * (y - 1))) - sp.Rational(3, 28) * y
assert sp.simplify(sp.diff(surplus, y, 2) - 1 / (2 * y * (y - 1) ** 2)) == 0  # convex
root = float(sp.nsolve(surplus, y, 10))
print(f"Chernoff suffices from t^q = {root:.5f} on; q K ln K must reach {3 * root / 28:.5f}")
print(f"for q = 2/3:  K = 2 gives {4 / 3 * math.log(2):.5f},  K = 3 gives {2 * math.log(3):.5f}")

# %%
every = pd.DataFrame([claim_and_truth(t, 2, 1 / 3) for t in range(1, 100)])
left = every[(every["t"] ** (2 / 3) < root) & (every["claimed"] > 0)]
assert (left["exact"] > left["claimed"]).all()
Table(left[["t", "claimed", "exact"]], "Table 3.5. All that is left for K = 2, p = 1/3.",
      {"claimed": ".4f", "exact": ".4f"})

# %% [markdown]
# **So at $p = 1/3$ the printed statement is true for all $K \ge 2$ and all $t$, by luck of the
# constants and not by its proof.** (With one arm it fails at $t = 1$.) Where does that luck end?

# %%
arms = np.arange(2, 21)
settled = 1 - (3 * root / 28) / (arms * np.log(arms))  # by the steps 1 and 2
at_once = 1 - (3 / 28) / (arms * np.log(arms))  # beyond it, false at t = 1

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Map of the number of arms K and the exponent p. Below a rising edge the printed lemma is true for all t, in a band above it case by case, and near p = 1 it is false at t = 1. The line p = 1/3 is in the true part from K = 3 on."}} tags=["hide-input"]
figure, axis = plt.subplots()
axis.fill_between(arms, 0, settled, step="mid", color=GREEN, alpha=0.35, label="true for all t")
axis.fill_between(arms, settled, at_once, step="mid", color=GREY, alpha=0.35, label="case by case")
axis.fill_between(arms, at_once, 1, step="mid", color=ORANGE, alpha=0.7, label="false at t = 1")
axis.axhline(1 / 3, color="black", ls="--", lw=1)
axis.text(12, 0.36, "p = 1/3", fontsize=9)
axis.set(xlabel="K, number of arms", ylabel="p", xlim=(2, 20), ylim=(0, 1),
         xticks=range(2, 21, 2), title="Where the printed part II can be trusted")
axis.legend(fontsize=8, loc="lower right")
assert (settled < at_once).all()
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 3.6.** *Green is settled by steps 1 and 2, orange fails already at $t = 1$, where
# $qK\ln K < 3/28$; in the grey part between, each case needs its own check, as $K = 2$, $p = 1/3$ had in
# step 3.*
#
# *Ledger: [11](claims.md#claim-11), [12](claims.md#claim-12), [13](claims.md#claim-13).*

# %% [markdown]
# <a id="s9"></a>
#
# ## 9. Sixteen thousand exact cases
#
# **A proof can be wrong too, so compare claim and truth case by case.** We take 20 values of $p$,
# eight of $K$ and $t = 1, \dots, 100$, with the truth from a second, plainer computation of the
# exact law.

# %%
ps = [k / 20 for k in range(1, 21)]
broken = {}
for version in ("corrected", "printed"):
    cases = list(exact_cases(ps, range(1, 9), 100, version))
    broken[version] = [case for case in cases if case.exact < case.claimed - 1e-12]
    print(f"{version:>9}: {len(broken[version]):3d} violations in {len(cases):,} cases")
assert not broken["corrected"]
worst = max(broken["printed"], key=lambda case: case.claimed - case.exact)
print(f"worst: K = {worst.arms}, p = {worst.p}, t = {worst.t}:",
      f"claimed {worst.claimed:.4f}, exact {worst.exact:.4f}")

# %% [markdown]
# No violation of the corrected lemma. The printed part II is violated at every $p < 1$ on the grid (at the
# small ones by a single arm, $K = 1$).

# %% [markdown]
# <a id="s10"></a>
#
# ## 10. The policy itself
#
# **The law is about the algorithm, so count in the algorithm.** We run the package's own epsilon
# greedy policy, which records at every step whether it explored, and count the explored pulls of
# each arm over 500 runs of 300 steps.

# %%
RUNS, STEPS, ARMS = 500, 300, 5
bandit, counted = SyntheticBandit(arms=ARMS), {}
for p in (1, 1 / 3):
    counted[p] = np.zeros((RUNS, ARMS), dtype=int)
    for run in range(RUNS):
        policy = EpsilonGreedy(PowerSchedule(p), LeastSquares(bandit.context_size, ARMS), ARMS)
        played = simulate(policy, bandit.rounds(seed=1, run=run, steps=STEPS), train_every=100)
        counted[p][run] = np.bincount(played.actions[played.explored], minlength=ARMS)

# %%
table = pd.DataFrame([claim_and_truth(STEPS + 1, ARMS, p, "corrected") for p in counted])
table["seen"] = [(counts.min(axis=1) >= math.ceil(least)).mean()
                 for counts, least in zip(counted.values(), table["threshold"], strict=True)]
table["±"] = np.sqrt(table["exact"] * (1 - table["exact"]) / RUNS)
assert (abs(table["seen"] - table["exact"]) < 4 * table["±"]).all()
columns = ["p", "threshold", "claimed", "exact", "seen", "±"]
Table(table[columns], "Table 3.6. Every arm has as many random pulls as the threshold says, or more.",
      {"p": ".2f", "threshold": ".2f"} | dict.fromkeys(columns[2:], ".4f"))

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Share of arms against their random pulls in 300 steps. Left, p = 1: most bars at 0 to 3; right, p = 1/3: a bell around 13. The dots of the exact law lie on the bars."}} tags=["hide-input"]
figure, axes = plt.subplots(1, 2)
off = {}
for axis, (p, counts) in zip(axes, counted.items(), strict=True):
    law = theory.random_pull_pmf(STEPS + 1, arms=ARMS, p=p)  # steps 1..300 come before t = 301
    shown = np.flatnonzero(law > 1e-4)
    share = np.bincount(counts.ravel(), minlength=len(law))[: len(law)] / counts.size
    axis.bar(shown, share[shown], color=BLUE, alpha=0.5, label="500 runs, 5 arms")
    axis.plot(shown, law[shown], "o-", color=ORANGE, ms=3, label="exact law")
    axis.set(title=f"p = {'1' if p == 1 else '1/3'} (300 steps)", xlabel="random pulls of one arm")
    off[p] = abs(share - law).max()
axes[0].set_ylabel("share")
axes[0].legend(fontsize=8)
assert max(off.values()) < 0.03
plt.tight_layout()
plt.show()

# %% [markdown]
# **Figure 3.7.** *Random pulls of an arm in the policy's own record, and the exact law.*
#
# The policy draws at random as often as the law says (± is a standard error), and at this horizon the
# lemma promises nothing yet: what it claims is below 0. With $\varepsilon_t = 1/t$ most runs leave some
# arm without a single random pull in 300 steps, and nothing in the lemma forbids it.
#
# ## What was seen
#
# * Part I of the lemma ($p = 1$) is true, and for five arms says nothing before step $4 \cdot 10^{32}$.
# * Part II is false as printed: one inequality under it fails for every $t$ and every $p < 1$. With the integral
#   from 1 in its place, one lemma covers $0 < p \le 1$.
# * At $p = 1/3$ the printed statement happens to be true for $K \ge 2$, though its proof is not.
#
# What the theorems make of the lemma is the subject of [the next notebook](04_the_bounds.ipynb).

# %% [markdown]
# ## Exercises
#
# **1.** At $p = 1/3$ the printed bound overshoots the sum by at most 1.5, whatever $t$. Why is a
# bounded error fatal to a *proof* but not to the *statement*?
#
# <details><summary>Answer</summary>
#
# The proof needs $KB \ge t^q/q$, and a chain of inequalities with one false link proves nothing,
# however small the miss. The statement only needs the first and the last member to be in order. The
# Bernstein step is wasteful ($3/28 = 0.107$ where Chernoff has $0.153$), and from $t^q \approx 10$
# on that waste is worth more than what is missing.
#
# </details>
#
# **2.** Why does the same error become unbounded as $p \to 1$? Compute it at $t = 1000$.

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
for p in (0.5, 0.9, 0.99, 0.999):
    print(f"p = {p}: printed {exploration(1000, p, 'printed'):8.2f}, corrected {exploration(1000, p):6.2f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# Printed and corrected right-hand sides differ by exactly $1/q$, and $q = 1 - p \to 0$. At fixed
# $t$ the corrected $L_p(t)$ tends to $\ln t$, here 6.91, the printed one to infinity.
#
# </details>
#
# **3.** How would you shorten the useless range $K^{28K/3}$ for $p = 1$ without changing the idea
# of the proof?

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
for name, rate in RATES.items():
    print(f"{name}: {5 ** (5 / float(rate)):.0e} steps for five arms")

# %% [markdown]
# <details><summary>Answer</summary>
#
# Use Chernoff's $(1 - \ln 2)/2$ in the place of $3/28$: then $K^{K \cdot 2/(1-\ln 2)} = K^{6.52K}$,
# for five arms about $6 \cdot 10^{22}$. A smaller threshold than $L/(2K)$ helps as well. The exact
# law helps most: it needs no bound.
#
# </details>
