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
QR_BLOCK = 64  # rows taken into the triangle at once


class Rows:
    """The rows side: L of X Xᵀ + ridge·I, and L⁻¹r. Buffers run ahead of the `count` rows.

    L's buffer holds the identity beyond its rows, so that LAPACK can be given the whole
    (contiguous) buffer instead of a copy of its corner.
    """

    def __init__(self, context_size: int, ridge: float) -> None:
        self.ridge = ridge
        self.count = 0
        self.rows: Floats = np.empty((0, context_size))
        self.rewards: Floats = np.empty(0)
        self.factor: Floats = np.empty((0, 0), order="F")
        self._rhs: Floats = np.empty(0)

    @property
    def rhs(self) -> Floats:
        """Return L⁻¹r (count,)."""
        return self._rhs[: self.count]

    def solve(self, block: Floats) -> Floats:
        """Return L⁻¹ X blockᵀ (count, k) for block (k, m)."""
        n = self.count
        products = np.zeros((len(block), len(self.factor)))
        products[:, :n] = block @ self.rows[:n].T
        return _triangular(self.factor, products.T, lower=1, overwrite_b=1)[:n]

    def squared_widths(self, block: Floats, solved: Floats) -> Floats:
        """Return xᵀB⁻¹x (k,): what of x the rows do not explain, over the ridge."""
        unexplained = _squares(block, 1) - _squares(solved, 0)
        return np.maximum(unexplained, 0.0) / self.ridge

    def append(self, block: Floats, rewards: Floats, solved: Floats | None) -> bool:
        """Add rows to L; return False, with nothing changed, if they belong in a triangle."""
        n, end = self.count, self.count + len(block)
        if end > self.rows.shape[1]:
            return False
        solved = self.solve(block) if solved is None else solved
        gram = block @ block.T - solved.T @ solved
        gram.flat[:: len(block) + 1] += self.ridge
        corner, failed = lapack.dpotrf(gram, lower=1)
        pivots = np.diagonal(corner) ** 2
        if failed or not np.all(pivots > PIVOT_TOLERANCE * (_squares(block, 1) + self.ridge)):
            return False
        self._reserve(end)
        self.rows[n:end] = block
        self.rewards[n:end] = rewards
        self.factor[n:end, :n] = solved.T
        self.factor[n:end, n:end] = corner
        self._rhs[n:end] = _triangular(corner, rewards - self.rhs @ solved, lower=1)
        self.count = end
        return True

    def coefficients(self) -> Floats:
        """Return θ = Xᵀ(X Xᵀ + ridge·I)⁻¹r (m,)."""
        weights = _triangular(self.factor, self._rhs, lower=1, trans=1)
        return weights[: self.count] @ self.rows[: self.count]

    def to_triangle(self) -> "Triangle":
        """Return the triangle side holding the same rows."""
        self.factor = np.empty((0, 0))  # freed before the triangle is made
        triangle = Triangle(self.rows.shape[1], self.ridge)
        triangle.append(self.rows[: self.count], self.rewards[: self.count])
        return triangle

    def _reserve(self, size: int) -> None:
        if size <= len(self.rows):
            return
        n, m = self.count, self.rows.shape[1]
        capacity = min(m, size + min(SLACK, max(16, size // 4)))
        self.rows = _enlarged(self.rows, n, (capacity, m))
        self.rewards = _enlarged(self.rewards, n, (capacity,))
        self._rhs = _enlarged(self._rhs, n, (capacity,))
        self._rhs[n:] = 0.0
        factor = np.eye(capacity, order="F")
        factor[:n, :n] = self.factor[:n, :n]
        self.factor = factor


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
            capacity = min(m, size + min(SLACK, max(16, size // 4)))
            self._basis = _enlarged(self._basis, old, (capacity, m))
        self._basis[old:size] = new
        factor = np.zeros((size, size), order="F")
        factor[:old, :old] = self.factor
        self.factor = factor
        self.rhs = np.concatenate([self.rhs, np.zeros(len(new))])


def _triangular(factor: Floats, right: Floats, **options: int) -> Floats:
    """Solve with a triangular matrix (upper unless lower=1); none of them is singular here."""
    if not len(factor):
        return np.zeros(right.shape)
    solution: Floats = lapack.dtrtrs(factor, right, **options)[0]
    return solution.reshape(right.shape)


def _squares(values: Floats, axis: int) -> Floats:
    result: Floats = np.einsum("ij,ij->j" if axis == 0 else "ij,ij->i", values, values)
    return result


def _enlarged(values: Floats, count: int, shape: tuple[int, ...]) -> Floats:
    larger = np.empty(shape)
    larger[:count] = values[:count]
    return larger
