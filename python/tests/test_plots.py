"""Pictures, notebooks' HTML and the examples."""
import glob
import html.parser
import json
import os
import re
import subprocess
import sys

import penumbra as pn
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def solved():
    return pn.solve("light-dark", "nvi", backups=10, episodes=100)


def test_every_picture_takes_and_returns_axes(solved, tiger, tiger_solution):
    episode = pn.simulate(solved.model, solved)
    belief = pn.Belief(solved.model).update("left", 1.0)
    for draw in (
        solved.plot,
        lambda ax=None: solved.plot(ax, over="backups"),
        solved.policy.plot,
        tiger_solution.plot,
        lambda ax=None: tiger_solution.policy.plot(ax, max_nodes=10),
        lambda ax=None: episode.plot("y", ax),
        lambda ax=None: pn.simulate(tiger, "random", max_steps=5).plot(ax=ax),
        lambda ax=None: belief.plot("y", ax),
        lambda ax=None: pn.Belief("rock-sample(n=3,k=2)").plot(ax=ax),
        solved.value.plot,
        pn.compare(tiger, tiger_solution, "random", 100).plot,
    ):
        ax = plt.subplots()[1]
        assert draw(ax=ax) is ax
        assert draw() is not ax


def test_what_cannot_be_drawn_is_told(solved, tiger):
    with pytest.raises(pn.Error, match="there is no field 'x'; there are y"):
        pn.Belief(solved.model).plot("x")
    with pytest.raises(pn.Error, match="no fields"):
        pn.Belief(tiger).plot()
    with pytest.raises(pn.Error, match="over must be"):
        solved.plot(over="nodes")


class Balanced(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open = []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_is_sound_and_loads_nothing(solved, tiger, tiger_solution):
    things = [
        solved,
        solved.value,
        solved.policy,
        solved.model,
        solved.model.facts,
        pn.solvers(),
        pn.compare(tiger, tiger_solution, "random", 50),
        pn.simulate(tiger, "random", max_steps=3),
    ]
    for thing in things:
        text = thing._repr_html_()
        Balanced(text)
        assert not re.search(r"https?://|src=", text)


def run(arguments, tmp_path):
    return subprocess.run(
        [sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=110
    )


@pytest.mark.parametrize(
    "name, arguments, expected",
    [
        ("tiger.py", [], "does listen"),
        ("own_model.py", ["3"], "what is wrong with it: nothing"),
        ("compare_solvers.py", ["1"], "best is"),
        ("train_agent.py", ["60"], "learnt: Score"),
    ],
)
def test_examples(name, arguments, expected, source, tmp_path):
    done = run([os.path.join(source, "examples", "python", name), *arguments], tmp_path)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout


NOTEBOOKS = sorted(
    glob.glob(os.path.join(os.environ.get("PENUMBRA_SOURCE", ""), "examples", "python", "*.ipynb"))
)


def test_there_are_two_notebooks():
    assert len(NOTEBOOKS) == 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=os.path.basename)
def test_notebooks(path, tmp_path):
    """In a kernel where there is one, otherwise cell by cell in this interpreter."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        import nbclient
        import nbformat
        import ipykernel  # noqa: F401
    except ImportError:
        names = {}
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
        return
    notebook = nbformat.reads(text, as_version=4)
    nbclient.NotebookClient(notebook, timeout=100, kernel_name="python3").execute(cwd=str(tmp_path))
    shown = [o for c in notebook.cells for o in c.get("outputs", ())]
    assert any("text/html" in o.get("data", {}) for o in shown)


def test_the_bench_runs(source, tmp_path):
    done = run([os.path.join(source, "bench", "python", "bench_python.py"), "--quick"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "| light-dark | 4096 |" in done.stdout
