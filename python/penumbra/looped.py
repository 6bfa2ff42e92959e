"""Models whose methods take one state, for pn.scalar."""
from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np
import numpy.typing as npt

from penumbra._penumbra import Error, Rng

Array = npt.NDArray[Any]


class Looped:
    """A model of single states, looped over the lanes."""

    lanes_per_call = 256

    def __init__(self, user: Any) -> None:
        self._user = user
        self._dtype = np.dtype(user.state)
        for name in ("name", "state", "actions", "observations", "rewards", "discount", "features"):
            if hasattr(user, name):
                setattr(self, name, getattr(user, name))
        if not hasattr(user, "name"):
            self.name = type(user).__name__
        if hasattr(user, "is_terminal"):
            self.is_terminal = lambda s: np.array([bool(user.is_terminal(x)) for x in s])
        if hasattr(user, "likelihood"):
            self.likelihood = lambda o, a, s: np.array([float(user.likelihood(o, a, x)) for x in s])
        if hasattr(user, "mdp_value"):
            self.mdp_value = lambda s: np.array([float(user.mdp_value(x)) for x in s])
        if hasattr(user, "encode"):
            self.encode = self._encode

    def _rows(self, states: List[Any]) -> Array:
        out = np.zeros(len(states), self._dtype)
        for i, one in enumerate(states):
            out[i] = one
        return out

    def sample_initial(self, rng: Rng, n: int) -> Array:
        return self._rows([self._user.sample_initial(_One(rng, i)) for i in range(n)])

    def step(self, s: Array, a: Array, rng: Rng) -> Tuple[Array, Array, Array]:
        finite = a.dtype.kind == "i"
        results = [
            self._user.step(s[i], int(a[i]) if finite else a[i], _One(rng, i))
            for i in range(len(s))
        ]
        for r in results[:1]:
            if not isinstance(r, tuple) or len(r) != 3:
                raise Error(
                    f"{type(self._user).__name__}.step returned {type(r).__name__}, "
                    "expected (state, observation, reward)"
                )
        return (
            self._rows([r[0] for r in results]),
            np.array([r[1] for r in results]),
            np.array([r[2] for r in results], "f4"),
        )

    def _encode(self, s: Array, out: Any) -> None:
        for i in range(len(s)):
            row = type("Row", (), {})()
            row.category, row.bits, row.dense = out.category[i], out.bits[i], out.dense[i]
            self._user.encode(s[i], row)


class _One:
    """The stream of one lane: every call gives one number."""

    def __init__(self, rng: Rng, lane: int) -> None:
        self._rng = rng.at([lane])

    def __getattr__(self, name: str) -> Any:
        draw = getattr(self._rng, name)

        def one(*args: Any, **kwargs: Any) -> Any:
            return draw(*args, **kwargs)[0]

        return one
