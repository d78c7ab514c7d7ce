"""One linear model per arm, and the K of them together."""

import numpy as np
import numpy.typing as npt

from bandits.checks import whole
from bandits.linear import checks
from bandits.linear.checks import Floats
from bandits.linear.least_norm import LeastNorm
from bandits.linear.rows import SLACK, Rows
from bandits.linear.triangle import RECENT, Triangle

# The rows side takes up to this share of m rows. From there on the triangle is cheaper, in memory
# and in time. A run of 2,000 steps at m = 3920 never gets there.
ROWS_SHARE = 0.6
BLOCK = 256  # the most contexts predicted at once, which bounds temporary arrays


class LinearArm:
    """One arm's linear model, float64: ridge regression, or minimum-norm least squares.

    With X the (n, m) contexts seen and r their rewards, θ minimises ‖Xθ − r‖² + ridge·‖θ‖²
    (the paper's Algorithm 5, LinUCB, has ridge = 1); ridge = 0 gives the θ of least norm among the
    minimisers (Algorithm 4, Linear), with singular values up to max(n, m)·eps of the largest
    counted as zero. Without data θ = 0.

    Cost of a block of k rows: on the rows side O(k·n·m + k·n²) to add it, and as much to predict
    k widths; on the triangle side O(k·m²) for either, O(m²) for θ, and, once in 256 rows, O(256·m²)
    to renew R (O(m³) with ridge = 0, if a row had a component in a new direction). At m = 3920 on
    one core, k = 4 rows and 20 widths take about 20 ms and to renew R 0.3 s, or 2 s.

    Accuracy: the squared width is a difference, on the rows side of x·x / ridge, on the triangle
    side of the width at the last renewal, and good to about eps of that. θ is as good as that of
    an orthogonal solver. With ridge = 0 and rows near the rank of their features the problem itself
    is ill-conditioned (on MNIST the smallest singular value kept is about 1e-7 of the largest), so
    two sound solvers differ there as much as its condition number allows.
    """

    def __init__(self, context_size: int, ridge: float) -> None:
        self.context_size = whole("context_size (m)", context_size, 1)
        self.ridge = checks.ridge(ridge)
        limit = int(ROWS_SHARE * self.context_size)
        self._side: Rows | Triangle = Rows(self.context_size, self.ridge, limit)
        self._theta: Floats | None = None

    def update(self, contexts: npt.ArrayLike, rewards: npt.ArrayLike) -> None:
        """Add contexts (n, m) and their rewards (n,), n ≥ 0; raise ValueError if not finite."""
        block = checks.contexts(contexts, self.context_size)
        self._add(block, checks.rewards(rewards, len(block)))

    def predict(self, contexts: npt.ArrayLike) -> Floats:
        """θᵀx for each of the contexts (n, m), as (n,)."""
        return checks.contexts(contexts, self.context_size) @ self._coefficients()

    def predict_with_width(self, contexts: npt.ArrayLike) -> tuple[Floats, Floats]:
        """θᵀx and √(xᵀB⁻¹x), B = ridge·I + XᵀX, for contexts (n, m), each as (n,).

        Raises:
            ValueError: if ridge is 0, where B need not have an inverse.
        """
        block = checks.contexts(contexts, self.context_size)
        checks.require_ridge(self.ridge)
        mean, width = np.empty(len(block)), np.empty(len(block))
        for start in range(0, len(block), BLOCK):
            part = slice(start, start + BLOCK)
            mean[part], width[part] = self._bound(block[part], self._side.solve(block[part]))
        return mean, width

    def _add(self, block: Floats, rewards: Floats, solved: Floats | None = None) -> None:
        """Add checked rows; `solved` is what the current side's `solve(block)` returned."""
        if not len(block):
            return
        self._theta = None
        if isinstance(self._side, Rows):
            if self._side.append(block, rewards, solved):
                return
            self._side = Triangle(self._side) if self.ridge else LeastNorm(self._side)
            solved = None
        self._side.append(block, rewards, solved)

    def _bound(self, block: Floats, solved: Floats) -> tuple[Floats, Floats]:
        mean = self._side.rhs @ solved
        return mean, np.sqrt(self._side.squared_widths(block, solved))

    def _coefficients(self) -> Floats:
        if self._theta is None:  # computed once between two updates
            self._theta = self._side.coefficients()
        return self._theta


class LinearArms:
    """One `LinearArm` for each of the K arms, fed and asked in blocks.

    A block whose widths were just predicted is added without solving for it again, which halves
    the cost of LinUCB: the forward solves L⁻¹(X x) behind the widths are the next rows of L.
    """

    def __init__(self, context_size: int, arms: int, ridge: float) -> None:
        self.context_size = whole("context_size (m)", context_size, 1)
        self._arms = tuple(
            LinearArm(context_size, ridge) for _ in range(whole("arms (K)", arms, 1))
        )
        self.ridge = self._arms[0].ridge
        self._solved: tuple[Floats, list[Floats]] | None = None

    def update(
        self, contexts: npt.ArrayLike, actions: npt.ArrayLike, rewards: npt.ArrayLike
    ) -> None:
        """Give each row of contexts (n, m), with its reward (n,), to its action (n,) in 0..K−1."""
        block = checks.contexts(contexts, self.context_size)
        reward = checks.rewards(rewards, len(block))
        action = checks.actions(actions, len(block), len(self._arms))
        solved, self._solved = self._solved, None
        known = solved is not None and np.array_equal(solved[0], block)
        for j, arm in enumerate(self._arms):
            mine = np.flatnonzero(action == j)
            ready = solved[1][j][:, mine] if solved is not None and known else None
            arm._add(block[mine], reward[mine], ready)

    def predict(self, contexts: npt.ArrayLike) -> Floats:
        """Every arm's θᵀx for contexts (n, m), as (n, K)."""
        block = checks.contexts(contexts, self.context_size)
        return block @ np.column_stack([arm._coefficients() for arm in self._arms])

    def predict_with_width(self, contexts: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Every arm's θᵀx and √(xᵀB⁻¹x) for contexts (n, m), each as (n, K)."""
        block = checks.contexts(contexts, self.context_size)
        checks.require_ridge(self.ridge)
        shape = (len(block), len(self._arms))
        mean, width = np.empty(shape), np.empty(shape)
        for start in range(0, len(block), BLOCK):
            part = block[start : start + BLOCK]
            solved = [arm._side.solve(part) for arm in self._arms]
            for j, arm in enumerate(self._arms):
                rows = slice(start, start + BLOCK)
                mean[rows, j], width[rows, j] = arm._bound(part, solved[j])
            # A copy: the caller may reuse its own array before the update.
            self._solved = (part.copy(), solved) if len(block) == len(part) else None
        return mean, width


def memory_needed(steps: int, context_size: int, arms: int) -> int:
    """An upper bound, in bytes, on what a `LinearArms` holds over a run of `steps` steps.

    It covers the costliest split of the steps among the arms and the copies made while one of them
    grows, moves or is renewed. It assumes that no arm leaves the rows side before it holds 0.6 m
    rows: with a ridge that is so while the squared length of a context is below about 1e8 times
    the ridge, without one while the rows are independent. The SVD that cuts a spectrum which once
    counted as not zero, a rare event, takes as much again as 5 squares of m for a moment.
    """
    steps, m = whole("steps", steps, 1), whole("context_size (m)", context_size, 1)
    arms = whole("arms (K)", arms, 1)
    limit = max(1, int(ROWS_SHARE * m))
    full = min(arms, steps // limit)  # arms that can move; the rest is left to one more
    rest = min(limit, steps - full * limit) if full < arms else 0
    waiting = min(RECENT, m)
    triangle = m * (m + 1) // 2 + (m - limit) * m  # R and, without a ridge, N
    triangle += waiting * (4 * m + 2 * waiting)
    floats = full * max(limit * (m + limit), triangle) + rest * (m + rest)
    # The arm that grows, copied, or moves or is renewed, in squares of m.
    floats += 4 * m * (m + 1) if full else 2 * rest * (m + rest)
    ahead = 32 * min(arms, steps) + min(steps, SLACK * arms)
    floats += min(ahead, arms * m) * (m + SLACK) + 2 * SLACK * min(steps, arms * m)
    floats += BLOCK * (3 * m + 3 * min(steps, arms * m)) + 8 * waiting * m
    return 8 * floats
