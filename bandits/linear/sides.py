"""The two ways an arm holds its data: see the package's docstring."""

import numpy as np
from scipy.linalg import lapack, qr

from bandits.linear.checks import Floats

# Stay on the rows side while each squared pivot of L exceeds this share of the diagonal: a new
# row must stand off the span of the earlier ones by 1e-4 of its length. Below it the Gram matrix,
# which squares the condition number, would cost too many digits.
PIVOT_TOLERANCE = 1e-8
SLACK = 256  # the most rows by which a buffer runs ahead of the data
EPS = float(np.finfo(np.float64).eps)
QR_BLOCK = 256  # rows taken into the triangle at once


class Rows:
    """The rows side: L of X Xᵀ + ridge·I, and L⁻¹r. Buffers run ahead of the `count` rows.

    The contexts are kept as columns, (m, capacity): thin products with them are quicker so. Only
    the features that some row uses are kept, in the order met: a fifth of MNIST's pixels are 0 in
    a thousand images, and such a feature adds nothing to a product with the rows.
    The first columns of L's buffer are contiguous (Fortran order), so LAPACK reads them in place.
    """

    def __init__(self, context_size: int, ridge: float) -> None:
        self.ridge = ridge
        self.count = 0
        self._columns: Floats = np.empty((context_size, 0))
        self._live = np.empty(0, dtype=np.intp)  # the feature in each row of the columns
        self._rewards: Floats = np.empty(0)
        self._factor: Floats = np.empty((0, 0), order="F")
        self._rhs: Floats = np.empty(0)

    @property
    def rhs(self) -> Floats:
        """Return L⁻¹r (count,)."""
        return self._rhs[: self.count]

    def solve(self, block: Floats) -> Floats:
        """Return L⁻¹ X blockᵀ (count, k) for block (k, m)."""
        products = block.take(self._live, axis=1) @ self._kept()
        return _triangular(self._factor[:, : self.count], products.T, lower=1, overwrite_b=1)

    def squared_widths(self, block: Floats, solved: Floats) -> Floats:
        """Return xᵀB⁻¹x (k,): what of x the rows do not explain, over the ridge."""
        unexplained = _squares(block, 1) - _squares(solved, 0)
        return np.maximum(unexplained, 0.0) / self.ridge

    def append(self, block: Floats, rewards: Floats, solved: Floats | None) -> bool:
        """Add rows to L; return False, with nothing changed, if they belong in a triangle."""
        n, end = self.count, self.count + len(block)
        if end > len(self._columns):
            return False
        solved = self.solve(block) if solved is None else solved
        gram = block @ block.T - solved.T @ solved
        gram.flat[:: len(block) + 1] += self.ridge
        corner, failed = lapack.dpotrf(gram, lower=1)
        pivots = np.diagonal(corner) ** 2
        if failed or not np.all(pivots > PIVOT_TOLERANCE * (_squares(block, 1) + self.ridge)):
            return False
        self._reserve(end)
        self._store(block)
        self._rewards[n:end] = rewards
        self._factor[n:end, :n] = solved.T
        self._factor[n:end, n:end] = corner
        self._rhs[n:end] = _triangular(corner, rewards - self.rhs @ solved, lower=1)
        self.count = end
        return True

    def coefficients(self) -> Floats:
        """Return θ = Xᵀ(X Xᵀ + ridge·I)⁻¹r (m,)."""
        weights = _triangular(self._factor[:, : self.count], self.rhs, lower=1, trans=1)
        theta = np.zeros(len(self._columns))
        theta[self._live] = self._kept() @ weights
        return theta

    def to_triangle(self) -> "Triangle":
        """Return the triangle side holding the same rows."""
        self._factor = np.empty((0, 0))  # freed before the triangle is made
        triangle = Triangle(len(self._columns), self.ridge)
        for start in range(0, self.count, QR_BLOCK):
            part = slice(start, min(start + QR_BLOCK, self.count))
            rows = np.zeros((part.stop - start, len(self._columns)))
            rows[:, self._live] = self._kept()[:, part].T
            triangle.append(rows, self._rewards[part])
        return triangle

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
        capacity = min(m, size + _ahead(size))
        columns = np.empty((m, capacity))
        columns[: len(self._live), :n] = self._kept()
        self._columns = columns
        self._rewards = np.concatenate([self._rewards[:n], np.zeros(capacity - n)])
        self._rhs = np.concatenate([self.rhs, np.zeros(capacity - n)])
        factor = np.empty((capacity, capacity), order="F")
        factor[:n, :n] = self._factor[:n, :n]
        self._factor = factor


class Triangle:
    """The triangle side: R with RᵀR = ridge·I + XᵀX, and the rotated rewards, RᵀR θ = Rᵀ rhs.

    With ridge = 0 the coordinates are those of an orthonormal basis (r, m) of the rows' span, so
    that R is r × r and the solution found in it is the one of least norm.
    """

    def __init__(self, context_size: int, ridge: float) -> None:
        m = context_size
        self.ridge = ridge
        self.count = 0
        self.length = 0.0  # the Frobenius norm of all rows seen
        size = m if ridge else 0
        self.factor: Floats = np.asfortranarray(np.sqrt(ridge) * np.eye(size))
        self.rhs: Floats = np.zeros(size)
        self._basis: Floats = np.empty((0, m))

    @property
    def basis(self) -> Floats:
        """Return the orthonormal basis (r, m) of the span of the rows (ridge = 0 only)."""
        return self._basis[: len(self.rhs)]

    def solve(self, block: Floats) -> Floats:
        """Return R⁻ᵀ blockᵀ (m, k) for block (k, m)."""
        return _triangular(self.factor, block.T, trans=1)

    def squared_widths(self, block: Floats, solved: Floats) -> Floats:
        """Return xᵀB⁻¹x (k,), a sum of squares."""
        return _squares(solved, 0)

    def append(self, block: Floats, rewards: Floats) -> None:
        """Rotate more rows (k, m) and rewards (k,) into R and its right-hand side."""
        for start in range(0, len(block), QR_BLOCK):
            part, reward = block[start : start + QR_BLOCK], rewards[start : start + QR_BLOCK]
            self.count += len(part)
            part = part if self.ridge else self._coordinates(part)
            size = len(self.rhs)
            if not size:
                continue  # only rows of zeros so far
            self.factor, v, t, _ = lapack.dtpqrt(
                0, min(32, size), self.factor, np.asfortranarray(part), overwrite_a=1
            )
            rhs, _, _ = lapack.dtpmqrt(
                0, v, t, self.rhs[:, None], reward[:, None], side="L", trans="T"
            )
            self.rhs = rhs[:, 0]

    def coefficients(self) -> Floats:
        """Return θ (m,)."""
        if self.ridge:
            return _triangular(self.factor, self.rhs)
        if not len(self.rhs):
            return np.zeros(self._basis.shape[1])
        cutoff = self._cutoff()
        # R is its own LU decomposition (with L = I), which is what gecon estimates from.
        condition, _ = lapack.dgecon(self.factor, np.linalg.norm(self.factor, 1))
        if condition > cutoff:
            return _triangular(self.factor, self.rhs) @ self.basis
        # R's singular values are those of X, so this cuts X's spectrum.
        return np.linalg.lstsq(self.factor, self.rhs, rcond=cutoff)[0] @ self.basis

    def _cutoff(self) -> float:
        size: int = max(self.count, self._basis.shape[1])
        return size * EPS

    def _coordinates(self, block: Floats) -> Floats:
        """Return the block in the basis, enlarged first by the directions new in it."""
        basis, m = self.basis, self._basis.shape[1]
        self.length = float(np.hypot(self.length, np.linalg.norm(block)))
        if len(basis) < m:
            rest = block - (block @ basis.T) @ basis
            q, r, _ = qr(rest.T, mode="economic", pivoting=True, check_finite=False)
            new = q.T[np.abs(np.diagonal(r)) > self._cutoff() * self.length][: m - len(basis)]
            # Directions found in a tiny rest lean on the basis again: project a second time, and
            # drop what was nothing but rounding.
            new = new - (new @ basis.T) @ basis
            new = new[_squares(new, 1) > 0.25]
            if len(new):
                self._extend(np.linalg.qr(new.T)[0].T)
        return block @ self.basis.T

    def _extend(self, new: Floats) -> None:
        old, size = len(self.rhs), len(self.rhs) + len(new)
        if size > len(self._basis):
            m = self._basis.shape[1]
            capacity = min(m, size + _ahead(size))
            basis = np.empty((capacity, m))
            basis[:old] = self.basis
            self._basis = basis
        self._basis[old:size] = new
        factor = np.zeros((size, size), order="F")
        factor[:old, :old] = self.factor
        self.factor = factor
        self.rhs = np.concatenate([self.rhs, np.zeros(len(new))])


def _triangular(factor: Floats, right: Floats, **options: int) -> Floats:
    """Solve with the top square of a triangular matrix (upper unless lower=1), never singular."""
    if not factor.size or not right.size:
        return np.zeros(right.shape)
    solution: Floats = lapack.dtrtrs(factor, right, **options)[0]
    return solution.reshape(right.shape)


def _ahead(size: int) -> int:
    return min(SLACK, max(32, size))


def _squares(values: Floats, axis: int) -> Floats:
    result: Floats = np.einsum("ij,ij->j" if axis == 0 else "ij,ij->i", values, values)
    return result
