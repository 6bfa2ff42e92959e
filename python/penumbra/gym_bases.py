"""What environments stand on: gymnasium where it is installed, the same in small elsewhere."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from penumbra import spaces as own_spaces

__all__ = [
    "HAVE_GYMNASIUM",
    "AutoresetMode",
    "EnvBase",
    "VectorBase",
    "batch_space",
    "gymnasium",
    "spaces",
]

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space

    HAVE_GYMNASIUM = True
    EnvBase: Any = gymnasium.Env
    VectorBase: Any = gymnasium.vector.VectorEnv
except ImportError:
    import enum

    HAVE_GYMNASIUM = False
    gymnasium = None
    spaces = own_spaces

    class AutoresetMode(enum.Enum):  # type: ignore[no-redef]
        NEXT_STEP = "NextStep"
        SAME_STEP = "SameStep"
        DISABLED = "Disabled"

    class _Seeded:
        """What the base classes of gymnasium do at reset."""

        _np_random: Optional[np.random.Generator] = None
        spec: Any = None

        def reset(self, *, seed: Optional[int] = None, options: Any = None) -> None:
            if seed is not None:
                self._np_random = np.random.default_rng(seed)

        @property
        def np_random(self) -> np.random.Generator:
            if self._np_random is None:
                self._np_random = np.random.default_rng()
            return self._np_random

        @property
        def unwrapped(self) -> Any:
            return self

        def close(self) -> None:
            pass

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *error: Any) -> None:
            self.close()

    EnvBase = VectorBase = _Seeded

    def batch_space(space: Any, n: int) -> Any:
        if isinstance(space, own_spaces.Discrete):
            return own_spaces.MultiDiscrete([space.n] * n)
        low = np.repeat(space.low[None], n, axis=0)
        return own_spaces.Box(low, np.repeat(space.high[None], n, axis=0), dtype=space.dtype)
