"""NumPy models that are the same problems as domains in C++: with the same streams tiger and
rock-sample take the same steps to the bit, light-dark to the last rounding."""
import numpy as np

import penumbra as pn


class Tiger:
    name, discount, rewards = "tiger", 0.95, (-100, 10)
    state = [("right", "i4")]
    actions = ["listen", "open-left", "open-right"]
    observations = ["hear-left", "hear-right"]
    features = pn.Features(categories=[2])

    def sample_initial(self, rng, n):
        s = np.zeros(n, self.state)
        s["right"] = rng.bernoulli(0.5)
        return s

    def step(self, s, a, rng):
        listen, right = a == 0, s["right"]
        first, second = rng.uniform(), rng.uniform()
        new = s.copy()
        new["right"] = np.where(listen, right, first < 0.5)
        heard = np.where(first < 0.85, right, 1 - right)
        eaten = (a == 2) == (right == 1)
        reward = np.where(listen, -1, np.where(eaten, -100, 10))
        return new, np.where(listen, heard, second < 0.5), reward

    def likelihood(self, seen, a, new):
        if a != 0:
            return 0.5
        return np.where(new["right"] == seen, 0.85, 0.15)

    def mdp_value(self, s):
        return 200.0

    def encode(self, s, out):
        out.category[:, 0] = s["right"]

    def state_index(self, s):
        return s["right"]

    def table(self):
        stay, anew, half = np.eye(2), np.full((2, 2), 0.5), np.full((2, 2), 0.5)
        return {
            "transition": [stay, anew, anew],
            "observation": [[[0.85, 0.15], [0.15, 0.85]], half, half],
            "reward": [[-1, -1], [-100, 10], [10, -100]],
            "start": [0.5, 0.5],
        }


class LightDark:
    name, discount, rewards = "light-dark", 0.9, (-10, 10)
    state = [("y", "f4"), ("stopped", "i4")]
    actions = ["left", "stop", "right"]
    observations = pn.Floats(1)
    features = pn.Features(categories=[128], dense=2)
    num_coordinates = 1

    def noise(self, y):
        return np.abs(y - np.float32(5)) * np.float32(0.70710678) + np.float32(0.01)

    def sample_initial(self, rng, n):
        s = np.zeros(n, self.state)
        s["y"] = rng.normal(2, 3)
        return s

    def is_terminal(self, s):
        return s["stopped"] != 0

    def step(self, s, a, rng):
        new, y, stop = np.empty_like(s), s["y"], a == 1
        moved = y + (a - 1).astype("f4")  # stopping moves by 0
        new["y"] = moved
        new["stopped"] = stop
        reward = np.where(stop, np.where(np.abs(y) < 1, 10.0, -10.0), 0.0)
        return new, moved + self.noise(moved) * rng.normal().astype("f4"), reward

    def likelihood(self, seen, a, new):
        y = new["y"].astype("f8")
        deviation = self.noise(new["y"]).astype("f8")
        return np.exp(-0.5 * ((seen - y) / deviation) ** 2) / (deviation * 2.5066282746310002)

    def cumulative(self, bound, a, new):
        z = (bound - new["y"].astype("f8")) / self.noise(new["y"])
        return normal_cdf(z)

    def mdp_value(self, s):
        outside = np.abs(s["y"].astype("f8")) - 1
        moves = np.where(outside < 0, 0, np.floor(outside) + 1)
        return np.where(s["stopped"] != 0, 0.0, 10 * 0.9**moves)

    def encode(self, s, out):
        y = s["y"]
        out.category[:, 0] = np.clip(np.floor(y * 4) + 64, 0, 127)
        out.dense[:, 0] = y / 5
        out.dense[:, 1] = self.noise(y) / 5

    def coordinates(self, s):
        return s["y"]

    def from_coordinates(self, x):
        s = np.zeros(len(x), self.state)
        s["y"] = x[:, 0]
        return s

    def perturb(self, s, rng):
        s["y"] += rng.normal(0, 0.1).astype("f4")
        return s


def normal_cdf(z):
    """Within 1e-7 (Abramowitz and Stegun 7.1.26): NumPy has no erf."""
    x = np.abs(z) * 0.70710678118654752440
    t = 1 / (1 + 0.3275911 * x)
    series = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    upper = 0.5 * series * np.exp(-x * x)
    return np.where(z > 0, 1 - upper, upper)


class RockSample:
    """The modern rules. Rocks are cells (x, y) from (1, 1)."""

    discount, rewards = 0.95, (-10, 10)
    state = [("x", "i2"), ("y", "i2"), ("rocks", "u4")]
    observations = ["good", "bad", "none"]

    def __init__(self, n, rocks):
        self.n, self.rocks = n, rocks
        k = len(rocks)
        self.name = f"rock-sample-{n}-{k}"
        self.actions = ["sample", "north", "east", "south", "west"]
        self.actions += [f"check{i + 1}" for i in range(k)]
        self.features = pn.Features(categories=[n * n], bits=k)
        # Tables by action and cell; cell 0 is outside, where the terminal state is.
        side, actions = n + 1, 5 + k
        self.side, self.cells = side, side * side
        y, x = np.divmod(np.arange(self.cells), side)
        self.x, self.y = x.astype("i2"), y.astype("i2")
        dx, dy = [0, 0, 1, 0, -1] + [0] * k, [0, 1, 0, -1, 0] + [0] * k
        move = np.empty((actions, self.cells), "i4")
        for a in range(actions):
            new_x, new_y = np.maximum(x + dx[a], 1), np.clip(y + dy[a], 1, n)
            move[a] = np.where(new_x > n, 0, new_y * side + np.minimum(new_x, n))
        self.move = move.ravel()
        self.accuracy = np.zeros((actions, self.cells), "f4")
        bit = np.zeros((actions, self.cells), "u4")
        base = np.where(move == 0, 10, 0).astype("f4")  # what a step pays, rocks aside
        for i, (rock_x, rock_y) in enumerate(rocks):
            bit[0, rock_y * side + rock_x] = 1 << i
            base[0, rock_y * side + rock_x] = -10
            distance = np.hypot(x - rock_x, y - rock_y)
            self.accuracy[5 + i] = 0.5 * (1 + np.exp2(-distance / 20))
        self.bit, self.base, self.accuracy = bit.ravel(), base.ravel(), self.accuracy.ravel()
        self.rock = np.maximum(np.arange(actions) - 5, 0).astype("u4")
        self.powers = 1 << np.arange(k, dtype="u4")
        self.values = self.known_values() if k <= 10 else None

    def sample_initial(self, rng, n):
        s = np.ones(n, self.state)
        s["rocks"] = rng.bits() & np.uint32((1 << len(self.rocks)) - 1)
        return s

    def is_terminal(self, s):
        return s["x"] == 0

    def step(self, s, a, rng):
        rocks = s["rocks"]
        at = a * np.int32(self.cells) + (s["y"] * np.int32(self.side) + s["x"])
        to, bit = self.move[at], self.bit[at]
        good = rocks >> self.rock[a] & 1
        seen = np.where(a >= 5, good != (rng.uniform32() < self.accuracy[at]), 2)
        new = np.empty_like(s)
        new["x"], new["y"] = self.x[to], self.y[to]
        new["rocks"] = np.where(to == 0, 0, rocks & ~bit)
        return new, seen, self.base[at] + 20 * (rocks & bit != 0)

    def step_action(self, s, a, rng):
        """The same where all lanes do one thing, which most loops of solvers do: less to compute."""
        rocks = s["rocks"]
        at = a * self.cells + (s["y"] * np.int32(self.side) + s["x"])
        if a >= 5:
            good = rocks >> np.uint32(a - 5) & 1
            return s, good != (rng.uniform32() < self.accuracy[at]), 0.0
        if a == 0:
            bit = self.bit[at]
            reward = self.base[at] + 20 * (rocks & bit != 0)
            s["rocks"] = rocks & ~bit
            return s, 2, reward
        to = self.move[at]
        s["x"], s["y"] = self.x[to], self.y[to]
        if a == 2:
            s["rocks"][to == 0] = 0
        return s, 2, self.base[at]

    def likelihoods(self, a, new):
        """Of all observations at once: solvers ask for one after the other."""
        out = np.zeros((len(new), 3))
        if a < 5:
            out[:, 2] = 1
            return out
        x = new["x"]
        right = self.accuracy[a * self.cells + new["y"] * np.int32(self.side) + x].astype("f8")
        bad = new["rocks"] >> np.uint32(a - 5) & 1 == 0
        out[:, 0] = good = np.abs(bad - right)
        out[:, 1] = 1 - good
        gone = x == 0
        if gone.any():
            out[gone] = (0, 0, 1)
        return out

    def encode(self, s, out):
        inside = s["x"] > 0
        cell = (s["y"] - np.int32(1)) * self.n + s["x"] - 1
        out.category[:, 0] = np.where(inside, cell, 0)
        out.bits[:] = (s["rocks"][:, None] & self.powers) != 0

    def mdp_value(self, s):
        if self.values is not None:
            cell = (s["y"] - np.int32(1)) * self.n + s["x"] - 1
            return np.where(s["x"] == 0, 0.0, self.values[cell, s["rocks"]])
        # Every good rock at once, and the way out: above the optimum.
        count = np.zeros(len(s))
        for power in self.powers:
            count += (s["rocks"] & power) != 0
        return np.where(s["x"] == 0, 0.0, 10 * count + 10 * 0.95 ** (self.n - s["x"]))

    def known_values(self):
        """[cell, good rocks]: the optimum when the rocks are known, by recursion over what is left.
        Single precision where the domain in C++ has it."""
        k, single = len(self.rocks), np.float32
        cells = np.array([(c % self.n + 1, c // self.n + 1) for c in range(self.n**2)])
        rocks = np.array(self.rocks)
        power = (0.95 ** np.arange(2 * self.n + 2)).astype("f4").astype("f8")
        leave = 10 * power[self.n - cells[:, 0]]
        near = power[np.abs(cells[:, None] - rocks).sum(axis=2)]  # [cell, rock]
        at = (rocks[:, 1] - 1) * self.n + rocks[:, 0] - 1
        from_rock = np.zeros((k, 1 << k))  # the best from a rock's cell
        values = np.empty((self.n**2, 1 << k))
        for subset in range(1 << k):
            best, there = leave.copy(), leave[at].astype("f4")
            for r in range(k):
                if subset >> r & 1:
                    rest = from_rock[r, subset & ~(1 << r)]
                    best = np.maximum(best, near[:, r] * (10 + 0.95 * rest))
                    after = single(10 + np.float64(single(0.95)) * rest)
                    there = np.maximum(there, near[at, r].astype("f4") * after)
            values[:, subset], from_rock[:, subset] = best, there
        return values


def rock_sample_twins(n, k, map_seed=1):
    """(NumPy, C++) with the same rocks, of NumPy's own map."""
    cells = np.random.default_rng(map_seed).choice(n * n, k, replace=False)
    rocks = [(int(c % n) + 1, int(c // n) + 1) for c in cells]
    return pn.model(RockSample(n, rocks)), pn.make("rock-sample", n=n, rocks=rocks)
