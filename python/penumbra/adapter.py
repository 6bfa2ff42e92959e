"""Joins a plain class over arrays of lanes to the C++ interface of models. The extension calls the
methods of ModelAdapter with memory; here it becomes arrays and back, and what a model returns is
checked: wrong shapes and types get one sentence with class, method, expected and got."""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from penumbra._penumbra import Error, Rng
from penumbra.declarations import Box, FeatureRows, Features, Floats, names_or_count
from penumbra.tables import table_parts

Array = npt.NDArray[Any]
I4, U1, F4, F8 = np.dtype("i4"), np.dtype("u1"), np.dtype("f4"), np.dtype("f8")

REQUIRED = ("state", "actions", "observations", "rewards", "discount", "sample_initial")
# What the optional methods open up, by the names that C++ knows.
PARTS = {
    "likelihood": "likelihood",
    "cumulative": "cumulative",
    "mdp_value": "mdp_value",
    "table": "table",
    "perturb": "perturb",
    "coordinates": "coordinates",
    "scene": "scene",
    "draw": "drawing",
}


def packed(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same fields without gaps, so that equal values are equal bytes."""
    if dtype.fields is None:
        return dtype
    names = dtype.names or ()
    return np.dtype([(name, packed(dtype.fields[name][0])) for name in names])


class ModelAdapter:
    """One model. Its plain attributes are read once, by C++."""

    def __init__(self, user: Any) -> None:
        self.user = user
        self.owner = owner = type(user).__name__
        for name in REQUIRED:
            if not hasattr(user, name):
                raise TypeError(
                    f"{owner} has no {name}; a model needs {', '.join(REQUIRED)}, and step"
                )
        if not (hasattr(user, "step") or hasattr(user, "step_action")):
            raise TypeError(f"{owner} has neither step nor step_action")
        for name in ("sample_initial", "step", "step_action", "is_terminal", "encode", *PARTS):
            if hasattr(user, name) and not callable(getattr(user, name)):
                raise TypeError(f"{owner}.{name} must be a method")
        self.name = str(getattr(user, "name", owner))
        self.text = f"python:{self.name}"
        self.discount = float(user.discount)
        self.min_reward, self.max_reward = self._reward_range(user.rewards)
        self.clusters = int(getattr(user, "clusters", 20))
        self.lanes_per_call = int(getattr(user, "lanes_per_call", 4096))
        self._read_records()
        self._read_parts()

    def _reward_range(self, rewards: Any) -> Tuple[float, float]:
        try:
            low, high = (float(r) for r in rewards)
        except (TypeError, ValueError):
            raise TypeError(
                f"{self.owner}.rewards is {rewards!r}, expected (lowest, highest) of a step"
            ) from None
        return low, high

    def _read_records(self) -> None:
        user = self.user
        try:
            self.state_dtype = np.dtype(user.state)
        except TypeError as error:
            raise TypeError(f"{self.owner}.state is no NumPy dtype: {error}") from None
        if self.state_dtype.hasobject:
            raise TypeError(f"{self.owner}.state holds Python objects, expected plain numbers")
        self.record = packed(self.state_dtype)
        self._same_layout = self.record == self.state_dtype
        self._row = self.record.shape  # of a state that is an array
        self._flat = self._same_layout and not self._row
        self.state_size = self.record.itemsize
        self.box: Optional[Box] = user.actions if isinstance(user.actions, Box) else None
        self.action_names: list[str] = []
        self.action_low: list[float] = []
        self.action_high: list[float] = []
        if self.box:
            self.num_actions = 0
            self.action_low, self.action_high = self.box.low.tolist(), self.box.high.tolist()
            self.action_size = 4 * self.box.dimension
        else:
            self.num_actions, self.action_names = names_or_count(
                user.actions, "actions", self.owner
            )
            self.action_size = 4
        self.floats = user.observations.dimension if isinstance(user.observations, Floats) else 0
        self.observation_names: list[str] = []
        if self.floats:
            self.num_observations = 0
            self.seen_size = 4 * self.floats
        else:
            self.num_observations, self.observation_names = names_or_count(
                user.observations, "observations", self.owner
            )
            self.seen_size = 4

    def _read_parts(self) -> None:
        user = self.user
        self.has_terminal = hasattr(user, "is_terminal")
        self.capabilities = [part for name, part in PARTS.items() if hasattr(user, name)]
        layout = getattr(user, "features", None)
        self.layout = layout if layout is not None else Features()
        if layout is not None:
            if not isinstance(layout, Features) or not hasattr(user, "encode"):
                raise TypeError(
                    f"{self.owner}.features must be pn.Features, beside a method encode"
                )
            self.capabilities.append("features")
        self.feature_categories = [int(c) for c in self.layout.categories]
        self.feature_bits, self.feature_dense = int(self.layout.bits), int(self.layout.dense)
        if "table" in self.capabilities and not hasattr(user, "state_index"):
            raise TypeError(f"{self.owner} has a table but no state_index(states)")
        self.has_likelihoods = hasattr(user, "likelihoods") and self.num_observations > 0
        if self.has_likelihoods and "likelihood" not in self.capabilities:
            self.capabilities.append("likelihood")
        self.num_states = 0
        if "table" in self.capabilities:
            self._table = self.user.table()
            self.num_states = len(self.table()["start"])
        self.num_coordinates = 0
        if "coordinates" in self.capabilities:
            if not hasattr(user, "from_coordinates"):
                raise TypeError(f"{self.owner} has coordinates but no from_coordinates(values)")
            self.num_coordinates = int(getattr(user, "num_coordinates", 1))
        self.has_step_action = hasattr(user, "step_action") and not self.box
        self.terminal_of: Callable[[Array], Any] = getattr(user, "is_terminal", lambda s: False)
        self.step_of: Optional[Callable[..., Any]] = getattr(user, "step", None)

    # -- memory to arrays --------------------

    def states(self, memory: Any) -> Array:
        """A copy: whoever keeps it may."""
        if self._flat:  # as bytes: NumPy copies records field by field
            return np.frombuffer(memory, U1).copy().view(self.record)
        raw = np.frombuffer(memory, self.record)
        if self._same_layout:
            return raw.copy()
        out = np.empty(len(raw), self.state_dtype)
        for name in self.record.names or ():
            out[name] = raw[name]
        return out

    def _actions(self, memory: Any) -> Array:
        if self.box:
            return np.frombuffer(memory, F4).reshape(-1, self.box.dimension).copy()
        return np.frombuffer(memory, I4).copy()

    def _one_action(self, memory: Any) -> Any:
        return self._actions(memory)[0] if self.box else int(np.frombuffer(memory, I4)[0])

    def _one_seen(self, memory: Any) -> Any:
        if not self.floats:
            return int(np.frombuffer(memory, I4)[0])
        values = np.frombuffer(memory, F4).copy()
        return float(values[0]) if self.floats == 1 else values

    # -- arrays to memory, with checks --------------------

    def _wrong(self, method: str, what: str, got: str, expected: str) -> Error:
        return Error(f"{self.owner}.{method}: {what} {got}, expected {expected}")

    def put_states(self, given: Any, memory: Any, method: str) -> Array:
        value: Array = np.asarray(given)
        n = len(memory) // self.state_size
        if self._flat and value.dtype == self.record and value.shape == (n,):
            np.frombuffer(memory, U1)[...] = np.ascontiguousarray(value).view("u1")
            return value
        out = np.frombuffer(memory, self.record)
        if value.shape != (n, *self._row):
            raise self._wrong(method, "states have", f"shape {value.shape}", f"{(n, *self._row)}")
        if self.record.names is None:
            if value.dtype != self.record.base and not np.can_cast(
                value.dtype, self.record.base, "same_kind"
            ):
                raise self._wrong(
                    method, "states have", f"dtype {value.dtype}", f"{self.record.base}"
                )
            out[...] = value
        elif value.dtype.names is None or set(value.dtype.names) != set(self.record.names):
            raise self._wrong(
                method, "states have", f"fields {value.dtype.names}", f"{self.record.names}"
            )
        else:
            for name in self.record.names:
                out[name] = value[name]
        return value

    def _put(self, value: Any, memory: Any, dtype: Any, method: str, what: str) -> None:
        out = np.frombuffer(memory, dtype)
        value = np.asarray(value)
        if value.shape == out.shape and value.dtype.kind in (
            "iub" if out.dtype.kind != "f" else "fiub"
        ):
            out[...] = value
            return
        if value.shape != () and value.shape != out.shape:
            raise self._wrong(method, what, f"has shape {value.shape}", f"{out.shape}")
        if value.dtype.kind not in "biuf":
            raise self._wrong(method, what, f"has dtype {value.dtype}", "numbers")
        if value.dtype.kind == "f" and out.dtype.kind != "f":
            raise self._wrong(method, what, f"has dtype {value.dtype}", "whole numbers")
        out[...] = value

    def _put_seen(self, value: Any, memory: Any, method: str) -> None:
        if not self.floats:
            return self._put(value, memory, I4, method, "observation")
        value = np.asarray(value)
        if self.floats > 1:
            out = np.frombuffer(memory, F4).reshape(-1, self.floats)
            if value.shape != out.shape:
                raise self._wrong(method, "observation has", f"shape {value.shape}", f"{out.shape}")
            if value.dtype.kind not in "biuf":
                raise self._wrong(method, "observation has", f"dtype {value.dtype}", "numbers")
            out[...] = value
            return None
        if value.ndim == 2 and value.shape[1] == 1:
            value = value[:, 0]
        return self._put(value, memory, F4, method, "observation")

    # -- what C++ calls --------------------

    def sample_initial(self, rng: Rng, out: Any) -> None:
        self.put_states(self.user.sample_initial(rng, len(rng)), out, "sample_initial")

    def is_terminal(self, state: Any, out: Any) -> None:
        self._put(self.terminal_of(self.states(state)), out, "u1", "is_terminal", "result")

    def step(
        self, state: Any, action: Any, rng: Rng, next_: Any, seen: Any, reward: Any, ended: Any
    ) -> None:
        """`action` is a number where all lanes do the same and the model has step_action."""
        s = self.states(state)
        a: Union[int, Array] = action if type(action) is int else self._actions(action)
        if self.has_terminal:
            gone = np.asarray(self.terminal_of(s))
            if np.count_nonzero(gone):
                return self._step_some(s, a, gone, rng, next_, seen, reward, ended)
        new, o, r = self._outcome(s, a, rng)
        method = "step_action" if type(a) is int else "step"
        new = self.put_states(new, next_, method)
        self._put_seen(o, seen, method)
        self._put(r, reward, F4, method, "reward")
        if self.has_terminal:
            self._put(self.terminal_of(new), ended, U1, "is_terminal", "result")
        else:
            np.frombuffer(ended, "u1")[...] = 0
        return None

    def _step_some(
        self,
        s: Array,
        a: Union[int, Array],
        gone: Array,
        rng: Rng,
        next_: Any,
        seen: Any,
        reward: Any,
        ended: Any,
    ) -> None:
        """Terminal states stay, with reward 0 and an observation of zeros; the others step."""
        if gone.shape != (len(s),):
            raise self._wrong("is_terminal", "result has", f"shape {gone.shape}", f"({len(s)},)")
        index = np.flatnonzero(~gone.astype("?"))
        all_next = np.frombuffer(next_, self.record)
        self.put_states(s, next_, "step")
        np.frombuffer(seen, "u1")[...] = 0
        np.frombuffer(reward, "f4")[...] = 0
        np.frombuffer(ended, "u1")[...] = 1
        if not len(index):
            return
        n = len(index)
        part_next = bytearray(n * self.state_size)
        part_seen, part_reward = bytearray(n * self.seen_size), bytearray(4 * n)
        part_ended = bytearray(n)
        some: Union[int, Array] = a if isinstance(a, int) else a[index]
        new, o, r = self._outcome(s[index], some, rng.at(index))
        new = self.put_states(new, part_next, "step")
        self._put_seen(o, part_seen, "step")
        self._put(r, part_reward, F4, "step", "reward")
        self._put(self.terminal_of(new), part_ended, U1, "is_terminal", "result")
        all_next[index] = np.frombuffer(part_next, self.record)
        rows = np.frombuffer(seen, "u1").reshape(-1, self.seen_size)
        rows[index] = np.frombuffer(part_seen, "u1").reshape(-1, self.seen_size)
        np.frombuffer(reward, "f4")[index] = np.frombuffer(part_reward, "f4")
        np.frombuffer(ended, "u1")[index] = np.frombuffer(part_ended, "u1")

    def _outcome(self, s: Array, a: Union[int, Array], rng: Rng) -> Tuple[Any, Any, Any]:
        if isinstance(a, int):
            return self._three(self.user.step_action(s, a, rng), "step_action")
        if self.step_of is not None:
            return self._three(self.step_of(s, a, rng), "step")
        return self._step_by_action(s, a, rng)

    def _three(self, result: Any, method: str) -> Tuple[Any, Any, Any]:
        if not isinstance(result, tuple) or len(result) != 3:
            got = f"{len(result)} things" if isinstance(result, tuple) else type(result).__name__
            raise Error(
                f"{self.owner}.{method} returned {got}, expected (states, observation, reward)"
            )
        return result[0], result[1], result[2]

    def _step_by_action(self, s: Array, a: Array, rng: Rng) -> Tuple[Any, Any, Any]:
        if self.box:
            raise TypeError(f"{self.owner}.step_action is for finite actions: write step")
        n = len(s)
        new = np.empty((n, *self._row), self.record.base)
        width = (n, self.floats) if self.floats > 1 else (n,)
        seen, reward = np.empty(width, "f4" if self.floats else "i4"), np.empty(n, "f4")
        for action in np.unique(a):
            index = np.flatnonzero(a == action)
            part_new, part_seen, part_reward = self._three(
                self.user.step_action(s[index], int(action), rng.at(index)), "step_action"
            )
            memory = bytearray(len(index) * self.state_size)
            self.put_states(part_new, memory, "step_action")
            new[index] = np.frombuffer(memory, self.record)
            memory = bytearray(len(index) * self.seen_size)
            self._put_seen(part_seen, memory, "step_action")
            seen[index] = np.frombuffer(memory, seen.dtype).reshape(-1, *width[1:])
            memory = bytearray(4 * len(index))
            self._put(part_reward, memory, "f4", "step_action", "reward")
            reward[index] = np.frombuffer(memory, F4)
        return new, seen, reward

    def encode(self, state: Any, category: Any, bits: Any, dense: Any) -> None:
        s = self.states(state)
        rows = FeatureRows(len(s), self.layout)
        self.user.encode(s, rows)
        n = len(s)
        expected = (
            (n, len(self.feature_categories)),
            (n, self.feature_bits),
            (n, self.feature_dense),
        )
        for part, shape, name in zip(
            (rows.category, rows.bits, rows.dense), expected, ("category", "bits", "dense")
        ):
            if np.shape(part) != shape:
                raise self._wrong(
                    "encode", f"out.{name} has", f"shape {np.shape(part)}", f"{shape}"
                )
        if self.feature_categories:  # C++ checks their range
            np.frombuffer(category, "i4").reshape(n, -1)[...] = rows.category
        if self.feature_bits:
            whole = np.frombuffer(bits, "u1").reshape(n, -1)
            used = np.packbits(rows.bits, axis=1, bitorder="little")
            whole[:, : used.shape[1]] = used
            whole[:, used.shape[1] :] = 0
        if self.feature_dense:
            np.frombuffer(dense, "f4").reshape(n, -1)[...] = rows.dense

    def likelihood(self, seen: Any, action: Any, next_: Any, out: Any) -> None:
        value = self.user.likelihood(
            self._one_seen(seen), self._one_action(action), self.states(next_)
        )
        self._put(value, out, "f8", "likelihood", "result")

    def likelihoods(self, action: Any, next_: Any, out: Any) -> None:
        """Of all observations at once, where the model has them so."""
        rows = np.frombuffer(out, "f8").reshape(-1, self.num_observations)
        value = np.asarray(self.user.likelihoods(self._one_action(action), self.states(next_)))
        if value.shape != rows.shape:
            raise self._wrong("likelihoods", "result has", f"shape {value.shape}", f"{rows.shape}")
        rows[...] = value

    def cumulative(self, bound: float, coordinate: int, action: Any, next_: Any, out: Any) -> None:
        a, s = self._one_action(action), self.states(next_)
        value = (
            self.user.cumulative(bound, a, s)
            if self.floats == 1
            else self.user.cumulative(bound, coordinate, a, s)
        )
        self._put(value, out, "f8", "cumulative", "result")

    def mdp_value(self, state: Any, out: Any) -> None:
        self._put(self.user.mdp_value(self.states(state)), out, "f8", "mdp_value", "result")

    def perturb(self, state: Any, rng: Rng, out: Any) -> None:
        self.put_states(self.user.perturb(self.states(state), rng), out, "perturb")

    def coordinates(self, state: Any, out: Any) -> None:
        value = np.asarray(self.user.coordinates(self.states(state)))
        rows = np.frombuffer(out, "f4").reshape(-1, self.num_coordinates)
        if value.ndim == 1:
            value = value[:, None]
        if value.shape != rows.shape:
            raise self._wrong("coordinates", "result has", f"shape {value.shape}", f"{rows.shape}")
        rows[...] = value

    def from_coordinates(self, values: Any, out: Any) -> None:
        rows = np.frombuffer(values, "f4").reshape(-1, self.num_coordinates).copy()
        self.put_states(self.user.from_coordinates(rows), out, "from_coordinates")

    def state_index(self, state: Any, out: Any) -> None:
        self._put(self.user.state_index(self.states(state)), out, "i4", "state_index", "result")

    def table(self) -> Dict[str, Any]:
        return table_parts(self._table, self.owner, self.num_actions, self.num_observations)

    def scene(self) -> Dict[str, Any]:
        given = dict(self.user.scene())
        return {
            "kind": str(given.get("kind", self.name)),
            "fields": [str(f) for f in given["fields"]],
            "cloud_fields": int(given.get("cloud_fields", 0)),
            "setting": {
                str(k): [float(x) for x in v] for k, v in dict(given.get("setting", {})).items()
            },
        }

    def scene_values(self, state: Any, out: Any) -> None:
        s = self.states(state)
        rows = np.frombuffer(out, "f4").reshape(len(s), -1)
        value = np.asarray(self.user.scene_values(s))
        if value.shape != rows.shape:
            raise self._wrong("scene_values", "result has", f"shape {value.shape}", f"{rows.shape}")
        rows[...] = value

    def draw(self, state: Any) -> str:
        return str(self.user.draw(self.states(state)[0]))

    def describe_state(self, state: Any) -> str:
        one = self.states(state)[0]
        if hasattr(self.user, "describe_state"):
            return str(self.user.describe_state(one))
        if self.record.names is None:
            return str(one)
        return ", ".join(
            f"{name} = {one[name]:.6g}" if np.ndim(one[name]) == 0 else f"{name} = {one[name]}"
            for name in self.record.names
        )
