"""The triangle side of an arm without a ridge: see the package's docstring."""

import numpy as np
from scipy.linalg import lapack, lstsq, qr

from bandits.linear.checks import Floats
from bandits.linear.rows import Rows, triangular
from bandits.linear.triangle import Triangle, solve_packed

EPS = float(np.finfo(np.float64).eps)


class LeastNorm(Triangle):
    """The triangle side with ridge 0: RᵀR = XᵀX + floor²·NᵀN.

    N (d, f) is an orthonormal basis of the directions in which no row has a component, and makes R
    regular. θ is 0 there, which is the θ of least norm, whatever the floor.

    When a recent row has a component along N, least squares in these few directions, given all
    that R knows of the others, finds θ there. When R is renewed, N and R lose the directions.
    Singular values of X up to max(n, m)·eps of its length count as zero: for a new direction at
    once, for one that was taken, and lost its weight beside later rows, when R is renewed.
    """

    def __init__(self, rows: Rows) -> None:
        self._unseen: Floats = np.empty((0, 0))  # N
        self._new: list[Floats] = []  # what of the recent rows R has not seen
        super().__init__(rows)

    @property
    def unseen(self) -> Floats:
        """N (d, f), in the order of R's features."""
        return self._unseen

    def coefficients(self) -> Floats:
        """θ (m,)."""
        theta, f, d = np.empty(self.context_size), len(self._features), len(self._unseen)
        new, left = self._new_directions()
        z = self._recent.combine(left)
        theta[self._features] = (
            solve_packed(self._factor, self._rhs + z[:f]) + new[:d] @ self._unseen
        )
        theta[self._others] = new[d:]
        return theta

    def _new_directions(self) -> tuple[Floats, Floats]:
        """θ along N and the other features, and what it leaves of the recent rewards."""
        for block in self._contexts[len(self._new) :]:
            along = block[:, self._features] @ self._unseen.T
            self._new.append(np.concatenate([along, block[:, self._others]], axis=1))
        size, right = len(self._unseen) + len(self._others), self._recent.rhs
        if not self._new:
            return np.zeros(size), right
        new = triangular(self._recent.factor, np.concatenate(self._new), lower=1)
        norm = float(np.linalg.norm(new))
        if norm <= self._smallest():
            return np.zeros(size), right
        cond = self._smallest() / norm
        theta = lstsq(new, right, cond=cond, lapack_driver="gelsy", check_finite=False)[0]
        return theta, right - new @ theta

    def _whiten(self, block: Floats) -> Floats:
        rows = self._without_unseen(block[:, self._features])
        z = solve_packed(self._factor, rows.T, "T")
        return np.concatenate([z, np.zeros((len(self._others), len(block)))])

    def _first_table(self, contexts: Floats, rewards: Floats) -> Floats:
        n, size = contexts.shape  # n independent rows
        table = np.zeros((size, size + 1), order="F")
        if n:
            self._unseen = _complement(contexts)
            self._floor = self._mean_size()
            table[:n, :size], table[:n, size] = contexts, rewards
            table[n:, :size] = self._floor * self._unseen
            _make_triangular(table)
        return table

    def _enlarged(self, contexts: Floats) -> Floats:
        if not len(self._features):
            self._floor = self._mean_size()
        d, old = self._unseen.shape
        table = super()._enlarged(contexts)
        unseen = np.zeros((d + len(table) - old, len(table)))
        unseen[:d, :old] = self._unseen
        np.fill_diagonal(unseen[d:, old:], 1.0)
        self._unseen = unseen
        return table

    def _rows(self, table: Floats, rows: Floats) -> Floats:
        along, factor = self._unseen @ rows.T, table[:, :-1]
        if np.linalg.norm(along) > self._smallest():
            q, r, _ = qr(along, pivoting=True, check_finite=False)
            seen = int(np.sum(np.abs(np.diagonal(r)) > self._smallest()))
            new, self._unseen = q[:, :seen].T @ self._unseen, q[:, seen:].T @ self._unseen
            factor -= (factor @ new.T) @ new
            _make_triangular(table)
        return self._without_unseen(rows)

    def _keep(self, table: Floats) -> None:
        factor = table[:, :-1]
        # R is its own LU decomposition (with L = I), which is what gecon estimates from.
        if factor.size and lapack.dgecon(factor, np.linalg.norm(factor, 1))[0] <= self._cutoff():
            self._cut(table)
        self._new = []
        super()._keep(table)

    def _cut(self, table: Floats) -> None:
        """Count the smallest singular values of X as zero, with a floor that fits its length."""
        factor, rhs = table[:, :-1], table[:, -1]
        u, values, v = np.linalg.svd(self._without_unseen(factor))
        kept = values > self._cutoff() * values[0]
        self._unseen, self._floor = v[~kept], self._mean_size()
        rhs[:] = np.where(kept, u.T @ rhs, 0.0)
        factor[:] = np.where(kept, values, self._floor)[:, None] * v
        table[:] = qr(table, mode="r", check_finite=False)[0]

    def _without_unseen(self, rows: Floats) -> Floats:
        return rows - (rows @ self._unseen.T) @ self._unseen

    def _cutoff(self) -> float:
        return max(self.count, self.context_size) * EPS

    def _smallest(self) -> float:
        return self._cutoff() * self.length

    def _mean_size(self) -> float:
        """The root mean square of the entries of X, or 1 if all are 0."""
        return self.length / float(np.sqrt(self.count * self.context_size)) or 1.0


def _complement(rows: Floats) -> Floats:
    """An orthonormal basis (f − n, f) of what is orthogonal to independent rows (n, f)."""
    n, size = rows.shape
    (reflectors, tau), _ = qr(rows.T, mode="raw", check_finite=False)
    basis = np.zeros((size, size - n), order="F")
    np.fill_diagonal(basis[n:], 1.0)
    if basis.size:
        basis = lapack.dormqr("L", "N", reflectors, tau, basis, 64 * basis.shape[1])[0]
    complement: Floats = np.ascontiguousarray(basis.T)
    return complement


def _make_triangular(table: Floats) -> None:
    """Replace a table (f, f + 1) in place by the triangular factor of its QR decomposition."""
    table[:] = qr(table, mode="r", overwrite_a=True, check_finite=False)[0]
