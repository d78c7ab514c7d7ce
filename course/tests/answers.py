"""Answers to the assignments as students would give them: right in another way, and wrong.

Each answer is the code of one answer cell, by its grade_id. A wrong one comes with the test cells
that it must fail; all others must pass.
"""

import answers_training
from mistakes import edited, wrong

RIGHT = {
    "exploring": [
        {
            "epsilon": "def epsilon(t, p):\n    return np.exp(-p * np.log(t))",
            "choose": """
def choose(predictions, epsilon_t, eta, rho):
    explored = not eta > epsilon_t
    best = 0
    for arm, prediction in enumerate(predictions):
        if prediction > predictions[best]:
            best = arm
    return (rho if explored else best), explored
""",
            "propensity": """
def propensity(predictions, epsilon_t, action):
    chances = np.full(len(predictions), epsilon_t / len(predictions))
    chances[list(predictions).index(max(predictions))] += 1 - epsilon_t
    return chances[action]
""",
            "linucb_scores": """
def linucb_scores(B, b, x, alpha=1.0):
    inverse = np.linalg.inv(B)
    theta = np.einsum("kij,kj->ki", inverse, b)
    return theta @ x + alpha * np.sqrt(np.einsum("i,kij,j->k", x, inverse, x))
""",
            "linucb_update": """
def linucb_update(B, b, action, x, reward):
    taken = (np.arange(len(B)) == action).astype(float)
    return B + taken[:, None, None] * (x[:, None] @ x[None, :]), b + np.outer(taken, reward * x)
""",
            "written": "Random steps stop paying once enough is known.",
        },
        {
            "epsilon": """
def epsilon(t, p):
    if np.isscalar(t):
        return 1 / t**p
    return np.array([1 / step**p for step in t.ravel()]).reshape(t.shape)
""",
            "choose": """
def choose(predictions, epsilon_t, eta, rho):
    arms = np.arange(len(predictions))
    order = sorted(arms, key=lambda arm: (-predictions[arm], arm))
    return (order[0], False) if eta > epsilon_t else (rho, True)
""",
            "propensity": """
def propensity(predictions, epsilon_t, action):
    K = len(predictions)
    if np.argmax(predictions) == action:
        return 1 - epsilon_t * (K - 1) / K
    return epsilon_t / K
""",
            "linucb_scores": """
def linucb_scores(B, b, x, alpha=1.0):
    scores = np.empty(len(B))
    for j in range(len(B)):
        L = np.linalg.cholesky(B[j])
        half = np.linalg.solve(L, x)
        scores[j] = half @ np.linalg.solve(L, b[j]) + alpha * np.linalg.norm(half)
    return scores
""",
            "linucb_update": """
def linucb_update(B, b, action, x, reward):
    B, b = B.copy(), b.copy()
    B[action], b[action] = B[action] + np.outer(x, x), b[action] + reward * x
    return B, b
""",
        },
    ],
    "a_lemma_under_test": [
        {
            "expected_pulls": """
def expected_pulls(t, K, p):
    total = 0.0
    for l in range(t - 1, 0, -1):
        total += l ** (-p)
    return total / K
""",
            "pull_law": """
def pull_law(t, K, p):
    law = np.array([1.0])
    for l in range(1, t):
        law = np.convolve(law, [1 - l**-p / K, l**-p / K])
    return law
""",
            "one_arm": """
def one_arm(law, x, K):
    least = math.ceil(x / (2 * K))
    return 1 - law[:least].sum(), 1 - np.exp(-3 / 28 * x / K)
""",
            "both_sides": """
def both_sides(line, t, K, p):
    e = [l**-p for l in range(1, t)]
    B = sum(e) / K
    V = sum(x / K * (1 - x / K) for x in e)
    if line == "A":
        return V, B
    if line == "B":
        return sum(e), t ** (1 - p) / (1 - p)
    right = math.exp(-3 * B / 28)
    return (math.exp(-B * B / 8 / (V + B / 6)) if line == "C" else right), right
""",
            "false_step": "false_step = 'B'",
            # Sharper by the trapezoid rule; warns at p = 1, where the other branch counts.
            "lower_bound": """
def lower_bound(t, p):
    q = np.float64(1 - p)
    return np.where(p == 1, np.log(t), (t**q - 1) / q) + (1 - t**-p) / 2
""",
            "silent_until": """
def silent_until(K):
    return float(K) ** (28 * K / 3)
""",
            "written": "The integral from 0 to t - 1 is larger than the sum.",
        },
        {
            "expected_pulls": """
def expected_pulls(t, K, p):
    return sum(1 / l**p for l in range(1, t)) / K
""",
            "pull_law": """
def pull_law(t, K, p):
    roots = np.exp(2j * np.pi * np.arange(t) / t)  # the generating function at the t-th roots of 1
    values = np.ones(t, dtype=complex)
    for l in range(1, t):
        values *= 1 + (roots - 1) * l**-p / K
    return np.fft.fft(values).real / t
""",
            "one_arm": """
def one_arm(law, x, K):
    truth = 0.0
    for count, chance in enumerate(law):
        if not count < x / (2 * K):
            truth += chance
    return truth, -math.expm1(-3 * x / 28 / K)
""",
            "both_sides": """
def both_sides(line, t, K, p):
    B = expected_pulls(t, K, p)
    V = B - sum(l ** (-2 * p) for l in range(1, t)) / K**2
    C = np.exp([-B * B / 8 / (x + B / 6) for x in (V, B)])
    sides = [(V, B), (K * B, t ** (1 - p) / (1 - p)), C, (C[1], np.exp(-3 * B / 28))]
    return sides["ABCD".index(line)]
""",
            "false_step": "false_step = 'b '",
            "lower_bound": """
def lower_bound(t, p):
    if p == 1:
        return math.log(t)
    return math.expm1((1 - p) * math.log(t)) / (1 - p)
""",
            "silent_until": """
def silent_until(K):
    return math.e ** (K / (3 / 28) * np.log(K))
""",
        },
    ],
    "choose_the_schedule": [
        {
            "decompose": """
def decompose(means, actions, explored):
    tried, parts = set(), []
    for row, action, explores in zip(means, actions, explored):
        tried.add(action)
        regret = max(row) - row[action]
        missed = max(row) - max(row[arm] for arm in tried)
        parts.append((regret, 0, 0) if explores else (0, missed, regret - missed))
    return tuple(np.array(parts).T)
""",
            "limit_exponent": "def limit_exponent(a):\n    return 1 - 1 / (1 + a)",
            "finite_exponent": """
def finite_exponent(t, K, D, C, a):
    from scipy.optimize import minimize_scalar

    def cost(p):
        return D / t**p + C / ((t ** (1 - p) - 1) / (1 - p) / K) ** a

    return minimize_scalar(cost, bounds=(0.01, 0.99), method="bounded").x
""",
            "ips": """
def ips(target, actions, rewards, propensities):
    total = 0.0
    for t in range(len(actions)):
        total += target[t, actions[t]] / propensities[t] * rewards[t]
    return total / len(actions)
""",
            "doubly_robust": """
def doubly_robust(target, actions, rewards, propensities, predictions):
    T, K = target.shape
    taken = np.arange(K) == np.asarray(actions)[:, None]
    surprise = (rewards[:, None] - predictions) / propensities[:, None]
    return float((target * (predictions + taken * surprise)).sum() / T)
""",
            "paired_interval": """
def paired_interval(first, second, level=0.95):
    test = stats.ttest_rel(first, second)
    low, high = test.confidence_interval(level)
    return np.mean(first) - np.mean(second), low, high
""",
            "verdict": """
def verdict(low, high, nothing):
    if max(-low, high) <= nothing:
        return "no difference"
    return "less" if high < 0 else "more" if low > 0 else "undecided"
""",
            "written": "Less exploring means more error.",
        },
        {
            "decompose": """
def decompose(means, actions, explored):
    T, K = means.shape
    first = [list(actions).index(j) if j in actions else T for j in range(K)]
    known = np.array([[means[t, j] if first[j] <= t else -1e9 for j in range(K)] for t in range(T)])
    got = means[range(T), actions]
    greedy = 1 - np.asarray(explored).astype(int)
    best, known = np.max(means, 1), np.max(known, 1)
    return (1 - greedy) * (best - got), greedy * (best - known), greedy * (known - got)
""",
            "limit_exponent": """
def limit_exponent(a):
    low, high = 0.0, 1.0
    while high - low > 1e-12:
        p = (low + high) / 2
        low, high = (p, high) if p < a * (1 - p) else (low, p)
    return low
""",
            "finite_exponent": """
def finite_exponent(t, K, D, C, a):
    costs = {}
    for i in range(1, 1000):
        p = i / 1000
        n = np.expm1((1 - p) * np.log(t)) / (1 - p) / K
        costs[p] = D * np.exp(-p * np.log(t)) + C * n ** (-a)
    return min(costs, key=costs.get)
""",
            "ips": """
def ips(target, actions, rewards, propensities):
    chosen = np.take_along_axis(target, np.asarray(actions)[:, None], axis=1)[:, 0]
    return chosen / propensities @ rewards / len(rewards)
""",
            "doubly_robust": """
def doubly_robust(target, actions, rewards, propensities, predictions):
    residual = rewards - predictions[np.arange(len(rewards)), actions]
    return np.einsum("tj,tj->", target, predictions) / len(rewards) + ips(
        target, actions, residual, propensities
    )
""",
            "paired_interval": """
def paired_interval(first, second, level=0.95):
    d = first - second
    return np.array([d.mean(), *stats.t.interval(level, len(d) - 1, d.mean(), stats.sem(d))])
""",
            "verdict": """
def verdict(low, high, nothing):
    if abs(low) <= nothing and abs(high) <= nothing:
        return "no difference"
    if low * high <= 0:
        return "undecided"
    return "more" if low > 0 else "less"
""",
        },
    ],
    "digits_for_rewards": [
        {
            "best_expected_reward": """
def best_expected_reward(K):
    return sum(d * (((d + 1) / 10) ** K - (d / 10) ** K) for d in range(10))
""",
            "average_regret": """
def average_regret(means, actions):
    total, averages = 0.0, []
    for t, (row, action) in enumerate(zip(means, actions), start=1):
        total += row.max() - row[action]
        averages.append(total / t)
    return np.array(averages)
""",
            "fit_power_law": """
def fit_power_law(t, y):
    design = np.stack([np.ones(len(t)), -np.log(t)], axis=1)
    (log_C, a), *_ = np.linalg.lstsq(design, np.log(y), rcond=None)
    return float(np.exp(log_C)), float(a)
""",
            "play_linucb": """
def play_linucb(mnist, pixel_scale, seed, steps):
    rounds = MnistBandit(mnist, pixel_scale=pixel_scale).rounds(seed, 0, steps)
    policy, actions = LinUCB(5 * 784, 5), np.zeros(steps, dtype=int)
    for begin in range(0, steps, 20):
        block = slice(begin, min(begin + 20, steps))
        t = np.arange(begin, block.stop) + 1
        choice = policy.choose(rounds.contexts(block), t, rounds.draws[block])
        rewards = rounds.rewards(block, choice.actions)
        policy.record(rounds.contexts(block), choice, rewards)
        policy.train()
        actions[block] = choice.actions
    return rounds.means, actions
""",
            "score_parts": """
def score_parts(X, r, x, s):
    inverse = np.linalg.inv(np.identity(X.shape[1]) + s * s * X.T @ X)
    theta = inverse @ (s * X.T @ r)
    return float(theta @ (s * x)), float(np.sqrt(s * x @ inverse @ x * s))
""",
            "written": "The unit of the pixels is a ridge in disguise.",
        },
        {
            "best_expected_reward": """
def best_expected_reward(K):
    return float(sum(1 - (d / 10) ** K for d in range(1, 10)))
""",
            "average_regret": """
def average_regret(means, actions):
    best = np.cumsum(np.max(means, axis=1))
    got = np.cumsum(np.take_along_axis(means, np.asarray(actions)[:, None], axis=1)[:, 0])
    return (best - got) / np.arange(1, len(best) + 1)
""",
            "fit_power_law": """
def fit_power_law(t, y):
    from scipy.optimize import curve_fit

    (log_C, a), _ = curve_fit(lambda u, c, a: c - a * u, np.log(t), np.log(y))
    return np.exp(log_C), a
""",
            "play_linucb": """
def play_linucb(mnist, pixel_scale, seed, steps):
    rounds = MnistBandit(mnist, 5, 0.0, pixel_scale).rounds(seed, 0, steps)
    return rounds.means, simulate(LinUCB(rounds.context_size, rounds.arms), rounds).actions
""",
            "score_parts": """
def score_parts(X, r, x, s):
    # With n pulls an n x n matrix is enough (Woodbury).
    X, x = s * X, s * x
    inverse = np.linalg.inv(np.eye(len(X)) + X @ X.T)
    prediction = x @ X.T @ inverse @ r
    return prediction, np.sqrt(x @ x - x @ X.T @ inverse @ X @ x)
""",
        },
    ],
    "train_the_policy": answers_training.RIGHT,
}

DECOMPOSE = """
def decompose(means, actions, explored):
    tried, parts = set(), []
    for row, action, explores in zip(means, actions, explored):
        tried.add(action)
        best, known, got = max(row), max(row[arm] for arm in tried), row[action]
        parts.append((best - got, 0, 0) if explores else (0, best - known, known - got))
    return tuple(np.array(parts).T)
"""

WRONG = {
    "exploring": [
        *wrong(
            "epsilon",
            seen={
                "epsilon off by one": """
def epsilon(t, p):
    return 1.0 / (np.asarray(t) + 1.0) ** p
""",
            },
            hidden={
                "epsilon of the visible tests only": """
def epsilon(t, p):
    return {1: 1.0, 4: 0.5}[t] if np.ndim(t) == 0 else np.array([1.0, 0.5, 0.25])
""",
            },
        ),
        *wrong(
            "choose",
            seen={
                "never exploring": """
def choose(predictions, epsilon_t, eta, rho):
    return int(np.argmax(predictions)), False
""",
                "not exploring at eta = epsilon": """
def choose(predictions, epsilon_t, eta, rho):
    return (rho, True) if eta < epsilon_t else (int(np.argmax(predictions)), False)
""",
                "the last of equal arms": """
def choose(predictions, epsilon_t, eta, rho):
    if eta <= epsilon_t:
        return rho, True
    return len(predictions) - 1 - int(np.argmax(predictions[::-1])), False
""",
            },
            hidden={
                "exploring without the greedy arm": """
def choose(predictions, epsilon_t, eta, rho):
    best = int(np.argmax(predictions))
    if eta > epsilon_t:
        return best, False
    return (rho if rho != best else (rho + 1) % len(predictions)), True
""",
            },
        ),
        *wrong(
            "propensity",
            seen={
                "the greedy arm's propensity without exploration": """
def propensity(predictions, epsilon_t, action):
    return 1 - epsilon_t if action == np.argmax(predictions) else epsilon_t / len(predictions)
""",
            },
            hidden={
                "a propensity for every arm among equals": """
def propensity(predictions, epsilon_t, action):
    greedy = predictions[action] == max(predictions)
    return epsilon_t / len(predictions) + (1 - epsilon_t) * greedy
""",
            },
        ),
        *wrong(
            "linucb_scores",
            seen={
                "no square root in LinUCB": """
def linucb_scores(B, b, x, alpha=1.0):
    inverse = np.linalg.inv(B)
    return np.array([x @ M @ v + alpha * (x @ M @ x) for M, v in zip(inverse, b)])
""",
                "LinUCB for K = m only": """
def linucb_scores(B, b, x, alpha=1.0):
    theta = np.zeros((len(x), len(x)))
    theta[: len(B)] = [np.linalg.solve(M, v) for M, v in zip(B, b)]
    width = [np.sqrt(x @ np.linalg.solve(B[j], x)) for j in range(len(x))]
    return theta @ x + alpha * np.array(width)
""",
            },
        ),
        *wrong(
            "linucb_update",
            hidden={
                "every arm learns": """
def linucb_update(B, b, action, x, reward):
    return B + np.outer(x, x), b + reward * x
""",
                "the old arrays are changed": """
def linucb_update(B, b, action, x, reward):
    B[action] += np.outer(x, x)
    b[action] += reward * x
    return B, b
""",
            },
        ),
    ],
    "a_lemma_under_test": [
        *wrong(
            "expected_pulls",
            seen={
                "T counted to t": """
def expected_pulls(t, K, p):
    return sum(l**-p for l in range(1, t + 1)) / K
""",
                "all arms' pulls instead of one arm's": """
def expected_pulls(t, K, p):
    return sum(l**-p for l in range(1, t))
""",
            },
        ),
        *wrong(
            "pull_law",
            seen={
                "the law counted to t": """
def pull_law(t, K, p):
    law = np.array([1.0])
    for l in range(1, t + 1):
        law = np.convolve(law, [1 - l**-p / K, l**-p / K])
    return law[:t]
""",
                "a Poisson law instead of the exact one": """
def pull_law(t, K, p):
    mean = sum(l**-p for l in range(1, t)) / K
    return np.array([math.exp(-mean) * mean**n / math.factorial(n) for n in range(t)])
""",
            },
        ),
        *wrong(
            "one_arm",
            seen={
                "more than the threshold instead of at least": """
def one_arm(law, x, K):
    return law[np.arange(len(law)) > x / (2 * K)].sum(), 1 - math.exp(-3 * x / (28 * K))
""",
                "the union bound for one arm": """
def one_arm(law, x, K):
    return law[math.ceil(x / (2 * K)) :].sum(), 1 - K * math.exp(-3 * x / (28 * K))
""",
            },
            hidden={
                "the threshold rounded": """
def one_arm(law, x, K):
    return law[round(x / (2 * K)) :].sum(), 1 - math.exp(-3 * x / (28 * K))
""",
            },
        ),
        *wrong(
            "both_sides",
            seen={
                "the variance without its square": """
def both_sides(line, t, K, p):
    e = np.arange(1, t) ** -p
    B = V = e.sum() / K
    right = np.exp(-3 * B / 28)
    sides = {"A": (V, B), "B": (e.sum(), t ** (1 - p) / (1 - p)), "D": (right, right)}
    return sides.get(line, (np.exp(-B * B / 8 / (V + B / 6)), right))
""",
                "the sum to t": """
def both_sides(line, t, K, p):
    e = np.arange(1.0, t + 1) ** -p
    B, V = e.sum() / K, np.sum(e / K * (1 - e / K))
    left, right = np.exp(-B * B / 8 / (V + B / 6)), np.exp(-3 * B / 28)
    sum_, bound = e.sum(), t ** (1 - p) / (1 - p)
    return {"A": (V, B), "B": (sum_, bound), "C": (left, right), "D": (right, right)}[line]
""",
            },
        ),
        *wrong(
            "false_step",
            hidden={
                "another step blamed": "false_step = 'D'",
            },
        ),
        *wrong(
            "lower_bound",
            seen={
                "the false inequality kept": """
def lower_bound(t, p):
    return math.log(t) if p == 1 else t ** (1 - p) / (1 - p)
""",
            },
            hidden={
                "the integral to t - 1": """
def lower_bound(t, p):
    if p == 1:
        return math.log(t - 1) if t > 1 else -math.inf
    return ((t - 1) ** (1 - p) - 1) / (1 - p)
""",
                "true, but ever further below the sum": """
def lower_bound(t, p):
    return 0.75 * (math.log(t) if p == 1 else (t ** (1 - p) - 1) / (1 - p))
""",
                "added up": """
def lower_bound(t, p):
    return float(np.sum(np.arange(1, t, dtype=float) ** -p))
""",
            },
        ),
        *wrong(
            "silent_until",
            seen={
                "solved for one arm's failure in K": """
def silent_until(K):
    return math.exp(28 * math.log(K) / 3)
""",
            },
            hidden={
                "the visible values only": "def silent_until(K):\n    return 416127.66",
            },
        ),
    ],
    "choose_the_schedule": [
        *wrong(
            "decompose",
            seen={
                "an arm is tried from the next step on only": """
def decompose(means, actions, explored):
    tried, parts = set(), []
    for row, action, explores in zip(means, actions, explored):
        best, known = max(row), max((row[arm] for arm in tried), default=row[action])
        tried.add(action)
        got = row[action]
        parts.append((best - got, 0, 0) if explores else (0, best - known, known - got))
    return tuple(np.array(parts).T)
""",
                "untried arms charged to exploring steps too": edited(
                    DECOMPOSE,
                    "(best - got, 0, 0) if explores else (0, best - known, known - got)",
                    "((known - got) * explores, best - known, (known - got) * (not explores))",
                ),
                "the price of untried arms counted twice": edited(
                    DECOMPOSE, "known - got))", "best - got))"
                ),
                "added up over the steps": edited(
                    DECOMPOSE, "np.array(parts)", "np.cumsum(parts, axis=0)"
                ),
            },
            hidden={
                "three arms only": """
def decompose(means, actions, explored):
    tried, parts = [False] * 3, []
    for row, action, explores in zip(means, actions, explored):
        tried[action] = True
        best, got = max(row), row[action]
        known = max(row[arm] for arm in range(3) if tried[arm])
        parts.append((best - got, 0, 0) if explores else (0, best - known, known - got))
    return tuple(np.array(parts).T)
""",
            },
        ),
        *wrong(
            "limit_exponent",
            seen={
                "the exponent for a squared risk": "def limit_exponent(a):\n    return a / (2 + a)",
            },
            hidden={
                "the visible values only": """
def limit_exponent(a):
    return {0.5: 1 / 3, 1: 0.5}[a]
""",
                "a line through the visible values": """
def limit_exponent(a):
    return (1 + a) / 6 + a / 6
""",
            },
        ),
        *wrong(
            "finite_exponent",
            seen={
                "the limit at every time": """
def finite_exponent(t, K, D, C, a):
    return a / (1 + a)
""",
                "all arms' pulls instead of one arm's": """
def finite_exponent(t, K, D, C, a):
    p = np.linspace(0.05, 0.95, 9001)
    return p[np.argmin(D * t**-p + C * ((t ** (1 - p) - 1) / (1 - p)) ** -a)]
""",
            },
            hidden={
                "the integral from 0": """
def finite_exponent(t, K, D, C, a):
    p = np.linspace(0.05, 0.95, 9001)
    return p[np.argmin(D * t**-p + C * (t ** (1 - p) / (1 - p) / K) ** -a)]
""",
                "a risk of n^(-1/2) whatever the risk": """
def finite_exponent(t, K, D, C, a):
    p = np.linspace(0.05, 0.95, 9001)
    return p[np.argmin(D * t**-p + C * ((t ** (1 - p) - 1) / (1 - p) / K) ** -0.5)]
""",
            },
        ),
        *wrong(
            "ips",
            seen={
                "divided by the sum of the weights": """
def ips(target, actions, rewards, propensities):
    weights = target[np.arange(len(actions)), actions] / propensities
    return np.sum(weights * rewards) / np.sum(weights)
""",
                "averaged over the steps that count": """
def ips(target, actions, rewards, propensities):
    weights = target[np.arange(len(actions)), actions] / propensities
    return np.mean((weights * rewards)[weights > 0])
""",
                "the target's probability forgotten": """
def ips(target, actions, rewards, propensities):
    agrees = target[np.arange(len(actions)), actions] > 0
    return np.mean(agrees * rewards / propensities)
""",
            },
            hidden={
                "large weights cut off": """
def ips(target, actions, rewards, propensities):
    weights = target[np.arange(len(actions)), actions] / propensities
    return np.mean(np.minimum(weights, 10) * rewards)
""",
            },
        ),
        *wrong(
            "doubly_robust",
            seen={
                "predictions alone": """
def doubly_robust(target, actions, rewards, propensities, predictions):
    return np.mean(np.sum(target * predictions, axis=1))
""",
                "only the arm taken predicted": """
def doubly_robust(target, actions, rewards, propensities, predictions):
    steps = np.arange(len(actions))
    guess, weights = predictions[steps, actions], target[steps, actions] / propensities
    return np.mean(guess + weights * (rewards - guess))
""",
                "the correction without weights": """
def doubly_robust(target, actions, rewards, propensities, predictions):
    guess = predictions[np.arange(len(actions)), actions]
    return np.mean(np.sum(target * predictions, axis=1) + rewards - guess)
""",
            },
            hidden={
                "two arms only": """
def doubly_robust(target, actions, rewards, propensities, predictions):
    steps = np.arange(len(actions))
    predicted = target[:, 0] * predictions[:, 0] + target[:, 1] * predictions[:, 1]
    weights = target[steps, actions] / propensities
    return np.mean(predicted + weights * (rewards - predictions[steps, actions]))
""",
            },
        ),
        *wrong(
            "paired_interval",
            seen={
                "the normal quantile": """
def paired_interval(first, second, level=0.95):
    d = first - second
    half = stats.norm.ppf((1 + level) / 2) * np.std(d, ddof=1) / np.sqrt(len(d))
    return np.mean(d), np.mean(d) - half, np.mean(d) + half
""",
                "not paired": """
def paired_interval(first, second, level=0.95):
    low, high = stats.ttest_ind(first, second).confidence_interval(level)
    return np.mean(first) - np.mean(second), low, high
""",
                "n instead of n - 1 in the deviation": """
def paired_interval(first, second, level=0.95):
    d = first - second
    half = stats.t.ppf((1 + level) / 2, len(d) - 1) * np.std(d) / np.sqrt(len(d))
    return np.mean(d), np.mean(d) - half, np.mean(d) + half
""",
            },
            hidden={
                "95 % whatever the level": """
def paired_interval(first, second, level=0.95):
    d = first - second
    half = stats.t.ppf(0.975, len(d) - 1) * stats.sem(d)
    return d.mean(), d.mean() - half, d.mean() + half
""",
            },
        ),
        *wrong(
            "verdict",
            seen={
                "no difference wherever 0 is possible": """
def verdict(low, high, nothing):
    return "more" if low > 0 else "less" if high < 0 else "no difference"
""",
            },
            hidden={
                "whatever is certain matters": """
def verdict(low, high, nothing):
    if low > 0 or high < 0:
        return "more" if low > 0 else "less"
    return "no difference" if max(-low, high) <= nothing else "undecided"
""",
                "a narrow interval around 0 is no difference": """
def verdict(low, high, nothing):
    if (low <= 0 <= high or max(abs(low), abs(high)) <= nothing) and high - low <= 2 * nothing:
        return "no difference"
    return "more" if low > 0 else "less" if high < 0 else "undecided"
""",
            },
        ),
    ],
    "digits_for_rewards": [
        *wrong(
            "best_expected_reward",
            seen={
                "simulated": """
def best_expected_reward(K):
    return np.random.default_rng(1).integers(10, size=(10000, K)).max(axis=1).mean()
""",
            },
            hidden={
                "the visible values only": """
def best_expected_reward(K):
    return {1: 4.5, 2: 6.15}[K]
""",
            },
        ),
        *wrong(
            "average_regret",
            seen={
                "not averaged over the steps before": """
def average_regret(means, actions):
    return means.max(axis=1) - means[np.arange(len(actions)), actions]
""",
                "time counted from 0": """
def average_regret(means, actions):
    regret = means.max(axis=1) - means[np.arange(len(actions)), actions]
    return np.cumsum(regret) / np.arange(len(actions))
""",
            },
        ),
        *wrong(
            "fit_power_law",
            seen={
                "the sign of the exponent": """
def fit_power_law(t, y):
    slope, intercept = np.polyfit(np.log(t), np.log(y), 1)
    return np.exp(intercept), slope
""",
                "C left a logarithm": """
def fit_power_law(t, y):
    slope, intercept = np.polyfit(np.log(t), np.log(y), 1)
    return intercept, -slope
""",
            },
            hidden={
                "a line through the first and the last point": """
def fit_power_law(t, y):
    a = -np.log(y[-1] / y[0]) / np.log(t[-1] / t[0])
    return y[0] * t[0] ** a, a
""",
            },
        ),
        *wrong(
            "play_linucb",
            seen={
                "trained at every step": """
def play_linucb(mnist, pixel_scale, seed, steps):
    rounds = MnistBandit(mnist, pixel_scale=pixel_scale).rounds(seed, 0, steps)
    return rounds.means, simulate(LinUCB(3920, 5), rounds, train_every=1).actions
""",
            },
            hidden={
                "pixel scale not passed on": """
def play_linucb(mnist, pixel_scale, seed, steps):
    rounds = MnistBandit(mnist).rounds(seed, 0, steps)
    return rounds.means, simulate(LinUCB(3920, 5), rounds).actions
""",
                "always the same run": """
def play_linucb(mnist, pixel_scale, seed, steps):
    rounds = MnistBandit(mnist, pixel_scale=pixel_scale).rounds(0, 0, steps)
    return rounds.means, simulate(LinUCB(3920, 5), rounds).actions
""",
            },
        ),
        *wrong(
            "score_parts",
            seen={
                "no square root in the width": """
def score_parts(X, r, x, s):
    inverse_x = np.linalg.solve(np.eye(len(x)) / s**2 + X.T @ X, x)
    return (X.T @ r) @ inverse_x, x @ inverse_x
""",
                "only the new context in the new unit": """
def score_parts(X, r, x, s):
    inverse_x = np.linalg.solve(np.eye(len(x)) + X.T @ X, s * x)
    return (X.T @ r) @ inverse_x, np.sqrt(s * x @ inverse_x)
""",
            },
            hidden={
                "an arm without a pull forgotten": """
def score_parts(X, r, x, s):
    if len(X) == 0:
        return 0.0, 1.0
    inverse_x = np.linalg.solve(np.eye(len(x)) / s**2 + X.T @ X, x)
    return (X.T @ r) @ inverse_x, np.sqrt(x @ inverse_x)
""",
            },
        ),
    ],
    "train_the_policy": answers_training.WRONG,
}
