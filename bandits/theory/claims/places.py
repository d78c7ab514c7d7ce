"""Where each claim stands in the paper, in its own words, and which notebook section shows it.

The paper counts its theorems, lemma, corollaries and remark together, from 3.1 on, and its
equations from (1) to (11). Rows of our own have no place in the paper.
"""

from typing import NamedTuple


class Place(NamedTuple):
    """Section, equation and quoted words of the paper; notebook and section."""

    section: str
    equation: str
    quote: str
    notebook: str


NOTEBOOKS = {
    "03": "03_the_lemma",
    "04": "04_the_bounds",
    "05": "05_what_is_true",
    "06": "06_the_mnist_bandit",
    "08": "08_beyond_the_paper",
}
"""The files that a row may point to. Sections are the anchors s1, s2, … there."""

LEMMA, PROOF, PART_TWO = "3, Lemma 3.4", "3, proof of Lemma 3.4, part I", "Appendix, Lemma 3.4"
STEPS = "3, proof of Theorem 3.2"
PLACES: dict[str, Place] = {
    "Lemma, proof, expectation": Place(PROOF, "display 1", "E(T^R_i(t))", "03 §1"),
    "Lemma, proof, variance": Place(PROOF, "display 2", "Var(T^R_i(t))", "03 §4"),
    "Lemma, proof, part I, Σ 1/l ≥ ln t": Place(PROOF, "display 1", "≥ (1/K) ln(t)", "03 §2"),
    "Lemma, proof, Bernstein": Place(PROOF, "display 3", "By Bernstein’s inequality", "03 §4"),
    "Lemma, proof, union bound": Place(PROOF, "display 4", "So by union bound", "03 §5"),
    "Lemma, part I (p = 1)": Place(LEMMA, "(7), (8)", "For the case ε_t = 1/t", "03 §7"),
    "Lemma, proof, part II, Σ l^-p ≥ t^(1-p)/(1-p)": Place(
        PART_TWO, "display 1", "≥ 1/((1-p) K) t^(1-p)", "03 §2"
    ),
    "Lemma, proof, part II, second use": Place(
        PART_TWO, "display 4", "≤ K P(T^R_1(t) ≤ B(t)/2)", "03 §5"
    ),
    "Lemma, part II (0 < p < 1)": Place(LEMMA, "(9), (10)", "where 0<p<1", "03 §8"),
    "Lemma, part II, at p = 1/3": Place(LEMMA, "(9), (10)", "where 0<p<1", "03 §8"),
    "Theorem 1 (quoted)": Place("3, Theorem 3.1", "(1)", "Then for n large enough", "04 §1"),
    "Theorem 1 (quoted), bounded rewards": Place(
        "3, Theorem 3.1", "", "where X and Y are almost surely bounded", "04 §1"
    ),
    "Theorems 2 and 3, proof, “have t parameters”": Place(
        STEPS, "", "and have t parameters", "04 §1"
    ),
    "Theorems 2 and 3, proof, regret identity": Place(
        STEPS, "display 1", "= Σ_i E Δ_i(X_t) P(I_t=i | X_t)", "04 §3"
    ),
    "Theorems 2 and 3, proof, P(I = i) ≤ ε/K + P(Φ_i ≥ Φ_*)": Place(
        STEPS, "display 2", "[ε_t/K + P(Φ_i,t(X_t) ≥ Φ_*,t(X_t))]", "04 §3"
    ),
    "Theorems 2 and 3, proof, midpoint and Markov": Place(
        STEPS, "display 3", "with Markov's inequality", "04 §4"
    ),
    "Theorems 2 and 3, proof, the line without squares": Place(
        STEPS, "display 4", "|Φ_i,t(X_t) - μ_i(X_t)| / (Δ_i(X_t)/2)", "04 §4"
    ),
    "Theorems 2 and 3, proof, “by dominated convergence”": Place(
        STEPS, "display 5", "by dominated convergence", "04 §4"
    ),
    "Theorems 2 and 3, proof, C_*": Place(STEPS, "display 6", "(4/δ) C_* …", "04 §5"),
    "Theorems 2 and 3, C_0 = 8√2·max C": Place(
        "3, Theorem 3.2", "(3)", "C_0 = 8√2 max_i C_i", "04 §5"
    ),
    "Theorems 2 and 3, proof, sums over i": Place(STEPS, "display 7", "K^(3/2) √2 […]", "04 §5"),
    "Theorems 2 and 3, proof, monotone rate": Place(
        STEPS, "", "is monotone decreasing for x>e", "04 §6"
    ),
    "Theorems 2 and 3, proof, “Recall that we are in the case”": Place(
        STEPS, "display 6", "Recall that we are in the case", "04 §10"
    ),
    "Theorems 2 and 3, t_0": Place(
        "3, Theorems 3.2 and 3.3", "", "Then for every t > t_0", "04 §7"
    ),
    "Theorems 2 and 3, proof, lower bound for one arm": Place(
        STEPS, "display 8", "we have, for i not optimal", "04 §3"
    ),
    "Theorems 2 and 3, lower bound δ·ε_t/K": Place(
        "3, Theorems 3.2 and 3.3", "(2), (4)", "δ / (tK) ≤", "04 §3"
    ),
    "Theorem 2 (p = 1), upper bound": Place(
        "3, Theorem 3.2", "(3)", "Then for every t > t_0", "04 §6"
    ),
    "Theorem 3 (p < 1), upper bound": Place("3, Theorem 3.3", "(5), (6)", "where 0<p<1", "04 §8"),
    "Theorem 3, regret → 0 almost surely (p < 1)": Place(
        "3, Theorem 3.3", "", "Assume the assumptions of Theorem 3.2", "04 §9"
    ),
    "Theorem 2, regret → 0 almost surely (p = 1)": Place(
        "3, Theorem 3.2", "", "with expected regret approaching 0 almost surely", "04 §9"
    ),
    "Corollary 1, any predictor": Place(
        "3, Corollary 3.5", "", "with any predictor, neural network or otherwise", "04 §11"
    ),
    "Remark, p ≤ 1": Place("3, Remark 3.6", "", "enough samples will be taken", "04 §9"),
    "Remark, p > 1: finitely many samples": Place(
        "3, Remark 3.6", "", "The number of samples is finite", "04 §12"
    ),
    "Remark and Summary, p > 1: failure “shown”": Place(
        "3, Remark 3.6, and 5", "", "We have shown convergence failure", "04 §12"
    ),
    "Corollary 2, proof, ratio of the bounds": Place(
        "3, Corollary 3.7", "", "the limit of the ratio of the bounds", "04 §11"
    ),
    "Corollary 2, proof, last step of the ratio": Place(
        "3, Corollary 3.7", "", "= lim t^((p-1)/2) √(ln(t)) = 0", "04 §11"
    ),
    "Corollary 2, p = 1/3 is best": Place("3, Corollary 3.7", "", "is p=1/3", "04 §11"),
    "Corollary 2, proof, the rate at p = 1/3": Place(
        "3, Corollary 3.7", "", "The convergence rate is t^-p", "04 §11"
    ),
    "MNIST experiments, the task under the assumptions": Place(
        "4", "", "Each digit has an equal chance of being chosen", "06"
    ),
    "MNIST experiments, “within the bounds”": Place(
        "4", "", "which is within the bounds of Theorem 3.2", "04 §7"
    ),
    "MNIST experiments, linear methods": Place(
        "4", "", "So they perform as well as purely random actions", "08"
    ),
    "Introduction, constant context": Place(
        "1", "", "is known to converge to the optimal", "05 §5"
    ),
    "Introduction, unconfoundedness": Place("1", "", "This is known as unconfoundedness", "04 §10"),
    "Introduction, bounded weights and Lipschitz bounds": Place(
        "1", "", "This is equivalent to a Lipschitz bound", "04 §1"
    ),
    "Theorem 1 (quoted), “optimized to minimize MSE”": Place(
        "3, Theorem 3.1", "", "the parameters are optimized to minimize MSE", "04 §1"
    ),
    "MNIST experiments, “necessary complexity”": Place(
        "4", "", "does not have the necessary complexity", "04 §1"
    ),
    "MNIST experiments, “Because the neural network does not converge”": Place(
        "4", "", "Because the neural network does not converge", "04 §5"
    ),
    "Abstract and Summary, “agrees with our proof”, “empirically confirmed”": Place(
        "Abstract and 5", "", "which agrees with our proof of convergence", "04 §7"
    ),
    "Theorems 2 and 3, “The probability refers to”": Place(
        "3, Theorems 3.2 and 3.3", "", "refers to the stochastic policy's choices", "04 §6"
    ),
    "Theorem 3, its assumptions": Place(
        "3, Theorem 3.3", "", "Assume the assumptions of Theorem 3.2", "04 §6"
    ),
    "Remark, p ≤ 1 and p ≤ 0": Place("3, Remark 3.6", "", "with p ≤ 1", "04 §12"),
    "Corollary 2, proof, “ratio test”": Place(
        "3, Corollary 3.7", "", "Using the ratio test", "04 §11"
    ),
    "Corollary 2, proof, the rates for other p": Place(
        "3, Corollary 3.7", "", "Otherwise, p>1/3, the rate achieved is", "04 §11"
    ),
    "Abstract and Summary, “fastest”, “minimized”": Place(
        "Abstract and 5", "", "gives the fastest convergence bound", "04 §11"
    ),
    "Summary, “other common predictive models”": Place(
        "5", "", "generalizations to other common predictive models", "04 §11"
    ),
    "Algorithm 1, “Reward: ℕ → ℝ”": Place("2, Algorithm 1", "", "Reward : N_[1,K] → R", "04 §1"),
    "MNIST experiments, “training is every 20 time steps”": Place(
        "4", "", "For all methods, training is every 20 time steps", "04 §6"
    ),
    "Remark, “the optimal action is not sampled sufficiently”": Place(
        "3, Remark 3.6", "", "since the optimal action is not sampled sufficiently", "04 §12"
    ),
    "Lemma, proof, Bernstein (better constants, ours)": Place("", "", "", "03 §4"),
    "Lemma, what the law is exactly (ours)": Place("", "", "", "03 §6"),
    "Lemma, part II, where it does hold (ours)": Place("", "", "", "03 §8"),
    "Lemma, both parts (corrected, ours)": Place("", "", "", "03 §5"),
    "Lemma, a sharper sum (ours)": Place("", "", "", "03 §3"),
    "Theorems 2 and 3 (unified, ours)": Place("", "", "", "04 §6"),
    "Corollary 2, at a finite t (ours)": Place("", "", "", "04 §11"),
    "Any-time lemma (ours)": Place("", "", "", "05 §1"),
    "Attaining bandits (ours)": Place("", "", "", "05 §2"),
    "Attaining bandits, every schedule (ours)": Place("", "", "", "05 §2"),
    "Unified theorem, how sharp (ours)": Place("", "", "", "05 §3"),
    "Adaptive data (ours)": Place("", "", "", "05 §4"),
    "The price of 1/t (ours)": Place("", "", "", "05 §5"),
}
