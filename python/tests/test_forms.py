"""The forms that states, actions and observations of a model may have."""
import numpy as np
import penumbra as pn
import pytest
from penumbra.gym import Env, VectorEnv


class Walk:
    """A walk in the plane towards the origin: continuous actions, observations of two floats."""

    discount, rewards = 0.9, (-20, 0)
    state = ("f4", (2,))
    actions = pn.Box([-1, -1], [1, 1])
    observations = pn.Floats(2)
    clusters = 4

    def sample_initial(self, rng, n):
        return rng.normal(0, 2, each=2)

    def step(self, s, a, rng):
        assert s.shape == a.shape == (len(rng), 2)
        new = (s + a).clip(-5, 5)
        return new, new + 0.1 * rng.normal(each=2), -np.abs(new).sum(axis=1)

    def likelihood(self, seen, a, new):
        assert seen.shape == (2,) and a.shape == (2,)
        z = (new - seen) / 0.1
        return np.exp(-(z * z).sum(axis=1) / 2) / (2 * np.pi * 0.01)


def test_vectors_everywhere():
    m = pn.model(Walk())
    assert isinstance(m.actions, pn.Box) and m.observations == 2
    assert pn.check(m, effort=0.05) == []
    score = pn.evaluate(m, "random", 300, max_steps=5)
    assert score.mean < 0
    e = pn.simulate(m, "random", max_steps=4)
    assert e.states.shape == (5, 2) and e.actions.shape == (4, 2) and e.observations.shape == (4, 2)
    b = pn.Belief(m, 500).update([0.5, 0.0], [0.2, 0.1])
    assert np.abs((b.weights[:, None] * b.states).sum(axis=0) - [0.2, 0.1]).max() < 0.2


def test_learners_on_vectors():
    m = pn.model(Walk())
    env = Env(m, max_steps=5)
    seen, _ = env.reset(seed=1)
    assert seen.shape == (2,) and env.action_space.shape == (2,)
    assert env.step(env.action_space.sample())[0].shape == (2,)
    envs = VectorEnv(m, 6, max_steps=5)
    envs.reset(seed=1)
    assert envs.step(envs.action_space.sample())[0].shape == (6, 2)


class Bounded(Walk):
    def mdp_value(self, s):
        return np.zeros(len(s))


def test_solving_with_a_box_of_actions(tmp_path):
    m = pn.model(Bounded())
    r = pn.solve(m, "mcvi", backups=10, episodes=500, threads=2)
    assert r.value.mean > pn.evaluate(m, "random", 500).mean
    r.policy.save(tmp_path / "walk.policy")
    p = pn.load(tmp_path / "walk.policy", model=m)
    assert pn.evaluate(m, p, 500).mean == pn.evaluate(m, r.policy, 500).mean
    assert np.abs(p.agent().act()).max() <= 1
    with pytest.raises(pn.Error, match="finite actions"):
        pn.solve(m, "sarsop", time=1)


class Aim(pn.Policy):
    """Walks against what was seen last."""

    memory = ("f4", (2,))

    def act(self, memory, rng):
        return -memory

    def update(self, memory, action, seen, rng):
        return seen.clip(-1, 1)


def test_policies_on_vectors():
    c = pn.compare(Walk(), Aim(), "random", 300, max_steps=10)
    assert c.better == "a"


@pytest.mark.parametrize(
    "state",
    [
        "i4",
        np.int16,
        [("s", "i1")],
        np.dtype([("flag", "i1"), ("s", "f8")], align=True),
        [("s", "i4"), ("more", "f4", (3,))],
    ],
)
def test_dtypes_of_states(state):
    class Counter:
        discount, rewards, actions, observations = 0.9, (0, 1), 2, 2

        def __init__(self):
            self.state = state

        def number(self, s):
            return s["s"] if s.dtype.names else s

        def sample_initial(self, rng, n):
            s = np.zeros(n, self.state)
            self.number(s)[:] = rng.below(2)
            return s

        def step(self, s, a, rng):
            assert s.dtype == np.dtype(self.state)
            new = s.copy()
            self.number(new)[:] = (self.number(s) + a) % 2
            seen = self.number(new).astype("i8")
            return new, seen, 1.0 * seen

        def likelihood(self, seen, a, new):
            return self.number(new) == seen

    m = pn.model(Counter())
    assert pn.check(m, effort=0.05) == []
    score = pn.evaluate(m, "random", 500, max_steps=3)
    assert score.mean == pytest.approx(0.5 * (1 + 0.9 + 0.81), abs=0.15)
    assert m.describe(m.sample_initial(pn.Rng(1, 1))[0])
