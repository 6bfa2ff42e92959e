"""Models in C++ of one's own, and whose code is run."""
import os

import numpy as np
import penumbra as pn
import pytest

SOURCE = os.environ.get("PENUMBRA_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
BOXES = os.path.join(SOURCE, "examples", "plugins", "boxes.cpp")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """One for all tests: a compilation takes seconds."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = before


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """A run of the model and its policy, as somebody may have sent them."""
    folder = tmp_path_factory.mktemp("foreign")
    solution = pn.solve(BOXES, "mcvi", backups=5, episodes=100, run=folder / "run")
    solution.policy.save(folder / "boxes.policy")
    return folder


def test_a_model_by_its_file():
    m = pn.make(BOXES)
    assert m.name.endswith("boxes.cpp") and m.facts.num_actions > 0
    assert pn.check(m, effort=0.1) == []
    states = m.sample_initial(pn.Rng(1, 5))
    _, seen, reward, ended = m.step(states, 0, pn.Rng(2, 5))
    assert len(seen) == len(reward) == len(ended) == 5


def test_parameters_as_text_and_as_keywords():
    assert pn.make(BOXES + "(boxes=5)").name == pn.make(BOXES, boxes=5).name
    with pytest.raises(pn.Error, match="did you mean 'noise'"):
        pn.make(BOXES, nois=0.1)


def test_it_is_solved_and_scored_as_by_the_program():
    a = pn.solve(BOXES, "mcvi", backups=20, episodes=500, threads=1)
    b = pn.solve(BOXES, "mcvi", backups=20, episodes=500, threads=2)
    assert bytes(a.policy) == bytes(b.policy)
    score = pn.compare(BOXES, a, "random", 2000)
    assert score.difference.mean > 0


def test_what_is_wrong_is_told(tmp_path):
    with pytest.raises(pn.Error, match="there is no model file"):
        pn.make(str(tmp_path / "none.cpp"))
    broken = tmp_path / "broken.cpp"
    broken.write_text("#include <penumbra/penumbra.h>\nint x = oops;\n")
    with pytest.raises(pn.Error, match="broken.cpp:2:"):
        pn.make(str(broken))


def test_a_policy_does_not_run_the_code_that_it_names(foreign):
    path = foreign / "boxes.policy"
    with pytest.raises(pn.Error, match="trust=True"):
        pn.load(path).agent()
    assert pn.load(path, trust=True).agent().act() >= 0
    assert pn.load(path, model=BOXES).agent().act() >= 0


def test_a_run_does_not_either(foreign):
    run = foreign / "run"
    with pytest.raises(pn.Error, match="trust=True"):
        pn.resume(run, backups=8)
    assert pn.resume(run, backups=8, trust=True).backups >= 8
    with pytest.warns(UserWarning, match="trust"):
        pn.report(run, episodes=1, visits=50)
    assert pn.report(run, episodes=1, visits=50, trust=True).runs == 1


def test_a_changed_file_is_another_model(tmp_path):
    file = tmp_path / "own.cpp"
    text = open(BOXES, encoding="utf-8").read()
    file.write_text(text)
    old = pn.make(str(file))
    file.write_text(text.replace('p.integer("boxes", 3', 'p.integer("boxes", 4'))
    new = pn.make(str(file))
    assert new.facts.num_actions == old.facts.num_actions + 2
    assert np.isfinite(pn.evaluate(old, "random", 100).mean)
