"""A model of one's own: find the origin of a line; only near the light at 5 one sees well.

    ./run python examples/python/own_model.py [SECONDS]"""
import sys

import numpy as np
import penumbra as pn


class LightDark:
    name, discount, rewards = "my-light-dark", 0.9, (-10, 10)
    state = [("y", "f4"), ("stopped", "i4")]  # one record per lane
    actions = ["left", "stop", "right"]
    observations = pn.Floats(1)
    features = pn.Features(categories=[128], dense=1)  # for solvers with networks

    def sample_initial(self, rng, n):
        s = np.zeros(n, self.state)
        s["y"] = rng.normal(2, 3)
        return s

    def is_terminal(self, s):
        return s["stopped"] != 0

    def step(self, s, a, rng):
        new, stop = s.copy(), a == 1
        new["y"] += a - 1  # stopping moves by 0
        new["stopped"] = stop
        reward = np.where(stop, np.where(abs(s["y"]) < 1, 10, -10), 0)
        return new, new["y"] + self.noise(new) * rng.normal(), reward

    def noise(self, s):
        return abs(s["y"] - 5) / 2**0.5 + 0.01

    def likelihood(self, seen, a, new):
        z = (seen - new["y"]) / self.noise(new)
        return np.exp(-z * z / 2) / (2.5066 * self.noise(new))

    def mdp_value(self, s):  # no state is worth more; without it one is fitted, which takes long here
        return np.where(s["stopped"] != 0, 0.0, 10.0)

    def encode(self, s, out):
        out.category[:, 0] = np.clip(np.floor(4 * s["y"]) + 64, 0, 127)
        out.dense[:, 0] = s["y"] / 5


if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20
    model = pn.model(LightDark())
    print("what is wrong with it:", pn.check(model) or "nothing")
    solution = pn.solve(model, "nvi", time=seconds)
    print(solution)
    print(pn.simulate(model, solution, episode=1))
    belief = pn.Belief(model, 5000).update("right", 3.0).update("right", 4.1)
    print(f"after two steps to the right it is near {belief.mean('y'):.2f}")
