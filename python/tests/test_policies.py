import copy
import pickle
import shutil
import subprocess

import numpy as np
import penumbra as pn
import pytest
import twins


@pytest.fixture(scope="module")
def solved():
    return pn.solve("rock-sample(n=4,k=2,map_seed=1)", "nvi", backups=30, episodes=500)


def test_files_there_and_back(tmp_path, solved, tiger_solution):
    for i, s in enumerate((solved, tiger_solution)):
        path = tmp_path / f"{i}.policy"
        s.policy.save(path)
        again = pn.load(path)
        assert again == s.policy and again.form == s.policy.form
        assert pn.evaluate(s.model, again, 200).mean == pn.evaluate(s.model, s, 200).mean
        assert pn.evaluate(s.model, path, 200).mean == pn.evaluate(s.model, s, 200).mean
    with pytest.raises(pn.Error):
        pn.load(tmp_path / "nothing.policy")


def test_files_of_other_programs(tmp_path, tiger_solution):
    path = tmp_path / "tiger.alpha"
    tiger_solution.policy.save(path)
    with pytest.raises(pn.Error, match="model="):
        pn.load(path)
    loaded = pn.load(path, model="tiger")
    assert loaded.form == "vectors"
    assert pn.evaluate("tiger", loaded, 500).mean == pytest.approx(19, abs=4)


def test_a_policy_of_another_problem_is_refused(solved, tiger):
    with pytest.raises(pn.Error):
        pn.evaluate(tiger, solved)


def test_pickle_and_copies(solved):
    again = pickle.loads(pickle.dumps(solved.policy))
    assert again == solved.policy and hash(again) == hash(solved.policy)
    assert copy.deepcopy(solved.policy) is solved.policy
    whole = pickle.loads(pickle.dumps(solved))
    assert whole.value == solved.value and whole.policy == solved.policy


def test_policies_of_python_models_need_the_model(tmp_path, py_tiger):
    r = pn.solve(py_tiger, "nvi", backups=10, episodes=100)
    r.policy.save(tmp_path / "mine.policy")
    loaded = pn.load(tmp_path / "mine.policy")
    assert loaded.domain == "python:tiger"
    with pytest.raises(pn.Error, match="model="):
        loaded.agent()
    assert pn.load(tmp_path / "mine.policy", model=py_tiger).agent().act() in (0, 1, 2)


def test_export(tmp_path, solved):
    for ending, word in (("h", "my_start"), ("dot", "digraph"), ("json", "penumbra-controller")):
        solved.policy.export(tmp_path / f"my.{ending}")
        assert word in (tmp_path / f"my.{ending}").read_text()
    with pytest.raises(pn.Error, match="cannot tell the format"):
        solved.policy.export(tmp_path / "my.txt")
    if shutil.which("cc"):
        program = tmp_path / "a.c"
        program.write_text('#include "my.h"\nint main(void) { return my_act(my_start()) < 0; }\n')
        subprocess.run(["cc", str(program), "-o", str(tmp_path / "a")], check=True)
        assert subprocess.run([str(tmp_path / "a")]).returncode == 0


def test_the_controller_plays_as_the_policy(solved):
    c = solved.policy.controller()
    e = pn.simulate(solved.model, solved, seed=2, episode=5)
    node = c.start
    for action, seen in zip(e.actions, e.observations):
        assert c.action[node] == action
        node = c.next[node, seen]


def test_an_agent_does_what_simulate_does(solved, tiger_solution):
    for s in (solved, tiger_solution):
        for policy in (s.policy, "random"):
            e = pn.simulate(s.model, policy, seed=4, episode=3, max_steps=20)
            if policy == "random":
                continue
            agent = policy.agent(seed=4, episode=3)
            for action, seen in zip(e.actions, e.observations):
                assert agent.act() == action == agent.act()
                agent.update(int(seen))
            agent.reset()
            assert agent.act() == e.actions[0]


def test_lanes_play_as_evaluate(tiger, tiger_solution):
    n, p = 64, tiger_solution.policy
    rng = pn.Rng(5, n).fold("evaluate")
    states = tiger.sample_initial(rng.fold("initial"))
    memory = p.start(n, rng.fold("policy start"))
    total, weight = np.zeros(n), 1.0
    for t in range(20):
        action = p.act(memory, rng.fold("policy act").fold(t))
        states, seen, reward, _ = tiger.step(states, action, rng.fold("step").fold(t))
        memory = p.update(memory, action, seen, rng.fold("policy observe").fold(t))
        total += weight * reward
        weight *= 0.95
    assert total.mean() == pytest.approx(pn.evaluate(tiger, p, n, seed=5, max_steps=20).mean)


def test_simulate_is_the_episode_of_evaluate(tiger):
    mean = np.mean([pn.simulate(tiger, "random", 9, e, 10).value for e in range(20)])
    assert mean == pytest.approx(pn.evaluate(tiger, "random", 20, seed=9, max_steps=10).mean)


class Alternating(pn.Policy):
    """Listens twice, then opens the left door."""

    memory = [("t", "i4")]

    def act(self, memory, rng):
        return np.where(memory["t"] % 3 == 2, 1, 0)

    def update(self, memory, action, seen, rng):
        assert len(action) == len(seen) == len(memory)
        memory["t"] += 1
        return memory


def test_policies_of_ones_own(tiger, py_tiger):
    a = pn.evaluate(tiger, Alternating(), 2000, threads=2)
    assert pn.evaluate(py_tiger, Alternating(), 2000, threads=1).mean == a.mean
    by_function = pn.policy(lambda history: 1 if len(history) % 3 == 2 else 0, steps=300)
    assert pn.evaluate(tiger, by_function, 50).mean == pn.evaluate(tiger, Alternating(), 50).mean
    named = pn.policy(lambda history: "listen")
    assert pn.evaluate(tiger, named, 10, max_steps=5).mean == pytest.approx(-4.524, abs=1e-3)


def test_compare(tiger, tiger_solution):
    c = pn.compare(tiger, tiger_solution, "random", 500)
    assert c.better == "a" and c.difference.low > 0
    assert c.a.mean - c.b.mean == pytest.approx(c.difference.mean)
    assert pn.compare(tiger, "random", "random", 50).better is None
    assert "<table>" in c._repr_html_()


def test_planners_are_policies(py_tiger):
    assert pn.evaluate(py_tiger, "pomcp(simulations=50)", 3, max_steps=5).episodes == 3


def test_beliefs():
    for m in (pn.make("light-dark"), pn.model(twins.LightDark())):
        b = pn.Belief(m, 3000, seed=2)
        assert len(b) == 3000 and b.weights.sum() == pytest.approx(1)
        b.update("right", 4.0)
        assert 0 < b.evidence < 1 and not b.lost
        b.update("right", 5.0)
        assert b.mean("y") == pytest.approx(5, abs=0.8)
    b = pn.Belief("tiger").update("listen", "hear-left").update("listen", "hear-left")
    assert b.evidence == pytest.approx(0.745, abs=0.03)


def test_what_is_no_policy(tiger):
    with pytest.raises(TypeError, match="pn.policy"):
        pn.evaluate(tiger, lambda history: 0)
    with pytest.raises(TypeError, match="no policy"):
        pn.evaluate(tiger, 3)
    with pytest.raises(pn.Error, match="did you mean 'random'"):
        pn.evaluate(tiger, "randon")


def test_episode_prints(tiger):
    text = str(pn.simulate(tiger, "random", max_steps=3))
    assert "does" in text and "cut after 3 steps" in text


@pytest.mark.parametrize("domain", ["light-dark", "light-dark(clusters=3)"])
def test_a_filter_takes_observations_as_they_are(domain):
    m, planner = pn.make(domain), "despot(simulations=2,particles=500)"
    solution = pn.solve(m, "nvi", backups=50, episodes=10)
    c = pn.compare(m, planner, solution, episodes=10)
    assert c.b.mean == pn.evaluate(m, solution, episodes=10).mean  # its groups of the same ones
    assert pn.compare(m, planner, "random", episodes=4).b.mean < 0
    assert pn.simulate(m, planner, episode=1).observations.dtype.kind == "f"
