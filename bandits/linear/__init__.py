"""Least squares and ridge regression that grow with the data: what Linear and LinUCB believe.

An arm starts on the *rows* side. While it holds n ≤ 0.6 m rows it keeps the Cholesky factor L of
the n × n matrix X Xᵀ + ridge·I, so no m × m matrix is formed and a block of new rows only appends
to L. With more rows, or when a new row nearly depends on the earlier ones, the arm moves, once, to
the *triangle* side: the triangular factor R of a QR decomposition, of the size of the features.
Orthogonal transformations update it, which is backward stable, so nothing drifts however many rows
follow. They take 256 rows at a time; until then new rows are held as on the rows side, on top of R.
"""

from bandits.linear.arms import LinearArm, LinearArms, memory_needed

__all__ = ["LinearArm", "LinearArms", "memory_needed"]
