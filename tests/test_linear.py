"""The linear models against explicit inverses, explicit solves, SVD least squares and by hand."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import cho_factor, cho_solve

from bandits.linear import LinearArm, LinearArms, memory_needed
from bandits.linear.least_norm import LeastNorm
from bandits.linear.rows import Rows


def ridge_truth(rows, rewards, ridge, queries):
    """Mean and width with B and its inverse written out, as Algorithm 5 states them."""
    inverse = np.linalg.inv(ridge * np.eye(rows.shape[1]) + rows.T @ rows)
    mean = queries @ (inverse @ (rows.T @ rewards))
    return mean, np.sqrt(np.einsum("ij,jk,ik->i", queries, inverse, queries))


def least_norm_truth(rows, rewards, queries):
    """Minimum-norm least squares by SVD, with the cut-off that the class states."""
    cutoff = max(rows.shape) * np.finfo(float).eps
    return queries @ np.linalg.lstsq(rows, rewards, rcond=cutoff)[0]


def fed(rows, rewards, ridge, size):
    """An arm that was given the rows in blocks of `size`."""
    arm = LinearArm(rows.shape[1], ridge)
    for start in range(0, len(rows), size):
        arm.update(rows[start : start + size], rewards[start : start + size])
    return arm


def test_two_dimensions_by_hand():
    # B = I + (1,0)(1,0)ᵀ + (1,1)(1,1)ᵀ = [[3, 1], [1, 2]], b = 2·(1,0) + 3·(1,1) = (5, 3), so
    # B⁻¹ = [[2, −1], [−1, 3]] / 5 and θ = (7, 4) / 5.
    arm = LinearArm(2, ridge=1.0)
    arm.update([[1, 0]], [2])
    arm.update([[1, 1]], [3])
    mean, width = arm.predict_with_width([[1, 0], [0, 1], [2, 1]])
    np.testing.assert_allclose(mean, [1.4, 0.8, 3.6], rtol=1e-14)
    np.testing.assert_allclose(width, np.sqrt([0.4, 0.6, 1.4]), rtol=1e-14)
    np.testing.assert_allclose(arm.predict([[1, 0], [0, 1]]), [1.4, 0.8], rtol=1e-14)


def test_least_norm_by_hand():
    # One row (3, 4) with reward 10: θ = 10·(3, 4)/25. A second, equal row with reward 20 asks for
    # the mean of the two, 15: θ = 15·(3, 4)/25.
    arm = LinearArm(2, ridge=0)
    arm.update([[3, 4]], [10])
    np.testing.assert_allclose(arm.predict(np.eye(2)), [1.2, 1.6], rtol=1e-14)
    arm.update([[3, 4]], [20])
    np.testing.assert_allclose(arm.predict(np.eye(2)), [1.8, 2.4], rtol=1e-14)


@pytest.mark.parametrize("ridge", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("m", [1, 3, 4000])
def test_an_arm_without_data_predicts_zero(ridge, m):
    arm = LinearArm(m, ridge)
    arm.update(np.empty((0, m)), np.empty(0))
    queries = np.full((2, m), 0.5)
    np.testing.assert_array_equal(arm.predict(queries), [0.0, 0.0])
    if ridge:
        mean, width = arm.predict_with_width(queries)
        np.testing.assert_array_equal(mean, [0.0, 0.0])
        np.testing.assert_allclose(width, np.sqrt(0.25 * m / ridge), rtol=1e-12)


@pytest.mark.parametrize("size", [1, 7, 300])
@pytest.mark.parametrize("m, n", [(1, 40), (2, 300), (20, 19), (20, 20), (20, 21), (60, 150)])
@pytest.mark.parametrize("ridge", [0.01, 1.0, 50.0])
def test_ridge_matches_the_explicit_inverse(m, n, ridge, size):
    rng = np.random.default_rng([m, n])
    rows, rewards, queries = rng.random((n, m)), 9 * rng.random(n), rng.random((11, m))
    mean, width = fed(rows, rewards, ridge, size).predict_with_width(queries)
    true_mean, true_width = ridge_truth(rows, rewards, ridge, queries)
    np.testing.assert_allclose(mean, true_mean, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(width, true_width, rtol=1e-9)


def design(kind, rng, n, m):
    """Rows that are awkward in one way."""
    rows = rng.random((n, m))
    if kind == "duplicate rows":
        rows[n // 2 :] = rows[: n - n // 2]
    elif kind == "duplicate columns":
        rows[:, m // 2 :] = rows[:, : m - m // 2]
    elif kind == "zero columns":
        rows[:, ::3] = 0
    elif kind == "zero rows":
        rows[::4] = 0
    elif kind == "first rows zero":
        rows[: n // 2] = 0
    elif kind == "all zero":
        rows[:] = 0
    elif kind == "low rank":
        rows = rng.random((n, 2)) @ rng.random((2, m))
    return rows


KINDS = [
    "dense",
    "duplicate rows",
    "duplicate columns",
    "zero columns",
    "zero rows",
    "first rows zero",
    "all zero",
    "low rank",
]


@pytest.mark.parametrize("size", [1, 5, 200])
@pytest.mark.parametrize("m, n", [(1, 9), (2, 150), (30, 12), (30, 30), (30, 31), (12, 100)])
@pytest.mark.parametrize("kind", KINDS)
def test_least_norm_matches_svd(kind, m, n, size):
    rng = np.random.default_rng([m, n])
    rows = design(kind, rng, n, m)
    rewards, queries = 9 * rng.random(n), rng.random((11, m))
    got = fed(rows, rewards, 0.0, size).predict(queries)
    np.testing.assert_allclose(got, least_norm_truth(rows, rewards, queries), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("m, n", [(30, 12), (30, 31), (2, 150)])
def test_awkward_designs_with_a_ridge(kind, m, n):
    rng = np.random.default_rng([m, n])
    rows = design(kind, rng, n, m)
    rewards, queries = 9 * rng.random(n), rng.random((11, m))
    mean, width = fed(rows, rewards, 1.0, 5).predict_with_width(queries)
    true_mean, true_width = ridge_truth(rows, rewards, 1.0, queries)
    np.testing.assert_allclose(mean, true_mean, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(width, true_width, rtol=1e-9)


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1e-6, 1e-9])
def test_a_row_that_is_nearly_a_duplicate(distance):
    rng = np.random.default_rng(3)
    rows, rewards = rng.random((10, 25)), rng.random(10)
    rows[7] = rows[2] + distance * rng.standard_normal(25)
    # The fit itself is as large as 1/distance and as sensitive as that: compare to that scale.
    theta = fed(rows, rewards, 0.0, 4).predict(np.eye(25))
    truth = least_norm_truth(rows, rewards, np.eye(25))
    assert np.linalg.norm(theta - truth) < 1e-13 / distance * np.linalg.norm(truth) + 1e-6
    np.testing.assert_allclose(rows @ theta, rewards, atol=1e-6)


def test_rows_equal_up_to_rounding_count_as_one():
    """Singular values below max(n, m)·eps of the largest are zero, as for the SVD."""
    rng = np.random.default_rng(4)
    rows, rewards = rng.random((6, 25)), rng.random(6)
    rows[5] = rows[1] * (1 + np.finfo(float).eps)
    theta = fed(rows, rewards, 0.0, 6).predict(np.eye(25))
    np.testing.assert_allclose(theta, least_norm_truth(rows, rewards, np.eye(25)), rtol=1e-9)
    assert np.linalg.norm(theta) < 10


def test_a_spectrum_that_must_be_cut():
    """A direction kept at first and negligible beside later rows: only R's SVD can drop it."""
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((40, 12))
    rows[:, 0] = 0
    rows[:2] = 0
    rows[:2, 0] = 1e-15  # twice, which sends the arm to the triangle before the others come
    rewards, queries = rng.random(40), rng.standard_normal((5, 12))
    got = fed(rows, rewards, 0.0, 2).predict(queries)
    np.testing.assert_allclose(got, least_norm_truth(rows, rewards, queries), rtol=1e-9)


@settings(max_examples=60)
@given(data=st.data())
def test_any_split_into_updates_gives_the_same_predictions(data):
    m = data.draw(st.integers(1, 12), label="m")
    n = data.draw(st.integers(0, 40), label="n")
    ridge = data.draw(st.sampled_from([0.0, 0.5, 1.0]), label="ridge")
    kind = data.draw(st.sampled_from(KINDS), label="kind")
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=12), label="cuts"))
    rng = np.random.default_rng(data.draw(st.integers(0, 99), label="seed"))
    rows = design(kind, rng, n, m) if n else np.empty((0, m))
    rewards, queries = rng.random(n), rng.random((6, m))
    whole, parts = LinearArm(m, ridge), LinearArm(m, ridge)
    whole.update(rows, rewards)
    for start, end in zip([0, *cuts], [*cuts, n], strict=True):
        parts.update(rows[start:end], rewards[start:end])
    # A square random design can be close to singular: what is lost is bounded by its condition.
    used = np.linalg.svd(rows, compute_uv=False) if n else np.ones(1)
    used = used[used > 1e-12 * max(used[0], 1e-300)]
    loose = 1e-13 * ((used[0] / used[-1]) ** 2 if len(used) and ridge == 0 else 1e4)
    got, expected = parts.predict(queries), whole.predict(queries)
    np.testing.assert_allclose(got, expected, rtol=loose, atol=loose * (1 + np.abs(expected).max()))
    if ridge:
        for one, other in zip(
            parts.predict_with_width(queries), whole.predict_with_width(queries), strict=True
        ):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scale", [1 / 255, 1.0, 255.0])
def test_pixel_scales(scale):
    rng = np.random.default_rng(6)
    rows = scale * np.where(rng.random((60, 500)) < 0.2, rng.random((60, 500)), 0.0)
    rows[31] = rows[30]
    rewards = rng.integers(0, 10, 60).astype(float)
    queries = np.concatenate([rows[28:33], scale * rng.random((4, 500))])
    mean, width = fed(rows, rewards, 1.0, 20).predict_with_width(queries)
    true_mean, true_width = ridge_truth(rows, rewards, 1.0, queries)
    np.testing.assert_allclose(mean, true_mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(width, true_width, rtol=1e-6)
    got = fed(rows, rewards, 0.0, 20).predict(queries)
    np.testing.assert_allclose(got, least_norm_truth(rows, rewards, queries), atol=1e-7)


def test_few_rows_of_a_paper_sized_context():
    """m = 3920 and a few rows, through the n × n identity instead of the m × m inverse."""
    rng = np.random.default_rng(7)
    m, n = 3920, 90
    rows = np.where(rng.random((n, m)) < 0.2, rng.random((n, m)), 0.0).astype(np.float32)
    queries = np.concatenate([rows[:3], rng.random((20, m)).astype(np.float32)])
    rewards = rng.integers(0, 10, n).astype(float)
    wide, wide_queries = rows.astype(float), queries.astype(float)
    gram = np.linalg.inv(wide @ wide.T + np.eye(n))
    cross = wide_queries @ wide.T
    mean, width = fed(rows, rewards, 1.0, 20).predict_with_width(queries)
    np.testing.assert_allclose(mean, cross @ (gram @ rewards), rtol=1e-9, atol=1e-10)
    explained = np.einsum("ij,jk,ik->i", cross, gram, cross)
    np.testing.assert_allclose(width**2, (wide_queries**2).sum(1) - explained, rtol=1e-8)
    got = fed(rows, rewards, 0.0, 20).predict(queries)
    np.testing.assert_allclose(got, least_norm_truth(wide, rewards, wide_queries), atol=1e-9)


@pytest.mark.parametrize("ridge", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("m", [1, 2, 40])
def test_widths_are_numbers_and_not_negative_on_repeated_contexts(m, ridge):
    rng = np.random.default_rng(m)
    arm = LinearArm(m, ridge)
    seen = rng.random((3, m)) * 255
    last = np.full(3, np.inf)
    for _ in range(60):
        mean, width = arm.predict_with_width(seen)
        assert np.isfinite(mean).all()
        assert np.isfinite(width).all()
        assert (width >= 0).all()
        # More data never widens a bound, up to the rounding the class states.
        allowed = np.sqrt(1e-14 * (seen**2).sum(1) / ridge)
        assert (width <= last * (1 + 1e-9) + allowed).all()
        last = width
        arm.update(seen, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("start", [0, 15])
def test_twenty_thousand_steps_do_not_drift(start):
    """LinUCB over 20,000 steps in blocks of 20 against one explicit solve at the end."""
    rng = np.random.default_rng(8)
    m, steps = 20, 20_000
    rows, rewards = rng.random((steps, m)), rng.standard_normal(steps)
    arm = LinearArm(m, 1.0)
    arm.update(rows[:start], rewards[:start])
    for first in range(start, steps, 20):
        arm.update(rows[first : first + 20], rewards[first : first + 20])
    queries = rng.random((50, m))
    matrix = np.eye(m) + rows.T @ rows
    mean, width = arm.predict_with_width(queries)
    np.testing.assert_allclose(
        mean, queries @ np.linalg.solve(matrix, rows.T @ rewards), rtol=1e-9, atol=1e-12
    )
    squared = np.einsum("ij,ji->i", queries, np.linalg.solve(matrix, queries.T))
    np.testing.assert_allclose(width, np.sqrt(squared), rtol=1e-11)


@pytest.mark.slow
def test_twenty_thousand_single_steps_do_not_drift():
    """The same, float32 contexts, one row at a time, checked on the way, with and without ridge."""
    rng = np.random.default_rng(9)
    m, steps = 20, 20_000
    rows = rng.random((steps, m)).astype(np.float32)
    rewards = 1e6 * rng.standard_normal(steps)
    ridge, plain = LinearArm(m, 1.0), LinearArm(m, 0.0)
    queries = rng.random((10, m))
    for step in range(steps):
        ridge.update(rows[step : step + 1], rewards[step : step + 1])
        plain.update(rows[step : step + 1], rewards[step : step + 1])
        if step % 1999 == 0:
            seen, got = rows[: step + 1].astype(float), rewards[: step + 1]
            mean, width = ridge.predict_with_width(queries)
            true_mean, true_width = ridge_truth(seen, got, 1.0, queries)
            np.testing.assert_allclose(mean, true_mean, rtol=1e-8, atol=1e-3)
            np.testing.assert_allclose(width, true_width, rtol=1e-10)
            np.testing.assert_allclose(
                plain.predict(queries), least_norm_truth(seen, got, queries), rtol=1e-8, atol=1e-3
            )


@pytest.mark.slow
@pytest.mark.parametrize("ridge", [0.0, 1.0])
@pytest.mark.parametrize("kind", ["dense", "zero columns", "duplicate rows"])
def test_growing_past_the_rank_of_a_wide_context(kind, ridge):
    """m = 700, rows arriving in blocks of 20 until they outnumber the features."""
    rng = np.random.default_rng(10)
    m, n = 700, 900
    rows = design(kind, rng, n, m)
    rewards, queries = rng.integers(0, 10, n).astype(float), rng.random((9, m))
    arm = LinearArm(m, ridge)
    for first in range(0, n, 20):
        arm.update(rows[first : first + 20], rewards[first : first + 20])
        end = first + 20
        if end % 100 == 0 and end != 700:  # at n = m the problem itself is near singular
            if ridge:
                mean, width = arm.predict_with_width(queries)
                true_mean, true_width = ridge_truth(rows[:end], rewards[:end], ridge, queries)
                np.testing.assert_allclose(mean, true_mean, rtol=1e-8, atol=1e-8)
                np.testing.assert_allclose(width, true_width, rtol=1e-8)
            else:
                truth = least_norm_truth(rows[:end], rewards[:end], queries)
                np.testing.assert_allclose(arm.predict(queries), truth, rtol=1e-6, atol=1e-6)


# --- long runs, far past the rank ------------------------------------------------------------


def pixels(rng, n, m):
    """Contexts as MNIST's are: float32 k/255; features dead, rare, or copies of one another.

    A third of the features are 0 for ever, a third are used once in 10 to 10,000 rows, and the
    last 4 of these have the same value wherever they are used.
    """
    chance = np.concatenate(
        [np.zeros(m // 3), 10 ** -rng.uniform(1, 4, m // 3), rng.uniform(0.1, 0.9, m - m // 3 * 2)]
    )
    grey = np.where(rng.random((n, m)) < chance, rng.integers(1, 256, (n, m)), 0)
    grey[:, 2 * (m // 3) - 4 : 2 * (m // 3)] = grey[:, [2 * (m // 3) - 4]]
    return np.divide(grey[:, rng.permutation(m)], np.float32(255), dtype=np.float32)


@pytest.mark.parametrize("scale", [1 / 255, 1.0, 255.0])
@pytest.mark.parametrize("m, steps", [(40, 4000), (200, 3000)])
def test_a_long_run_on_pixels_with_a_ridge(m, steps, scale):
    rng = np.random.default_rng([13, m])
    rows = pixels(rng, steps, m) * np.float32(scale)
    wide, rewards = rows.astype(float), rng.integers(0, 10, steps).astype(float)
    arm, queries = LinearArm(m, 1.0), pixels(rng, 20, m) * np.float64(scale)
    ends = np.cumsum(rng.integers(0, 9, steps // 4))
    for number, (start, end) in enumerate(zip([0, *ends], [*ends, steps], strict=True)):
        arm.update(rows[start:end], rewards[start:end])
        if number % 37 == 0:  # anywhere between two renewals
            factor = cho_factor(np.eye(m) + wide[:end].T @ wide[:end])
            mean, width = arm.predict_with_width(queries)
            truth = queries @ cho_solve(factor, wide[:end].T @ rewards[:end])
            np.testing.assert_allclose(mean, truth, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(arm.predict(queries), truth, rtol=1e-9, atol=1e-9)
            squared = np.einsum("ij,ji->i", queries, cho_solve(factor, queries.T))
            np.testing.assert_allclose(width, np.sqrt(squared), rtol=1e-8)


@pytest.mark.parametrize("scale", [1 / 255, 1.0, 255.0])
@pytest.mark.parametrize("m, steps", [(40, 4000), (200, 3000)])
def test_a_long_run_on_pixels_without_a_ridge(m, steps, scale):
    """Predictions in the span of the rows and outside it, before, at and far past the rank."""
    rng = np.random.default_rng([14, m])
    rows = pixels(rng, steps, m) * np.float32(scale)
    wide, rewards = rows.astype(float), rng.integers(0, 10, steps).astype(float)
    arm, queries = LinearArm(m, 0.0), np.concatenate([wide[:20], scale * rng.random((20, m))])
    ends = np.cumsum(rng.integers(0, 9, steps // 4))
    for number, (start, end) in enumerate(zip([0, *ends], [*ends, steps], strict=True)):
        arm.update(rows[start:end], rewards[start:end])
        if end and number % (7 if end < 1.5 * m else 61) == 0:
            truth = least_norm_truth(wide[:end], rewards[:end], queries)
            error = np.abs(arm.predict(queries) - truth).max()
            assert error < 1e-8 * np.abs(truth).max()


@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_a_caller_may_fill_its_arrays_anew(ridge):
    rng = np.random.default_rng(15)
    rows, rewards, queries = rng.random((90, 30)), rng.random(90), rng.random((5, 30))
    arm, buffer, reward = LinearArm(30, ridge), np.empty((3, 30)), np.empty(3)
    for start in range(0, 90, 3):
        buffer[:], reward[:] = rows[start : start + 3], rewards[start : start + 3]
        arm.update(buffer, reward)
        buffer[:], reward[:] = np.pi, np.pi
    expected = fed(rows, rewards, ridge, 3).predict(queries)
    np.testing.assert_array_equal(arm.predict(queries), expected)


def test_directions_that_lose_their_weight_are_cut_when_r_is_renewed():
    """Six directions of 1e-9 to 1e-4, fitted at first, are nothing beside 1e6 to 1e11 later."""
    rng = np.random.default_rng(16)
    m = 12
    weights = 10.0 ** np.array([*range(-9, -3), *range(6, 12)])
    rows = np.repeat(np.diag(weights), [4] * 11 + [17], axis=0)
    rewards = rng.random(len(rows))
    for end in (24, len(rows)):  # R is renewed every 13 rows
        got = fed(rows[:end], rewards[:end], 0.0, 1).predict(np.eye(m))
        truth = least_norm_truth(rows[:end], rewards[:end], np.eye(m))
        assert np.count_nonzero(np.abs(truth) > 1e-30) == 6
        np.testing.assert_allclose(got, truth, rtol=1e-8, atol=1e-20)


@pytest.mark.slow
@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_a_paper_sized_arm_past_its_rank(ridge):
    """m = 3920: before the move, after it, near the rank and past it, against LAPACK at once."""
    rng = np.random.default_rng(17)
    m, checked = 3920, (2000, 2600, 3060, 3500)
    rows, rewards = pixels(rng, checked[-1], m), rng.integers(0, 10, checked[-1]).astype(float)
    queries = pixels(rng, 20, m).astype(float)
    arm = LinearArm(m, ridge)
    for start in range(0, len(rows), 20):
        end = start + 20
        arm.update(rows[start:end], rewards[start:end])
        if end not in checked:
            continue
        wide = rows[:end].astype(float)
        if not ridge:
            truth = least_norm_truth(wide, rewards[:end], queries)
            assert np.abs(arm.predict(queries) - truth).max() < 1e-6 * np.abs(truth).max()
            continue
        mean, width = arm.predict_with_width(queries)
        factor = cho_factor(np.eye(m) + wide.T @ wide)
        truth = queries @ cho_solve(factor, wide.T @ rewards[:end])
        np.testing.assert_allclose(mean, truth, rtol=1e-8, atol=1e-8)
        squared = np.einsum("ij,ji->i", queries, cho_solve(factor, queries.T))
        np.testing.assert_allclose(width, np.sqrt(squared), rtol=1e-8)


# --- all the arms together ------------------------------------------------------------------


@pytest.mark.parametrize("arms", [1, 5, 50])
@pytest.mark.parametrize("m", [2, 64])
@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_arms_equal_separate_arms(arms, m, ridge):
    rng = np.random.default_rng([arms, m])
    together = LinearArms(m, arms, ridge)
    seen = [(np.empty((0, m)), np.empty(0)) for _ in range(arms)]
    for size in (1, 20, 0, 7, 20, 20, 60):
        block, rewards = rng.random((size, m)).astype(np.float32), rng.random(size)
        actions = rng.integers(0, arms, size)
        if ridge:
            together.predict_with_width(block)  # as a policy does before it learns
        together.update(block, actions, rewards)
        for j in range(arms):
            mine = actions == j
            seen[j] = (
                np.concatenate([seen[j][0], block[mine]]),
                np.concatenate([seen[j][1], rewards[mine]]),
            )
    queries = rng.random((300, m))  # more than one block of predictions
    assert together.predict(queries).shape == (300, arms)
    for j, (rows, rewards) in enumerate(seen):
        if ridge:
            mean, width = (part[:, j] for part in together.predict_with_width(queries))
            true_mean, true_width = ridge_truth(rows, rewards, ridge, queries)
            np.testing.assert_allclose(mean, true_mean, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(width, true_width, rtol=1e-9)
        else:
            true_mean = least_norm_truth(rows, rewards, queries) if len(rows) else 0 * queries[:, 0]
        np.testing.assert_allclose(together.predict(queries)[:, j], true_mean, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("change", ["nothing", "other block", "filled anew", "second update"])
def test_a_remembered_prediction_is_used_for_its_own_block_alone(change):
    rng = np.random.default_rng(11)
    m, arms = 50, 3
    first, block, other = rng.random((20, m)), rng.random((10, m)), rng.random((10, m))
    actions, rewards = rng.integers(0, arms, 10), rng.random(10)
    told, plain = LinearArms(m, arms, 1.0), LinearArms(m, arms, 1.0)
    for model in (told, plain):
        model.update(first, np.arange(20) % arms, np.arange(20.0))
    told.predict_with_width(block)
    if change == "other block":
        block = other
    elif change == "filled anew":
        block[:] = other  # the caller's own array, reused in place
    repeats = 2 if change == "second update" else 1
    for _ in range(repeats):
        told.update(block, actions, rewards)
        plain.update(block.copy(), actions, rewards)
    for one, two in zip(
        told.predict_with_width(other), plain.predict_with_width(other), strict=True
    ):
        np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("ridge", [0.0, 1.0])
@pytest.mark.parametrize("used", [1, 2, 4])
@pytest.mark.parametrize("kind", ["dense", "duplicate rows"])
def test_memory_stays_below_what_is_stated(ridge, used, kind):
    m, arms, steps = 300, 4, 800
    rng = np.random.default_rng(12)
    rows = design(kind, rng, steps, m)
    tracemalloc.start()
    model = LinearArms(m, arms, ridge)
    for first in range(0, steps, 20):
        block = rows[first : first + 20]
        (model.predict_with_width if ridge else model.predict)(block)
        model.update(block, rng.integers(0, used, 20), rng.random(20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= memory_needed(steps, m, arms)


def test_memory_of_a_run_at_paper_scale():
    assert memory_needed(5000, 3920, 5) < 2**30
    assert memory_needed(5000, 3920, 5) > 8 * 5000 * 3920  # the contexts alone
    assert memory_needed(1, 1, 1) < 2**20
    assert memory_needed(2_000_000, 20, 5) < 2**21  # bounded by m, not by the steps


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e101])
@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_values_that_are_not_finite_are_refused_by_name(value, ridge):
    arm, arms = LinearArm(2, ridge), LinearArms(2, 3, ridge)
    bad = np.array([[0.0, 1.0], [value, 0.0]])
    good = np.ones((2, 2))
    for call in (
        lambda: arm.update(bad, [1, 2]),
        lambda: arm.predict(bad),
        lambda: arm.predict_with_width(bad),
        lambda: arms.update(bad, [0, 1], [1, 2]),
        lambda: arms.predict(bad),
        lambda: arms.predict_with_width(bad),
    ):
        with pytest.raises(ValueError, match=r"contexts hold .* at \(1, 0\)"):
            call()
    with pytest.raises(ValueError, match=r"rewards hold .* at \(1,\)"):
        arm.update(good, [1, value])
    with pytest.raises(ValueError, match=r"rewards hold .* at \(0,\)"):
        arms.update(good, [0, 1], [value, 1])
    np.testing.assert_array_equal(arm.predict(good), 0)  # nothing was taken in
    np.testing.assert_array_equal(arms.predict(good), 0)


@pytest.mark.parametrize(
    "contexts, rewards, message",
    [
        ([1.0, 2.0], [1.0], r"contexts have shape \(2,\).*\(n, 2\)"),
        ([[1.0]], [1.0], r"contexts have shape \(1, 1\)"),
        ([[1.0, 2.0]], [[1.0]], r"rewards have shape \(1, 1\).*\(1,\)"),
        ([[1.0, 2.0]], [1.0, 2.0], r"rewards have shape \(2,\)"),
        ([["a", "b"]], [1.0], "contexts have dtype"),
        ([[1.0, 2.0]], [1j], "rewards have dtype complex128"),
    ],
)
def test_shapes_and_types_are_refused(contexts, rewards, message):
    with pytest.raises(ValueError, match=message):
        LinearArm(2, 1.0).update(contexts, rewards)


@pytest.mark.parametrize(
    "actions, message",
    [
        ([0], "actions have shape"),
        ([0.0, 1.0], "dtype float64"),
        ([0, 3], "actions hold 3: they must be 0 to 2"),
        ([-1, 0], "actions hold -1"),
    ],
)
def test_actions_are_refused(actions, message):
    with pytest.raises(ValueError, match=message):
        LinearArms(2, 3, 1.0).update(np.ones((2, 2)), actions, [1.0, 2.0])


@pytest.mark.parametrize("ridge", [-1.0, np.nan, np.inf, 1e-200])
def test_ridges_are_refused(ridge):
    with pytest.raises(ValueError, match="ridge must be 0, or from"):
        LinearArm(2, ridge)
    with pytest.raises(ValueError, match="ridge must be 0, or from"):
        LinearArms(2, 3, ridge)


@pytest.mark.parametrize("size", [0, -1, 2.0, True, "2"])
def test_sizes_are_refused(size):
    with pytest.raises(ValueError, match=r"context_size .* must be a whole number >= 1"):
        LinearArm(size, 1.0)
    with pytest.raises(ValueError, match=r"arms .* must be a whole number >= 1"):
        LinearArms(2, size, 1.0)
    with pytest.raises(ValueError, match="steps must be a whole number >= 1"):
        memory_needed(size, 2, 2)


def test_widths_without_a_ridge_are_refused():
    for model in (LinearArm(2, 0.0), LinearArms(2, 3, 0.0)):
        with pytest.raises(ValueError, match="widths were asked for with ridge 0"):
            model.predict_with_width(np.ones((1, 2)))


# --- inside the two sides -------------------------------------------------------------------


def test_a_width_that_rounding_made_negative_is_zero():
    """A NaN would win every arg max."""
    side = Rows(2, ridge=1.0, limit=2)
    squared = side.squared_widths(np.array([[1.0, 0.0]]), np.array([[1.0 + 1e-15]]))
    np.testing.assert_array_equal(squared, [0.0])


def test_a_negligible_direction_is_left_among_the_unseen():
    side = LeastNorm(Rows(5, ridge=0.0, limit=0))
    rows = np.zeros((6, 5))
    rows[:, 0] = 1.0
    rows[1, 1] = 1e-17
    rows[2, 2] = 1e-6
    for row in rows:  # the sixth has R renewed
        side.append(row[None], np.ones(1))
    assert side.unseen.shape == (1, 3)  # features 0, 1 and 2, two directions of them taken
    np.testing.assert_allclose(np.abs(side.unseen), [[0, 1, 0]], atol=1e-10)


@pytest.mark.parametrize("m", [2, 3, 6, 40])
def test_the_unseen_directions_stay_orthonormal_and_unseen(m):
    for seed in range(50):
        rng = np.random.default_rng([m, seed])
        side = LeastNorm(Rows(m, ridge=0.0, limit=0))
        rows = rng.standard_normal((1 + m // 2, m))
        for _ in range(4):  # R is renewed every m + 1 rows
            for row in rows * rng.standard_normal((len(rows), 1)):
                side.append(row[None], np.ones(1))
        unseen = side.unseen
        assert len(unseen) == m - len(rows)
        np.testing.assert_allclose(unseen @ unseen.T, np.eye(len(unseen)), atol=1e-13)
        np.testing.assert_allclose(rows @ unseen.T, 0, atol=1e-12)
