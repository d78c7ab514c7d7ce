"""Algorithms 1 to 5 of the paper, transcribed step by step and slowly.

Written from the paper alone. Shared with the package are only the drawn table of random numbers
and, for networks, the initial weights and the order of the samples in the mini-batches.

Arms are 0..K−1 here (the paper counts from 1) and time is t = 1..M. `train_every` performs the
training stage at the steps that it divides; 1 is the paper's algorithm to the letter.

Scores of two sound computations differ in their last bits, so a decision between scores that are
not equal but closer than `tolerance` is a near-tie: it is taken from `decided` (the package's
decision) and counted. Exactly equal scores are no near-tie: the first of them must be chosen.
"""

import copy
from dataclasses import dataclass, field

import numpy as np
import torch


@dataclass
class Record:
    """D_t, R_t, which steps explored, and the number of near-ties that the package decided."""

    D: list = field(default_factory=list)
    R: list = field(default_factory=list)
    explored: list = field(default_factory=list)
    near_ties: int = 0


def arg_max(mu_hat, tie, ties, decided, tolerance, record):
    mu_hat = [float(value) for value in mu_hat]
    top = max(mu_hat)
    equal = [j for j, value in enumerate(mu_hat) if value == top]
    close = [j for j, value in enumerate(mu_hat) if value >= top - tolerance]
    choice = equal[0] if ties == "first" else equal[int(tie * len(equal))]
    if choice != decided and close != equal and decided in close:
        record.near_ties += 1
        return decided
    return choice


def random(M, rho, reward):
    """Algorithm 2."""
    record = Record()
    for t in range(1, M + 1):
        record.D.append(int(rho[t - 1]))
        record.R.append(reward(t, record.D[-1]))
        record.explored.append(True)
    return record


def optimal(M, K, mu, reward):
    """Algorithm 3; the oracle names the lowest-numbered arm among equals."""
    record = Record()
    for t in range(1, M + 1):
        best = 0
        for j in range(K):
            if mu[t - 1][j] > mu[t - 1][best]:
                best = j
        record.D.append(best)
        record.R.append(reward(t, best))
        record.explored.append(False)
    return record


def linear(M, K, X, reward, *, train_every, tie, ties, decided, tolerance):
    """Algorithm 4, float64; the minimum-norm solution where it is not unique."""
    X = np.asarray(X, dtype=np.float64)
    record = Record()
    B = [np.zeros(X.shape[1]) for _ in range(K)]
    for t in range(1, M + 1):
        mu_hat = [B[j].T @ X[t - 1] for j in range(K)]
        record.D.append(arg_max(mu_hat, tie[t - 1], ties, decided[t - 1], tolerance, record))
        record.R.append(reward(t, record.D[-1]))
        record.explored.append(False)
        if t % train_every == 0:
            # The paper refits the arm just chosen. With stages farther apart several arms have new
            # data; an arm without new data would be refitted to the same B.
            for j in range(K):
                S = [i for i in range(t) if record.D[i] == j]
                if S:
                    cutoff = max(len(S), X.shape[1]) * np.finfo(float).eps
                    R = np.array([record.R[i] for i in S], dtype=np.float64)
                    B[j] = np.linalg.lstsq(X[S], R, rcond=cutoff)[0]
    return record


def linucb(M, K, X, reward, *, train_every, tie, ties, decided, tolerance):
    """Algorithm 5, float64, with B_j and its inverse written out."""
    X = np.asarray(X, dtype=np.float64)
    m = X.shape[1]
    record = Record()
    B = [np.eye(m) for _ in range(K)]
    B_inverse = [np.eye(m) for _ in range(K)]
    b = [np.zeros(m) for _ in range(K)]
    learnt = 0
    for t in range(1, M + 1):
        x = X[t - 1]
        mu_hat = []
        for j in range(K):
            theta = B_inverse[j] @ b[j]
            mu_hat.append(theta.T @ x + np.sqrt(x.T @ B_inverse[j] @ x))
        record.D.append(arg_max(mu_hat, tie[t - 1], ties, decided[t - 1], tolerance, record))
        record.R.append(reward(t, record.D[-1]))
        record.explored.append(False)
        if t % train_every == 0:
            for i in range(learnt, t):
                j = record.D[i]
                B[j] = B[j] + np.outer(X[i], X[i])
                b[j] = b[j] + float(record.R[i]) * X[i]
            for j in set(record.D[learnt:t]):
                B_inverse[j] = np.linalg.inv(B[j])
            learnt = t
    return record


def deep_epsilon_greedy(
    M, K, X, reward, phi, *, p, eta, rho, train_every, tie, ties, decided, tolerance, train
):
    """Algorithm 1 with ε_t = 1/t^p.

    `phi` holds K functions from a context to a number, each with its own parameters; `train` is
    TrainNNet(phi_j, inputs, outputs).
    """
    record = Record()
    for t in range(1, M + 1):
        mu_hat = [phi[j](X[t - 1]) for j in range(K)]
        epsilon = 1 / t**p
        greedy = arg_max(mu_hat, tie[t - 1], ties, decided[t - 1], tolerance, Record())
        if eta[t - 1] > epsilon:
            # Once more, to count near-ties of the steps that they decide.
            record.D.append(arg_max(mu_hat, tie[t - 1], ties, decided[t - 1], tolerance, record))
            assert record.D[-1] == greedy
            record.explored.append(False)
        else:
            record.D.append(int(rho[t - 1]))
            record.explored.append(True)
        record.R.append(reward(t, record.D[-1]))
        if t % train_every == 0:
            for j in range(K):
                S = [i for i in range(t) if record.D[i] == j]
                if S:
                    train(j, X[S], np.array([record.R[i] for i in S], dtype=np.float32))
    return record


class Phi(torch.nn.Module):
    """One arm's network, from the description in words: plain PyTorch, one context at a time or n.

    The fold is written as what it is, a convolution of side 3·fold and stride fold on the pixels;
    ReLU comes before the pooling, as one usually writes it; the features are read row by row,
    channels innermost. Parameters are copied from the arrays of the package's network.
    """

    def __init__(self, weights, arrangement, fold, stride, pool, padding):
        super().__init__()
        self.arrangement, self.fold = arrangement, fold
        self.stride, self.pool, self.padding = stride, pool, padding
        self.w = torch.nn.ParameterDict(
            {
                name.replace(".", "_"): torch.nn.Parameter(torch.tensor(np.array(value)))
                for name, value in weights.items()
            }
        )

    def unfolded(self, weight):
        """Weights (out, images · fold², 3, 3) -> (out, images, 3 fold, 3 fold)."""
        f = self.fold
        out, channels = weight.shape[:2]
        rows = []
        for i in range(3 * f):
            columns = []
            for j in range(3 * f):
                inside = (i % f) * f + j % f  # which of the fold² pixels of a square
                of_image = [k * f * f + inside for k in range(channels // (f * f))]
                columns.append(weight[:, of_image, i // f, j // f])
            rows.append(torch.stack(columns, dim=-1))
        return torch.stack(rows, dim=-2).reshape(out, channels // (f * f), 3 * f, 3 * f)

    def forward(self, contexts):
        x = contexts.reshape(len(contexts), -1)
        if self.stride:
            images = [x[:, a : a + 784].reshape(-1, 28, 28) for a in range(0, x.shape[1], 784)]
            if self.arrangement == "side_by_side":
                x = torch.cat(images, dim=2)[:, None]
            else:
                x = torch.stack(images, dim=1)
        for layer in range(len(self.stride)):
            weight, bias = (
                self.w[f"convolutions_{layer}_weight"],
                self.w[f"convolutions_{layer}_bias"],
            )
            stride, padding = self.stride[layer], self.padding[layer]
            if layer == 0:
                weight = self.unfolded(weight)
                stride, padding = stride * self.fold, padding * self.fold
            x = torch.conv2d(x, weight, bias, stride=stride, padding=padding)
            x = torch.max_pool2d(torch.relu(x), self.pool[layer])
        if self.stride:
            x = torch.stack([x[n].movedim(0, 2).flatten() for n in range(len(x))])
        hidden = torch.relu(x @ self.w["hidden_weight"].T + self.w["hidden_bias"])
        return (hidden @ self.w["output_weight"].T + self.w["output_bias"])[:, 0]


class Adam:
    """Adam as its authors write it (Kingma & Ba, Algorithm 1), without any library's."""

    def __init__(self, parameters, rate):
        self.parameters, self.rate, self.steps = list(parameters), rate, 0
        self.m = [torch.zeros_like(q) for q in self.parameters]
        self.v = [torch.zeros_like(q) for q in self.parameters]

    def step(self):
        self.steps += 1
        with torch.no_grad():
            for q, m, v in zip(self.parameters, self.m, self.v, strict=True):
                m.copy_(0.9 * m + 0.1 * q.grad)
                v.copy_(0.999 * v + 0.001 * q.grad**2)
                m_hat = m / (1 - 0.9**self.steps)
                v_hat = v / (1 - 0.999**self.steps)
                q -= self.rate * m_hat / (v_hat.sqrt() + 1e-8)
                q.grad = None


class DeepArms:
    """The K networks of Algorithm 1 and their TrainNNet: Adam on the mean squared error."""

    def __init__(self, weights, architecture, training, shuffle):
        a = architecture
        self.networks = [
            Phi(w, a.arrangement, a.fold, a.stride, a.pool, a.padding) for w in weights
        ]
        self.training = training
        self.adams = [Adam(n.parameters(), training.learning_rate) for n in self.networks]
        self.shuffle = copy.deepcopy(shuffle)

    def phi(self, j):
        def predict(x):
            with torch.no_grad():
                return float(self.networks[j](torch.tensor(x[None]))[0])

        return predict

    def train(self, j, inputs, outputs):
        network, settings = self.networks[j], self.training
        if not settings.keep_optimizer:
            self.adams[j] = Adam(network.parameters(), settings.learning_rate)
        x, y = torch.tensor(inputs), torch.tensor(outputs)
        size = settings.batch_size
        starts = range(0, len(x), size)
        done, total = 0, settings.epochs * len(starts)
        for _ in range(settings.epochs):
            order = torch.randperm(len(x), generator=self.shuffle)
            for start in starts:
                if settings.decay == "linear":
                    self.adams[j].rate = settings.learning_rate * (total - done) / total
                batch = order[start : start + size]
                loss = ((network(x[batch]) - y[batch]) ** 2).mean()
                loss.backward()
                self.adams[j].step()
                done += 1
