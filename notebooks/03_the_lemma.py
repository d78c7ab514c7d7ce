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
# After this notebook you can
#
# * say exactly how the random pulls are distributed, and compute with that law;
# * point to the one printed inequality that is false, $\sum_{l<t} l^{-p} \ge t^{1-p}/(1-p)$, and
#   prove the inequality that replaces it;
# * prove the corrected lemma for $0 < p \le 1$ and see it hold in 16,000 exact cases;
# * explain why the printed conclusion nevertheless survives for the paper's favourite $p = 1/3$;
# * read off from what time on the lemma says anything at all. (For $\varepsilon_t = 1/t$ and five
#   arms: $4 \cdot 10^{32}$ steps.)
#
# Every number comes from `bandits.theory`, and every curve is checked where it is drawn.

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
import math

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from bandits import theory
from bandits.results.plots import PALETTE, use_style
from bandits.theory.lemma import RATES, exploration
from bandits.theory.scan import exact_cases
from bandits.theory.symbols import B, T, h, q, r, s, u, x

use_style()
plt.rcParams["figure.figsize"] = (8, 3.6)
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
# So the paper has it, and both are true: the variance falls short of $B$ by the sum of the squared
# probabilities. The law itself is a chain of small convolutions, and `random_pull_pmf` computes it.

# %%
print("        t     p    mean B   variance")
for t in (100, 10_000, 1_000_000):
    for p in (1, 1 / 3):
        law = theory.random_pull_pmf(t, arms=5, p=p)
        counts = np.arange(len(law))
        mean = theory.expected_random_pulls(t, arms=5, p=p)
        variance = law @ (counts - mean) ** 2
        assert math.isclose(law @ counts, mean, rel_tol=1e-9)
        assert variance <= mean
        print(f"{t:9,} {p:5.2f} {mean:9.3f} {variance:10.3f}")

# %% [markdown]
# **What it shows.** With $\varepsilon_t = 1/t$ a million steps bring each of five arms fewer than
# three random pulls on average. With $p = 1/3$ it is three thousand.
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
# $h = 1/l$:

# %%
gap = h - sp.log(1 + h)
slope = sp.simplify(sp.diff(gap, h))
assert gap.subs(h, 0) == 0
assert slope.is_nonnegative  # so the gap starts at 0 and never falls
slope

# %% [markdown]
# For $p < 1$ the paper prints, with $q = 1 - p$,
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

# %%
p, t = 1 / 3, 7
bars = np.arange(1, t)
fine = np.linspace(0.02, t, 600)
figure, axes = plt.subplots(1, 2, sharey=True)
for axis, start, words in ((axes[0], -1, "bars below the curve: sum ≤ $(t-1)^q/q$"),
                           (axes[1], 0, "bars above the curve: sum ≥ $(t^q-1)/q$")):
    axis.bar(bars + start, bars**-p, width=1, align="edge", color=BLUE, alpha=0.35,
             edgecolor=BLUE)
    axis.plot(fine, fine**-p, color=ORANGE, lw=2)
    axis.set(title=words, xlabel="s", xlim=(0, t), ylim=(0, 2.2))
    axis.title.set_fontsize(10)
axes[0].set_ylabel("$s^{-1/3}$")
for left in bars:
    assert (left - 0.5) ** -p > left**-p > (left + 0.5) ** -p
plt.tight_layout()
plt.show()

# %% [markdown]
# **So the printed right-hand side is above even the upper bound:** $\sum \le (t-1)^q/q < t^q/q$,
# for every $t \ge 1$ and every $p$ in $(0, 1)$. The inequality is not off for small $t$ only; it
# never holds. Here is the same in sympy, with $p = 1/(1+r)$, $r > 0$, so that sympy knows
# $0 < p < 1$, and then in numbers for $p = 1/3$. There the difference of the two sides tends to
# $\zeta(1/3) = -0.973360$ (Riemann's zeta function).

# %%
quarter = r / (1 + r)  # this is q
primitive = x**quarter / quarter
assert sp.simplify(sp.diff(primitive, x) - x ** (-1 / (1 + r))) == 0
assert sp.limit(primitive, x, 0) == 0  # so the integral from 0 to t-1 is (t-1)^q/q
assert sp.diff(primitive, x).is_positive  # so (t-1)^q/q < t^q/q
upper = primitive.subs(x, T - 1)
upper

# %%
print("            t   sum of l^(-1/3)   printed t^q/q     difference")
for k in (0, 1, 2, 3, 6, 9, 12):
    t = 10**k
    total = theory.expected_random_pulls(t, arms=1, p=1 / 3)
    printed = exploration(t, 1 / 3, "printed")
    assert total < printed
    print(f"{t:13.0e} {total:17.3f} {printed:15.3f} {total - printed:14.4f}")
assert abs(total - printed - float(sp.zeta(sp.Rational(1, 3)))) < 1e-4

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
# $f(h) = qh - (1+h)^q + 1 \ge 0$: it starts at 0 with slope 0 and bends upwards.

# %%
step = quarter * h - (1 + h) ** quarter + 1
assert step.subs(h, 0) == 0
assert sp.simplify(sp.diff(step, h).subs(h, 0)) == 0
bend = sp.simplify(sp.diff(step, h, 2))
assert bend.is_positive
assert sp.limit((sp.exp(q * u) - 1) / q, q, 0) == u
bend

# %%
times = np.unique(np.geomspace(1, 10**6, 60).astype(int))
figure, axis = plt.subplots()
for p, colour in ((1 / 3, BLUE), (1 / 2, GREEN), (0.7, GREY)):
    total = np.array([theory.expected_random_pulls(t, arms=1, p=p) for t in times])
    printed = np.array([exploration(t, p, "printed") for t in times])
    corrected = np.array([exploration(t, p) for t in times])
    assert (total < printed).all()
    assert (total >= corrected - 1e-9).all()
    assert ((total - corrected) <= 1).all()
    axis.plot(times, total - corrected, color=colour, label=f"p = {p:.2f}: sum − $L_p$")
    axis.plot(times, total - printed, "--", color=colour, label="sum − printed")
axis.axhline(0, color="black", lw=0.8)
axis.set(xscale="log", xlabel="t", ylabel="sum minus bound",
         title="Above 0 the inequality holds, below 0 it fails")
axis.legend(ncol=3, fontsize=8, loc="lower right")
axis.set_ylim(-4.6, 1.3)
plt.tight_layout()
plt.show()

# %% [markdown]
# **What it shows.** The corrected bound is below the sum and never by more than 1. The printed one
# is above it at every $t$. (By convexity one may even use $L_p + (1 - t^{-p})/2$.)
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
bernstein = sp.simplify(B**2 / 8 / (B + B / 6))
assert bernstein == sp.Rational(3, 28) * B
bernstein

# %% [markdown]
# **Better constants are free.** For $\sigma > 0$, Markov's inequality for $e^{-\sigma T}$ and
# $\mathbb E e^{-\sigma T} \le \exp\bigl(B(e^{-\sigma}-1)\bigr)$ give
# $P(T \le B/2) \le \exp\bigl(B(e^{-\sigma}-1) + \sigma B/2\bigr)$. The best $\sigma$ is $\ln 2$,
# which gives *Chernoff's* bound. Between the two lies the *one-sided* Bernstein inequality: what is
# never negative cannot fall far in one step, so downwards the term $B/6$ is not needed and
# $e^{-B/8}$ remains.

# %%
exponent = B * (sp.exp(-s) - 1) + s * B / 2
(best,) = sp.solve(sp.diff(exponent, s), s)
assert sp.simplify(best - sp.log(2)) == 0
chernoff = sp.simplify(-exponent.subs(s, best))
assert sp.simplify(chernoff - (1 - sp.log(2)) / 2 * B) == 0
print("rates: ", {name: round(float(rate), 4) for name, rate in RATES.items()})
chernoff

# %%
means, tails = [], []
for t in np.unique(np.geomspace(30, 4_500, 36).astype(int)):
    mean = theory.expected_random_pulls(int(t), arms=5, p=1 / 3)
    law = theory.random_pull_pmf(int(t), arms=5, p=1 / 3)
    means.append(mean)
    tails.append(law[: math.floor(mean / 2) + 1].sum())
means, tails = np.array(means), np.array(tails)
figure, axis = plt.subplots()
axis.plot(means, tails, ".", color="black", label="exact $P(T ≤ B/2)$")
for (name, rate), colour in zip(RATES.items(), (ORANGE, GREEN, BLUE), strict=True):
    bound = np.exp(-float(rate) * means)
    assert (tails <= bound).all()
    axis.plot(means, bound, color=colour, label=f"{name}: exp(−{float(rate):.4f} B)")
axis.set(yscale="log", xlabel="B, the expected random pulls (K = 5, p = 1/3)",
         ylabel="probability", title="The chance of half the expected pulls, and three bounds")
axis.legend(fontsize=8)
plt.tight_layout()
plt.show()

# %% [markdown]
# **What it shows.** All three hold. The paper's 3/28 gives away the most; we keep it below only so
# that the statements can be compared.
#
# *Ledger: [2](claims.md#claim-2), [4](claims.md#claim-4), [5](claims.md#claim-5).*

# %% [markdown]
# <a id="s5"></a>
#
# ## 5. The corrected lemma
#
# > **Lemma (both parts).** For all $t \ge 1$, $K \ge 1$ and $0 < p \le 1$, with $L = L_p(t)$,
# >
# > $$P\bigl(T_i^R(t) \ge \tfrac{L}{2K}\ \text{for every arm } i\bigr)
# >   \;\ge\; 1 - K\exp\Bigl(-\frac{3L}{28K}\Bigr).$$
#
# *Proof.* By section 3, $KB \ge L$. So $\{T_i < L/(2K)\} \subseteq \{T_i \le B/2\}$, and by section
# 4 this event has probability at most $e^{-3B/28} \le e^{-3L/(28K)}$. Add up over the $K$ arms
# (union bound) and take the complement. $\square$
#
# **Where the printed proof of part II breaks.** It is the same proof with $t^q/q$ in the place of
# $L$, and it uses $KB \ge t^q/q$ twice: once in the exponent, and once for
# $\{T \le t^q/(2qK)\} \subseteq \{T \le B/2\}$. Since $KB < t^q/q$, this inclusion goes the other
# way. For $K = 5$, $p = 1/3$, $t = 1000$:
#
# *Ledger: [6](claims.md#claim-6), [10](claims.md#claim-10), [14](claims.md#claim-14).*

# %%
half = theory.expected_random_pulls(1000, arms=5, p=1 / 3) / 2
printed = theory.lemma_bound(1000, arms=5, p=1 / 3, version="printed")
corrected = theory.lemma_bound(1000, arms=5, p=1 / 3, version="corrected")
assert corrected.threshold <= half < printed.threshold
print(f"corrected threshold {corrected.threshold:.4f}  <=  B/2 = {half:.4f}"
      f"  <  printed threshold {printed.threshold:.4f}")

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
# $M(n, 1) = 1 - 2^{1-n}$. The last two lines go where neither enumeration nor simulation can: many
# steps, and rare events.
#
# *Ledger: [8](claims.md#claim-8).*

# %%
total = 0.0
for outcome in range(2**6):  # which of the steps 1..6 are random, p = 1/2, t = 7
    random_steps = [step for step in range(1, 7) if outcome >> (step - 1) & 1]
    weight = math.prod(step**-0.5 if step in random_steps else 1 - step**-0.5
                       for step in range(1, 7))
    total += weight * max(0.0, 1 - 2.0 ** (1 - len(random_steps)))
value = theory.probability_all_pulled(7, arms=2, p=0.5, at_least=1)
assert math.isclose(total, value, rel_tol=1e-12)
print(f"by enumeration {total:.12f}, by the formula {value:.12f}")
print("a million steps, p = 1/3, at least 3,100 pulls each:",
      f"{theory.probability_all_pulled(10**6, arms=5, p=1 / 3, at_least=3100):.6e}")
print("10^33 steps, p = 1, at least 30 pulls each:",
      f"{theory.probability_all_pulled(10**33, arms=5, p=1, at_least=30):.6e}")

# %% [markdown]
# <a id="s7"></a>
#
# ## 7. The bound against the truth
#
# **The lemma claims a lower bound on a probability, so where it is 0 or less it says nothing.**
# Solving $K e^{-3L/(28K)} = 1$ gives $L = \frac{28K}{3}\ln K$, and so the time until which it is
# empty: $K^{28K/3}$ for $p = 1$.

# %%
print("          p = 1              p = 1/3")
for arms in (2, 3, 5, 10):
    one, third = theory.vacuous_until(arms, 1), theory.vacuous_until(arms, 1 / 3)
    print(f"K = {arms:2d}   {one:14.6e}   {third:14.2f}")
assert math.isclose(theory.vacuous_until(5, 1), 4.155279e32, rel_tol=1e-6)
assert math.isclose(theory.vacuous_until(2, 1), 416127.66, rel_tol=1e-7)

# %%
panels = ((2, 1, np.geomspace(2, 1e9, 120)), (5, 1, np.geomspace(2, 1e36, 120)),
          (2, 1 / 3, np.geomspace(2, 1e4, 90)), (5, 1 / 3, np.geomspace(2, 1e4, 90)))
figure, axes = plt.subplots(2, 2, figsize=(8, 5.4), sharey=True)
for axis, (arms, p, times) in zip(axes.flat, panels, strict=True):
    steps = sorted({int(t) for t in times})
    times = np.array(steps, dtype=float)
    bounds = [theory.lemma_bound(t, arms=arms, p=p) for t in steps]
    claimed = np.array([bound.probability for bound in bounds])
    exact = np.array([theory.probability_all_pulled(t, arms=arms, p=p, at_least=b.at_least)
                      for t, b in zip(steps, bounds, strict=True)])
    assert (exact >= claimed - 1e-12).all()
    axis.plot(times, exact, color=BLUE, lw=1.2, label="exact")
    axis.plot(times, np.maximum(claimed, 0), color=ORANGE, lw=1.6, label="lemma's bound")
    axis.axvspan(times[0], theory.vacuous_until(arms, p), color=GREY, alpha=0.2,
                 label="the bound says nothing")
    axis.set(xscale="log", xlim=(times[0], times[-1]), ylim=(-0.03, 1.03), xlabel="t",
             title=f"K = {arms}, p = {'1' if p == 1 else '1/3'}")
axes[1, 0].legend(fontsize=8, loc="lower right")
figure.supylabel("P(every arm has L/(2K) random pulls)", fontsize=10)
plt.tight_layout()
plt.show()

# %% [markdown]
# **What it shows.** The exact curve is a saw: it rises with $t$ and drops whenever the threshold
# $L/(2K)$ passes a whole number. The bound is true and late. For five arms and
# $\varepsilon_t = 1/t$ no experiment will ever reach the white part of its panel.
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
print(" K     p        t  threshold  claimed   exact")
for t, arms, p in ((2, 5, 0.99), (127_483, 2, 0.95)):
    bound = theory.lemma_bound(t, arms=arms, p=p, version="printed")
    exact = theory.probability_all_pulled(t, arms=arms, p=p, at_least=bound.at_least)
    assert exact < bound.probability
    print(f"{arms:2d}  {p:.2f}  {t:7,}  {bound.threshold:9.2f}"
          f"   {bound.probability:.4f}  {exact:.4f}")

# %%
times = np.unique(np.geomspace(1, 10**6, 70).astype(int))
figure, axis = plt.subplots()
curves = {}
for version, colour in (("printed", ORANGE), ("corrected", GREEN)):
    bounds = [theory.lemma_bound(int(t), arms=2, p=0.95, version=version) for t in times]
    exact = np.array([theory.probability_all_pulled(int(t), arms=2, p=0.95, at_least=b.at_least)
                      for t, b in zip(times, bounds, strict=True)])
    claimed = np.array([b.probability for b in bounds])
    curves[version] = claimed, exact
    axis.plot(times, np.maximum(claimed, 0), color=colour, lw=2, label=f"{version}: claimed")
    axis.plot(times, exact, color=colour, lw=0.9, ls=":", marker=".", ms=3,
              label=f"{version}: exact")
assert (curves["printed"][1] < curves["printed"][0]).all()
assert (curves["corrected"][1] >= curves["corrected"][0]).all()
axis.set(xscale="log", xlabel="t", ylabel="probability", ylim=(-0.03, 1.03),
         title="K = 2, p = 0.95: the printed claim is above the truth at every t shown")
axis.legend(fontsize=8, ncol=2, loc="center right", bbox_to_anchor=(1, 0.55))
plt.tight_layout()
plt.show()

# %% [markdown]
# **Why the conclusion survives for $p = 1/3$.** Three steps, none of which is the printed proof.
#
# 1. *Late times.* Put $y = t^q$. We know $qKB \ge y - 1$, and want $P(T \le y/(2qK))$ below
#    $e^{-3y/(28qK)}$. Chernoff's bound does it when
#    $\frac y2 - 1 + \frac y2\ln\frac{y}{2(y-1)} \ge \frac{3y}{28}$, that is for $y \ge 10.2384$
#    (one-sided Bernstein: $y \ge 11 + \sqrt{93}$). The lost 1 no longer matters, because Chernoff's
#    constant has room to spare.
# 2. *Early times.* The claim is empty until $y = q\,\frac{28K}{3}\ln K$. If that is at least
#    10.2384, that is if $qK\ln K \ge 1.09697$ (both rounded up), the two ranges overlap and nothing
#    is left to prove.
#    For $q = 2/3$ this covers every $K \ge 3$.
# 3. *What is left.* For $K = 2$ the times between are $t = 26, \dots, 32$. Seven exact values:

# %%
y = sp.Symbol("y", positive=True)
surplus = y / 2 - 1 + y / 2 * sp.log(y / (2 * (y - 1))) - sp.Rational(3, 28) * y
assert sp.simplify(sp.diff(surplus, y, 2) - 1 / (2 * y * (y - 1) ** 2)) == 0  # convex
root = float(sp.nsolve(surplus, y, 10))
one_sided = (y / 2 - 1) ** 2 / (2 * (y - 1)) - sp.Rational(3, 28) * y
assert 11 + sp.sqrt(93) in sp.solve(sp.numer(sp.together(one_sided)), y)
print(f"Chernoff suffices from t^q = {root:.5f} on; q K ln K must reach {3 * root / 28:.5f}")
print(f"for q = 2/3:  K = 2 gives {4 / 3 * math.log(2):.5f},  K = 3 gives {2 * math.log(3):.5f}")
left = [t for t in range(1, 100) if t ** (2 / 3) < root
        and theory.lemma_bound(t, arms=2, p=1 / 3, version="printed").probability > 0]
assert left == list(range(26, 33))
for t in left:
    bound = theory.lemma_bound(t, arms=2, p=1 / 3, version="printed")
    exact = theory.probability_all_pulled(t, arms=2, p=1 / 3, at_least=bound.at_least)
    assert exact > bound.probability
    print(f"t = {t}: claimed {bound.probability:.4f}, exact {exact:.4f}")

# %% [markdown]
# **So at $p = 1/3$ the printed statement is true for all $K \ge 2$ and all $t$, by luck of the
# constants and not by its proof.** (With one arm it fails at $t = 1$.) The map below shows where
# that luck ends: green is settled by steps 1 and 2, orange fails already at $t = 1$, where
# $qK\ln K < 3/28$; in the grey part between, each case needs its own check, as $K = 2$, $p = 1/3$
# had in step 3.
#
# *Ledger: [11](claims.md#claim-11), [12](claims.md#claim-12), [13](claims.md#claim-13).*

# %%
arms = np.arange(2, 21)
settled = 1 - (3 * root / 28) / (arms * np.log(arms))
at_once = 1 - (3 / 28) / (arms * np.log(arms))
assert (settled < at_once).all()
assert math.isclose(settled[3], 0.8636, abs_tol=1e-4)  # K = 5
for number, edge in zip(arms, at_once, strict=True):
    beyond = theory.lemma_bound(1, arms=int(number), p=float(edge) + 1e-6, version="printed")
    assert beyond.probability > 0  # claimed at t = 1 ...
    assert beyond.threshold > 0  # ... though nothing has been pulled
figure, axis = plt.subplots()
axis.fill_between(arms, 0, settled, step="mid", color=GREEN, alpha=0.35,
                  label="true for all t")
axis.fill_between(arms, settled, at_once, step="mid", color=GREY, alpha=0.35,
                  label="case by case")
axis.fill_between(arms, at_once, 1, step="mid", color=ORANGE, alpha=0.7,
                  label="false at t = 1")
axis.axhline(1 / 3, color="black", ls="--", lw=1)
axis.text(12, 0.36, "p = 1/3", fontsize=9)
axis.set(xlabel="K, number of arms", ylabel="p", xlim=(2, 20), ylim=(0, 1),
         xticks=range(2, 21, 2), title="Where the printed part II can be trusted")
axis.legend(fontsize=8, loc="lower right")
plt.tight_layout()
plt.show()

# %% [markdown]
# <a id="s9"></a>
#
# ## 9. Sixteen thousand exact cases
#
# **A proof can be wrong too, so compare claim and truth case by case.** We take 20 values of $p$,
# eight of $K$ and $t = 1, \dots, 100$, with the truth from a second, plainer computation of the
# exact law.

# %%
ps, arms = [k / 20 for k in range(1, 21)], range(1, 9)
for version in ("corrected", "printed"):
    cases = list(exact_cases(ps, arms, 100, version))
    broken = [case for case in cases if case.exact < case.claimed - 1e-12]
    print(f"{version:>9}: {len(broken):3d} violations in {len(cases):,} cases")
    if version == "corrected":
        assert not broken
    else:
        assert {case.p for case in broken} == set(ps) - {1.0}
worst = max(broken, key=lambda case: case.claimed - case.exact)
print(f"worst: K = {worst.arms}, p = {worst.p}, t = {worst.t}:",
      f"claimed {worst.claimed:.4f}, exact {worst.exact:.4f}")

# %% [markdown]
# **What it shows.** No violation of the corrected lemma. The printed part II is violated at every
# $p < 1$ on the grid (at the small ones by a single arm, $K = 1$).

# %% [markdown]
# <a id="s10"></a>
#
# ## 10. The policy itself
#
# **The law is about the algorithm, so count in the algorithm.** We run the package's own epsilon
# greedy policy, which records at every step whether it explored, and count the explored pulls of
# each arm over 500 runs of 300 steps.

# %%
from bandits.environments import SyntheticBandit
from bandits.policies import EpsilonGreedy
from bandits.predictors import LeastSquares
from bandits.schedules import PowerSchedule
from bandits.simulate import simulate

RUNS, STEPS, ARMS = 500, 300, 5
bandit = SyntheticBandit(arms=ARMS)
counted = {}
for p in (1, 1 / 3):
    counts = np.zeros((RUNS, ARMS), dtype=int)
    for run in range(RUNS):
        policy = EpsilonGreedy(PowerSchedule(p), LeastSquares(bandit.context_size, ARMS), ARMS)
        played = simulate(policy, bandit.rounds(seed=1, run=run, steps=STEPS), train_every=100)
        counts[run] = np.bincount(played.actions[played.explored], minlength=ARMS)
    counted[p] = counts

# %%
figure, axes = plt.subplots(1, 2)
for axis, (p, counts) in zip(axes, counted.items(), strict=True):
    law = theory.random_pull_pmf(STEPS + 1, arms=ARMS, p=p)  # steps 1..300 come before t = 301
    shown = np.flatnonzero(law > 1e-4)
    share = np.bincount(counts.ravel(), minlength=len(law))[: len(law)] / counts.size
    axis.bar(shown, share[shown], color=BLUE, alpha=0.5, label="500 runs, 5 arms")
    axis.plot(shown, law[shown], "o-", color=ORANGE, ms=3, label="exact law")
    bound = theory.lemma_bound(STEPS + 1, arms=ARMS, p=p)
    exact = theory.probability_all_pulled(STEPS + 1, arms=ARMS, p=p, at_least=bound.at_least)
    seen = (counts.min(axis=1) >= bound.at_least).mean()
    error = math.sqrt(exact * (1 - exact) / RUNS)
    assert abs(share - law).max() < 0.03
    assert abs(seen - exact) < 4 * error + 1e-9
    axis.set(title=f"p = {'1' if p == 1 else '1/3'}", xlabel="random pulls of one arm")
    print(f"p = {p:.2f}, every arm has {bound.at_least} random pulls or more: exact {exact:.4f},",
          f"seen {seen:.4f} ± {error:.4f}, promised {max(bound.probability, 0):.4f}")
axes[0].set_ylabel("share")
axes[0].legend(fontsize=8)
plt.tight_layout()
plt.show()

# %% [markdown]
# **What it shows.** The policy draws at random as often as the law says (± is a standard error),
# and at this horizon the lemma promises nothing yet. With $\varepsilon_t = 1/t$ most runs leave some
# arm without a single random pull in 300 steps, and nothing in the lemma forbids it.

# %% [markdown]
# ## Questions
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
# **2.** Why does the same error become unbounded as $p \to 1$?
#
# <details><summary>Answer</summary>
#
# Printed and corrected right-hand sides differ by exactly $1/q$, and $q = 1 - p \to 0$. At fixed
# $t$ the corrected $L_p(t)$ tends to $\ln t$, the printed one to infinity.
#
# </details>
#
# **3.** How would you shorten the useless range $K^{28K/3}$ for $p = 1$ without changing the idea
# of the proof?
#
# <details><summary>Answer</summary>
#
# Use Chernoff's $(1 - \ln 2)/2$ in the place of $3/28$: then $K^{K \cdot 2/(1-\ln 2)} = K^{6.52K}$,
# for five arms about $6 \cdot 10^{22}$. A smaller threshold than $L/(2K)$ helps as well. The exact
# law helps most: it needs no bound.
#
# </details>
