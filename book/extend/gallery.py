"""Examples of experiments of one's own: `bandits figures book/extend/gallery.py:SOFTMAX`."""

from dataclasses import replace

import numpy as np
from sklearn.datasets import load_wine
from sklearn.svm import SVR

from bandits.architecture import Training
from bandits.environments import SyntheticBandit, table
from bandits.experiments import DEEP, LINEAR, OPTIMAL, RANDOM, LeastSquaresSpec, Method, experiment
from bandits.policies import Choice, EpsilonGreedy, Learner, chosen, drawn
from bandits.predictors import Regressor
from bandits.schedules import CappedPower, EpsilonFirst
from bandits.streams import Stream, generator


# begin: data
class Wine:
    """Three kinds of wine: the right one pays 1."""

    def __init__(self, noise):
        self.noise = noise

    def rounds(self, seed, run, steps):
        x, kind = load_wine(return_X_y=True)
        rows = generator(seed, run, Stream.STATES).integers(len(x), size=steps)
        standard = (x - x.mean(axis=0)) / x.std(axis=0)
        return table(standard[rows], np.eye(3)[kind[rows]], noise=self.noise, seed=seed, run=run)


RIDGE = Method("ridge", "ridge, ε-greedy", "epsilon_greedy", 1 / 3, LeastSquaresSpec(1.0))
WINE = replace(experiment("low_noise"), name="wine", bandit=Wine, arms=3, noise=0.1,
               methods=(OPTIMAL, RIDGE, RANDOM))  # fmt: skip
# end: data


# begin: ucb1
class UCB1:
    def __init__(self, arms):
        self.counts, self.sums = np.zeros(arms), np.zeros(arms)

    def choose(self, contexts, t, draws):
        pulls = np.maximum(self.counts, 1e-9)  # so that arms without pulls come first
        arm = np.argmax(self.sums / pulls + np.sqrt(2 * np.log(t[0]) / pulls))
        return Choice(np.full(len(t), arm), np.ones(len(t)), np.zeros(len(t), bool))

    def record(self, contexts, choice, rewards):
        np.add.at(self.counts, choice.actions, 1)
        np.add.at(self.sums, choice.actions, rewards)

    def train(self):
        pass


UCB = replace(WINE, name="ucb1", methods=(Method("ucb1", "UCB1", UCB1), RANDOM), train_every=1)
# end: ucb1


# begin: softmax
class Softmax(Learner):
    def __init__(self, predictor, arms, recall, temperature=0.1):
        super().__init__(predictor, arms, recall=recall)
        self.temperature = temperature

    def choose(self, contexts, t, draws):
        scores = self.scores(contexts) / self.temperature
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        probability = weights / weights.sum(axis=1, keepdims=True)
        actions = drawn(probability, draws.tie)
        return Choice(actions, chosen(probability, actions), np.zeros(len(t), bool))


COOL, WARM = (
    Method(f"softmax{n}", f"softmax, temperature {heat}", Softmax, predictor=LeastSquaresSpec(1.0),
           parameters={"temperature": heat})
    for n, heat in enumerate((0.02, 0.2))
)  # fmt: skip
SOFTMAX = replace(WINE, name="softmax", methods=(COOL, WARM, RIDGE))
# end: softmax


# begin: thompson
class LinearThompson:
    def __init__(self, arms, context_size, generator, scale=0.2):
        self.precision = np.tile(np.eye(context_size), (arms, 1, 1))
        self.sums, self.generator, self.scale = np.zeros((arms, context_size)), generator, scale

    def choose(self, contexts, t, draws):
        covariance = self.scale**2 * np.linalg.inv(self.precision)
        means = np.linalg.solve(self.precision, self.sums[..., None])[..., 0]
        normal = np.array([self.generator(step).standard_normal(means.shape) for step in t])
        thetas = means + np.einsum("kij,nkj->nki", np.linalg.cholesky(covariance), normal)
        actions = np.einsum("nki,ni->nk", thetas, contexts).argmax(axis=1)
        return Choice(actions, None, np.zeros(len(t), bool))  # the probabilities are not known

    def record(self, contexts, choice, rewards):
        for x, arm, reward in zip(contexts, choice.actions, rewards, strict=True):
            self.precision[arm] += np.outer(x, x)
            self.sums[arm] += reward * x

    def train(self):
        pass


THOMPSON = Method("thompson", "linear Thompson sampling", LinearThompson)
LINEAR_THOMPSON = replace(WINE, name="linear_thompson", methods=(THOMPSON, RIDGE))
# end: thompson

# begin: schedules
COMMIT = replace(RIDGE, name="commit", label="explore 100 steps, then commit", p=None,
                 schedule=EpsilonFirst(100))  # fmt: skip
CAPPED = replace(RIDGE, name="capped", label="min(1, 5 / t)", p=None, schedule=CappedPower(5.0))
SCHEDULES = replace(WINE, name="schedules", methods=(COMMIT, CAPPED, RIDGE))
# end: schedules


# begin: regressor
def kernel(arms, weights):
    return Regressor(SVR(), arms, seed=weights)


SUPPORT = replace(RIDGE, name="svr", label="support vectors, ε-greedy", predictor=kernel)
REGRESSOR = replace(WINE, name="regressor", methods=(SUPPORT, RIDGE))
# end: regressor


# begin: torch
def tanh(context_size):
    from torch import nn

    return nn.Sequential(nn.Linear(context_size, 20), nn.Tanh(), nn.Linear(20, 1))


def networks(arms, context_size, weights, batches, device):
    from bandits.networks import Networks

    return Networks(tanh, context_size, arms, training=Training(learning_rate=0.01),
                    weights=weights, batches=batches, device=device)  # fmt: skip


TANH = Method("tanh", "one layer of 20 tanh", "epsilon_greedy", 1 / 3, networks)
TORCH = replace(WINE, name="torch", methods=(TANH, RIDGE))
# end: torch


# begin: delayed
class Delayed(EpsilonGreedy):
    """Rewards arrive five training stages late."""

    waiting = ()

    def record(self, contexts, choice, rewards):
        self.waiting = (*self.waiting, (contexts, choice, rewards))
        if len(self.waiting) > 5:
            super().record(*self.waiting[0])
            self.waiting = self.waiting[1:]


LATE = replace(RIDGE, name="late", label="rewards five stages late", policy=Delayed)
DELAYED = replace(WINE, name="delayed", methods=(LATE, RIDGE))
# end: delayed


# begin: drifting
class Drifting:
    """The arms move round the circle once in 500 steps."""

    def __init__(self, arms, noise):
        self.still, self.noise = SyntheticBandit(arms), noise

    def rounds(self, seed, run, steps):
        states = generator(seed, run, Stream.STATES).random((steps, 1))
        means = self.still.mean_rewards(states + np.arange(steps)[:, None] / 500)
        return table(states, means, noise=self.noise, seed=seed, run=run)


DRIFTING = replace(WINE, name="drifting", bandit=Drifting, methods=(OPTIMAL, RIDGE, RANDOM))
# end: drifting

# begin: arms
TWO = replace(experiment("low_noise"), name="two_arms", arms=2, methods=(DEEP, LINEAR, RANDOM))
TEN = replace(TWO, name="ten_arms", arms=10)
# end: arms
