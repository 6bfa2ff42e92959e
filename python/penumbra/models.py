"""Problems: the ones that ship, those of files, and models of one's own."""
from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from penumbra import _penumbra
from penumbra._penumbra import Error, Rng
from penumbra.adapter import ModelAdapter
from penumbra.declarations import Box
from penumbra.looped import Looped
from penumbra.texts import Table, in_python_words, megabytes, option_text

Array = npt.NDArray[Any]
PROBLEM = 2  # of what is found about a table: 0 is a fact, 1 probably not meant
PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Facts:
    """What a model says about itself."""

    name: str
    discount: float
    num_actions: int  # 0: continuous
    num_observations: int  # 0: continuous
    rewards: Tuple[float, float]
    offers: str
    lanes_per_call: int

    def _repr_html_(self) -> str:
        from penumbra.texts import html_table

        return html_table(sorted(vars(self).items()))


class Model:
    """A problem. Made by make(), read_pomdp(), model() and scalar(), never by hand."""

    def __init__(
        self, core: _penumbra.Model, source: Tuple[Any, ...], adapter: Optional[ModelAdapter] = None
    ) -> None:
        self._core = core
        self._source = source  # how to make it again
        self._adapter = adapter
        facts = core.facts()
        self._raw: Dict[str, Any] = facts
        self.facts = Facts(
            facts["name"],
            facts["discount"],
            facts["num_actions"],
            facts["num_observations"],
            (facts["min_reward"], facts["max_reward"]),
            facts["offers"],
            facts["lanes_per_call"],
        )

    @property
    def name(self) -> str:
        return self.facts.name

    @property
    def actions(self) -> Union[List[str], Box]:
        """Names of the actions, or the box of continuous ones."""
        if self.facts.num_actions:
            return list(self._raw["actions"])
        return Box(self._raw["action_low"], self._raw["action_high"])

    @property
    def observations(self) -> Union[List[str], int]:
        """Names of the observations, or the number of floats of a continuous one."""
        if self.facts.num_observations:
            return list(self._raw["observations"])
        return int(self._raw["seen_size"]) // 4

    @property
    def state_dtype(self) -> np.dtype[Any]:
        """Of a state: your own for a model in Python, raw bytes for one in C++."""
        if self._adapter is not None:
            return self._adapter.state_dtype
        return np.dtype(f"V{self._raw['state_size']}")

    def can(self, *parts: str) -> bool:
        """Whether it offers all of these optional parts, such as "likelihood", "table"."""
        return all(self._core.can(part) for part in parts)

    def clustered(self, clusters: int, seed: int = 1) -> "Model":
        """The same with its continuous observations grouped into a finite set."""
        if self.facts.num_observations:
            raise Error(f"{self.name} has finite observations already")
        return Model(
            self._core.clustered(clusters, seed), ("clustered", self, clusters, seed), self._adapter
        )

    # -- simulation, for those who want it step by step --------------------

    def _states(self, memory: Any) -> Array:
        if self._adapter is not None:
            return self._adapter.states(memory)
        return np.frombuffer(memory, self.state_dtype)

    def _state_memory(self, states: Any) -> Any:
        if self._adapter is None:
            return np.ascontiguousarray(states, self.state_dtype)
        memory = bytearray(np.shape(states)[0] * self._adapter.state_size)
        self._adapter.put_states(states, memory, "states")
        return memory

    def action_memory(self, actions: Any, lanes: Optional[int] = None) -> Array:
        """Actions by number or name (or vectors of floats) as what the library takes."""
        if not self.facts.num_actions:
            width = int(self._raw["action_size"]) // 4
            values = np.atleast_1d(np.asarray(actions, "f4")).reshape(-1, width)
        else:
            names = self._raw["actions"]
            one = isinstance(actions, str) or np.ndim(actions) == 0
            listed = [actions] if one else list(actions) if _has_names(actions) else actions
            if _has_names(listed):
                for name in listed:
                    if isinstance(name, str) and name not in names:
                        raise Error(
                            f"{self.name} has no action '{name}'; it has {', '.join(names)}"
                        )
                listed = [names.index(a) if isinstance(a, str) else a for a in listed]
            values = np.atleast_1d(np.asarray(listed))
            if values.dtype.kind not in "biu":
                raise Error(
                    f"actions of {self.name} are whole numbers or names, not {values.dtype}"
                )
            if values.size and (values.min() < 0 or values.max() >= len(names)):
                raise Error(f"actions of {self.name} are numbered 0 to {len(names) - 1}")
            values = values.astype("i4")
        if lanes is not None and len(values) == 1 and lanes != 1:
            values = np.repeat(values, lanes, axis=0)
        return np.ascontiguousarray(values)

    def seen_memory(self, observations: Any, finite: Optional[bool] = None) -> Array:
        if self.facts.num_observations or finite:
            names = self._raw["observations"]
            if isinstance(observations, str):
                if observations not in names:
                    raise Error(f"{self.name} has no observation '{observations}'")
                observations = names.index(observations)
            return np.ascontiguousarray(np.atleast_1d(np.asarray(observations)).astype("i4"))
        width = int(self._raw["seen_size"]) // 4
        return np.ascontiguousarray(np.asarray(observations, "f4").reshape(-1, width))

    def _seen(self, memory: Any) -> Array:
        if self.facts.num_observations:
            return np.frombuffer(memory, "i4")
        width = int(self._raw["seen_size"]) // 4
        values = np.frombuffer(memory, "f4")
        return values if width == 1 else values.reshape(-1, width)

    def sample_initial(self, rng: Rng) -> Array:
        """States of b0, one per lane of rng."""
        return self._states(self._core.sample_initial(rng))

    def step(self, states: Any, actions: Any, rng: Rng) -> Tuple[Array, Array, Array, Array]:
        """(next states, observations, rewards, ended), one per lane."""
        next_, seen, reward, ended = self._core.step(
            self._state_memory(states), self.action_memory(actions, len(rng)), rng
        )
        return (
            self._states(next_),
            self._seen(seen),
            np.frombuffer(reward, "f4"),
            np.frombuffer(ended, "?"),
        )

    def is_terminal(self, states: Any) -> Array:
        return np.frombuffer(self._core.is_terminal(self._state_memory(states)), "?")

    def likelihood(self, seen: Any, action: Any, states: Any) -> Array:
        """O(seen | next state, action) of each state."""
        return np.frombuffer(
            self._core.likelihood(
                self.seen_memory(seen), self.action_memory(action), self._state_memory(states)
            ),
            "f8",
        )

    def mdp_value(self, states: Any) -> Array:
        return np.frombuffer(self._core.mdp_value(self._state_memory(states)), "f8")

    def describe(self, state: Any) -> str:
        """A state in words."""
        return self._core.describe_state(self._state_memory(np.atleast_1d(state)))

    def draw(self, state: Any) -> str:
        """A state as a picture of text, where the model has one."""
        return self._core.draw(self._state_memory(np.atleast_1d(state)))

    def fields(self, states: Any) -> Dict[str, Array]:
        """Numbers that tell states apart: fields of a state, or those of the model's scene."""
        if self._adapter is not None and self._adapter.record.names:
            states = np.atleast_1d(states)
            return {n: states[n] for n in self._adapter.record.names if states[n].ndim == 1}
        names = self._core.scene_fields()
        if not names:
            return {}
        memory = self._state_memory(np.atleast_1d(states))
        rows = np.frombuffer(self._core.scene_values(memory), "f4").reshape(-1, len(names))
        return {name: rows[:, i] for i, name in enumerate(names)}

    # -- environments --------------------

    def gym(self, **options: Any) -> Any:
        """A Gymnasium environment (penumbra.gym.Env)."""
        from penumbra.gym import Env

        return Env(self, **options)

    def gym_vector(self, num_envs: int, **options: Any) -> Any:
        """A Gymnasium vector environment (penumbra.gym.VectorEnv)."""
        from penumbra.gym import VectorEnv

        return VectorEnv(self, num_envs, **options)

    def __repr__(self) -> str:
        return f"<Model {self.name}>"

    def _repr_html_(self) -> str:
        return self.facts._repr_html_()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _make_again, (self._source,)


def _has_names(values: Any) -> bool:
    return isinstance(values, (list, tuple)) and any(isinstance(v, str) for v in values)


def _make_again(source: Tuple[Any, ...]) -> Model:
    kind, *rest = source
    makers: Dict[str, Callable[..., Model]]
    makers = {"domain": _domain, "file": read_pomdp, "python": model, "scalar": scalar}
    if kind == "clustered":
        return rest[0].clustered(*rest[1:])  # type: ignore[no-any-return]
    return makers[kind](*rest)


def _domain(text: str) -> Model:
    return Model(_penumbra.make(text), ("domain", text))


@in_python_words
def make(name: str, **parameters: Any) -> Model:
    """A problem that ships, by the program's string or by keywords: make("rock-sample", n=7); or one
    of one's own in C++, make("boxes.cpp", noise=0.3), which runs its author's code."""
    if not isinstance(name, str):
        raise TypeError(f"make takes the name of a domain, not {type(name).__name__}; see pn.model")
    if parameters:
        values = ",".join(f"{key}={option_text(value)}" for key, value in parameters.items())
        name = f"{name[:-1]},{values})" if name.endswith(")") else f"{name}({values})"
    return _domain(name)


def read_pomdp(path: PathLike, strict: bool = False, max_memory: Union[str, float] = "4G") -> Model:
    """The model of a .pomdp or .pomdpx file. `strict` refuses what is only warned about."""
    limit = float(megabytes(max_memory)) * 1e6
    core, found = _penumbra.read_model(os.fspath(path), strict, limit)
    for text in found:
        warnings.warn(text, stacklevel=2)
    return Model(core, ("file", os.path.abspath(path), strict, max_memory))


def write_pomdp(model: Any, path: PathLike, flat: bool = False) -> None:
    """Writes a model that has a table, as .pomdp or .pomdpx by the ending of the path."""
    as_model(model)._core.write(os.fspath(path), flat)


def model(user: Any) -> Model:
    """A model of one's own: a plain object whose methods take arrays of lanes. Names, shapes and
    types are checked on 64 lanes."""
    if isinstance(user, Model):
        return user
    if isinstance(user, type):
        raise TypeError(f"give an object, not the class: pn.model({user.__name__}())")
    adapter = ModelAdapter(user)
    made = Model(_penumbra.python_model(adapter), ("python", user), adapter)
    _try_out(made)
    return made


def _try_out(m: Model, lanes: int = 64) -> None:
    rng = Rng(1, lanes)
    states = m.sample_initial(rng)
    count = m.facts.num_actions
    if count:
        actions = rng.fold("actions").below(count).astype("i4")
    else:
        box = m.actions
        assert isinstance(box, Box)
        share = rng.fold("actions").uniform(each=box.dimension)
        actions = (box.low + (box.high - box.low) * share).astype("f4")
    next_, seen, _, _ = m.step(states, actions, rng.fold("step"))
    if m.can("likelihood"):
        m.likelihood(seen[:1], actions[:1], next_)
    if m.can("mdp_value"):
        m.mdp_value(next_)


def scalar(user: Any) -> Model:
    """A model whose methods take one state, looped over the lanes: for first tries, it is slow."""
    if isinstance(user, type):
        raise TypeError(f"give an object, not the class: pn.scalar({user.__name__}())")
    warnings.warn(
        f"{type(user).__name__} is looped over lanes in Python, about a hundred times slower than "
        "one over arrays: see pn.model",
        stacklevel=2,
    )
    adapter = ModelAdapter(Looped(user))
    adapter.owner = type(user).__name__
    made = Model(_penumbra.python_model(adapter), ("scalar", user), adapter)
    _try_out(made, 8)
    return made


def named_in_file(name: str, what: str, trust: bool) -> Model:
    """The model that a file names. Code that only a file names is not run unless it is trusted."""
    if name.startswith("python:"):
        raise Error(f"{what} is for {name}: give the model as model=")
    if _penumbra.is_plugin(name) and not trust:
        raise Error(
            f"{what} is for {name}, the code of whoever wrote it: give it as model=, or trust=True"
        )
    return as_model(name)


def as_model(value: Any) -> Model:
    """A model, the name of one, a file, or an object with the methods of one."""
    if isinstance(value, Model):
        return value
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        return read_pomdp(text) if text.lower().endswith((".pomdp", ".pomdpx")) else make(text)
    return model(value)


def check(value: Any, seed: int = 1, effort: float = 1.0) -> List[str]:
    """What is wrong with a model, one sentence each; empty: nothing was found. `effort` below 1
    simulates less, for quick looks."""
    m = as_model(value)
    found = list(m._core.check(seed, effort))
    found += [text for kind, text in m._core.lint() if kind == PROBLEM]
    if m._adapter is not None and any(
        "second" in text or "split" in text or "again" in text for text in found
    ):
        found.append(
            "Does it use numpy.random or random? Draw from the rng that methods are given."
        )
    return found


def domains(name: Optional[str] = None) -> Table:
    """The problems that ship; with a name the parameters of one."""
    if name is None:
        return Table(_penumbra.domains(), ("domain", "what it is"))
    return Table(_penumbra.domain_parameters(name), ("parameter", "default", "allowed", "meaning"))


def solvers(name: Optional[str] = None) -> Table:
    """The solvers; with a name the options of one."""
    if name is None:
        return Table(_penumbra.solvers(), ("solver", "what it is", "needs"))
    return Table(_penumbra.solver_options(name), ("option", "default", "allowed", "meaning"))


def planners() -> Table:
    """The planners, which plan while they act; give one as a policy: "despot(time=100ms)"."""
    return Table(_penumbra.planners(), ("planner", "what it is"))
