"""A learner of one's own against the vector environment: action values of the last few things that
were done and seen, learnt from 256 episodes at a time.

    ./run python examples/python/train_agent.py [STEPS]"""
import sys

import numpy as np
import penumbra as pn
from penumbra.gym import VectorEnv

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
envs = VectorEnv("tiger", 256, max_steps=20, autoreset="next-step")
actions, seen_kinds, window = envs.single_action_space.n, envs.single_observation_space.n, 3
kinds = actions * seen_kinds  # of one (action, observation)
values = np.zeros((kinds**window, actions))
visits = np.zeros_like(values)
random = np.random.default_rng(1)


def remember(memory, action, seen):
    """The last `window` pairs as one number; "nothing yet" begins anew."""
    new = (memory * kinds + action * seen_kinds + seen) % kinds**window
    return np.where(seen == seen_kinds - 1, kinds**window - 1, new)


seen, _ = envs.reset(seed=1)
memory = remember(np.zeros(256, int), np.zeros(256, int), seen)
over = np.zeros(256, bool)
for step in range(steps):
    explore = random.random(256) < max(0.05, 1 - step / (0.6 * steps))
    action = np.where(explore, random.integers(actions, size=256), values[memory].argmax(axis=1))
    seen, reward, ended, truncated, _ = envs.step(action)
    new = remember(memory, action, seen)
    target = reward + 0.95 * np.where(ended, 0, values[new].max(axis=1))
    for lane in np.flatnonzero(~over):  # a step that only began an episode teaches nothing
        at = memory[lane], action[lane]
        visits[at] += 1
        values[at] += (target[lane] - values[at]) / max(visits[at] ** 0.7, 1)
    memory, over = new, ended | truncated


class Learnt(pn.Policy):
    """What was learnt, as a policy that pn.evaluate can judge."""

    memory = [("m", "i8")]

    def start(self, rng, n):
        first = np.zeros(n, self.memory)
        first["m"] = kinds**window - 1
        return first

    def act(self, memory, rng):
        return values[memory["m"]].argmax(axis=1)

    def update(self, memory, action, seen, rng):
        memory["m"] = remember(memory["m"], action, seen)
        return memory


print("learnt:", pn.evaluate("tiger", Learnt(), 2000))
print("sarsop:", pn.solve("tiger", "sarsop", time=2, episodes=2000).value)
