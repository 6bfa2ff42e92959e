"""Plans under partial observability: arrays in, policies out.

    import penumbra as pn
    solution = pn.solve(pn.make("tiger"), time="5s")
    print(solution.value, solution.policy)

docs/python.md is the manual.
"""
try:
    from penumbra import _penumbra
except ImportError as error:
    raise ImportError(
        f"penumbra's compiled half is not there ({error}). Either install it with\n"
        "    pip install . --no-build-isolation\n"
        "or run your script in the source folder with\n"
        "    ./run python script.py"
    ) from error

from penumbra._penumbra import Error, InvariantError, Rng
from penumbra.beliefs import Belief
from penumbra.declarations import Box, Features, Floats
from penumbra.episodes import Episode, simulate
from penumbra.models import (
    Facts,
    Model,
    check,
    domains,
    make,
    model,
    planners,
    read_pomdp,
    scalar,
    solvers,
    write_pomdp,
)
from penumbra.policies import Agent, Controller, Policy, SavedPolicy, load, policy
from penumbra.reports import Report, report
from penumbra.scores import Comparison, Estimate, Score, compare, evaluate
from penumbra.solving import Interrupted, Progress, Solution, resume, solve
from penumbra.tuning import Trial, Tuning, bench, tune

__version__ = _penumbra.version().split()[1]

__all__ = [
    "Agent",
    "Belief",
    "Box",
    "Comparison",
    "Controller",
    "Episode",
    "Error",
    "Estimate",
    "Facts",
    "Features",
    "Floats",
    "Interrupted",
    "InvariantError",
    "Model",
    "Policy",
    "Progress",
    "Report",
    "Rng",
    "SavedPolicy",
    "Score",
    "Solution",
    "Trial",
    "Tuning",
    "bench",
    "check",
    "compare",
    "domains",
    "evaluate",
    "load",
    "make",
    "model",
    "planners",
    "policy",
    "read_pomdp",
    "report",
    "resume",
    "scalar",
    "simulate",
    "solve",
    "solvers",
    "tune",
    "write_pomdp",
]
