"""Solving: from a model to a policy."""
from __future__ import annotations

import html
import json
import os
import sys
import time as clock
import warnings
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Union

import numpy as np
import numpy.typing as npt

from penumbra import _penumbra
from penumbra.models import Model, PathLike, as_model, named_in_file
from penumbra.policies import SavedPolicy
from penumbra.scores import Score, score_from
from penumbra.texts import (
    html_table,
    in_main_thread,
    in_python_words,
    megabytes,
    seconds_text,
    settings_of,
)

COLUMNS = (
    "seconds",
    "backups",
    "nodes",
    "estimate",
    "simulated",
    "standard_error",
    "lower",
    "upper",
    "memory",
)


@dataclass(frozen=True)
class Progress:
    """How far a solve is."""

    seconds: float
    backups: int
    nodes: int
    value: Optional[float]  # of the policy, simulated or a proven lower bound
    upper: Optional[float]
    record: Dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        value = "?" if self.value is None else f"{self.value:.3f}"
        upper = "?" if self.upper is None else f"{self.upper:.3f}"
        return (
            f"{self.seconds:7.1f} s  {self.backups} backups  {self.nodes} nodes  value {value}  "
            f"upper {upper}"
        )


ProgressLike = Union[None, bool, Callable[[Progress], Any]]


@dataclass(frozen=True)
class Solution:
    """What a solve gives."""

    status: str  # time, backups, nodes, gap, memory, converged, interrupted or stopped
    value: Score  # of the policy, on fresh episodes
    upper: Optional[float]
    upper_proven: bool
    lower: Optional[float]  # a proven bound, where the solver has one
    seconds: float
    backups: int
    nodes: int
    solver: str
    policy: SavedPolicy
    model: Model
    history: Dict[str, npt.NDArray[np.float64]] = field(repr=False)
    record: Dict[str, Any] = field(repr=False)  # all of it, as in a run's log
    run: Optional[str] = None  # its folder

    def plot(self, ax: Any = None, over: str = "seconds") -> Any:
        """Value and bounds over time (or backups); returns the axes."""
        from penumbra.plots import plot_history

        return plot_history(self.history, ax, over)

    def _repr_html_(self) -> str:
        upper = (
            ""
            if self.upper is None
            else f"{self.upper:.4f}" + (", proven" if self.upper_proven else "")
        )
        rows = [
            ("problem", self.model.name),
            ("solver", self.solver),
            ("ended by", self.status),
            ("value", f"{self.value.mean:.4f} +- {self.value.standard_error:.4f}"),
            ("upper value", upper),
            ("nodes", self.nodes),
            ("seconds", f"{self.seconds:.1f}"),
        ]
        return html_table(rows) + _sparkline(self.history)

    def __str__(self) -> str:
        upper = "" if self.upper is None else f", upper {self.upper:.4f}"
        return (
            f"{self.model.name} by {self.solver}: {self.value.mean:.4f} +- "
            f"{self.value.standard_error:.4f}{upper}, {self.nodes} nodes, ended by {self.status} "
            f"after {self.seconds:.1f} s"
        )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a solve with on_interrupt="raise"; .solution is the best so far."""

    def __init__(self, solution: Solution) -> None:
        super().__init__("interrupted; .solution is the best so far")
        self.solution = solution


def _sparkline(history: Dict[str, npt.NDArray[np.float64]]) -> str:
    """Value and upper value over time as a small drawing."""
    lines = []
    x = history["seconds"]
    curves = [history["upper"], np.fmax(history["simulated"], history["lower"])]
    values = np.concatenate([c[np.isfinite(c)] for c in curves])
    if len(x) < 2 or not len(values) or x[-1] <= x[0]:
        return ""
    low, high = float(values.min()), float(values.max())
    for curve, colour in zip(curves, ("#c44", "#27c")):
        points = " ".join(
            f"{200 * (a - x[0]) / (x[-1] - x[0]):.1f},{55 - 50 * (b - low) / (high - low or 1):.1f}"
            for a, b in zip(x, curve)
            if np.isfinite(b)
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
    title = html.escape(f"value and upper value, {low:.3g} to {high:.3g}")
    return f'<svg width="200" height="60"><title>{title}</title>{"".join(lines)}</svg>'


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return bool(shell and getattr(shell.get_ipython(), "kernel", None))


class _Line:
    """One line that updates itself on a terminal or in a notebook, and nothing elsewhere unless it
    is asked for."""

    def __init__(self, wanted: ProgressLike) -> None:
        self.live = sys.stderr.isatty() or _in_notebook()
        self.shown = wanted is True or (wanted is None and self.live)
        self.width = 0
        self.last = 0.0

    def show(self, progress: Progress) -> None:
        now = clock.monotonic()
        if not self.shown or (self.live and now - self.last < 0.1):
            return
        self.last = now
        text = str(progress)
        if self.live:
            sys.stderr.write("\r" + text.ljust(self.width))
            self.width = len(text)
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def end(self) -> None:
        if self.shown and self.live and self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


def _history(records: List[Dict[str, Any]]) -> Dict[str, npt.NDArray[np.float64]]:
    def number(value: Any) -> float:
        return float("nan") if value is None else float(value)

    return {name: np.array([number(r.get(name)) for r in records]) for name in COLUMNS}


def _work(
    model: Model,
    settings: List[Any],
    resume_from: str,
    other_build: bool,
    progress: ProgressLike,
    on_interrupt: str,
) -> Solution:
    if on_interrupt not in ("return", "raise"):
        raise _penumbra.Error(f"on_interrupt must be 'return' or 'raise', not {on_interrupt!r}")
    line = _Line(progress if not callable(progress) else False)
    records: List[Dict[str, Any]] = []

    def report(text: str) -> None:
        record = json.loads(text)
        records.append(record)
        value = record.get("lower", record.get("simulated"))
        said = Progress(
            record["seconds"],
            record["backups"],
            record["nodes"],
            value,
            record.get("upper"),
            record,
        )
        line.show(said)
        if callable(progress):
            progress(said)

    def tell(text: str) -> None:
        if line.shown and not line.live:
            print(text, file=sys.stderr)

    try:
        text, policy, interrupted, stopped = _penumbra.solve(
            model._core,
            settings,
            resume_from,
            other_build,
            report,
            tell,
            lambda text: warnings.warn(text, stacklevel=5),
            in_main_thread(),
        )
    finally:
        line.end()
    record = json.loads(text)
    solution = Solution(
        status="interrupted" if interrupted else "stopped" if stopped else record["status"],
        value=score_from(record["score"]),
        upper=record.get("upper"),
        upper_proven=record["upper_proven"],
        lower=record.get("lower"),
        seconds=record["seconds"],
        backups=record["backups"],
        nodes=record["nodes"],
        solver=record["solver"],
        policy=SavedPolicy(policy, model),
        model=model,
        history=_history(records),
        record=record,
        run=record.get("run"),
    )
    if interrupted and on_interrupt == "raise":
        raise Interrupted(solution)
    return solution


@in_python_words
def solve(
    model: Any,
    solver: str = "auto",
    *,
    time: Union[None, str, float] = None,
    backups: Optional[int] = None,
    nodes: Optional[int] = None,
    gap: Optional[float] = None,
    memory: Union[None, str, float] = None,
    seed: int = 1,
    threads: int = 0,
    episodes: Optional[int] = None,
    progress: ProgressLike = None,
    run: Optional[PathLike] = None,
    on_interrupt: str = "return",
    **options: Any,
) -> Solution:
    """Computes a policy. Limits: time ("30s", "10m" or seconds; a minute if nothing is said),
    backups, nodes, gap, memory. `options` are those of the solver (pn.solvers("nvi")) and of the
    program's solve (scoring, execute, macro_actions, output, checkpoint), with _ for -.

    Ctrl-C returns the best so far, with the status "interrupted". `progress` is True, False, or a
    function of a Progress that may raise StopIteration to end."""
    m = as_model(model)
    settings = settings_of(
        {
            "solver": solver,
            "time": None if time is None else seconds_text(time),
            "backups": backups,
            "nodes": nodes,
            "gap": gap,
            "memory": None if memory is None else megabytes(memory),
            "seed": seed,
            "threads": threads,
            "episodes": episodes,
            "run": run,
            **options,
        }
    )
    return _work(m, settings, "", False, progress, on_interrupt)


@in_python_words
def resume(
    run: PathLike,
    model: Any = None,
    *,
    time: Union[None, str, float] = None,
    memory: Union[None, str, float] = None,
    progress: ProgressLike = None,
    on_interrupt: str = "return",
    other_build: bool = False,
    trust: bool = False,
    **limits: Any,
) -> Solution:
    """Goes on with a run. Limits (time, backups, nodes, gap) count from its beginning and replace
    those that it had. The run of a model in Python needs model=; that of a model in a .cpp or .so
    needs it or trust=True."""
    folder = os.fspath(run)
    if model is None:
        m = named_in_file(_penumbra.run_domain(folder), f"the run {folder}", trust)
    else:
        m = as_model(model)
    settings = settings_of(
        {
            "time": None if time is None else seconds_text(time),
            "memory": None if memory is None else megabytes(memory),
            **limits,
        }
    )
    return _work(m, settings, folder, other_build, progress, on_interrupt)
