"""A policy as stable-baselines3 calls its own: see SavedPolicy.predict."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Tuple

import numpy as np
import numpy.typing as npt

from penumbra._penumbra import Rng

if TYPE_CHECKING:
    from penumbra.policies import SavedPolicy

Array = npt.NDArray[Any]


def predict(
    policy: "SavedPolicy", observation: Any, state: Any, episode_start: Any
) -> Tuple[Array, Any]:
    """(actions, memory) as stable-baselines3's policies do: see SavedPolicy.predict."""
    model = policy._needs_model()
    player = policy._player()
    seen = np.asarray(observation)
    finite = player.num_observations() > 0
    one = seen.ndim == (0 if finite else 1)
    seen = seen[None] if one else seen
    n = len(seen)
    fresh = np.zeros(n, "?") if episode_start is None else np.broadcast_to(episode_start, n).copy()
    if finite:
        fresh |= seen.reshape(n) == player.num_observations()
    last: Array
    if state is None:
        memory, last, t = None, None, 0  # type: ignore[assignment]
        fresh[:] = True
    else:
        memory, last, t = state
    rng = Rng(1, n).fold("predict").fold(t)
    start = np.frombuffer(player.start(rng.fold("start")), "u1").reshape(n, -1)
    if memory is None:
        rows = start.copy()
    else:
        before = np.array(memory, copy=True)
        shown = np.where(fresh, 0, seen.reshape(n)) if finite else seen
        buffer = bytearray(before.tobytes())
        player.observe(
            buffer, model.action_memory(last), model.seen_memory(shown, finite), rng.fold("observe")
        )
        rows = np.frombuffer(buffer, "u1").reshape(n, -1).copy()
        rows[fresh] = start[fresh]
    held = bytearray(rows.tobytes())
    acts = player.act(held, rng.fold("act"))
    actions = np.frombuffer(acts, "i4" if model.facts.num_actions else "f4").copy()
    if not model.facts.num_actions:
        actions = actions.reshape(n, -1)
    kept = np.frombuffer(held, "u1").reshape(n, -1)
    return (actions[0] if one else actions), (kept, actions, t + 1)
