"""Problems by name, by keywords and from files."""
import pathlib
import pickle

import numpy as np
import penumbra as pn
import pytest


@pytest.mark.parametrize("name", [row[0] for row in pn.domains()])
def test_every_domain_can_be_made_and_stepped(name):
    m = pn.make(name)
    rng = pn.Rng(1, 8)
    states = m.sample_initial(rng)
    action = 0 if m.facts.num_actions else m.actions.low
    next_, seen, reward, ended = m.step(states, action, rng.fold("step"))
    assert len(next_) == len(seen) == len(reward) == len(ended) == 8
    low, high = m.facts.rewards
    assert ((low - 1e-3 <= reward) & (reward <= high + 1e-3)).all()
    assert m.describe(states[0])


def test_keywords_are_the_string():
    a = pn.make("rock-sample(n=5,k=3,map_seed=2)")
    b = pn.make("rock-sample", n=5, k=3, map_seed=2)
    assert a.name == b.name
    assert pn.make("rock-sample", n=4, rocks=[(1, 1), (2, 3)]).facts.num_actions == 7


def test_bad_names_and_values_are_told():
    with pytest.raises(pn.Error, match="did you mean 'rock-sample'"):
        pn.make("rocksample")
    with pytest.raises(pn.Error, match="n"):
        pn.make("rock-sample", n=-3)
    with pytest.raises(ValueError):
        pn.make("rock-sample", neh=3)
    with pytest.raises(TypeError, match="name of a domain"):
        pn.make(3)


def test_facts_and_parts(tiger):
    assert tiger.facts.discount == 0.95
    assert tiger.actions == ["listen", "open-left", "open-right"]
    assert tiger.observations == ["hear-left", "hear-right"]
    assert tiger.can("table", "likelihood") and not tiger.can("scene")
    with pytest.raises(pn.Error, match="did you mean 'table'"):
        tiger.can("tabel")
    assert pn.make("light-dark").observations == 1


def test_clusters():
    m = pn.make("light-dark").clustered(7)
    assert m.facts.num_observations == 7
    with pytest.raises(pn.Error, match="finite observations already"):
        m.clustered(5)


def test_files_there_and_back(tmp_path, tiger):
    for ending in ("pomdp", "pomdpx"):
        path = tmp_path / f"tiger.{ending}"
        pn.write_pomdp(tiger, path)
        again = pn.read_pomdp(pathlib.Path(path))
        assert pn.solve(again, "sarsop", time=5, episodes=100).upper == pytest.approx(
            19.3714, abs=1e-3
        )
    with pytest.raises(pn.Error, match="must end in"):
        pn.write_pomdp(tiger, tmp_path / "tiger.txt")
    with pytest.raises(pn.Error):
        pn.read_pomdp(tmp_path / "nothing.pomdp")


def test_files_of_the_tests_can_be_read(source):
    files = sorted(pathlib.Path(source, "tests", "data").rglob("*.pomdp*"))
    good = [f for f in files if f.stat().st_size < 50_000 and "bad" not in str(f)][:5]
    assert good
    for path in good:
        try:
            model = pn.read_pomdp(path)
        except pn.Error as error:
            assert path.name in str(error)
        else:
            assert model.facts.num_actions > 0


def test_models_pickle(tiger, py_tiger):
    for m in (tiger, pn.make("light-dark").clustered(5), py_tiger):
        again = pickle.loads(pickle.dumps(m))
        assert again.name == m.name
        a = pn.evaluate(m, "random", 200)
        assert pn.evaluate(again, "random", 200).mean == a.mean


def test_listings():
    assert "rock-sample" in repr(pn.domains())
    assert any(row[0] == "map_seed" for row in pn.domains("rock-sample"))
    assert {"nvi", "sarsop", "ppo"} <= {row[0] for row in pn.solvers()}
    assert any(row[0] == "particles" for row in pn.solvers("nvi"))
    assert "despot" in {row[0] for row in pn.planners()}
    assert "<table>" in pn.domains()._repr_html_()


def test_check(tiger):
    assert pn.check(tiger) == []


def test_fields_and_names_of_actions():
    m = pn.make("light-dark")
    states = m.sample_initial(pn.Rng(1, 3))
    assert set(m.fields(states)) == {"y", "stopped"}
    with pytest.raises(pn.Error, match="has no action 'jump'"):
        m.step(states, "jump", pn.Rng(1, 3))
    with pytest.raises(pn.Error, match="numbered 0 to 2"):
        m.step(states, [0, 1, 7], pn.Rng(1, 3))
    assert np.isfinite(m.likelihood(1.0, "left", states)).all()
