import os
import sys
import warnings

import numpy as np
import pytest

SOURCE = os.environ.get("PENUMBRA_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "bench", "python"))

import penumbra as pn  # noqa: E402
import twins  # noqa: E402


@pytest.fixture(scope="session")
def tiger():
    return pn.make("tiger")


@pytest.fixture(scope="session")
def py_tiger():
    return pn.model(twins.Tiger())


@pytest.fixture(scope="session")
def tiger_solution(tiger):
    return pn.solve(tiger, time="5s", episodes=2000)


@pytest.fixture(scope="session")
def source():
    return SOURCE


def broken(**changes):
    """A model of two states with some methods replaced."""

    class Two:
        name, discount, rewards = "two", 0.9, (-1, 1)
        state = [("s", "i4")]
        actions = ["stay", "flip"]
        observations = 2

        def sample_initial(self, rng, n):
            s = np.zeros(n, self.state)
            s["s"] = rng.bernoulli(0.5)
            return s

        def step(self, s, a, rng):
            new = s.copy()
            new["s"] = np.where(a == 1, 1 - s["s"], s["s"])
            return new, new["s"], 1.0 * new["s"]

        def likelihood(self, seen, a, new):
            return 1.0 * (new["s"] == seen)

    for name, value in changes.items():
        setattr(Two, name, value)
    return Two()


@pytest.fixture(name="broken")
def broken_fixture():
    return broken


@pytest.fixture(autouse=True)
def no_scalar_warnings():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*looped over lanes.*")
        yield
