"""What a model of one's own declares about its actions, observations and features."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Sequence, Tuple

import numpy as np
import numpy.typing as npt


class Box:
    """Continuous actions: a vector of floats between `low` and `high`."""

    def __init__(self, low: npt.ArrayLike, high: npt.ArrayLike) -> None:
        self.low = np.atleast_1d(np.asarray(low, "f4"))
        self.high = np.atleast_1d(np.asarray(high, "f4"))
        if self.low.ndim != 1 or self.low.shape != self.high.shape:
            raise ValueError("Box: low and high must be numbers or vectors of the same length")
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all()):
            raise ValueError("Box: low and high must be finite")
        if (self.low > self.high).any():
            raise ValueError("Box: low must not be above high")

    @property
    def dimension(self) -> int:
        return len(self.low)

    def __repr__(self) -> str:
        return f"Box({self.low.tolist()}, {self.high.tolist()})"


@dataclass(frozen=True)
class Floats:
    """Continuous observations: this many floats."""

    dimension: int = 1


@dataclass(frozen=True)
class Features:
    """The input of a network: categories (the size of each one-hot block), bits, dense values."""

    categories: Sequence[int] = field(default_factory=tuple)
    bits: int = 0
    dense: int = 0


class FeatureRows:
    """What `encode(states, out)` fills in, a row per state; it begins with zeros."""

    def __init__(self, rows: int, layout: Features) -> None:
        self.category: npt.NDArray[np.int32] = np.zeros((rows, len(layout.categories)), "i4")
        self.bits: npt.NDArray[np.bool_] = np.zeros((rows, layout.bits), "?")
        self.dense: npt.NDArray[np.float32] = np.zeros((rows, layout.dense), "f4")


def names_or_count(value: Any, what: str, owner: str) -> Tuple[int, list[str]]:
    """The number of a finite set and its names, from a list of names or a count."""
    if isinstance(value, (set, frozenset)):
        raise TypeError(f"{owner}.{what} is a set, whose order is by chance: use a list")
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{owner}.{what} is {value!r}, expected a list of names or a count")
    if isinstance(value, (int, np.integer)):
        if value < 1:
            raise ValueError(f"{owner}.{what} is {value}, expected at least 1")
        return int(value), []
    if isinstance(value, (list, tuple)) and value:
        names = [str(name) for name in value]
        if len(set(names)) < len(names):
            raise ValueError(f"{owner}.{what} has a name twice")
        return len(names), names
    raise TypeError(f"{owner}.{what} is {value!r}, expected a list of names or a count")
