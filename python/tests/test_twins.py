"""Models in NumPy against the same problems in C++."""
import numpy as np
import penumbra as pn
import pytest
import twins


def pairs():
    return {
        "tiger": (pn.model(twins.Tiger()), pn.make("tiger")),
        "rock-sample": twins.rock_sample_twins(7, 8),
    }


@pytest.mark.parametrize("name", ["tiger", "rock-sample"])
def test_integer_models_take_the_same_steps_to_the_bit(name):
    py, cpp = pairs()[name]
    rng = pn.Rng(1, 2000)
    a, b = py.sample_initial(rng), cpp.sample_initial(rng)
    for t in range(40):
        actions = rng.fold("actions").fold(t).below(py.facts.num_actions)
        if t % 3 == 0:  # all the same
            actions[:] = t // 3 % py.facts.num_actions
        if name == "rock-sample":  # leaves at last
            actions[: 50 * t] = 2
        step = rng.fold("step").fold(t)
        (a, seen_a, reward_a, ended_a), (b, seen_b, reward_b, ended_b) = (
            py.step(a, actions, step),
            cpp.step(b, actions, step),
        )
        assert a.tobytes() == b.tobytes()
        assert np.array_equal(seen_a, seen_b)
        assert np.array_equal(reward_a, reward_b)
        assert np.array_equal(ended_a, ended_b)
    assert name == "tiger" or ended_a.any()


def test_light_dark_to_the_last_rounding():
    py, cpp = pn.model(twins.LightDark()), pn.make("light-dark")
    rng = pn.Rng(1, 5000)
    a, b = py.sample_initial(rng), cpp.sample_initial(rng)
    for t in range(10):
        actions = rng.fold("actions").fold(t).below(30)
        actions = np.where(actions == 0, 1, np.where(actions < 15, 0, 2))
        step = rng.fold("step").fold(t)
        (a, seen_a, reward_a, ended_a), (b, seen_b, reward_b, ended_b) = (
            py.step(a, actions, step),
            cpp.step(b, actions, step),
        )
        assert np.allclose(a["y"], cpp.fields(b)["y"], atol=1e-6)
        assert np.allclose(seen_a, seen_b, atol=1e-4)
        assert np.array_equal(reward_a, reward_b) and np.array_equal(ended_a, ended_b)


@pytest.mark.parametrize("name", ["tiger", "rock-sample"])
def test_same_score_with_any_threads_and_lanes(name):
    py, cpp = pairs()[name]
    expected = pn.evaluate(cpp, "random", 3000, seed=4)
    for threads in (1, 2, 7):
        assert pn.evaluate(py, "random", 3000, seed=4, threads=threads).mean == expected.mean
    for lanes in (1, 255, 4096):
        user = py._adapter.user
        user.lanes_per_call = lanes
        assert pn.evaluate(pn.model(user), "random", 3000, seed=4).mean == expected.mean


def test_same_policy_bytes_with_any_threads(py_tiger, tiger):
    one = pn.solve(py_tiger, "nvi", backups=20, threads=1, episodes=500, particles=100)
    two = pn.solve(py_tiger, "nvi", backups=20, threads=3, episodes=500, particles=100)
    assert bytes(one.policy) == bytes(two.policy)
    cpp = pn.solve(tiger, "nvi", backups=20, threads=2, episodes=500, particles=100)
    assert np.array_equal(one.policy.controller().next, cpp.policy.controller().next)
    assert one.value.mean == cpp.value.mean


def test_checks_find_nothing():
    rock, _ = twins.rock_sample_twins(4, 3)
    for m in (pn.model(twins.Tiger()), pn.model(twins.LightDark()), rock):
        assert pn.check(m, effort=0.1) == []


def test_a_step_for_each_action_is_the_same():
    class ByAction(twins.Tiger):
        step = None

        def __getattribute__(self, name):
            if name == "step":
                raise AttributeError(name)
            return super().__getattribute__(name)

        def step_action(self, s, a, rng):
            assert isinstance(a, int)
            return twins.Tiger.step(self, s, np.full(len(s), a), rng)

    by_action = pn.model(ByAction())
    whole = pn.model(twins.Tiger())
    assert pn.evaluate(by_action, "random", 500).mean == pn.evaluate(whole, "random", 500).mean


def test_a_scalar_model_is_the_same():
    class Scalar:
        discount, rewards, state = 0.95, (-100, 10), [("right", "i4")]
        actions, observations = twins.Tiger.actions, twins.Tiger.observations

        def sample_initial(self, rng):
            return (rng.bernoulli(0.5),)

        def step(self, s, a, rng):
            first, second = rng.uniform(), rng.uniform()
            if a == 0:
                return s, s["right"] if first < 0.85 else 1 - s["right"], -1
            eaten = (a == 2) == (s["right"] == 1)
            return (first < 0.5,), int(second < 0.5), -100 if eaten else 10

    with pytest.warns(UserWarning, match="looped over lanes"):
        m = pn.scalar(Scalar())
    expected = pn.evaluate("tiger", "random", 20, max_steps=20)
    assert pn.evaluate(m, "random", 20, max_steps=20).mean == expected.mean
