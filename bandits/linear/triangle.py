"""The triangle side of an arm with a ridge: see the package's docstring."""

import numpy as np
from scipy.linalg import lapack

from bandits.linear.checks import Floats
from bandits.linear.rows import Rows

RECENT = 256  # the most rows that wait beside R


class Triangle:
    """The triangle side: R with RᵀR = XᵀX + ridge·I, and the rotated rewards, RᵀR θ = Rᵀ rhs.

    Orthogonal transformations renew R for up to RECENT rows at once. Rows that came since are kept
    as on the rows side, but seen through R: as z = R⁻ᵀx, for which the ridge is 1, with what R's θ
    leaves of their rewards. So a block costs two or three solves with R, not a new R.

    R covers the features used when it was renewed, and lies packed, in half the memory of a
    square. For the other features it has the floor, √ridge, on its diagonal.
    """

    def __init__(self, rows: Rows) -> None:
        """Take over the rows of the rows side."""
        self.context_size = rows.context_size
        self.count = rows.count
        self._features, contexts = rows.contexts()
        self._others = np.setdiff1d(np.arange(self.context_size), self._features)
        self.length = float(np.linalg.norm(contexts))  # the Frobenius norm of X
        self._floor = float(np.sqrt(rows.ridge))
        rows.free_factor()
        self._keep(self._first_table(contexts, rows.rewards))

    @property
    def rhs(self) -> Floats:
        """The vector whose product with `solve(block)` is the predictions for the block."""
        return np.concatenate([self._rhs, np.zeros(len(self._others)), self._recent.rhs])

    def solve(self, block: Floats) -> Floats:
        """z = R⁻ᵀ blockᵀ (m, k) for block (k, m), and below it the recent rows' own solve.

        The rows of z are in the order of R's features and then of the others.
        """
        z = self._whiten(block)
        return np.concatenate([z, self._recent.solve(z.T)])

    def squared_widths(self, block: Floats, solved: Floats) -> Floats:
        """xᵀB⁻¹x (k,): what R leaves of x, less what the recent rows explain."""
        m = self.context_size
        return self._recent.squared_widths(solved[:m].T, solved[m:])

    def append(self, block: Floats, rewards: Floats, solved: Floats | None = None) -> None:
        """Add rows (k, m) and rewards (k,); `solved` is what `solve(block)` returns now."""
        if len(block) > RECENT:
            for start in range(0, len(block), RECENT):
                part = slice(start, start + RECENT)
                self.append(block[part], rewards[part])
            return
        solved = self.solve(block) if solved is None else solved
        self._contexts.append(block.copy())  # the caller may reuse its own arrays
        self._rewards.append(rewards.copy())
        self.count += len(block)
        self.length = float(np.hypot(self.length, np.linalg.norm(block)))
        left = rewards - self._rhs @ solved[: len(self._rhs)]
        z, known = np.split(solved, [self.context_size])
        if not self._recent.append(z.T, left, known):
            self._renew()

    def coefficients(self) -> Floats:
        """θ (m,)."""
        theta, f = np.empty(self.context_size), len(self._features)
        z = self._recent.coefficients()
        theta[self._features] = solve_packed(self._factor, self._rhs + z[:f])
        theta[self._others] = z[f:] / self._floor
        return theta

    def _whiten(self, block: Floats) -> Floats:
        z = solve_packed(self._factor, block[:, self._features].T, "T")
        return np.concatenate([z, block[:, self._others].T / self._floor])

    def _first_table(self, contexts: Floats, rewards: Floats) -> Floats:
        """[R | rhs] (f, f + 1) for the first rows (n, f)."""
        size = contexts.shape[1]
        table = np.zeros((size, size + 1), order="F")
        np.fill_diagonal(table, self._floor)
        rotate(table, contexts, rewards)
        return table

    def _renew(self) -> None:
        """Rotate the recent rows and their rewards into R."""
        contexts, rewards = np.concatenate(self._contexts), np.concatenate(self._rewards)
        table = self._enlarged(contexts)
        rotate(table, self._rows(table, contexts[:, self._features]), rewards)
        self._keep(table)

    def _enlarged(self, contexts: Floats) -> Floats:
        """[R | rhs] with the features that these contexts are the first to use."""
        first = self._others[np.any(contexts[:, self._others] != 0, axis=0)]
        old, size = len(self._features), len(self._features) + len(first)
        table = np.zeros((size, size + 1), order="F")
        if old:
            table[:old, :old] = lapack.dtfttr(old, self._factor)[0]
            table[:old, size] = self._rhs
        for j in range(old):  # not np.triu, whose copy is as large as all of R
            table[j + 1 : old, j] = 0.0
        new = np.arange(old, size)
        table[new, new] = self._floor
        self._features = np.concatenate([self._features, first])
        self._others = np.setdiff1d(self._others, first, assume_unique=True)
        return table

    def _rows(self, table: Floats, rows: Floats) -> Floats:
        """What of the rows (k, f) is rotated into the table."""
        return rows

    def _keep(self, table: Floats) -> None:
        """Pack [R | rhs], which then covers every row."""
        size, m = len(table), self.context_size
        self._factor: Floats = lapack.dtrttf(table[:, :size])[0] if size else np.empty(0)
        self._rhs: Floats = table[:, size].copy()
        self._recent = Rows(m, 1.0, min(RECENT, m))
        self._contexts: list[Floats] = []
        self._rewards: list[Floats] = []


def rotate(table: Floats, rows: Floats, rewards: Floats) -> None:
    """Rotate rows (k, f) and rewards (k,) into [R | rhs] (f, f + 1), in place."""
    size = len(table)
    if not size:
        return
    factor, v, t, _ = lapack.dtpqrt(
        0, min(32, size), table[:, :size], np.asfortranarray(rows), overwrite_a=1
    )
    rhs, _, _ = lapack.dtpmqrt(0, v, t, table[:, size:], rewards[:, None], side="L", trans="T")
    table[:, :size], table[:, size:] = factor, rhs


def solve_packed(factor: Floats, right: Floats, trans: str = "N") -> Floats:
    """R⁻¹ right, or R⁻ᵀ right with trans="T", for a packed R and right (f,) or (f, k)."""
    if not right.size:
        return np.zeros(right.shape)
    columns = right.reshape(len(right), -1)
    solution: Floats = lapack.dtfsm(1.0, factor, columns, trans=trans)
    return solution.reshape(right.shape)
