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
# # What would you use instead?
#
# A researcher who has read so far will ask: against what? The paper holds Deep ε-greedy against LinUCB and least
# squares, neither of which has a network. **With the same network, does another way to explore lose less, and
# what does it cost?** After this notebook you will be able to
#
# * say what ε-greedy, SquareCB, Thompson sampling and UCB do in the same state, and why;
# * say which rate the theory promises for each of them, and on what condition;
# * read regret beside cost, on the paper's task and on six tasks of classification;
# * tell a ranking that the data support from one that they do not;
# * put a method of your own on the same tables.

# %% jupyter={"source_hidden": true} tags=["remove-cell"]
# Where the study is not installed, as on Google Colab, install it with the PyTorch that is there.
import importlib.util

if importlib.util.find_spec("bandits") is None:
    from IPython import get_ipython

    get_ipython().run_line_magic("pip", "install -q git+" + input("Address of this repository: "))

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from bandits import study
from bandits.experiments import build_policy, environment, experiment
from bandits.results import comparator_settings, comparators, ranks
from bandits.results.plots import use_style
from bandits.results.saved import load_those_there
from bandits.results.statistics import interval, paired_difference
from bandits.results.tables import Table

use_style()
plt.rcParams["figure.dpi"] = 200

# %%
print(study.banner("comparators"))
names = ("comparators", "comparators_noise", "ranks")
committed, captions = load_those_there(names, Path("../figures"))
for name in names:
    print(f"{name:20} committed: {captions.get(name, 'not here: this chapter needs the repository')}")

# %% [markdown]
# <a id="s1"></a>
#
# ## 1. One state, four rules
#
# **Question.** A learner has to choose among five arms. Its networks predict these rewards, and have learned
# from so many samples of each arm. How likely is each arm taken?

# %%
predicted = np.array([7.0, 6.5, 5.0, 3.0, 1.0])
samples = np.array([400, 300, 100, 10, 190])
t, arms = samples.sum() + 1, len(samples)
best = predicted.argmax()

# %% [markdown]
# **ε-greedy** takes the best prediction, and with probability ε any arm, all alike. It looks neither at how far an arm
# is behind nor at how much is known of it.

# %%
epsilon = 0.1
e_greedy = np.full(arms, epsilon / arms)
e_greedy[best] += 1 - epsilon

# %% [markdown]
# **SquareCB** ([Foster and Rakhlin 2020](10_what_holds.ipynb#foster2020), Algorithm 1) looks at the predictions. The
# further an arm is behind the best one, the more rarely it is taken, and all the more so the later it is: with
# probability $1 / (K + \gamma \sqrt t \, (f_b - f_a))$. The best arm $b$ gets what is left.

# %%
gamma = 3
square_cb = 1 / (arms + gamma * np.sqrt(t) * (predicted[best] - predicted))
square_cb[best] = 1 - np.delete(square_cb, best).sum()

# %% [markdown]
# **Thompson sampling** looks at what is known. It draws a reward for each arm from a law around its prediction, and
# takes the largest draw. **UCB** adds the width of that law to the prediction, and takes the largest sum. Where the
# width comes from is what distinguishes the methods; here it is $6 / \sqrt n$ after $n$ samples.

# %%
width = 6 / np.sqrt(samples)
draws = predicted + width * np.random.default_rng(1).normal(size=(100_000, arms))
thompson = np.bincount(draws.argmax(axis=1), minlength=arms) / len(draws)
ucb = (np.arange(arms) == (predicted + width).argmax()).astype(float)

# %%
rules = {"ε = 0.1": e_greedy, "SquareCB": square_cb, "Thompson": thompson, "UCB": ucb}
assert all(abs(law.sum() - 1) < 1e-9 for law in rules.values())
Table(pd.DataFrame({"predicted": predicted, "samples": samples, **rules}),
      "Table 9.1. The probability of each arm, a row for each.", dict.fromkeys(rules, ".3f"))

# %% [markdown]
# **Answer.** ε-greedy tries the four others alike, each in 2 of 100 steps. SquareCB tries the second arm about as
# often, and the fifth eleven times more rarely than ε-greedy does: it explores where that costs little. Thompson
# sampling takes the second arm in 13 of 100 steps, since it may well be the best. And it comes back to the fourth
# arm, of which only ten samples are known, far more often than to the third, although the third is predicted to pay
# more: it explores where little is known. SquareCB does not know how many samples there are. UCB takes one arm for
# certain, here the first. An arm with few samples comes first only where its width makes up for what its prediction
# lacks.
#
# Below, the width has one of three sources. **LinUCB** and **linear Thompson sampling** take it from linear
# regression on the context. **Neural-linear** Thompson sampling takes it from linear regression on the last hidden
# layer of the network. **NeuralUCB** and **NeuralTS** (neural Thompson sampling) take it from the gradient of the
# prediction by all weights of the network: it is large where that gradient points where few samples have pointed.
#
# There are three more: **greedy**, which never explores, and **dropout** ([Riquelme, Tucker and Snoek
# 2018](10_what_holds.ipynb#riquelme2018)) and the **bootstrapped ensemble** ([Osband et al.
# 2016](10_what_holds.ipynb#osband2016)), which are greedy by a network that changes at random from step to step. It
# stands in for a draw from a law: both are Thompson sampling in spirit.

# %% [markdown]
# <a id="s2"></a>
#
# ## 2. What the theory promises
#
# **Question.** How fast does the total regret up to step $T$ grow, for each of them? It grows as $T$ itself if
# nothing is learned.
#
# **Expectation.** Let the squared error of a prediction fall as $n^{-a}$ with the number $n$ of an arm's samples;
# the paper's assumption is $a = 1/2$, up to a logarithm. ε-greedy with $\varepsilon_t = t^{-p}$ explores in
# $T^{1-p}$ of $T$ steps, so that each arm has that many samples, up to a constant. Per step it pays $T^{-p}$ for
# exploring, and for its errors $T^{-(1-p)a}$ where a gap separates the best arm from the others, $T^{-(1-p)a/2}$
# where none does. The larger of the two decides, and the best $p$ makes it as small as can be. For SquareCB let the
# squared error of the arms that it takes fall as $t^{-a}$. With $t^q$ in place of the $\gamma \sqrt t$ of section 1,
# Foster and Rakhlin's bound is of the order of $T^{-q} + T^{q-a}$ per step, and $q = a/2$ is best.

# %%
p = np.linspace(0, 1, 60_001)
growth = {"squared error": [], "ε-greedy, gap": [], "ε-greedy, no gap": [], "SquareCB": []}
for words, a in (("1/√n", 1 / 2), ("1/n", 1)):
    growth["squared error"].append(words)
    growth["ε-greedy, gap"].append(np.maximum(1 - p, 1 - (1 - p) * a).min())
    growth["ε-greedy, no gap"].append(np.maximum(1 - p, 1 - (1 - p) * a / 2).min())
    growth["SquareCB"].append(1 - a / 2)

# %%
assert np.isclose(growth["ε-greedy, gap"][0], 2 / 3, atol=1e-4)
Table(pd.DataFrame(growth), "Table 9.2. The exponent of T in the promised total regret.",
      dict.fromkeys(list(growth)[1:], ".3f"))

# %% [markdown]
# The first row's 0.667 is the paper's: $T^{2/3}$ in all is $t^{-1/3}$ per step ([notebook 4, section
# 11](04_the_bounds.ipynb#s11)). SquareCB's $T^{1-a/2}$ needs no gap, and its bound makes no use of one. It has to
# know $a$, as ε-greedy has. **Our $\gamma \sqrt t$ is right for $a = 1$; at $a = 1/2$ its bound is of the order of
# $T$, which is no promise.** Four others promise $\sqrt T$, each on a condition of its own:
#
# | method | promise | condition |
# | --- | --- | --- |
# | LinUCB, linear Thompson sampling | $\sqrt T$, up to logarithms | rewards are linear in the context (and LinUCB in a variant, [Lattimore and Szepesvári 2020](10_what_holds.ipynb#lattimore2020)) |
# | NeuralUCB, NeuralTS | $\tilde d \sqrt T$, up to logarithms | a network so wide that it behaves as a kernel method, whose effective dimension $\tilde d$ is small |
# | constant ε | none: it loses $\varepsilon T$ at least, up to a constant | |
# | greedy, dropout, ensemble, neural-linear | none | |
#
# ([Zhou, Li and Gu 2020](10_what_holds.ipynb#zhou2020), [Zhang, Zhou, Li and Gu
# 2021](10_what_holds.ipynb#zhang2021), [Agrawal and Goyal 2013](10_what_holds.ipynb#agrawal2013).) So at $a = 1/2$
# NeuralUCB and NeuralTS have the smallest exponent of those with a network. SquareCB's is larger than ε-greedy's
# where there is a gap, and smaller where there is none. At $a = 1$ all are 1/2, but for ε-greedy without a gap. The
# conditions differ, so that this is no order of the methods. The paper's task has a gap: two different digits differ
# by 1 at least. Whether an order of limits is the order at 10,000 steps, no theory says.
#
# <a id="s3"></a>
#
# ## 3. The paper's task
#
# **Question.** Five images, no noise, 10,000 steps: who loses least? All but the linear methods have Deep's network, and
# train it at the same steps, by at most 20 mini-batches of 32 in each stage
# ([notebook 7](07_the_paper_figures.ipynb)). What differs is how they explore. Where Table 9.3 says
# "tried", the setting was chosen among these values on other seeds; the others are the authors' or were set beforehand.

# %%
found = committed["comparators"]
Table(comparator_settings.frame(found), "Table 9.3. Every method, its settings, and what a step costs.",
      {"ms a step": ".2f"})

# %% [markdown]
# How does a run look from inside? Each policy that draws its arm by known probabilities records the probability of
# the arm that it took. Here are 200 steps of two of them.

# %%
live = experiment("comparators").select(["epsilon_0_1", "squarecb"])
played = study.run(live, "glance")
taken = {method.label: played[method.name][0].propensities for method in live.methods}
assert set(taken["ε = 0.1"].astype(float).round(6)) == {0.02, 0.92}

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Two panels of dots over 200 steps. Left, \u03b5 = 0.1: all dots at 0.92, a few at 0.02. Right, SquareCB: dots spread between 0 and 1, with more of them near 1 as the run goes on."}} tags=["hide-input"]
figure, panels = plt.subplots(1, 2, figsize=(9, 2.8), sharey=True, layout="constrained")
for axes, (label, probability) in zip(panels, taken.items(), strict=True):
    axes.plot(np.arange(1, len(probability) + 1), probability, ".", markersize=4)
    axes.set(title=label, xlabel="time step t", ylim=(0, 1.02))
panels[0].set_ylabel("probability of the arm taken")
figure.suptitle("MNIST, σ = 0; 200 steps, one run", fontsize=9)
assert len(panels[1].lines[0].get_ydata()) == 200

# %% [markdown]
# **Figure 9.1.** *The probability with which each arm was taken, in 200 steps of ε-greedy and of SquareCB.*
#
# SquareCB is unsure at first, where ε-greedy already acts nine times in ten on networks that know nothing. Now
# 10,000 steps.

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Left: late regret of fourteen methods, two runs each; five networks near 0.5, Deep at 0.62, ensemble, greedy and dropout near 1, linear methods at 1.43, Random at 3.33. Right: milliseconds of a step, 0.4 for the linear ones, 8 to 44 for networks."}} tags=["hide-input"]
found = committed["comparators"]
figure, panels = plt.subplots(1, 2, figsize=(9, 4.2), width_ratios=(1, 0.5), layout="constrained")
comparators.regret_dots(panels[0], found)
comparators.cost_dots(panels[1], found)
figure.suptitle(f"MNIST, σ = 0; {captions['comparators'].partition(': ')[2]}", fontsize=9)
assert len(panels[0].get_yticks()) == len(found["methods"]) - 1

# %% [markdown]
# **Figure 9.2.** *Left: regret per step in the last quarter of 10,000 steps; small dots are runs, large ones means
# (intervals are in Table 9.4). Right: processor time of a step, measured once on one machine.*

# %%
def against_deep(data, caption):
    """Regret of each method, and what Deep loses more than it, run by run."""
    deep = data["late_regret"][list(data["methods"]).index("deep")]
    kept = [k for k in comparators.learners(data) if data["methods"][k] != "random"]
    late = [data["late_regret"][k] for k in kept]
    more = ["" if data["methods"][k] == "deep" else paired_difference(deep, data["late_regret"][k]) for k in kept]
    used = (data["arm_counts"][kept] >= 100).sum(axis=2)
    return Table(pd.DataFrame({
        "": data["labels"][kept], "late regret": map(interval, late), "Deep loses more by": more,
        "all steps": map(interval, data["total_regret"][kept]),
        "arms in use": [" ".join(map(str, row)) for row in used]}), caption)


against_deep(found, "Table 9.4. Regret per step in the last quarter and in all steps, σ = 0.")

# %% [markdown]
# **Answer.** Five ways to explore end alike: neural-linear Thompson sampling, NeuralTS, SquareCB, NeuralUCB and a
# constant $\varepsilon = 0.01$ lose 0.48 to 0.53 per step in the last quarter, on average over two runs, and Deep
# with $\varepsilon_t = 1/t$ loses 0.62. Two runs tell none of the five from Deep. The column of the arms suggests
# where the rest comes from. In the one run in which Deep left an arm out it lost 0.71, in the other 0.54. The
# ensemble, dropout and the greedy learner left arms out in both runs, and lost 0.97, 1.10 and 1.09. All others kept
# five arms in use in both. What $\varepsilon = 0.05$ and $0.1$ lose beyond the five is about what their random steps
# cost (exercise 1). The linear methods lose 1.43 with all arms in use: they lack a network. Among the networks, as
# in [notebook 7](07_the_paper_figures.ipynb), most is lost where arms are neglected.
#
# Why do the ensemble and dropout neglect arms, which are meant to explore? Perhaps because an untrained network
# predicts next to nothing, where the rewards of a trained arm are near 4.5: then no member prefers an arm that was
# never taken, however much the members differ on the others. Here are the predictions of the five members before any
# training.

# %%
ensemble = experiment("comparators").select(["bootstrapped"])
first = ensemble.specs(ensemble.scale("glance"))[0]
rounds = environment(first, study.data()).rounds(first.seed, first.run, first.steps)
members = build_policy(first, rounds).predictors
untrained = np.array([member.predict(rounds.contexts(slice(0, 200))) for member in members])
print(f"largest of {untrained.size:,} predictions: {untrained.max():.1f}; a uniform choice is paid 4.5")
assert untrained.max() < 2

# %% [markdown]
# None comes near 4.5. So an arm that no member has taken in the first stages will hardly be taken later, and
# an ensemble of networks that start near 0 explores by the luck of its first steps. NeuralUCB has a width that is large
# where nothing was seen, and SquareCB a probability that is never 0. Both kept all arms in use.
#
# <a id="s4"></a>
#
# ## 4. What it costs
#
# **Question.** What counts for many users is not the step but the second: what has been lost when so much time is spent?

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Normalized regret against seconds of one core, on logarithmic axes. The linear methods come down before one second and end at 1.5 after 4; the networks start to fall after 4 seconds, cross 1.5 between 38 and 300, and end below."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(9, 4.2), layout="constrained")
comparators.against_seconds(axes, found)
axes.set_title(f"MNIST, σ = 0; {captions['comparators'].partition(': ')[2]}", fontsize=9)
assert len(axes.lines) == len(found["methods"]) - 1

# %% [markdown]
# **Figure 9.3.** *Regret per step of all steps so far against the processor time spent on them: each step at what one
# took in the second half of 1,000 steps, on one core of one machine.*
#
# **Answer.** Up to four seconds the linear methods are ahead, and by far: after its 10,000 steps LinUCB has lost
# 1.47 per step, in 4.3 s, when every network is at 2.9 or more. No network comes down to 1.47 before 38 s. Where
# time is short a linear method is a fair answer. Where the horizon is long it is none: it loses 1.43 in the last
# quarter, hardly less than in all. For the networks a step costs 8 to 27 ms, and 44 ms with five of them. The greedy
# learner is cheap since it trains three arms instead of five. Single networks that kept all arms in use take from 13
# ms, $\varepsilon = 0.01$, to 27, NeuralTS: another way to explore may cost twice as much.
#
# <a id="s5"></a>
#
# ## 5. Four published orders
#
# **Question.** Papers say who is ahead of whom. Is it so here?
#
# **Expectation.** Four of their statements, written down before the runs.

# %%
orders = [claim for _, _, claim in comparators.ORDERS]
readings = [r for r in comparators.read(found) if r.claim in orders]
Table(pd.DataFrame([(r.claim, r.measured, r.value, r.verdict) for r in readings],
                   columns=["published", "measured", "mean [95 % interval]", "verdict"]),
      "Table 9.5. Published orders on the paper's task, σ = 0.")

# %% [markdown]
# **Answer.** Two agree: neural ε-greedy is ahead of LinUCB, by 0.64 [0.56, 0.71], and neural-linear Thompson
# sampling is ahead of dropout. Two are undecided. NeuralTS and NeuralUCB lose about the same, 0.04 [−0.81, 0.89]
# apart. NeuralUCB's advantage over ε-greedy has the published sign, 0.27 [−0.43, 0.96]. Why is it not clearer? The
# random steps of $\varepsilon = 0.1$ alone cost 0.33, more than the whole difference; so a smaller ε should leave
# none of it. In two runs it leaves none: NeuralUCB loses 0.527 on average and $\varepsilon = 0.01$ loses 0.530. An
# order between methods is one between their settings, too.
#
# <a id="s6"></a>
#
# ## 6. With noise
#
# **Question.** The paper's second task adds a standard normal variable to each reward. Does that change who is ahead?
#
# **Expectation.** Each sample then says less, and a method that settles early should be hurt most. The five that
# ended alike, Deep, LinUCB and Random were run again, once, on the states of the first run without noise.

# %%
noisy = committed["comparators_noise"]
before = {name: runs[0] for name, runs in zip(found["methods"], found["late_regret"], strict=True)}
order = comparators.learners(noisy)
after = noisy["late_regret"][order, 0]
without = np.array([before[name] for name in noisy["methods"][order]])
used = (noisy["arm_counts"][order, 0] >= 100).sum(axis=1)
Table(pd.DataFrame({"": noisy["labels"][order], "σ = 0": without, "σ = 1": after, "noise costs": after - without,
                    "arms in use, σ = 1": used}),
      "Table 9.6. Regret per step in the last quarter, the first run, without and with noise.",
      dict.fromkeys(("σ = 0", "σ = 1", "noise costs"), ".2f"))

# %% [markdown]
# **Answer.** In this run for Deep, and not for the others. The five are together again, from 0.68 to 0.74, and noise costs
# them 0.05 to 0.22 per step. Deep loses 0.92, and is now behind all five: with noise it left an arm out, where
# without noise it used all. LinUCB loses hardly more than before, 1.49, since what it lacks is not samples. One run
# has no interval: none of these differences is decided.
#
# <a id="s7"></a>
#
# ## 7. Six tasks of classification
#
# **Question.** One task is one task. Published comparisons turn classification into a bandit: an example is shown,
# the arms are the classes, and the reward is 1 for the right one and 0 else. What comes out there?
#
# **Expectation.** MNIST is set up as Zhou, Li and Gu have it: one image, ten arms, 15,000 steps, a hidden layer of
# 100. It differs in that pixels run from 0 to 1, images are drawn with replacement, each arm has a network of its
# own, and training stages are of bounded cost. Five further sets are public tables of measurements; there a run has
# 5,000 steps. Settings that have a unit were converted from rewards of 0 to 9 to rewards of 0 to 1, and not chosen
# anew.

# %% jupyter={"source_hidden": true} mystnb={"image": {"alt": "Left: a table of regret per step of thirteen methods on six tasks, dark where the rank is good; neural-linear Thompson and NeuralTS on top, the linear methods at the bottom. Right: mean ranks from 2.3 to 12.0, with a grey band from 2.3 to 9.8."}} tags=["hide-input"]
found = committed["ranks"]
figure, panels = plt.subplots(1, 2, figsize=(10.5, 6), width_ratios=(3, 1), layout="constrained")
ranks.panels(panels, found)
assert len(panels[0].texts) == len(found["tasks"]) * (len(found["methods"]) - 2)

# %% [markdown]
# **Figure 9.4.** *Left: regret per step of all steps, one run of each, shaded by rank within a task. Right: mean
# ranks over the six tasks; the grey band is as wide as the difference below which two mean ranks are not told
# apart.*
#
# One run has no interval. But here the tasks are the sample, and ranks can be tested over tasks
# ([Demšar 2006](10_what_holds.ipynb#demsar2006)): first whether all methods are alike, then which differ.

# %%
places, test = ranks.ranked(found)
print(f"are all alike? F = {test.statistic:.1f}, p = {test.p_value:.1g}")
print(f"two mean ranks differ if they are {test.critical:.1f} apart; first {test.mean[0]:.1f}, last {test.mean[-1]:.1f}")

# %% [markdown]
# **Answer.** They are not alike. Neural-linear Thompson sampling has the best mean rank, then NeuralTS, SquareCB,
# NeuralUCB and the ensemble, from 2.3 to 4.5. But six tasks tell only those apart whose mean ranks differ by 7.4:
# only $\varepsilon = 0.1$ and the two linear methods are told from the first. Between the others no winner can be
# named.
#
# Three of the published orders come out. NeuralUCB is ahead of $\varepsilon = 0.1$ in six tasks of six,
# neural-linear of dropout in six, NeuralTS of NeuralUCB in five. (If two methods were alike, six of six one way or
# the other would come by chance once in 32 times, and five or more 7 times in 32: the third is weak.) The fourth
# does not: neural ε-greedy with $\varepsilon = 0.1$ is ahead of LinUCB in four of six only. Is it again what its
# random steps cost? A random step is wrong with probability $(K-1)/K$.

# %%
lost = dict(zip(map(str, found["methods"]), found["regret"][:, :, 0].T, strict=True))
paid = 0.1 * (1 - 1 / found["arms"])
frame = pd.DataFrame({"task": found["tasks"], "LinUCB": lost["linucb"], "ε = 0.1": lost["epsilon_0_1"],
                      "without its random steps": lost["epsilon_0_1"] - paid})
Table(frame, "Table 9.7. Regret per step, and what the random steps of ε = 0.1 cost of it.",
      dict.fromkeys(frame.columns[1:], ".3f"))

# %% [markdown]
# It is: with that cost taken off it is ahead in all six. And why does the ensemble do well here, which left arms out
# on the paper's task? Here a wrong arm pays 0, which is what an untrained network predicts, so that an arm never
# taken is not held for worse than one that was wrong. That agrees with the explanation of section 3.
#
# <a id="s8"></a>
#
# ## 8. What would you use?
#
# The means say: where a network can be trained, a method that looks at what it knows or at what it predicts. The data
# do not decide it: two runs do not tell these methods from the paper's ε-greedy, and neither do six tasks.
#
# * **SquareCB** needs no more than predictions, from any regressor, and has one setting here. It knows its probabilities,
#   so that its log can be used later to judge other policies. Its promise holds for any predictor, if γ grows at the rate
#   that suits the predictor's error (section 2).
# * **Neural-linear Thompson sampling** and **NeuralTS** came out first on the mean, on the paper's task and on the six.
#   Neither knows its probabilities. NeuralTS's promise is for very wide networks only; neural-linear has none.
# * **LinUCB**, where no network can be trained.
#
# **What ε-greedy loses:** on the paper's task Deep with $\varepsilon_t = 1/t$ loses 0.62 per step at the end where
# the least mean is 0.48, and a constant ε of 0.01 loses 0.53. Two runs do not tell these apart. Over six tasks
# ε-greedy's mean ranks are 7.3 to 10.0, and those of the best five methods 2.3 to 4.5; only $\varepsilon = 0.1$ is
# told from the first.
#
# **What ε-greedy costs:** 13 to 17 ms a step. Greedy and dropout, which left arms out, take 8 and 10, SquareCB takes 21,
# NeuralTS 27, and the linear methods 0.4.
#
# On the paper's task a constant ε of 0.01 is therefore not a bad beginning; over six tasks its mean rank is 7.5.
# What the paper's schedule adds to it is a guarantee in the limit, under the paper's assumption, and, in two of its
# three runs here, a neglected arm.
#
# ## What was seen
#
# * On the paper's task five ways to explore end alike, at about half a digit per step. The other networks lose
#   more on the mean, where arms are neglected or many steps are random; two runs do not decide most of it.
# * The linear methods are ahead for the first seconds, and every network passes them in the end.
# * Of four published orders two are seen on the paper's task and three over six tasks of classification; those that are not
#   seen depend on the ε that ε-greedy is given, or need more runs.
# * Over six tasks the ranks differ beyond chance, and no single winner can be named.
#
# What all of this says of the paper is in [the last notebook](10_what_holds.ipynb).

# %% [markdown]
# ## Exercises
#
# **1.** Constant ε loses at least $\varepsilon \cdot 3.29$ per step on the paper's task, however much it knows,
# since a random step loses 3.29 on average. How much of what each of the three lost in the last quarter is that?

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
found = committed["comparators"]
for name, epsilon in (("epsilon_0_1", 0.1), ("epsilon_0_05", 0.05), ("epsilon_0_01", 0.01)):
    lost = found["late_regret"][list(found["methods"]).index(name)].mean()
    print(f"ε = {epsilon:4}: lost {lost:.2f}, of it for random steps {3.29 * epsilon:.2f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# Two fifths of the regret at 0.1, a quarter at 0.05, a sixteenth at 0.01. Without it they lose 0.46, 0.47 and 0.50: as
# far as two runs can tell, all three have learned the same, and differ in what they pay for it.
#
# </details>
#
# **2.** In Table 9.1, how large must γ be for SquareCB to take the first arm with probability 0.999 or more? What is
# lost by it?

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
for gamma in (3, 30, 100, 300):
    others = 1 / (arms + gamma * np.sqrt(t) * (predicted[best] - np.delete(predicted, best)))
    print(f"γ = {gamma:3}: first arm {1 - others.sum():.4f}, fourth arm {others[2]:.5f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# Near 100. The fourth arm, of which only ten samples are known, is then taken once in more than 12,000 steps: a
# prediction that is too low by accident stays too low. Where γ √t is large, SquareCB is greedy.
#
# </details>
#
# **3.** Put a method of your own on the table of section 3: softmax, say, which takes arm $a$ with probability
# proportional to $e^{f_a / \tau}$. Where in Table 9.1 would its row differ most from SquareCB's?
#
# <details><summary>Answer</summary>
#
# [A page of ten-line examples](../book/extend/examples.md) has softmax, and the one command that runs it on the same
# states and draws it beside the others. With $\tau = 1$ in Table 9.1 the second arm gets $e^{-1/2}$ times the
# probability of the first, which is 0.34, where SquareCB gives it 0.02: SquareCB's exploration ends as $t$ grows,
# and softmax's does not unless $\tau$ is made to fall.
#
# </details>
