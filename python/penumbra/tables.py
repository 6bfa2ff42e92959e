"""Explicit tables of a model as what C++ reads."""
from __future__ import annotations

from typing import Any, Dict, Tuple

import numpy as np
import numpy.typing as npt

from penumbra._penumbra import Error

Array = npt.NDArray[Any]


def _rows(dense: Array) -> Tuple[Array, Array, Array]:
    """Compressed sparse rows of a matrix."""
    where = dense != 0
    start = np.concatenate([[0], np.cumsum(where.sum(axis=1))]).astype("i8")
    return start, np.nonzero(where)[1].astype("i8"), dense[where].astype("f8")


def table_parts(given: Any, owner: str, actions: int, observations: int) -> Dict[str, Any]:
    """Arrays T[a, s, s'], O[a, s', o], R[a, s], start and terminal as what C++ reads."""
    try:
        transition = np.asarray(given["transition"], "f8")
        observation = np.asarray(given["observation"], "f8")
        reward = np.asarray(given["reward"], "f8")
        start = np.ascontiguousarray(given["start"], "f8")
    except KeyError as error:
        raise Error(
            f"{owner}.table: {error} is missing; it needs transition, observation, reward, start"
        ) from None
    n = len(start)
    for name, part, shape in (
        ("transition", transition, (actions, n, n)),
        ("observation", observation, (actions, n, observations)),
        ("reward", reward, (actions, n)),
    ):
        if part.shape != shape:
            raise Error(f"{owner}.table: {name} has shape {part.shape}, expected {shape}")
    terminal = np.ascontiguousarray(given.get("terminal", np.zeros(n)), "u1")
    if terminal.shape != (n,):
        raise Error(f"{owner}.table: terminal has shape {terminal.shape}, expected ({n},)")
    return {
        "num_states": n,
        "transition": [_rows(t) for t in transition],
        "observation": [_rows(o) for o in observation],
        "reward": [np.ascontiguousarray(r) for r in reward],
        "start": start,
        "terminal": terminal,
    }
