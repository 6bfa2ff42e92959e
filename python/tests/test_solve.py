import numpy as np
import penumbra as pn
import pytest
import twins


@pytest.mark.parametrize("solver", [row[0] for row in pn.solvers()])
def test_every_solver_on_both_tigers(solver, tiger, py_tiger):
    options = {"hidden": 16, "lanes": 16, "evaluations": 50} if solver == "ppo" else {}
    for m in (tiger, py_tiger):
        needs = {row[0]: row[2] for row in pn.solvers()}[solver]
        try:
            r = pn.solve(m, solver, time=0.5, episodes=200, threads=2, **options)
        except pn.Error as error:
            assert "needs" in str(error), needs
            continue
        assert r.status in ("time", "converged", "backups")
        assert np.isfinite(r.value.mean)
        assert pn.evaluate(m, r, 50).episodes == 50


def test_limits_and_fields(tiger):
    r = pn.solve(tiger, "nvi", backups=10, episodes=300, seed=3)
    assert r.status == "backups" and r.solver == "nvi" and r.model is tiger
    assert r.value.episodes == 300 and r.backups >= 10 and r.nodes > 0
    assert r.upper >= r.value.mean and r.upper_proven
    assert len(r.history["seconds"]) == len(r.history["upper"]) > 0
    assert "tiger by nvi" in str(r)
    again = pn.solve(tiger, "nvi", backups=10, episodes=300, seed=3)
    assert bytes(again.policy) == bytes(r.policy)


def test_auto_takes_sarsop_for_a_table(tiger_solution):
    assert tiger_solution.solver == "sarsop"
    assert tiger_solution.lower == pytest.approx(19.3714, abs=0.01)


def test_options_that_are_not_there(tiger):
    with pytest.raises(pn.Error, match="did you mean 'time'"):
        pn.solve(tiger, tme=3)
    with pytest.raises(pn.Error, match="one of nvi"):
        pn.solve(tiger, "sarsop", particles=5)
    with pytest.raises(pn.Error, match="^time must be a duration"):
        pn.solve(tiger, time="3x")
    with pytest.raises(pn.Error, match="on_interrupt"):
        pn.solve(tiger, time=1, on_interrupt="maybe")
    with pytest.raises(pn.Error, match="there is no solver"):
        pn.solve(tiger, "nonsense")


def test_progress(tiger):
    seen = []

    def stop(p):
        seen.append(p)
        raise StopIteration

    r = pn.solve(tiger, "nvi", time=30, episodes=100, progress=stop)
    assert r.status == "stopped" and len(seen) >= 1
    assert seen[0].seconds >= 0 and "backups" in str(seen[0])
    assert pn.evaluate(tiger, r, 20).episodes == 20


def test_an_exception_in_progress_comes_out(tiger):
    def fail(p):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        pn.solve(tiger, "nvi", time=30, progress=fail)
    assert pn.solve(tiger, time=1, episodes=100).policy is not None


def test_progress_lines(tiger, capsys):
    pn.solve(tiger, "nvi", backups=10, episodes=100, progress=True)
    assert "backups" in capsys.readouterr().err
    pn.solve(tiger, "nvi", backups=10, episodes=100, progress=False)
    assert capsys.readouterr().err == ""


def test_a_run_is_resumed_byte_for_byte(tmp_path, tiger, py_tiger):
    for m, name in ((tiger, "c"), (py_tiger, "py")):
        whole = pn.solve(m, "nvi", backups=60, episodes=200, particles=50)
        part = pn.solve(m, "nvi", backups=20, episodes=200, particles=50, run=tmp_path / name)
        assert part.run == str(tmp_path / name)
        rest = pn.resume(tmp_path / name, model=m if name == "py" else None, backups=60)
        assert bytes(rest.policy) == bytes(whole.policy)
    with pytest.raises(pn.Error, match="give the model as model="):
        pn.resume(tmp_path / "py")
    with pytest.raises(pn.Error, match="cannot be changed"):
        pn.resume(tmp_path / "c", seed=4)
    with pytest.raises(pn.Error, match="there is no run"):
        pn.resume(tmp_path / "nothing")
    with pytest.raises(pn.Error, match="already"):
        pn.solve(tiger, "nvi", backups=20, run=tmp_path / "c")


def test_continuous_observations_are_clustered():
    r = pn.solve(pn.model(twins.LightDark()), "nvi", backups=10, episodes=200)
    assert r.policy.form == "controller"
    assert r.policy.controller().next.shape[1] == 20


def test_report(tmp_path, tiger, py_tiger):
    a = pn.solve(tiger, "nvi", backups=10, episodes=100, run=tmp_path / "a")
    b = pn.solve(py_tiger, "nvi", backups=10, episodes=100, run=tmp_path / "b")
    page = pn.report(a, episodes=1, visits=100)
    assert page.runs == 1 and page.page.startswith("<!")
    assert "iframe" in page._repr_html_() and "1 runs" in page._repr_html_()
    both = pn.report([a, b], episodes=1, visits=100)
    assert both.runs == 2
    both.save(tmp_path / "both.html")
    assert (tmp_path / "both.html").stat().st_size > 10_000
    with pytest.raises(pn.Error, match="solve with run="):
        pn.report(pn.solve(tiger, time=1, episodes=100))


def test_tune(tmp_path, py_tiger):
    space = {"particles": {"low": 20, "high": 60, "whole": True}}
    seen = []
    found = pn.tune(
        py_tiger, space, tmp_path / "t", trials=2, backups=5, episodes=50, progress=seen.append
    )
    assert len(found.trials) == 2 == len(seen) and found.best.score >= found.trials[0].score - 1e9
    assert "particles" in found.importance
    more = pn.tune(py_tiger, space, tmp_path / "t", trials=3, backups=5, episodes=50)
    assert len(more.trials) == 3


def test_bench(tmp_path, source):
    path = tmp_path / "small.toml"
    path.write_text(
        'name = "small"\n[scales.smoke]\nseeds = 1\n[[models]]\nname = "Tiger"\ndomain = "tiger"\n'
        '[[solvers]]\nname = "QMDP"\nsolver = "qmdp"\nepisodes = 100\ntime = "1s"\n'
    )
    table = pn.bench(path, tmp_path / "out")
    assert "Tiger" in str(table)
