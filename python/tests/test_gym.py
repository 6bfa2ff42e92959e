"""The rules of Gymnasium's own checker, held here because it is no Debian package; where a user has
it, the original judges too."""
import importlib.util
import pickle
import sys
import types

import numpy as np
import penumbra as pn
import penumbra.gym as pg
import pytest
import twins

HAVE = importlib.util.find_spec("gymnasium") is not None
DOMAINS = [row[0] for row in pn.domains()]


def same(a, b):
    return np.array_equal(np.asarray(a), np.asarray(b))


def check_env(env):
    """What gymnasium.utils.env_checker.check_env asks for."""
    assert env.metadata["render_fps"] and "ansi" in env.metadata["render_modes"]
    space = env.observation_space
    first, info = env.reset(seed=123)
    assert isinstance(info, dict) and space.contains(first)
    state = env.unwrapped._np_random.bit_generator.state
    second, _ = env.reset()
    again, _ = env.reset(seed=123)
    assert same(first, again) and same(env.reset()[0], second)
    env.reset(seed=123)
    assert env.unwrapped._np_random.bit_generator.state == state
    env.reset(seed=456)
    assert env.unwrapped._np_random.bit_generator.state != state

    def play():
        env.reset(seed=7)
        env.action_space.seed(7)
        out = []
        for _ in range(30):
            seen, reward, terminated, truncated, info = step = env.step(env.action_space.sample())
            assert space.contains(seen), seen
            assert type(reward) is float and np.isfinite(reward)
            assert type(terminated) is bool and type(truncated) is bool
            assert isinstance(info, dict)
            if isinstance(seen, np.ndarray):
                assert seen.dtype == space.dtype
            else:
                assert type(seen) in (int, np.int64)
            out.append(step[:4])
            if terminated or truncated:
                with pytest.raises(pn.Error, match="reset"):
                    env.step(env.action_space.sample())
                env.reset()
        return out

    for a, b in zip(play(), play()):
        assert all(same(x, y) for x, y in zip(a, b))


@pytest.mark.parametrize("name", DOMAINS)
def test_every_domain_keeps_the_rules(name):
    check_env(pg.Env(name, max_steps=10, render_mode="ansi"))


@pytest.mark.parametrize("user", [twins.Tiger, twins.LightDark])
def test_python_models_keep_the_rules(user):
    check_env(pg.Env(user(), max_steps=10))
    check_env(pg.Env(user(), max_steps=10, reveal_state=True, first="flag"))


def test_it_plays_the_episodes_of_evaluate():
    for name in ("rock-sample(n=4,k=3)", "light-dark"):
        m = pn.make(name)
        env = pg.Env(m, max_steps=15)
        env.reset(seed=6)
        for number in range(5):
            assert env.episode == number
            expected = pn.simulate(m, "random", seed=6, episode=number, max_steps=15)
            for t in range(len(expected)):
                seen, reward, terminated, truncated, _ = env.step(int(expected.actions[t]))
                assert same(np.ravel(seen), np.ravel(expected.observations[t]))
                assert reward == expected.rewards[t]
            assert terminated == expected.ended and truncated == (not expected.ended)
            env.reset()


def test_the_first_observation_says_nothing():
    env = pg.Env("tiger")
    assert env.observation_space.n == 3
    seen, info = env.reset(seed=1)
    assert seen == 2 and info["observed"] is False
    assert env.step(0)[4]["observed"] is True
    flagged = pg.Env("light-dark", first="flag")
    assert flagged.observation_space.shape == (2,)
    assert flagged.reset(seed=1)[0].tolist() == [0, 0]
    assert flagged.step(0)[0][1] == 1
    assert pg.Env("light-dark", finite=True).reset(seed=1)[0] == 20


def test_truncation():
    env = pg.Env("tiger", max_steps=3)
    env.reset(seed=1)
    assert [env.step(0)[3] for _ in range(3)] == [False, False, True]
    endless = pg.Env("tiger", max_steps=0)
    endless.reset(seed=1)
    assert not any(endless.step(0)[3] for _ in range(1000))


def test_reveal_state_render_and_pickle():
    env = pg.Env("rock-sample(n=4,k=2)", reveal_state=True, render_mode="ansi")
    _, info = env.reset(seed=1)
    assert info["state"].shape == (len(env.model.fields(env.model.sample_initial(pn.Rng(1, 1)))),)
    assert "@" in env.render()
    copy = pickle.loads(pickle.dumps(env))
    assert copy.reset(seed=1)[0] == env.reset(seed=1)[0]
    user = pg.Env(twins.LightDark(), reveal_state=True)
    assert user.reset(seed=2)[1]["state"]["stopped"] == 0


@pytest.mark.parametrize(
    "make", [lambda: pn.make("rock-sample(n=4,k=3)"), lambda: twins.rock_sample_twins(4, 3)[0]]
)
def test_lanes_of_a_vector_play_the_episodes_of_evaluate(make):
    m, n, cut = make(), 5, 12
    envs = pg.VectorEnv(m, n, max_steps=cut)
    seen, _ = envs.reset(seed=3)
    assert (seen == m.facts.num_observations).all()
    numbers, t = np.arange(n), np.zeros(n, int)
    episodes = [pn.simulate(m, "random", 3, int(e), cut) for e in numbers]
    over = np.zeros(n, bool)
    for _ in range(60):
        actions = np.array([0 if over[i] else episodes[i].actions[t[i]] for i in range(n)])
        seen, rewards, ended, truncated, _ = envs.step(actions)
        for i in range(n):
            if over[i]:
                numbers[i] += n
                episodes[i], t[i], over[i] = (
                    pn.simulate(m, "random", 3, int(numbers[i]), cut),
                    0,
                    False,
                )
                assert seen[i] == m.facts.num_observations and rewards[i] == 0
                assert not ended[i] and not truncated[i]
                continue
            assert seen[i] == episodes[i].observations[t[i]]
            assert rewards[i] == episodes[i].rewards[t[i]]
            t[i] += 1
            over[i] = t[i] == len(episodes[i])
            assert (ended[i] or truncated[i]) == over[i]
        assert np.array_equal(envs.episodes, numbers)


def test_same_step_autoreset():
    envs = pg.VectorEnv("tiger", 3, max_steps=2, autoreset="same-step", reveal_state=True)
    envs.reset(seed=1)
    envs.step([0, 0, 0])
    seen, _, ended, truncated, infos = envs.step([0, 0, 0])
    assert truncated.all() and not ended.any() and (seen == 2).all()
    assert infos["_final_obs"].all() and all(o in (0, 1) for o in infos["final_obs"])
    assert "state" in infos["final_info"][0]
    assert not envs.step([0, 0, 0])[3].any()


def test_disabled_autoreset():
    envs = pg.VectorEnv("tiger", 3, max_steps=2, autoreset="disabled")
    envs.reset(seed=1)
    envs.step([0, 0, 0])
    assert envs.step([0, 0, 0])[3].all()
    with pytest.raises(pn.Error, match="call reset"):
        envs.step([0, 0, 0])
    seen, _ = envs.reset(options={"reset_mask": np.array([True, True, True])})
    assert (seen == 2).all()
    assert envs.metadata["autoreset_mode"] is pg.AutoresetMode.DISABLED
    with pytest.raises(pn.Error, match="autoreset must be one of"):
        pg.VectorEnv("tiger", 3, autoreset="sometimes")


def test_vector_spaces_seeds_and_bad_actions():
    envs = pg.VectorEnv("light-dark", 4, max_steps=5)
    assert envs.single_observation_space.shape == (1,) and envs.observation_space.shape == (4, 1)
    seen, _ = envs.reset(seed=[5, 5, 6, 6])
    a = envs.step([0, 0, 0, 0])[0]
    assert a[0] == a[1] and a[2] == a[3] and a[0] != a[2]
    assert envs.observation_space.contains(a)
    tiger = pg.VectorEnv("tiger", 2)
    tiger.reset(seed=1)
    with pytest.raises(pn.Error, match="no action 7"):
        tiger.step([0, 7])
    with pytest.raises(pn.Error, match="3 actions for 2"):
        tiger.step([0, 0, 0])
    assert tiger.action_space.contains(np.array([0, 2]))


def test_predict_plays_as_evaluate(tiger, tiger_solution):
    n = 200
    envs = pg.VectorEnv(tiger, n, max_steps=10, autoreset="disabled")
    seen, _ = envs.reset(seed=8)
    memory, total, weight = None, np.zeros(n), 1.0
    for _ in range(10):
        action, memory = tiger_solution.policy.predict(seen, memory)
        seen, reward, *_ = envs.step(action)
        total += weight * reward
        weight *= 0.95
    expected = pn.evaluate(tiger, tiger_solution, n, seed=8, max_steps=10)
    assert total.mean() == pytest.approx(expected.mean)
    one, _ = tiger_solution.policy.predict(2)
    assert one in (0, 1, 2)


def test_stable_baselines_adapter(monkeypatch):
    """Against the part of its VecEnv that an environment fills in."""

    class VecEnv:
        def __init__(self, num_envs, observation_space, action_space):
            self.num_envs = num_envs
            self.observation_space, self.action_space = observation_space, action_space

        def step(self, actions):
            self.step_async(actions)
            return self.step_wait()

        def _get_indices(self, indices):
            return range(self.num_envs) if indices is None else indices

    for name in (
        "stable_baselines3",
        "stable_baselines3.common",
        "stable_baselines3.common.vec_env",
    ):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["stable_baselines3.common.vec_env"].VecEnv = VecEnv
    env = pg.Sb3VecEnv("tiger", 4, max_steps=2)
    env.seed(3)
    assert env.reset().tolist() == [2] * 4
    env.step(np.zeros(4, int))
    seen, rewards, dones, infos = env.step(np.zeros(4, int))
    assert dones.all() and rewards.dtype == np.float32 and len(infos) == 4
    assert infos[0]["TimeLimit.truncated"] and infos[0]["terminal_observation"] in (0, 1)
    assert env.env_is_wrapped(object) == [False] * 4 and env.get_attr("num_envs") == [4] * 4


def test_own_spaces():
    from penumbra import spaces

    d, b, m = spaces.Discrete(3), spaces.Box(-1, 1, (2,)), spaces.MultiDiscrete([2, 3])
    for space in (d, b, m):
        space.seed(1)
        first = space.sample()
        space.seed(1)
        assert same(first, space.sample()) and first in space
        assert space == space and repr(space)
    assert 3 not in d and 1.0 not in d and np.zeros(3, "f4") not in b
    assert d != spaces.Discrete(4)


@pytest.mark.skipif(not HAVE, reason="gymnasium is not installed")
def test_the_original_checker():
    import gymnasium
    from gymnasium.utils.env_checker import check_env as original

    for env_id, _ in pg.environment_ids():
        original(gymnasium.make(env_id).unwrapped, skip_render_check=True)
    envs = gymnasium.make_vec("penumbra/RockSample-v0", num_envs=3, n=4, k=2)
    envs.reset(seed=1)
    envs.step(envs.action_space.sample())
