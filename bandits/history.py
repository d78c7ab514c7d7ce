"""What a predictor is trained on: the steps that were recorded, in order."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Recall = Callable[[NDArray[np.int64]], NDArray[np.float32]]
"""Time steps t (n,) of a run -> their contexts (n, m), once more."""


class History:
    """The steps that a predictor is trained on, in order; S_j are the rows with action j.

    Args:
        recall: gives the contexts of a run's steps again whenever they are asked for. They are not
            kept then: 3,920 pixels take 16 kB a step. Without it they are kept as they are given.
    """

    def __init__(self, recall: Recall | None = None) -> None:
        self._recall = recall
        self._size = 0
        self._context_size: int | None = None
        self._contexts = np.empty((0, 0), dtype=np.float32)
        self._t = np.empty(0, dtype=np.int64)
        self._actions = np.empty(0, dtype=np.int64)
        self._rewards = np.empty(0, dtype=np.float32)

    def append(
        self,
        contexts: NDArray[np.float32],
        actions: NDArray[np.int64],
        rewards: NDArray[np.float32],
        t: NDArray[np.int64] | None = None,
    ) -> None:
        """Add n ≥ 0 steps: contexts (n, m), actions (n,), rewards (n,), time steps t (n,).

        Only a history that recalls its contexts needs t.

        Raises:
            ValueError: if the shapes differ from these, m from that of the steps before, or if an
                action is no whole number.
        """
        given = [np.shape(values) for values in (contexts, actions, rewards)]
        n = given[1][:1]
        m = given[0][1:2] if self._context_size is None else (self._context_size,)
        if given != [n + m, n, n] or len(n + m) != 2 or np.asarray(actions).dtype.kind not in "ui":
            raise ValueError(
                "a history needs contexts (n, m), whole actions (n,) and rewards (n,)"
                f"{f' with m = {m[0]}' if self._size else ''}, not of shapes "
                f"{', '.join(map(str, given))}, with actions of {np.asarray(actions).dtype}"
            )
        if self._recall is not None and (t is None or t.shape != n):
            raise ValueError(
                f"a history that recalls its contexts needs the time steps t {n}, "
                f"not {'none' if t is None else t.shape}"
            )
        if len(actions) == 0:  # no step of the block explored, and only those are kept
            return
        self._context_size = m[0]
        added: dict[str, NDArray[Any]] = {"_actions": actions, "_rewards": rewards}
        if self._recall is None:
            added["_contexts"] = contexts
        elif t is not None:
            added["_t"] = t
        end = self._size + len(actions)
        for name, values in added.items():
            kept = getattr(self, name)
            if end > len(kept):
                larger = np.empty((max(end, 2 * len(kept), 64), *np.shape(values)[1:]), kept.dtype)
                larger[: self._size] = kept[: self._size].reshape(self._size, *larger.shape[1:])
                setattr(self, name, larger)
            getattr(self, name)[self._size : end] = values
        self._size = end

    def __len__(self) -> int:
        return self._size

    def contexts_of(self, rows: NDArray[np.int64] | slice) -> NDArray[np.float32]:
        """The contexts of these rows, (n, m) float32."""
        if self._recall is None:
            return self._contexts[: self._size][rows]
        return np.asarray(self._recall(self._t[: self._size][rows]), np.float32, "C")

    @property
    def contexts(self) -> NDArray[np.float32]:
        """All contexts, (n, m), which may take much memory."""
        return self.contexts_of(slice(None))

    @property
    def actions(self) -> NDArray[np.int64]:
        """(n,)."""
        return self._actions[: self._size]

    @property
    def rewards(self) -> NDArray[np.float32]:
        """(n,)."""
        return self._rewards[: self._size]

    def rows(self, arm: int) -> NDArray[np.int64]:
        """S_j: the positions of the steps that chose this arm."""
        return np.flatnonzero(self.actions == arm)
