"""A policy on a robot: what is seen may be anything."""
import os
import sys

import numpy as np
import penumbra as pn
import pytest

SOURCE = os.environ.get("PENUMBRA_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "examples", "python"))

import play_json  # noqa: E402


@pytest.fixture(scope="module")
def light_dark():
    return pn.solve(pn.make("light-dark"), "mcvi", backups=60, episodes=50)


def exported(policy, tmp_path):
    path = tmp_path / "robot.json"
    policy.export(path)
    return play_json.Controller(path.read_text())


def test_floats_are_grouped_as_in_the_exported_controller(light_dark, tmp_path):
    agent, robot = light_dark.policy.agent(), exported(light_dark.policy, tmp_path)
    for x in np.random.default_rng(1).uniform(-15, 15, 200).astype("f4"):
        assert agent.act() == robot.act()
        agent.update(float(x))
        robot.see([float(x)])


def test_a_tree_is_asked_in_the_exported_controller_too(tmp_path):
    m = pn.make("sub-hunt", clusters=6, cluster_by="tree")
    policy = pn.solve(m, "mcvi", backups=3, episodes=20).policy
    robot, player = exported(policy, tmp_path), policy._player()
    done = m.action_memory(robot.act())
    groups = set()
    for x in np.random.default_rng(2).uniform(-10, 25, (200, 8)).astype("f4"):
        group = robot.group([float(v) for v in x])
        assert np.frombuffer(player.classify(done, x), "i4")[0] == group
        groups.add(group)
    assert len(groups) > 1


def test_what_does_not_exist_is_refused(tiger_solution, light_dark):
    agent = tiger_solution.policy.agent()
    for seen in (-1, 2, 10**6):
        with pytest.raises(pn.Error, match="numbered 0 to 1"):
            agent.update(seen)
    with pytest.raises(pn.Error, match="whole numbers or names"):
        agent.update(0.5)
    robot = light_dark.policy.agent()
    for seen in (float("nan"), float("inf")):
        with pytest.raises(pn.Error, match="is not a number"):
            robot.update(seen)
    robot.update(1e30)  # far away: the outermost group
    assert robot.act() >= 0


def test_json_leaves_the_node_as_it_is(light_dark, tmp_path):
    robot = exported(light_dark.policy, tmp_path)
    for seen in (-1, 20, 10**6, [float("nan")]):
        robot.see(seen)
        assert robot.node == robot.start
    with pytest.raises(ValueError, match="1 floats"):
        robot.see([1.0, 2.0])


def test_many_robots_from_one_policy(light_dark):
    policy, n = light_dark.policy, 1000
    rng = pn.Rng(1, n)
    memory = policy.start(n, rng)
    assert len(memory) == 4 * n
    acts = policy.act(memory, rng)
    policy.update(memory, acts, np.linspace(-10, 10, n, dtype="f4"), rng)
    assert len(set(np.frombuffer(memory, "i4"))) > 1
