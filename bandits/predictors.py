"""What an ε-greedy policy believes: predictors of each arm's reward, replaceable at will.

The paper's corollary holds for "any predictor". Here that is least squares and any scikit-learn
regressor; the paper's networks are in `bandits.networks`, which alone needs torch.
"""

import warnings
from copy import deepcopy
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits.history import History
from bandits.linear import LinearArms

State = dict[str, NDArray[Any]]


class Predictor(Protocol):
    """Predicts the reward of every arm; an arm without data keeps its untrained prediction."""

    def predict(self, contexts: NDArray[np.float32]) -> NDArray[np.floating]:
        """Contexts (n, m) -> predicted rewards (n, K)."""

    def fit(self, history: History) -> None:
        """Train every arm that has data on its rows S_j of the whole history."""

    def state(self) -> State | None:
        """Arrays to continue from, or None if the history alone determines the predictor."""

    def load_state(self, state: State) -> None:
        """Continue from arrays that `state` gave."""


class _FunctionOfHistory:
    """Predictors that their history determines have no further state."""

    def state(self) -> None:
        """None: training again on the same history gives the same predictor."""

    def load_state(self, state: State) -> None:
        """Never needed."""
        raise ValueError(f"{type(self).__name__} has no state to load")


class LeastSquares(_FunctionOfHistory):
    """Least squares per arm, without an intercept as in Algorithm 4; untrained it predicts 0.

    Args:
        context_size: m.
        arms: K.
        ridge: 0 for the minimum-norm solution (Algorithm 4), > 0 for ridge regression.
    """

    def __init__(self, context_size: int, arms: int, *, ridge: float = 0.0) -> None:
        self.model = LinearArms(context_size, arms, ridge)
        self._seen = 0

    def predict(self, contexts: NDArray[np.float32]) -> NDArray[np.float64]:
        """Contexts (n, m) -> B_jᵀx (n, K)."""
        return self.model.predict(contexts)

    def fit(self, history: History) -> None:
        """Add the steps that are new since the last fit."""
        if len(history) == self._seen:
            return
        new = slice(self._seen, len(history))
        self.model.update(history.contexts_of(new), history.actions[new], history.rewards[new])
        self._seen = len(history)


class Regressor(_FunctionOfHistory):
    """Any scikit-learn regressor, cloned per arm and refitted on S_j after each stage.

    Fitting is put off until a prediction is asked for. Untrained, an arm predicts 0. Where the
    regressor cannot serve n samples, as k-nearest neighbours with n < k, it is given n neighbours,
    and failing that the arm predicts the mean of its rewards. A regressor that would fail on more
    samples, too, as one with a wrong parameter does, is refused with a ValueError.

    Args:
        estimator: an unfitted regressor; it is cloned, never changed.
        arms: K.
        seed: seeds every `random_state` of the clones, one stream per arm; it is not changed.

    Raises:
        ValueError: for another kind of seed, or what is no estimator.
    """

    def __init__(self, estimator: Any, arms: int, *, seed: np.random.SeedSequence) -> None:
        needed = ("fit", "predict", "get_params")
        if isinstance(estimator, type) or not all(hasattr(estimator, name) for name in needed):
            raise ValueError(
                f"estimator must be a scikit-learn regressor, such as Ridge(), not {estimator!r}"
            )
        self.estimator = estimator
        self.arms = arms
        if not isinstance(seed, np.random.SeedSequence):
            raise ValueError(f"seed must be a numpy.random.SeedSequence, not {seed!r}")
        self.seeds = [int(s.generate_state(1)[0]) for s in deepcopy(seed).spawn(arms)]
        self._history = History()
        self._fitted: list[Any] | None = [None] * arms

    def fit(self, history: History) -> None:
        """Remember that the fits are out of date."""
        self._history = history
        self._rows = [history.rows(arm) for arm in range(self.arms)]
        self._fitted = None

    def predict(self, contexts: NDArray[np.float32]) -> NDArray[np.float64]:
        """Contexts (n, m) -> (n, K)."""
        if self._fitted is None:
            self._fitted = [self._fit_arm(arm) for arm in range(self.arms)]
        scores = np.zeros((len(contexts), self.arms))
        for arm, model in enumerate(self._fitted):
            if model is not None:
                values = np.asarray(model.predict(contexts))
                if values.size != len(contexts):
                    raise ValueError(
                        f"{type(model).__name__} predicts {values.shape} for {len(contexts)} "
                        f"contexts of arm {arm}; it must predict one number for each"
                    )
                scores[:, arm] = values.reshape(len(contexts))
        return scores

    def _fit_arm(self, arm: int) -> Any:
        rows = self._rows[arm]
        if len(rows) == 0:
            return None
        from sklearn.base import clone
        from sklearn.dummy import DummyRegressor

        model = clone(self.estimator)
        for name, value in model.get_params().items():  # of the parts of a pipeline, too
            what = name.rpartition("__")[2]
            if what == "random_state":
                model.set_params(**{name: self.seeds[arm]})
            elif what == "n_jobs":
                model.set_params(**{name: 1})
            elif (
                what == "n_neighbors" and isinstance(value, int | np.integer) and value > len(rows)
            ):
                model.set_params(**{name: len(rows)})
        x, y = self._history.contexts_of(rows), self._history.rewards[rows].astype(np.float64)
        try:
            return model.fit(x, y)
        except ValueError:
            lasting = _refusal(clone(model), np.tile(x, (ENOUGH, 1)), np.tile(y, ENOUGH))
            if lasting is not None:  # the first may only be about the few samples
                why = " ".join(str(lasting).split())
                raise ValueError(
                    f"{type(model).__name__} cannot be fitted to arm {arm}: {why}"
                ) from lasting
            return DummyRegressor().fit(x, y)


ENOUGH = 50
"""A regressor that fits the same samples this many times over had only too few of them."""


def _refusal(model: Any, x: NDArray[np.float32], y: NDArray[np.float64]) -> ValueError | None:
    """Why a regressor cannot be fitted, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of equal samples, which are none of the user's
            model.fit(x, y)
    except ValueError as error:
        return error
    return None


def checked_predictions(given: ArrayLike, n: int, arms: int) -> NDArray[np.floating]:
    """What a predictor gave for n contexts and K arms, (n, K).

    Raises:
        ValueError: naming the predictor, for another shape or kind.
    """
    scores = np.asarray(given)
    if scores.shape != (n, arms) or scores.dtype.kind not in "fiu":
        raise ValueError(
            f"the predictor gives {scores.shape} of {scores.dtype} for {n} contexts and {arms} "
            f"arms; it must give ({n}, {arms}) numbers, one for each context and arm"
        )
    return scores
