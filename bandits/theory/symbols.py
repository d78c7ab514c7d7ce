"""Every symbol of the theory, defined once, with the assumptions the algebra relies on.

Time enters as u = log t: limits are then found term by term, and t may be as large as 10^33
without overflow. The exponent enters as q = 1 - p, so that p = 1 is the limit q -> 0.
"""

import sympy as sp

u = sp.Symbol("u", nonnegative=True)  # log t
t = sp.Symbol("t", positive=True)  # time step
q = sp.Symbol("q", positive=True)  # 1 - p for p < 1
K = sp.Symbol("K", positive=True)  # number of arms
B = sp.Symbol("B", positive=True)  # expected random pulls of one arm
L = sp.Symbol("L", positive=True)  # ∫_1^t s^-p ds
c = sp.Symbol("c", positive=True)  # rate in K·exp(-c·L/K)
delta = sp.Symbol("delta", positive=True)  # the gap δ
alpha = sp.Symbol("alpha", nonnegative=True)  # max_i E Δ_i
mean_gap = sp.Symbol("Dbar", nonnegative=True)  # (1/K) Σ_i E Δ_i
C = sp.Symbol("C", positive=True)  # constant of the prediction risk C·sqrt(log n/n)
m0 = sp.Symbol("m0", positive=True)  # max(e, max_i n_i)
n = sp.Symbol("n", positive=True)  # sample size
x = sp.Symbol("x", positive=True)
h = sp.Symbol("h", nonnegative=True)
r = sp.Symbol("r", positive=True)
s = sp.Symbol("s", real=True)
l = sp.Symbol("l", integer=True, positive=True)  # noqa: E741 -- the paper's summation index
T = sp.Symbol("T", integer=True, positive=True)  # t as a whole number, in finite sums
