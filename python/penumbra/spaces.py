"""The spaces of penumbra.gym where gymnasium is not installed: the part of its interface that
learners use."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Space:
    shape: Tuple[int, ...] = ()
    dtype: np.dtype[Any] = np.dtype("i8")
    _rng: Optional[np.random.Generator] = None

    @property
    def np_random(self) -> np.random.Generator:
        if self._rng is None:
            self._rng = np.random.default_rng()
        return self._rng

    def seed(self, seed: Optional[int] = None) -> Optional[int]:
        self._rng = np.random.default_rng(seed)
        return seed

    def sample(self) -> Any:
        raise NotImplementedError

    def contains(self, x: Any) -> bool:
        raise NotImplementedError

    def __contains__(self, x: Any) -> bool:
        return self.contains(x)


class Discrete(Space):
    """Whole numbers from 0 to n - 1."""

    def __init__(self, n: int, seed: Optional[int] = None) -> None:
        self.n = int(n)
        self.start = 0
        if seed is not None:
            self.seed(seed)

    def sample(self) -> np.int64:
        return np.int64(self.np_random.integers(self.n))

    def contains(self, x: Any) -> bool:
        whole = isinstance(x, (int, np.integer)) or (
            isinstance(x, np.ndarray) and x.shape == () and x.dtype.kind in "iu"
        )
        return bool(whole and 0 <= int(x) < self.n)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Discrete) and other.n == self.n

    def __repr__(self) -> str:
        return f"Discrete({self.n})"


class MultiDiscrete(Space):
    """A vector of whole numbers, each from 0 to its n - 1."""

    def __init__(self, nvec: Sequence[int], seed: Optional[int] = None) -> None:
        self.nvec = np.asarray(nvec, "i8")
        self.shape = self.nvec.shape
        if seed is not None:
            self.seed(seed)

    def sample(self) -> Array:
        return self.np_random.integers(self.nvec)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        return bool(
            x.shape == self.shape
            and x.dtype.kind in "iu"
            and (x >= 0).all()
            and (x < self.nvec).all()
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MultiDiscrete) and np.array_equal(other.nvec, self.nvec)

    def __repr__(self) -> str:
        return f"MultiDiscrete({self.nvec})"


class Box(Space):
    """Floats between low and high."""

    def __init__(
        self,
        low: Any,
        high: Any,
        shape: Optional[Tuple[int, ...]] = None,
        dtype: Any = np.float32,
        seed: Optional[int] = None,
    ) -> None:
        self.shape = tuple(shape) if shape is not None else np.shape(low)
        self.dtype = np.dtype(dtype)
        self.low = np.broadcast_to(np.asarray(low, self.dtype), self.shape).copy()
        self.high = np.broadcast_to(np.asarray(high, self.dtype), self.shape).copy()
        if seed is not None:
            self.seed(seed)

    def sample(self) -> Array:
        low = np.where(np.isfinite(self.low), self.low, -1.0)
        high = np.where(np.isfinite(self.high), self.high, 1.0)
        return self.np_random.uniform(low, high).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        if not isinstance(x, np.ndarray):
            return False
        return bool(
            x.shape == self.shape
            and np.can_cast(x.dtype, self.dtype)
            and (x >= self.low).all()
            and (x <= self.high).all()
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Box)
            and self.shape == other.shape
            and np.array_equal(self.low, other.low)
            and np.array_equal(self.high, other.high)
        )

    def __repr__(self) -> str:
        return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"
