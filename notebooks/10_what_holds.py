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
# # What holds, what does not, and what is open
#
# Nine notebooks have taken one paper apart: its lemma, its theorems, its figures. **Is the paper right?** No
# single word answers that, but a page does. After this notebook you will be able to
#
# * say in plain words which of its claims hold, which do not, and which nobody can tell yet;
# * name the three lines that its authors could change, and what each of them buys;
# * name the questions that this study leaves open;
# * find the sources, and the meaning of each term.
#
# Everything said here has been shown in an earlier notebook, to which the links lead.

# %% jupyter={"source_hidden": true} tags=["remove-cell"]
# Where the study is not installed, as on Google Colab, install it with the PyTorch that is there.
import importlib.util

if importlib.util.find_spec("bandits") is None:
    from IPython import get_ipython

    get_ipython().run_line_magic("pip", "install -q git+" + input("Address of this repository: "))

# %%
import pandas as pd

from bandits import theory
from bandits.results.tables import Table
from bandits.theory.claims import CLAIMS
from bandits.theory.claims.ledger import PAPER, VERDICTS

# %% [markdown]
# <a id="s1"></a>
#
# ## 1. The score
#
# The [ledger](claims.md) lists everything that the paper asserts and that can be wrong. Each row has a
# verdict and a check that runs.

# %%
of_the_paper = [claim.verdict for claim in CLAIMS if claim.kind == PAPER]
score = {verdict: of_the_paper.count(verdict) for verdict in VERDICTS}
Table(pd.DataFrame({"verdict": list(score), "claims": list(score.values())}),
      f"Table 10.1. The paper's {len(of_the_paper)} claims.")

# %% [markdown]
# <a id="s2"></a>
#
# ## 2. What holds
#
# * **The idea of the proof.** Random steps reach every arm often enough, so every arm's prediction becomes
#   good, so the greedy choice becomes right. Once corrected this is a theorem, with a constant four times
#   better than the printed one ([notebook 4, section 6](04_the_bounds.ipynb#s6)).
# * **Part I of the lemma**, for $\varepsilon_t = 1/t$. It is true and empty: with five arms it says nothing
#   before step $4 \cdot 10^{32}$ ([notebook 3, section 7](03_the_lemma.ipynb#s7)).
# * **The exponent $1/3$.** Of all $\varepsilon_t = t^{-p}$ it has the best bound in the limit; and on a bandit of
#   our own it has the best regret of them, not only the best bound ([notebook 5, section 2](05_what_is_true.ipynb#s2)).
# * **Deep ε-greedy learns**, and in the last quarter of the runs it is ahead of every other learner, with and
#   without noise ([notebook 7](07_the_paper_figures.ipynb)).
# * **Starvation for $p > 1$.** Exploration that ends leaves arms out for ever, with a probability that is known
#   exactly ([notebook 2, section 9](02_the_algorithm.ipynb#s9)).
#
# <a id="s3"></a>
#
# ## 3. What does not
#
# * **Part II of the lemma is false as printed.** One inequality under it fails for every $t$ and every $p < 1$
#   ([notebook 3, section 2](03_the_lemma.ipynb#s2)).
# * **Theorem 3.3 is false as printed** near $p = 1$, since it rests on that part
#   ([notebook 4, section 8](04_the_bounds.ipynb#s8)).
# * **The theorems are not about the algorithm.** They need samples that are independent and a network that
#   minimises its error. The algorithm trains on its own choices, from warm starts
#   ([notebook 4, section 10](04_the_bounds.ipynb#s10)).
# * **The theorems are silent about the experiments.** With $\varepsilon_t = 1/t$ and five arms they begin at
#   some $10^{11}$ steps ([notebook 4, section 7](04_the_bounds.ipynb#s7)); the figures end at thousands.
# * **"LinUCB and Linear perform as well as purely random actions"** is not what we see, on pixels from 0 to 1.
#   Raw bytes bring LinUCB there ([notebook 8, section 2](08_beyond_the_paper.ipynb#s2)).
# * **The rate $t^{-1/2}$** of the regret is not what we see in runs as long as the paper's: at 2,000 steps the fall
#   is slower, and arms that are hardly ever taken explain only part of that. Two runs of 100,000 steps, in the end
#   with all arms in use, fell faster than $t^{-1/2}$ at their end ([notebook 7](07_the_paper_figures.ipynb)).
#
# And **"Deep converges, but Simple Deep does not"** is undecided: up to the longest horizons that we could reach
# (100,000 steps for Deep, 40,000 for Simple) neither has arrived, and both still approach. Deep is ahead.
#
# <a id="s4"></a>
#
# ## 4. Three lines that the authors could change
#
# **In the lemma, one sum.** Write $L = (t^{1-p} - 1)/(1-p)$ where $t^{1-p}/(1-p)$ stands. It is the integral from
# 1 and not from 0. Then part II is true, its proof goes through word for word, and part I is the case
# $p \to 1$ of the same formula. For five arms, $p = 0.99$ and $t = 2$:

# %%
for version in ("printed", "corrected"):
    bound = theory.lemma_bound(2, arms=5, p=0.99, version=version)
    print(f"{version:>9}: each arm has {bound.at_least} random pulls or more before step 2 "
          f"with probability {max(0, bound.probability):.2f} at least")

# %% [markdown]
# Before step 2 there has been one step. The printed lemma promises eleven pulls of each arm with probability
# 0.42; the corrected one promises nothing.
#
# **In the theorems, one assumption.** Say how good the predictor has to be: *from some number $n$ of samples on,
# its squared risk is at most $C\sqrt{\ln n/n}$, and it is trained on the random steps only.* That is what the
# proof uses. It makes both theorems one, and leaves open which networks do it. (Training on random steps alone
# costs reward: 0.93 [0.69, 1.18] per step in 1,000 steps with $p = 1/3$,
# [notebook 8, section 4](08_beyond_the_paper.ipynb#s4). For the algorithm that trains on all steps there is
# [another theorem](05_what_is_true.ipynb#s4), which bounds the regret by the errors that a run records.)
#
# **In the experiments, one exponent.** Replace $\varepsilon_t = 1/t$ by $1/\sqrt t$, or by the paper's own $t^{-1/3}$.
# How many of five arms has no random step reached, on average?

# %%
exponents = {"1": 1, "1/2": 1 / 2, "1/3": 1 / 3}
unreached = [5 * theory.probability_never_pulled(2001, arms=5, p=p) for p in exponents.values()]
table = {"p": list(exponents), "arms not reached": unreached}
Table(pd.DataFrame(table), "Table 10.2. Of five arms, after 2,000 steps, exactly.", {"arms not reached": ".4f"})

# %% [markdown]
# With $1/t$ nearly one arm of the five is never drawn; with the others none is left out. In 1,000 steps
# $1/\sqrt t$ also earned the most, but ahead of $1/t$ by 0.24 [−0.01, 0.50] only, which six runs do not decide
# ([notebook 8, section 1](08_beyond_the_paper.ipynb#s1)).
#
# <a id="s5"></a>
#
# ## 5. What is open
#
# * **Does Deep converge?** No run shows it, and no theorem here says it of a trained network. What is
#   missing is a bound on the error of networks that are trained on the choices of their own policy.
# * **What is its rate?** A fitted exponent describes a stretch of a curve, and ours are still bending.
# * **What does the assumption cost?** A network of fixed size has an error that does not go to 0. Which size is
#   needed at which step, nobody has computed.
# * **Is the gap needed?** The bounds grow as $1/\delta$ where the gap $\delta$ is small; without one the theorem would
#   have another rate. SquareCB ([Foster and Rakhlin 2020](10_what_holds.ipynb#foster2020)) needs none, and
#   [notebook 9](09_what_instead.ipynb#s2) has both rates.
# * **What did the authors run?** The paper does not say how long its runs are, how the five images enter the
#   network, or whether the pixels end at 1 or at 255. Each of them changes a figure
#   ([notebook 6, section 7](06_the_mnist_bandit.ipynb#s7)).
#
# <a id="s6"></a>
#
# ## 6. Where the study stands among others
#
# The paper is by [Rawson and Balan (2021)](10_what_holds.ipynb#rawson2021). With one state only, ε-greedy with
# $\varepsilon_t = \min(1, c/t)$ is known to have logarithmic regret, if $c$ is large enough
# ([Auer, Cesa-Bianchi and Fischer 2002](10_what_holds.ipynb#auer2002)). With states, the epoch-greedy algorithm explores in epochs
# and has a bound on its regret ([Langford and Zhang 2007](10_what_holds.ipynb#langford2007)). LinUCB is by
# [Li, Chu, Langford and Schapire (2010)](10_what_holds.ipynb#li2010); [Zhou, Li and Gu (2020)](10_what_holds.ipynb#zhou2020) put a network in the place of
# its linear function and keep a bound. SquareCB turns any method of online regression into a policy, with a
# bound that is optimal where the regression is ([Foster and Rakhlin 2020](10_what_holds.ipynb#foster2020)). The theory
# of regression that the paper quotes is in
# [Györfi, Kohler, Krzyżak and Walk (2002)](10_what_holds.ipynb#gyorfi2002). The textbook of the field is by
# [Lattimore and Szepesvári (2020)](10_what_holds.ipynb#lattimore2020).
#
# ## What was seen
#
# The paper has a sound idea, one false inequality, a gap between what is proved and what is run, and
# experiments that end too early to show what they are said to show. The inequality is mended in a line. The gap is
# not: it is the question that is left.
#
# To see how it began, go back to [the ten rounds](01_the_problem.ipynb).

# %% [markdown]
# ## Exercises
#
# **1.** For which horizon does $\varepsilon_t = 1/t$ leave less than a hundredth of the arms unreached, with five
# arms? Guess first.

# %% jupyter={"source_hidden": true} tags=["hide-cell"]
for power in (3, 6, 9, 12):
    left = theory.probability_never_pulled(10**power + 1, arms=5, p=1)
    print(f"10^{power:<2} steps: {left:.4f} of the arms")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The share falls as $t^{-1/5}$, so a hundred times fewer arms take $100^5 = 10^{10}$ times as many steps. It is
# below a hundredth at $10^{10}$ steps, and above it at $10^9$.
#
# </details>
#
# **2.** A colleague says: "Part II is false, so the paper's choice $p = 1/3$ is unfounded." What do you answer?
#
# <details><summary>Answer</summary>
#
# At $p = 1/3$ and for two arms or more the printed conclusion happens to be true, though its proof is not
# ([notebook 3, section 8](03_the_lemma.ipynb#s8)). And the corrected lemma gives the same exponent: the corollary
# is right in the limit ([notebook 4, section 11](04_the_bounds.ipynb#s11)).
#
# </details>
#
# **3.** Which single experiment would change your mind about "Deep converges"? Say before you run it what you
# would count as nothing.
#
# <details><summary>Answer</summary>
#
# There is more than one good answer. A good one names a horizon, a number of runs, a margin, and what would
# speak against it: for example, that the mean regret of the last quarter, over ten runs, is below 0.15 at
# $10^6$ steps.
#
# </details>

# %% [markdown]
# ## Bibliography
#
# The same as BibTeX is [in the repository](../book/references.bib).
#
# * <a id="agrawal2013"></a>Shipra Agrawal and Navin Goyal (2013). Thompson Sampling for Contextual Bandits with
#   Linear Payoffs. *Proceedings of the 30th International Conference on Machine Learning*, 127–135.
#   [arXiv:1209.3352](https://arxiv.org/abs/1209.3352)
# * <a id="auer2002"></a>Peter Auer, Nicolò Cesa-Bianchi and Paul Fischer (2002). Finite-time Analysis of the
#   Multiarmed Bandit Problem. *Machine Learning* 47 (2–3), 235–256.
#   [doi:10.1023/A:1013689704352](https://doi.org/10.1023/A:1013689704352)
# * <a id="demsar2006"></a>Janez Demšar (2006). Statistical Comparisons of Classifiers over Multiple Data Sets.
#   *Journal of Machine Learning Research* 7, 1–30.
# * <a id="foster2020"></a>Dylan J. Foster and Alexander Rakhlin (2020). Beyond UCB: Optimal and Efficient
#   Contextual Bandits with Regression Oracles. *Proceedings of the 37th International Conference on Machine
#   Learning*, 3199–3210. [arXiv:2002.04926](https://arxiv.org/abs/2002.04926)
# * <a id="gyorfi2002"></a>László Györfi, Michael Kohler, Adam Krzyżak and Harro Walk (2002). *A Distribution-Free
#   Theory of Nonparametric Regression*. Springer. [doi:10.1007/b97848](https://doi.org/10.1007/b97848)
# * <a id="kingma2015"></a>Diederik P. Kingma and Jimmy Ba (2015). Adam: A Method for Stochastic Optimization.
#   *International Conference on Learning Representations*. [arXiv:1412.6980](https://arxiv.org/abs/1412.6980)
# * <a id="langford2007"></a>John Langford and Tong Zhang (2007). The Epoch-Greedy Algorithm for Contextual
#   Multi-armed Bandits. *Advances in Neural Information Processing Systems* 20.
# * <a id="lattimore2020"></a>Tor Lattimore and Csaba Szepesvári (2020). *Bandit Algorithms*. Cambridge University
#   Press. [doi:10.1017/9781108571401](https://doi.org/10.1017/9781108571401)
# * <a id="lecun1998"></a>Yann LeCun, Léon Bottou, Yoshua Bengio and Patrick Haffner (1998). Gradient-Based Learning
#   Applied to Document Recognition. *Proceedings of the IEEE* 86 (11), 2278–2324.
#   [doi:10.1109/5.726791](https://doi.org/10.1109/5.726791)
# * <a id="li2010"></a>Lihong Li, Wei Chu, John Langford and Robert E. Schapire (2010). A Contextual-Bandit Approach
#   to Personalized News Article Recommendation. *Proceedings of the 19th International Conference on World Wide
#   Web*, 661–670. [doi:10.1145/1772690.1772758](https://doi.org/10.1145/1772690.1772758)
# * <a id="osband2016"></a>Ian Osband, Charles Blundell, Alexander Pritzel and Benjamin Van Roy (2016). Deep
#   Exploration via Bootstrapped DQN. *Advances in Neural Information Processing Systems* 29.
#   [arXiv:1602.04621](https://arxiv.org/abs/1602.04621)
# * <a id="rawson2021"></a>Michael Rawson and Radu Balan (2021). Convergence Guarantees for Deep Epsilon Greedy
#   Policy Learning. [arXiv:2112.03376](https://arxiv.org/abs/2112.03376)
# * <a id="riquelme2018"></a>Carlos Riquelme, George Tucker and Jasper Snoek (2018). Deep Bayesian Bandits Showdown: An
#   Empirical Comparison of Bayesian Deep Networks for Thompson Sampling. *International Conference on Learning
#   Representations*. [arXiv:1802.09127](https://arxiv.org/abs/1802.09127)
# * <a id="zhang2021"></a>Weitong Zhang, Dongruo Zhou, Lihong Li and Quanquan Gu (2021). Neural Thompson Sampling.
#   *International Conference on Learning Representations*. [arXiv:2010.00827](https://arxiv.org/abs/2010.00827)
# * <a id="zhou2020"></a>Dongruo Zhou, Lihong Li and Quanquan Gu (2020). Neural Contextual Bandits with UCB-based
#   Exploration. *Proceedings of the 37th International Conference on Machine Learning*, 11492–11502.
#   [arXiv:1911.04462](https://arxiv.org/abs/1911.04462)
#
# ## Glossary
#
# | term | meaning |
# | --- | --- |
# | any-time | of a statement: true at all steps from some step on at once, not at each step by itself |
# | arm | one of the $K$ actions; in the paper's task arm $i$ takes the $i$-th of five images |
# | Assumption A | from some number of samples on, the squared risk of a prediction after $n$ samples is at most $C\sqrt{\ln n/n}$ |
# | context, state | what is seen before an arm is chosen, $X_t$ |
# | contextual bandit | the problem of choosing an arm in each state, when only the reward of the chosen arm is seen |
# | Deep, Simple | ε-greedy with the paper's convolutional networks, one for each arm; with one hidden layer |
# | ε-greedy | with probability $\varepsilon_t$ any arm, all equally likely; else the arm that is predicted to pay most |
# | gap | $\delta > 0$, no larger than any loss $\Delta_i(X)$ that is not 0 |
# | horizon | the number of steps of a run |
# | in use | of an arm: taken in at least one step of a hundred |
# | late | in the last quarter of a run |
# | ledger | the list of all claims, each with a verdict and a check |
# | Linear, LinUCB | least squares for each arm, and greed; ridge regression, and a width where little is known |
# | mutant | a wrong version of a claim, which its check has to refuse |
# | normalized | of regret or reward: of all steps so far, divided by their number |
# | Optimal, Random | the policy that reads the digits; the one that does not look |
# | propensity | the probability that the chosen arm had |
# | random pull | a step at which exploration took the arm; there are $T_i^R(t)$ before step $t$ |
# | regret | what the best arm pays on average, less what the chosen arm pays on average |
# | SquareCB | takes an arm the more rarely, the further its prediction is behind the best ([notebook 9](09_what_instead.ipynb#s1)) |
# | schedule | the numbers $\varepsilon_1, \varepsilon_2, \dots$, here mostly $t^{-p}$ |
# | starvation | an arm is not drawn at random for so long that nothing is learned about it |
# | Thompson sampling | takes the best of predictions drawn from a law that is the wider the less is known |
# | training stage | every 20 steps: each network is trained for 16 epochs on its samples |
# | verdict | on figures: "agrees", "does not agree" or "undecided", by one rule that was fixed before the runs ([notebook 7](07_the_paper_figures.ipynb)) |
