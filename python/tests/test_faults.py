"""What goes wrong in a model or around it: a clear error or correct work, and never a hang."""
import gc
import multiprocessing
import random
import threading
import time
import traceback
import weakref

import numpy as np
import penumbra as pn
import pytest
import twins


def message(user, call=None):
    with pytest.raises(Exception) as caught:
        m = pn.model(user)
        if call:
            call(m)
    return str(caught.value)


# -- results of the wrong shape or type: one sentence with class, method, expected and got


def test_reward_of_the_wrong_shape(broken):
    two = broken(step=lambda self, s, a, rng: (s, s["s"], np.zeros((len(s), 1))))
    assert message(two) == "Two.step: reward has shape (64, 1), expected (64,)"


def test_observation_that_is_no_whole_number(broken):
    two = broken(step=lambda self, s, a, rng: (s, s["s"] * 1.5, 0))
    assert message(two) == "Two.step: observation has dtype float64, expected whole numbers"


def test_observation_out_of_range(broken):
    two = broken(step=lambda self, s, a, rng: (s, s["s"] + 5, 0))
    assert "Two.step: the observation of lane 0 is" in message(two)


def test_reward_that_is_not_a_number(broken):
    two = broken(step=lambda self, s, a, rng: (s, s["s"], np.nan))
    assert message(two) == "Two.step: the reward of lane 0 is nan, expected a finite number"


def test_continuous_observation_that_is_not_a_number():
    class Bad(twins.LightDark):
        def step(self, s, a, rng):
            new, seen, reward = super().step(s, a, rng)
            seen[3] = np.inf
            return new, seen, reward

    assert "Bad.step: the observation of lane 3 is inf" in message(Bad())


def test_states_with_other_fields(broken):
    two = broken(step=lambda self, s, a, rng: (np.zeros(len(s), [("q", "i4")]), 0, 0))
    assert message(two) == "Two.step: states have fields ('q',), expected ('s',)"


def test_too_few_states(broken):
    two = broken(sample_initial=lambda self, rng, n: np.zeros(n - 1, self.state))
    assert message(two) == "Two.sample_initial: states have shape (63,), expected (64,)"


def test_two_results_instead_of_three(broken):
    two = broken(step=lambda self, s, a, rng: (s, 0))
    assert "Two.step returned 2 things, expected (states, observation, reward)" == message(two)


def test_likelihood_of_the_wrong_shape(broken):
    two = broken(likelihood=lambda self, seen, a, new: np.ones(3))
    assert message(two) == "Two.likelihood: result has shape (3,), expected (64,)"


def test_category_out_of_range(broken):
    def encode(self, s, out):
        out.category[:, 0] = 7

    two = broken(features=pn.Features(categories=[2]), encode=encode)
    said = message(two, lambda m: pn.solve(m, "nvi", backups=5))
    assert said == "Two.encode: category 0 of lane 0 is 7, expected 0 to 1"


def test_declarations_that_cannot_be(broken):
    assert "a set, whose order is by chance" in message(broken(actions={"a", "b"}))
    assert "expected a list of names or a count" in message(broken(actions="ab"))
    assert "no NumPy dtype" in message(broken(state="nonsense"))
    assert "Python objects" in message(broken(state=[("s", "O")]))
    assert "(lowest, highest)" in message(broken(rewards=3))
    assert "discount" in message(broken(discount=1.5))
    assert "encode" in message(broken(features=pn.Features(dense=1)))
    assert "state_index" in message(broken(table=lambda self: {}))
    with pytest.raises(TypeError, match=r"pn.model\(Tiger\(\)\)"):
        pn.model(twins.Tiger)
    with pytest.raises(TypeError, match="has no state"):
        pn.model(object())


def test_scalars_are_spread_over_lanes(broken):
    m = pn.model(broken(step=lambda self, s, a, rng: (s, 1, 0.5)))
    assert pn.evaluate(m, "random", 10, max_steps=3).mean == pytest.approx(0.5 * (1 + 0.9 + 0.81))


# -- exceptions of the user's --------------------


def failing(broken, after):
    """Fails in the call number `after`, on whatever thread that is."""
    calls = [0]

    def step(self, s, a, rng):
        calls[0] += 1
        if calls[0] > after:
            raise LookupError("this is mine")
        return s, s["s"], 0.0

    def encode(self, s, out):
        out.category[:, 0] = s["s"]

    return pn.model(broken(step=step, features=pn.Features(categories=[2]), encode=encode))


@pytest.mark.parametrize("threads", [1, 3])
def test_an_exception_comes_out_unchanged_with_its_traceback(broken, threads):
    m = failing(broken, 20)
    for call in (
        lambda: pn.evaluate(m, "random", 50_000, threads=threads, max_steps=50),
        lambda: pn.solve(m, "nvi", backups=200, threads=threads),
    ):
        with pytest.raises(LookupError, match="this is mine") as caught:
            call()
        frames = [f.name for f in traceback.extract_tb(caught.value.__traceback__)]
        assert "step" in frames
    assert pn.evaluate("tiger", "random", 10).episodes == 10  # all is well afterwards


def test_an_exception_in_a_policy_comes_out(tiger):
    class Failing(pn.Policy):
        def act(self, memory, rng):
            raise LookupError("this is mine")

    with pytest.raises(LookupError, match="this is mine"):
        pn.evaluate(tiger, Failing(), 100, threads=2)

    class Wrong(pn.Policy):
        def act(self, memory, rng):
            return np.zeros(3, int)

    with pytest.raises(pn.Error, match="Wrong.act: 3 actions, expected"):
        pn.evaluate(tiger, Wrong(), 100)

    class OutOfRange(pn.Policy):
        def act(self, memory, rng):
            return 9

    with pytest.raises(pn.Error, match="OutOfRange.act: actions of tiger are numbered 0 to 2"):
        pn.evaluate(tiger, OutOfRange(), 100)


# -- what check finds --------------------


def test_check_finds_numpys_random_numbers(broken):
    def step(self, s, a, rng):
        return s, np.random.randint(0, 2, len(s)), 0.0

    found = pn.check(broken(step=step), effort=0.2)
    assert any("numpy.random" in text for text in found)
    assert pn.check(broken(step=lambda self, s, a, rng: (s, random.randint(0, 1), 0.0)))


def test_check_finds_rewards_and_likelihoods_that_are_wrong(broken):
    out_of_range = broken(step=lambda self, s, a, rng: (s, s["s"], 5.0))
    assert any("reward" in text for text in pn.check(out_of_range))
    wrong = broken(likelihood=lambda self, seen, a, new: 0.9)
    assert any("likelihood" in text for text in pn.check(wrong))


# -- slow, re-entrant, threads, processes, memory --------------------


def test_a_slow_model_keeps_to_its_time(broken):
    def step(self, s, a, rng):
        time.sleep(0.004)
        return s, s["s"], 0.0

    def encode(self, s, out):
        out.category[:, 0] = s["s"]

    m = pn.model(broken(step=step, features=pn.Features(categories=[2]), encode=encode))
    began = time.monotonic()
    r = pn.solve(m, "nvi", time=1, episodes=10, threads=2)
    assert time.monotonic() - began < 20
    assert r.policy is not None


def test_a_model_may_call_the_library(broken):
    """Another model, the solver, and itself, from any thread."""
    depth, holder = threading.local(), []

    def step(self, s, a, rng):
        if holder and not getattr(depth, "inside", False):
            depth.inside = True
            try:
                pn.evaluate("tiger", "random", 20, max_steps=3, threads=2)
                pn.evaluate(holder[0], "random", 3000, max_steps=2, threads=3)
                pn.solve("tiger", "qmdp", time=1, episodes=10, threads=2)
            finally:
                depth.inside = False
        return s, s["s"], 0.0

    m = pn.model(broken(step=step))
    holder.append(m)
    assert pn.evaluate(m, "random", 30, max_steps=3, threads=3).episodes == 30


def test_several_python_threads_at_once(py_tiger):
    results, errors = {}, []

    def work(i):
        try:
            m = py_tiger if i % 2 else pn.model(twins.Tiger())
            results[i] = bytes(pn.solve(m, "nvi", backups=10, threads=2, episodes=50).policy)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(100)
    assert not errors and len(set(results.values())) == 1


def _child(queue):
    queue.put(pn.evaluate(pn.model(twins.Tiger()), "random", 100, threads=2).mean)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes(method, py_tiger):
    expected = pn.evaluate(py_tiger, "random", 100, threads=2).mean  # threads were used before
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == expected
    child.join(60)
    assert child.exitcode == 0


def test_fork_while_a_thread_solves(py_tiger):
    stop = threading.Event()

    def end(p):
        if stop.is_set():
            raise StopIteration

    worker = threading.Thread(
        target=lambda: pn.solve(py_tiger, "nvi", time=60, episodes=50, progress=end, threads=2)
    )
    worker.start()
    time.sleep(0.3)
    test_other_processes("fork", py_tiger)
    stop.set()
    worker.join(60)
    assert not worker.is_alive()


def test_states_that_the_user_keeps_stay_valid(broken):
    kept = []

    def step(self, s, a, rng):
        kept.append((s, s.copy()))
        return s, s["s"], 0.0

    m = pn.model(broken(step=step))
    pn.evaluate(m, "random", 300, max_steps=5)
    gc.collect()
    assert all(np.array_equal(a, b) for a, b in kept)


def test_memory_of_a_call_is_taken_away_afterwards(broken):
    held = []
    user = broken()
    m = pn.model(user)
    original = m._adapter.step

    def step(state, *rest):
        held.append(state)
        return original(state, *rest)

    m._adapter.step = step
    pn.evaluate(m, "random", 10, max_steps=2)
    with pytest.raises(ValueError, match="released"):
        bytes(held[0])


def test_models_are_freed_and_policies_keep_them(broken):
    user = broken()
    gone = weakref.ref(user)
    m = pn.model(user)
    r = pn.solve(m, "pomcgs", time=0.3, episodes=20)
    del user, m
    gc.collect()
    assert gone() is not None
    assert pn.evaluate(r.model, r, 10).episodes == 10
    del r
    gc.collect()
    assert gone() is None


def test_many_solves_do_not_grow(tiger):
    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096

    for _ in range(30):
        pn.solve(tiger, "qmdp", time=1, episodes=10, threads=1)
    before = resident()
    for _ in range(150):
        pn.solve(tiger, "qmdp", time=1, episodes=10, threads=1)
    assert resident() - before < 8_000_000
