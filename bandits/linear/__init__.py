"""Least squares and ridge regression that grow with the data: what Linear and LinUCB believe.

An arm starts on the *rows* side. While it holds n ≤ m rows it keeps the Cholesky factor L of the
n × n matrix X Xᵀ + ridge·I, so no m × m matrix is formed and a block of new rows only appends to
L. When the rows outnumber the features, or a new row nearly depends on the earlier ones, the arm
moves, once, to the *triangle* side: the triangular factor R of a QR decomposition, updated by
orthogonal transformations. It is backward stable, so nothing drifts however many rows follow.
"""

from bandits.linear.arms import LinearArm, LinearArms, memory_needed

__all__ = ["LinearArm", "LinearArms", "memory_needed"]
