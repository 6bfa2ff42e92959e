"""Searching for good options of a solver, and experiments."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from penumbra import _penumbra
from penumbra.models import PathLike, as_model
from penumbra.texts import html_table, in_main_thread, in_python_words, seconds_text, settings_of


@dataclass(frozen=True)
class Trial:
    number: int
    score: float
    standard_error: float
    episodes: int
    backups: int
    seconds: float
    status: str
    settings: Dict[str, str]


@dataclass(frozen=True)
class Tuning:
    """What a search found."""

    domain: str
    best: Optional[Trial]  # None: interrupted before a trial had ended
    trials: List[Trial]
    importance: Dict[str, float]  # the share of the variance that an option explains alone
    config: str  # a file for penumbra solve --config
    interrupted: bool

    def _repr_html_(self) -> str:
        head = ("trial", "score", "standard error", "status", "settings")
        rows = (
            (t.number, f"{t.score:.4f}", f"{t.standard_error:.4f}", t.status, t.settings)
            for t in sorted(self.trials, key=lambda t: -t.score)
        )
        return html_table(rows, head)


def _space_text(space: Mapping[str, Any], fixed: Mapping[str, Any]) -> str:
    """A search space as TOML."""

    def value(v: Any) -> str:
        if isinstance(v, Mapping):
            return "{ " + ", ".join(f"{k} = {value(x)}" for k, x in v.items()) + " }"
        return json.dumps(list(v) if isinstance(v, tuple) else v)

    lines = []
    for title, entries in (("space", space), ("fixed", fixed)):
        lines.append(f"[{title}]")
        lines += [f"{name.replace('_', '-')} = {value(v)}" for name, v in entries.items()]
    return "\n".join(lines) + "\n"


@in_python_words
def tune(
    model: Any,
    space: Union[PathLike, Mapping[str, Any]],
    run: PathLike,
    solver: str = "nvi",
    *,
    trials: int = 50,
    time: Union[None, str, float] = None,
    backups: Optional[int] = None,
    seed: int = 1,
    threads: int = 0,
    fixed: Optional[Mapping[str, Any]] = None,
    progress: Optional[Callable[[Trial], Any]] = None,
    **options: Any,
) -> Tuning:
    """Searches for good options of a solver in the folder `run`, new or to go on with. `space` is a
    TOML file (docs/tune.md) or its table of ranges, {"rate": {"low": 1e-5, "high": 1e-3, "log":
    True}, "lanes": [64, 128]}, with fixed={"hidden": 128} beside it. Options: method, early,
    batch, episodes.
    `progress` is called with each trial, and may raise StopIteration."""
    m = as_model(model)
    settings = settings_of(
        {
            "solver": solver,
            "run": run,
            "trials": trials,
            "time": None if time is None else seconds_text(time),
            "backups": backups,
            "seed": seed,
            "threads": threads,
            **options,
        }
    )

    def report(text: str) -> None:
        if progress is not None:
            progress(Trial(**json.loads(text)))

    def work(path: str) -> Tuning:
        text, interrupted = _penumbra.tune(
            m._core, path, settings, report, lambda t: warnings.warn(t), in_main_thread()
        )
        found = json.loads(text)
        return Tuning(
            found["domain"],
            Trial(**found["best"]) if found["best"] else None,
            [Trial(**t) for t in found["trials"]],
            found["importance"],
            found["config"],
            interrupted,
        )

    if not isinstance(space, Mapping):
        return work(os.fspath(space))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "space.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(_space_text(space, fixed or {}))
        return work(path)


def program() -> str:
    """The penumbra program: of PENUMBRA_PROGRAM, beside the package, or on the PATH."""
    here = os.path.dirname(os.path.abspath(_penumbra.__file__))
    candidates = [
        os.environ.get("PENUMBRA_PROGRAM"),
        os.path.join(here, "program", "penumbra"),
        os.path.join(here, "..", "..", "penumbra"),
        shutil.which("penumbra"),
    ]
    for path in candidates:
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.abspath(path)
    raise _penumbra.Error(
        "a bench runs the penumbra program, which is not on the PATH; name it in PENUMBRA_PROGRAM"
    )


@in_python_words
def bench(experiment: PathLike, output: PathLike, **options: Any) -> Dict[str, Any]:
    """Runs an experiment file (docs/bench.md) into the folder `output`, or goes on with it, and
    gives its table. Every cell is a process of the penumbra program, as on the command line;
    `options` are those of penumbra bench."""
    command = [program(), "bench", os.fspath(experiment), "--out", os.fspath(output)]
    for name, value in settings_of(options):
        command += [f"--{name}"] if value == "true" else [f"--{name}", value]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 130:
        raise KeyboardInterrupt
    if done.returncode != 0:
        raise _penumbra.Error(done.stderr.strip().splitlines()[-1].replace("penumbra: ", "", 1))
    if done.stderr and sys.stderr.isatty():
        sys.stderr.write(done.stderr)
    with open(os.path.join(os.fspath(output), "table.json"), encoding="utf-8") as file:
        table: Dict[str, Any] = json.load(file)
    return table
