"""The rows side of an arm: see the package's docstring."""

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack

from bandits.linear.checks import Floats

# Stay on the rows side while each squared pivot of L exceeds this share of the diagonal: a new
# row must stand off the span of the earlier ones by 1e-4 of its length. Below it the Gram matrix,
# which squares the condition number, would cost too many digits.
PIVOT_TOLERANCE = 1e-8
SLACK = 256  # the most rows by which a buffer runs ahead of the data


class Rows:
    """The rows side: L of X Xᵀ + ridge·I, and L⁻¹r. Buffers run ahead of the `count` rows.

    The contexts are kept as columns, (m, capacity), for faster thin products with them. Only the
    features that some row uses are kept, in the order met: a fifth of MNIST's pixels are 0 in a
    thousand images, and such a feature adds nothing to a product with the rows.
    The first columns of L's buffer are contiguous (Fortran order), so LAPACK reads them in place.
    """

    def __init__(self, context_size: int, ridge: float, limit: int) -> None:
        self.context_size = context_size
        self.ridge = ridge
        self.limit = limit  # the most rows it takes
        self.count = 0
        self._columns: Floats = np.empty((context_size, 0))
        self._live = np.empty(0, dtype=np.intp)  # the feature in each row of the columns
        self._rewards: Floats = np.empty(0)
        self._factor: Floats = np.empty((0, 0), order="F")
        self._rhs: Floats = np.empty(0)

    @property
    def rhs(self) -> Floats:
        """L⁻¹r (count,)."""
        return self._rhs[: self.count]

    @property
    def factor(self) -> Floats:
        """L (count, count), in the lower triangle; what is above it is undefined."""
        return self._factor[: self.count, : self.count]

    @property
    def rewards(self) -> Floats:
        """r (count,)."""
        return self._rewards[: self.count]

    def contexts(self) -> tuple[npt.NDArray[np.intp], Floats]:
        """The features that some row uses (f,), and these columns of X (count, f)."""
        return self._live, self._kept().T

    def free_factor(self) -> None:
        """Give up L, when only the rows themselves are wanted."""
        self._factor = np.empty((0, 0), order="F")

    def solve(self, block: Floats) -> Floats:
        """L⁻¹ X blockᵀ (count, k) for block (k, m)."""
        products = block.take(self._live, axis=1) @ self._kept()
        return triangular(self._factor[:, : self.count], products.T, lower=1, overwrite_b=1)

    def squared_widths(self, block: Floats, solved: Floats) -> Floats:
        """xᵀB⁻¹x (k,): what of x the rows do not explain, over the ridge."""
        unexplained = squares(block, 1) - squares(solved, 0)
        return np.maximum(unexplained, 0.0) / self.ridge

    def append(self, block: Floats, rewards: Floats, solved: Floats | None) -> bool:
        """Add rows to L; return False, with nothing changed, if too many or dependent on others."""
        n, end = self.count, self.count + len(block)
        if end > self.limit:
            return False
        solved = self.solve(block) if solved is None else solved
        gram = block @ block.T - solved.T @ solved
        gram.flat[:: len(block) + 1] += self.ridge
        corner, failed = lapack.dpotrf(gram, lower=1)
        pivots = np.diagonal(corner) ** 2
        if failed or not np.all(pivots > PIVOT_TOLERANCE * (squares(block, 1) + self.ridge)):
            return False
        self._reserve(end)
        self._store(block)
        self._rewards[n:end] = rewards
        self._factor[n:end, :n] = solved.T
        self._factor[n:end, n:end] = corner
        self._rhs[n:end] = triangular(corner, rewards - self.rhs @ solved, lower=1)
        self.count = end
        return True

    def coefficients(self) -> Floats:
        """θ = Xᵀ(X Xᵀ + ridge·I)⁻¹r (m,)."""
        return self.combine(self.rhs)

    def combine(self, right: Floats) -> Floats:
        """XᵀL⁻ᵀ right (m,)."""
        weights = triangular(self._factor[:, : self.count], right, lower=1, trans=1)
        theta = np.zeros(len(self._columns))
        theta[self._live] = self._kept() @ weights
        return theta

    def _kept(self) -> Floats:
        return self._columns[: len(self._live), : self.count]

    def _store(self, block: Floats) -> None:
        n, used = self.count, np.any(block != 0, axis=0)
        used[self._live] = False
        known, self._live = len(self._live), np.append(self._live, np.flatnonzero(used))
        self._columns[known : len(self._live), :n] = 0.0
        self._columns[: len(self._live), n : n + len(block)] = block.T[self._live]

    def _reserve(self, size: int) -> None:
        n, m = self.count, len(self._columns)
        if size <= len(self._rhs):
            return
        capacity = min(self.limit, size + _ahead(size))
        columns = np.empty((m, capacity))
        columns[: len(self._live), :n] = self._kept()
        self._columns = columns
        self._rewards = np.concatenate([self._rewards[:n], np.zeros(capacity - n)])
        self._rhs = np.concatenate([self.rhs, np.zeros(capacity - n)])
        factor = np.empty((capacity, capacity), order="F")
        factor[:n, :n] = self._factor[:n, :n]
        self._factor = factor


def triangular(factor: Floats, right: Floats, **options: int) -> Floats:
    """Solve with the top square of a triangular matrix (upper unless lower=1), never singular."""
    if not factor.size or not right.size:
        return np.zeros(right.shape)
    solution: Floats = lapack.dtrtrs(factor, right, **options)[0]
    return solution.reshape(right.shape)


def _ahead(size: int) -> int:
    return min(SLACK, max(32, size))


def squares(values: Floats, axis: int) -> Floats:
    """The sums of squares along an axis of a matrix."""
    result: Floats = np.einsum("ij,ij->j" if axis == 0 else "ij,ij->i", values, values)
    return result
