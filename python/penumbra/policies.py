"""Policies: values that do not change. An agent is a policy with a memory."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from penumbra import _penumbra
from penumbra._penumbra import Error, Rng
from penumbra.models import Model, PathLike, as_model, named_in_file
from penumbra.texts import html_table, in_python_words

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Controller:
    """A finite-state controller: do action[node], see o, go to next[node, o]."""

    start: int
    action: npt.NDArray[np.int32]
    next: npt.NDArray[np.int32]
    actions: List[str]
    observations: List[str]

    def __len__(self) -> int:
        return len(self.action)


class Policy:
    """The base of policies of one's own: `memory` is a NumPy dtype (or None), and start, act and
    update treat n lanes at once. `finite=True`: continuous observations come as clusters."""

    memory: Any = None
    finite: bool = False

    def start(self, rng: Rng, n: int) -> Any:
        """The memory of n lanes before their first step; zeros unless you say otherwise."""
        return np.zeros(n, np.dtype(self.memory)) if self.memory is not None else None

    def act(self, memory: Any, rng: Rng) -> Any:
        """One action per lane."""
        raise NotImplementedError(f"{type(self).__name__} has no act(memory, rng)")

    def update(self, memory: Any, action: Array, seen: Array, rng: Rng) -> Any:
        """The memory after an action and what was seen."""
        return memory


class _PolicyAdapter:
    """What C++ calls."""

    def __init__(self, user: Policy, model: Model, num_observations: int, seen_size: int) -> None:
        self.user, self.model = user, model
        self.owner = self.name = type(user).__name__
        self.dtype = np.dtype(user.memory) if user.memory is not None else None
        if self.dtype is not None and self.dtype.hasobject:
            raise TypeError(f"{self.owner}.memory holds Python objects, expected plain numbers")
        self.memory_size = self.dtype.itemsize if self.dtype is not None else 0
        self.num_observations, self.width = num_observations, seen_size // 4

    def _memory(self, memory: Any) -> Any:
        return None if self.dtype is None else np.frombuffer(memory, self.dtype).copy()

    def _put_memory(self, value: Any, memory: Any, method: str) -> None:
        if self.dtype is None:
            return
        out = np.frombuffer(memory, self.dtype)
        value = np.asarray(value)
        if value.shape != out.shape:
            raise Error(
                f"{self.owner}.{method}: memory has shape {value.shape}, expected {out.shape}"
            )
        out[...] = value

    def _seen(self, seen: Any) -> Array:
        if self.num_observations:
            return np.frombuffer(seen, "i4").copy()
        values = np.frombuffer(seen, "f4").copy()
        return values if self.width == 1 else values.reshape(-1, self.width)

    def start(self, rng: Rng, memory: Any) -> None:
        if self.dtype is not None:
            self._put_memory(self.user.start(rng, len(rng)), memory, "start")

    def act(self, memory: Any, rng: Rng, action: Any) -> None:
        given = self.user.act(self._memory(memory), rng)
        try:
            chosen = self.model.action_memory(given, len(rng))
        except (ValueError, TypeError) as error:
            raise Error(f"{self.owner}.act: {error}") from None
        if len(chosen) != len(rng):
            raise Error(
                f"{self.owner}.act: {len(chosen)} actions, expected {len(rng)}: one per lane"
            )
        np.frombuffer(action, chosen.dtype)[...] = chosen.reshape(-1)

    def observe(self, memory: Any, action: Any, seen: Any, rng: Rng) -> None:
        acts = np.frombuffer(action, "i4" if self.model.facts.num_actions else "f4").copy()
        if not self.model.facts.num_actions:
            acts = acts.reshape(len(rng), -1)
        new = self.user.update(self._memory(memory), acts, self._seen(seen), rng)
        self._put_memory(new, memory, "update")


class _HistoryPolicy(Policy):
    """f(history) -> action, where history is a list of (action, observation)."""

    def __init__(self, choose: Callable[[List[Tuple[Any, Any]]], Any], steps: int) -> None:
        self.choose, self.steps = choose, steps
        self.memory = [("length", "i4"), ("action", "f4", (steps,)), ("seen", "f4", (steps,))]

    def act(self, memory: Any, rng: Rng) -> Any:
        def past(one: Any) -> List[Tuple[Any, Any]]:
            n = int(one["length"])
            return [
                (int(a), int(o) if o == int(o) else float(o))
                for a, o in zip(one["action"][:n], one["seen"][:n])
            ]

        return [self.choose(past(one)) for one in memory]

    def update(self, memory: Any, action: Array, seen: Array, rng: Rng) -> Any:
        if action.ndim != 1 or seen.ndim != 1:
            raise Error("pn.policy(f) is for single numbers as actions and observations")
        at = memory["length"]
        if (at >= self.steps).any():
            raise Error(f"pn.policy(f): the history is longer than steps={self.steps}: give it more")
        lanes = np.arange(len(memory))
        memory["action"][lanes, at] = action
        memory["seen"][lanes, at] = seen
        memory["length"] += 1
        return memory


def policy(choose: Callable[[List[Tuple[Any, Any]]], Any], steps: int = 200) -> Policy:
    """A policy from a function: f([(action, observation), ...]) -> action. For small things: the
    function is called for every lane by itself."""
    return _HistoryPolicy(choose, steps)


def _seen_memory(model: Model, player: _penumbra.Player, action: Any, seen: Any) -> Array:
    """What was seen, for a player: of floats the groups that its policy was made for."""
    finite = player.num_observations() > 0
    if not finite and model.facts.num_observations:  # its filter takes what the model groups
        return np.ascontiguousarray(np.asarray(seen, "f4").reshape(1, -1))
    if not finite or isinstance(seen, str) or np.asarray(seen).dtype.kind != "f":
        return model.seen_memory(seen, finite)
    values = np.ascontiguousarray(np.asarray(seen, "f4"))
    if not np.isfinite(values).all():
        raise Error("an observation is not a number; leave it out, or act on what was seen last")
    return np.frombuffer(player.classify(action, values), "i4")


class SavedPolicy:
    """What a solver made or a file holds."""

    def __init__(
        self, core: _penumbra.Policy, model: Optional[Model] = None, trust: bool = False
    ) -> None:
        self._core = core
        self._trust = trust
        self.model = model
        self._players: dict[int, Any] = {}

    @property
    def domain(self) -> str:
        """The problem that it is for."""
        return self._core.domain

    @property
    def form(self) -> str:
        """controller, vectors, recurrent or likelihood."""
        return self._core.form

    @property
    def nodes(self) -> int:
        return self._core.nodes

    def _needs_model(self, model: Any = None) -> Model:
        if model is not None:
            return as_model(model)
        if self.model is None:
            self.model = named_in_file(self.domain, "this policy", self._trust)
        return self.model

    def _player(self, model: Any = None) -> _penumbra.Player:
        on = self._needs_model(model)
        if id(on) not in self._players:
            self._players[id(on)] = (on, _penumbra.play_policy(on._core, self._core, "controller"))
        player: _penumbra.Player = self._players[id(on)][1]
        return player

    # -- acting --------------------

    def agent(self, seed: int = 1, episode: int = 0, model: Any = None) -> "Agent":
        """One that acts: agent.act(), agent.update(observation), agent.reset()."""
        return Agent(self._player(model), self._needs_model(model), seed, episode)

    def start(self, n: int, rng: Rng) -> bytearray:
        """The memory of n lanes; pass it on to act and update, which change it."""
        if len(rng) != n:
            raise Error(f"start: {n} lanes, and rng has {len(rng)}")
        return self._player().start(rng)

    def act(self, memory: bytearray, rng: Rng) -> Array:
        m = self._needs_model()
        acts = self._player().act(memory, rng)
        if m.facts.num_actions:
            return np.frombuffer(acts, "i4")
        return np.frombuffer(acts, "f4").reshape(len(rng), -1)

    def update(self, memory: bytearray, action: Any, seen: Any, rng: Rng) -> bytearray:
        m, player = self._needs_model(), self._player()
        done = m.action_memory(action, len(rng))
        player.observe(memory, done, _seen_memory(m, player, done, seen), rng)
        return memory

    def predict(
        self,
        observation: Any,
        state: Optional[Any] = None,
        episode_start: Optional[Any] = None,
        deterministic: bool = True,
    ) -> Tuple[Array, Any]:
        """For stable-baselines3's evaluate_policy: (actions, memory). The memory knows the last
        actions; an observation "nothing yet" of penumbra.gym begins a new episode."""
        from penumbra.prediction import predict

        return predict(self, observation, state, episode_start)

    # -- keeping --------------------

    def save(self, path: PathLike, model: Any = None) -> None:
        """As Penumbra's own .policy, or .policyx, .alpha, .pg by the ending."""
        core = as_model(model)._core if model is not None else self.model and self.model._core
        self._core.save(os.fspath(path), core or None)

    def export(
        self, path: PathLike, format: Optional[str] = None, name: Optional[str] = None
    ) -> None:
        """The controller as a C header (.h), a graph (.dot) or JSON (.json)."""
        text = os.fspath(path)
        stem, ending = os.path.splitext(os.path.basename(text))
        known = {".h": "c", ".hpp": "c", ".dot": "dot", ".gv": "dot", ".json": "json"}
        form = format or known.get(ending.lower())
        if form is None:
            raise Error(f"cannot tell the format of {text}: end it in .h, .dot or .json")
        content = self._core.export(form, name or stem)
        with open(text, "w", encoding="utf-8") as file:
            file.write(content)

    def controller(self) -> Controller:
        """Its nodes as arrays."""
        found = self._core.controller()
        if found is None:
            raise Error(f"a policy of the form {self.form} has no controller")
        start, action, edges, seen = found
        return Controller(
            start,
            np.frombuffer(action, "i4"),
            np.frombuffer(edges, "i4").reshape(-1, seen),
            list(self._core.actions),
            list(self._core.observations),
        )

    def vectors(self) -> List[Tuple[int, Array, Array]]:
        """Alpha-vectors: (action, values, the states that they are of)."""
        found = self._core.vectors()
        if found is None:
            raise Error(f"a policy of the form {self.form} has no alpha-vectors")
        return [
            (action, np.frombuffer(value, "f8"), np.frombuffer(states, "i4"))
            for action, _, value, states in found
        ]

    def plot(self, ax: Any = None, max_nodes: int = 60) -> Any:
        """The controller as a graph; returns the axes."""
        from penumbra.plots import plot_controller

        return plot_controller(self.controller(), ax, max_nodes)

    def __bytes__(self) -> bytes:
        return self._core.encode()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _policy_from_bytes, (bytes(self), self.model)

    def __deepcopy__(self, memo: Any) -> "SavedPolicy":
        return self  # it does not change

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SavedPolicy) and bytes(self) == bytes(other)

    def __hash__(self) -> int:
        return hash(bytes(self))

    def __repr__(self) -> str:
        what = f", {self.nodes} nodes" if self.nodes else ""
        return f"<SavedPolicy {self.form} for {self.domain}{what}>"

    def _repr_html_(self) -> str:
        rows = [("policy", self.form), ("for", self.domain), ("nodes", self.nodes)]
        return html_table(rows)


def _policy_from_bytes(data: bytes, model: Optional[Model]) -> SavedPolicy:
    return SavedPolicy(_penumbra.decode_policy(data, "a pickled policy"), model)


@in_python_words
def load(path: PathLike, model: Any = None, *, trust: bool = False) -> SavedPolicy:
    """A policy file. Those of other programs (.policyx, .alpha, .pg), and those of a model in
    Python, need model=; those of a model in a .cpp or .so need it or trust=True."""
    on = as_model(model) if model is not None else None
    return SavedPolicy(_penumbra.load_policy(os.fspath(path), on._core if on else None), on, trust)


class Agent:
    """A policy at work in one episode. Fed with what an episode of pn.simulate saw, it does the
    same."""

    def __init__(self, player: _penumbra.Player, model: Model, seed: int, episode: int) -> None:
        self._player, self._model = player, model
        self._seed, self._episode = seed, episode
        self.reset()

    def _rng(self, purpose: str) -> Rng:
        rng = Rng(self._seed, 1, self._episode).fold("evaluate").fold(purpose)
        return rng if purpose == "policy start" else rng.fold(self._t)

    def reset(self, episode: Optional[int] = None) -> None:
        """Forgets everything."""
        if episode is not None:
            self._episode = episode
        self._t = 0
        self._memory = self._player.start(self._rng("policy start"))
        self._action: Optional[bytearray] = None

    def act(self) -> Any:
        """What to do now: the number of an action, or an array. Asked twice it answers the same."""
        if self._action is None:
            self._action = self._player.act(self._memory, self._rng("policy act"))
        if self._model.facts.num_actions:
            return int(np.frombuffer(self._action, "i4")[0])
        return np.frombuffer(self._action, "f4").copy()

    def update(self, observation: Any, action: Any = None) -> None:
        """What was seen after act(), or after another action that was done instead. Floats are
        grouped as the policy needs it."""
        if action is not None:
            self._action = bytearray(self._model.action_memory(action).tobytes())
        elif self._action is None:
            self.act()
        done = self._action or b""
        seen = _seen_memory(self._model, self._player, done, observation)
        self._player.observe(self._memory, done, seen, self._rng("policy observe"))
        self._action = None
        self._t += 1


def player_for(
    model: Model, policy: Any, execute: str = "controller", threads: int = 0, finite: bool = False
) -> _penumbra.Player:
    """Anything that can be played, at work on the model."""
    policy = getattr(policy, "policy", policy)  # a Solution
    if isinstance(policy, SavedPolicy):
        if execute == "controller":
            return policy._player(model)
        return _penumbra.play_policy(model._core, policy._core, execute)
    if isinstance(policy, (str, os.PathLike)):
        return _penumbra.play_text(model._core, os.fspath(policy), execute, threads, finite)
    if isinstance(policy, Policy):
        wanted = (finite or policy.finite) and not model.facts.num_observations
        facts = model._core.finite_facts() if wanted else model._raw
        adapter = _PolicyAdapter(policy, model, facts["num_observations"], facts["seen_size"])
        return _penumbra.play_python(model._core, adapter, wanted)
    if callable(policy):
        raise TypeError("a function is made a policy by pn.policy(f)")
    raise TypeError(f"this is no policy: {policy!r}")
