"""Environments for learners, with the interface of Gymnasium 1.x; it need not be installed.

    from penumbra.gym import Env, VectorEnv
    env = Env("rock-sample(n=7,k=8)", max_steps=100)
    envs = VectorEnv("light-dark", 1024, autoreset="next-step")

With gymnasium, importing this module registers "penumbra/RockSample-v0" and so on, with the
domain's parameters as keywords, and "penumbra/Pomdp-v0" with domain="rock-sample(n=7,k=8)".

After reset(seed=s) an environment plays episodes 0, 1, 2, ... of `penumbra evaluate --seed s`; lane
i of N plays i, i + N, i + 2 N, ... There is no observation before the first action: where
observations are finite, n of them, the first is n ("nothing yet"); floats are 0, and
info["observed"] is False."""
from __future__ import annotations

import secrets
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from penumbra import _penumbra
from penumbra._penumbra import Error
from penumbra.gym_bases import (
    HAVE_GYMNASIUM,
    AutoresetMode,
    EnvBase,
    VectorBase,
    batch_space,
    gymnasium,
    spaces,
)
from penumbra.models import Model, as_model, domains, make

Array = npt.NDArray[Any]
MODES = {
    "next-step": AutoresetMode.NEXT_STEP,
    "same-step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


class _Problem:
    """What both environments share: spaces, first observations, the cut, states."""

    def __init__(
        self, model: Any, lanes: int, max_steps: Optional[int], finite: bool, first: str
    ) -> None:
        if first not in ("zeros", "flag"):
            raise Error(f"first must be 'zeros' or 'flag', not {first!r}")
        self.model = m = as_model(model)
        self.finite = bool(m.facts.num_observations or finite)
        facts = m._core.finite_facts() if finite else m._raw
        self.max_steps = int(facts["horizon"] if max_steps is None else max_steps)
        self.lanes = _penumbra.Lanes(m._core, self.finite and not m.facts.num_observations, lanes)
        self.num_observations = int(facts["num_observations"])
        self.width = int(facts["seen_size"]) // 4
        self.flag = first == "flag" and not self.num_observations
        if m.facts.num_actions:
            self.action_space = spaces.Discrete(m.facts.num_actions)
        else:
            low, high = np.float32(m._raw["action_low"]), np.float32(m._raw["action_high"])
            self.action_space = spaces.Box(low, high, dtype=np.float32)
        if self.num_observations:
            self.observation_space = spaces.Discrete(self.num_observations + 1)
        else:
            shape = (self.width + self.flag,)
            self.observation_space = spaces.Box(-np.inf, np.inf, shape, np.float32)

    def states(self) -> Array:
        """For critics that may see them: fields of a state, or its bytes where it has none."""
        memory = self.lanes.states()
        states = self.model._states(memory)
        if self.model._adapter is not None:
            return states
        fields = self.model.fields(states)
        if fields:
            return np.stack([np.asarray(f, "f4") for f in fields.values()], axis=1)
        return np.frombuffer(memory, "u1").reshape(len(states), -1)


class Env(EnvBase):  # type: ignore[misc]
    """One episode at a time. `max_steps`: where an episode is truncated (as evaluate does if None,
    never if 0). `reveal_state`: info["state"]. `finite`: continuous observations as clusters."""

    metadata = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(
        self,
        model: Any = None,
        *,
        max_steps: Optional[int] = None,
        reveal_state: bool = False,
        finite: bool = False,
        first: str = "zeros",
        render_mode: Optional[str] = None,
        domain: Optional[str] = None,
        **parameters: Any,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise Error(f"render_mode must be None or 'ansi', not {render_mode!r}")
        if model is None:
            if domain is None:
                raise Error("an environment needs a model or domain=")
            model = make(domain, **parameters)
        self._arguments = (as_model(model), max_steps, reveal_state, finite, first, render_mode)
        self._p = _Problem(model, 1, max_steps, finite, first)
        self.model: Model = self._p.model
        self.action_space, self.observation_space = self._p.action_space, self._p.observation_space
        self.render_mode = render_mode
        self.reveal_state = reveal_state
        self._lanes = self._p.lanes
        self._step_one = self._lanes.step_one
        self._none = self._p.num_observations
        self._simple = bool(self._p.num_observations and self.model.facts.num_actions)
        self._floats = bool(not self._p.num_observations and self.model.facts.num_actions)
        self._seen = np.zeros((1, self._p.width), "f4")
        self._reward, self._ended = np.zeros(1), np.zeros(1, "u1")
        self._seeded = self._going = False
        self._t = 0

    def _info(self) -> Dict[str, Any]:
        return {"state": self._p.states()[0]} if self.reveal_state else {}

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Any, Dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self._lanes.seed_all(secrets.randbits(62) if seed is None else int(seed))
            self._seeded = True
        self._lanes.reset(None)
        self._t, self._going = 0, True
        info = {**self._info(), "observed": False}
        if self._none:
            return self._none, info
        return np.zeros(self.observation_space.shape, "f4"), info

    def step(self, action: Any) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        if not self._going:
            raise Error("the episode is over: call reset() before step()")
        seen: Any
        if self._simple:
            seen, reward, ended = self._step_one(action)
        elif self._floats:
            memory, reward, ended = self._lanes.step_one_floats(action)
            seen = np.frombuffer(memory, "f4")
            if self._p.flag:
                seen = np.append(seen, np.float32(1))
        else:
            seen, reward, ended = self._step_arrays(action)
        self._t = t = self._t + 1
        truncated = t == self._p.max_steps and not ended
        if ended or truncated:
            self._going = False
        info = {"observed": True}
        if self.reveal_state:
            info.update(self._info())
        return seen, reward, ended, truncated, info

    def _step_arrays(self, action: Any) -> Tuple[Any, float, bool]:
        p = self._p
        buffer = np.zeros(1, "i4") if self._none else self._seen
        self._lanes.step(self.model.action_memory(action), None, buffer, self._reward, self._ended)
        reward, ended = float(self._reward[0]), bool(self._ended[0])
        if self._none:
            return int(buffer[0]), reward, ended
        values = self._seen[0].copy()
        return (np.append(values, np.float32(1)) if p.flag else values), reward, ended

    @property
    def episode(self) -> int:
        """The number of the episode under way."""
        return self._lanes.episode(0)

    def render(self) -> Optional[str]:
        if self.render_mode is None:
            return None
        state = self.model._states(self._lanes.states())[0]
        return self.model.draw(state) if self.model.can("drawing") else self.model.describe(state)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _env_again, self._arguments


def _env_again(
    model: Model, max_steps: Any, reveal: bool, finite: bool, first: str, mode: Any
) -> Env:
    return Env(
        model,
        max_steps=max_steps,
        reveal_state=reveal,
        finite=finite,
        first=first,
        render_mode=mode,
    )


class VectorEnv(VectorBase):  # type: ignore[misc]
    """Many episodes at once. `autoreset`: "next-step", "same-step" or "disabled", as Gymnasium's
    AutoresetMode; with "disabled" reset(options={"reset_mask": mask}) begins new ones."""

    def __init__(
        self,
        model: Any = None,
        num_envs: int = 1,
        *,
        max_steps: Optional[int] = None,
        autoreset: str = "next-step",
        reveal_state: bool = False,
        finite: bool = False,
        first: str = "zeros",
        domain: Optional[str] = None,
        render_mode: Optional[str] = None,
        max_episode_steps: Optional[int] = None,
        **parameters: Any,
    ) -> None:
        if autoreset not in MODES:
            raise Error(f"autoreset must be one of {', '.join(MODES)}, not {autoreset!r}")
        if model is None:
            if domain is None:
                raise Error("an environment needs a model or domain=")
            model = make(domain, **parameters)
        cut = max_steps if max_episode_steps is None else max_episode_steps
        self._p = p = _Problem(model, num_envs, cut, finite, first)
        self.model = p.model
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {"autoreset_mode": MODES[autoreset], "render_modes": []}
        self.single_action_space, self.single_observation_space = (
            p.action_space,
            p.observation_space,
        )
        self.action_space = batch_space(p.action_space, num_envs)
        self.observation_space = batch_space(p.observation_space, num_envs)
        self.reveal_state = reveal_state
        self._mode = autoreset
        self._seeded = False
        self._t = np.zeros(num_envs, "i8")
        self._last = self._nothing()  # what was seen last
        self._over = np.ones(num_envs, "?")  # must be reset before they step

    def _nothing(self) -> Array:
        p = self._p
        if p.num_observations:
            return np.full(self.num_envs, p.num_observations, "i8")
        return np.zeros((self.num_envs, p.width + p.flag), "f4")

    def _begin(self, mask: Array) -> None:
        self._p.lanes.reset(mask)
        self._t[mask] = 0
        self._over[mask] = False

    def _infos(self) -> Dict[str, Any]:
        return {"state": self._p.states()} if self.reveal_state else {}

    def reset(
        self,
        *,
        seed: Union[None, int, Sequence[int]] = None,
        options: Optional[Dict[str, Any]] = None,
    ) -> Tuple[Array, Dict[str, Any]]:
        super().reset(seed=seed if isinstance(seed, int) else None)
        if isinstance(seed, (list, tuple, np.ndarray)):
            self._p.lanes.seed_each([int(s) for s in seed])
            self._seeded = True
        elif seed is not None or not self._seeded:
            number: Any = secrets.randbits(62) if seed is None else seed
            self._p.lanes.seed_all(int(number))
            self._seeded = True
        mask = np.ones(self.num_envs, "?")
        if options and "reset_mask" in options:
            mask = np.ascontiguousarray(options["reset_mask"], "?")
            if mask.shape != (self.num_envs,):
                raise Error(f"reset_mask has shape {mask.shape}, expected ({self.num_envs},)")
        self._begin(mask)
        if not mask.all():
            nothing = self._nothing()
            self._last[mask] = nothing[mask]
        else:
            self._last = self._nothing()
        return self._last.copy(), self._infos()

    def step(self, actions: Any) -> Tuple[Array, Array, Array, Array, Dict[str, Any]]:
        p, n = self._p, self.num_envs
        waiting = self._over
        if waiting.any():
            if self._mode != "next-step" or not self._seeded:
                raise Error(f"{int(waiting.sum())} episodes are over: call reset() before step()")
            restarted = waiting.copy()
        else:
            restarted = None
        seen = np.empty(n, "i4") if p.num_observations else np.empty((n, p.width), "f4")
        rewards, ended = np.empty(n), np.empty(n, "?")
        p.lanes.step(self._action_memory(actions), restarted, seen, rewards, ended)
        if restarted is not None:
            self._begin(restarted)
        self._t += 1
        truncated = np.zeros(n, "?") if p.max_steps == 0 else (self._t >= p.max_steps) & ~ended
        observations: Array = seen.astype("i8") if p.num_observations else seen
        if p.flag:
            observations = np.concatenate([seen, np.ones((n, 1), "f4")], axis=1)
        if restarted is not None:
            self._t[restarted] = 0
            truncated[restarted] = False
            observations[restarted] = self._nothing()[restarted]
        over = ended | truncated
        self._over = over.copy()
        infos = self._infos()
        if self._mode == "same-step" and over.any():
            infos = self._restart_now(observations, over, infos)
        self._last = observations
        return observations.copy(), rewards, ended, truncated, infos

    def _restart_now(
        self, observations: Array, over: Array, infos: Dict[str, Any]
    ) -> Dict[str, Any]:
        final = np.empty(self.num_envs, object)
        final_info = np.empty(self.num_envs, object)
        states = infos.get("state")
        for i in np.flatnonzero(over):
            final[i] = observations[i].copy() if observations.ndim > 1 else observations[i]
            final_info[i] = {} if states is None else {"state": states[i]}
        self._begin(over)
        observations[over] = self._nothing()[over]
        return {
            **self._infos(),
            "final_obs": final,
            "_final_obs": over.copy(),
            "final_info": final_info,
            "_final_info": over.copy(),
        }

    def _action_memory(self, actions: Any) -> Array:
        if self.model.facts.num_actions:
            values = np.asarray(actions)
            if values.shape == (self.num_envs,) and values.dtype.kind in "iu":
                return np.ascontiguousarray(values, "i4")  # C++ checks their range
        return self.model.action_memory(actions)

    @property
    def episodes(self) -> Array:
        """The numbers of the episodes under way."""
        return np.array([self._p.lanes.episode(i) for i in range(self.num_envs)])

    def close(self, **options: Any) -> None:
        pass


def __getattr__(name: str) -> Any:
    """Sb3VecEnv needs stable-baselines3: it is made when it is first used."""
    if name != "Sb3VecEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from penumbra.sb3 import Sb3VecEnv

    globals()[name] = Sb3VecEnv
    return Sb3VecEnv


def environment_ids() -> List[Tuple[str, str]]:
    """(id, domain) of everything that is registered."""

    def title(text: str) -> str:
        return "".join(word.capitalize() for word in text.split("-"))

    return [(f"penumbra/{title(row[0])}-v0", row[0]) for row in domains()]


def _register() -> None:
    for name, domain in [*environment_ids(), ("penumbra/Pomdp-v0", "")]:
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="penumbra.gym:Env",
                vector_entry_point="penumbra.gym:VectorEnv",
                kwargs={"domain": domain} if domain else {},
            )


if HAVE_GYMNASIUM:
    _register()
