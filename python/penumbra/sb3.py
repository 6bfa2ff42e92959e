"""A vector environment for stable-baselines3, which wants its own VecEnv."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from penumbra.gym import VectorEnv


class Sb3VecEnv(VecEnv):  # type: ignore[misc]
    """Sb3VecEnv(model, num_envs, **options of penumbra.gym.VectorEnv)."""

    def __init__(self, model: Any, num_envs: int, **options: Any) -> None:
        self.envs = VectorEnv(model, num_envs, autoreset="same-step", **options)
        self._seed: Optional[int] = None
        self.render_mode = None
        super().__init__(
            num_envs, self.envs.single_observation_space, self.envs.single_action_space
        )

    def seed(self, seed: Optional[int] = None) -> Sequence[Optional[int]]:
        self._seed = seed
        return [seed] * self.num_envs

    def reset(self) -> Any:
        observations, _ = self.envs.reset(seed=self._seed)
        self._seed = None
        return observations

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> Tuple[Any, Any, Any, List[dict[str, Any]]]:
        seen, rewards, ended, truncated, extra = self.envs.step(self._actions)
        infos: List[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(ended | truncated):
            infos[i]["terminal_observation"] = extra["final_obs"][i]
            infos[i]["TimeLimit.truncated"] = bool(truncated[i])
        if "state" in extra:
            for i, info in enumerate(infos):
                info["state"] = extra["state"][i]
        return seen, rewards.astype("f4"), ended | truncated, infos

    def close(self) -> None:
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> List[Any]:
        return [getattr(self.envs, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self.envs, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> List[Any]:
        raise NotImplementedError("the lanes of a vector environment have no methods of their own")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> List[bool]:
        return [False] * len(list(self._get_indices(indices)))
