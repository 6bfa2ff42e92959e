"""A belief by particles that goes along with an episode."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from penumbra import _penumbra
from penumbra.models import as_model

Array = npt.NDArray[Any]


class Belief:
    """Weighted states: b = pn.Belief(model); b.update(action, observation); b.states, b.weights."""

    def __init__(self, model: Any, particles: int = 1000, seed: int = 1) -> None:
        self.model = as_model(model)
        self._core = _penumbra.Belief(self.model._core, particles, seed)
        self.evidence = 1.0  # P(observation | belief, action) of the last update, or its density
        self.effective_size = float(particles)
        self.lost = False  # no particle explained the last observation: others were revived

    def update(self, action: Any, observation: Any) -> "Belief":
        """After an action and what was seen. The episode went on, so no state is terminal."""
        self.evidence, self.effective_size, _, revived = self._core.update(
            self.model.action_memory(action),
            self.model.seen_memory(observation, self._core.is_finite()),
        )
        self.lost = revived > 0
        return self

    @property
    def states(self) -> Array:
        return self.model._states(self._core.states())

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        return np.frombuffer(self._core.weights(), "f8")

    def mean(self, field: str) -> float:
        """The mean of a field of the states."""
        return float((self.model.fields(self.states)[field] * self.weights).sum())

    def plot(self, field: Any = None, ax: Any = None) -> Any:
        """How a field of the state is distributed; returns the axes."""
        from penumbra.plots import plot_belief

        return plot_belief(self, field, ax)

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<Belief of {len(self)} particles, worth {self.effective_size:.0f}>"
