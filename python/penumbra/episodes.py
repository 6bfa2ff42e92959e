"""Episodes to look at: the ones that the program simulates under the same numbers."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penumbra import _penumbra
from penumbra.models import Model, as_model
from penumbra.policies import player_for
from penumbra.texts import html_table, in_python_words

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Episode:
    """What happened: states has one more than the others."""

    model: Model
    states: Array
    actions: Array
    observations: Array
    rewards: npt.NDArray[np.float32]
    ended: bool  # in a terminal state; otherwise it was cut

    def __len__(self) -> int:
        return len(self.rewards)

    @property
    def value(self) -> float:
        """The discounted return."""
        weights = self.model.facts.discount ** np.arange(len(self))
        return float((weights * self.rewards.astype("f8")).sum())

    def _names(self) -> list[tuple[str, str, str, str]]:
        core, rows = self.model._core, []
        finite = self.observations.dtype.kind == "i"
        names = self.model.observations if finite and self.model.facts.num_observations else None
        for t in range(len(self)):
            seen = self.observations[t]
            said = (
                names[int(seen)]
                if isinstance(names, list)
                else (
                    f"cluster {seen}" if finite else np.array2string(np.asarray(seen), precision=4)
                )
            )
            action = core.describe_action(np.ascontiguousarray(self.actions[t : t + 1]))
            rows.append((self.model.describe(self.states[t]), action, said, f"{self.rewards[t]:g}"))
        return rows

    def __str__(self) -> str:
        lines = [f"{s}: does {a}, sees {o}, reward {r}" for s, a, o, r in self._names()]
        end = "ended" if self.ended else "cut"
        return "\n".join(lines + [f"{end} after {len(self)} steps, return {self.value:.4f}"])

    def _repr_html_(self) -> str:
        return html_table(self._names(), ("state", "action", "observation", "reward"))

    def plot(self, field: Any = None, ax: Any = None) -> Any:
        """A field of the state (or the rewards) over time; returns the axes."""
        from penumbra.plots import plot_episode

        return plot_episode(self, field, ax)


@in_python_words
def simulate(
    model: Any, policy: Any, seed: int = 1, episode: int = 0, max_steps: int = 100
) -> Episode:
    """Episode number `episode` of pn.evaluate with this seed, step by step."""
    m = as_model(model)
    player = player_for(m, policy)
    found = _penumbra.trace(player, seed, episode, max_steps)
    finite = player.num_observations() > 0
    width = player.seen_size() // 4
    seen = np.frombuffer(found["observations"], "i4" if finite else "f4")
    actions = np.frombuffer(found["actions"], "i4" if m.facts.num_actions else "f4")
    steps = len(found["rewards"]) // 4
    if not m.facts.num_actions:
        actions = actions.reshape(steps, -1)
    if not finite and width > 1:
        seen = seen.reshape(steps, width)
    states = m._states(found["states"]) if found["states"] else np.zeros(0, m.state_dtype)
    return Episode(m, states, actions, seen, np.frombuffer(found["rewards"], "f4"), found["ended"])
