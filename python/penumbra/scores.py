"""How good a policy is, by simulation, with the uncertainty of that figure."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Optional, Union

from penumbra import _penumbra
from penumbra.models import as_model
from penumbra.policies import player_for
from penumbra.texts import html_table, in_main_thread, in_python_words


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard error and 95 % interval."""

    mean: float
    standard_error: float
    low: float
    high: float
    episodes: int

    def __float__(self) -> float:
        return self.mean

    def __repr__(self) -> str:
        name = type(self).__name__
        return (
            f"{name}({self.mean:.4f} +- {self.standard_error:.4f}, 95 % {self.low:.4f} .. "
            f"{self.high:.4f}, {self.episodes} episodes)"
        )

    def _repr_html_(self) -> str:
        return html_table(
            [
                ("mean", f"{self.mean:.4f}"),
                ("standard error", f"{self.standard_error:.4f}"),
                ("95 % interval", f"{self.low:.4f} to {self.high:.4f}"),
                ("episodes", self.episodes),
            ]
        )


@dataclass(frozen=True, repr=False)
class Score(Estimate):
    """The value of a policy: mean discounted return."""

    undiscounted: float = 0.0  # the mean of plain sums of rewards
    steps: int = 0
    truncated: int = 0  # episodes cut at max_steps
    max_steps: int = 0
    truncation_bound: float = 0.0  # the mean is off by at most this because of the cut
    seconds: float = 0.0
    interrupted: bool = False  # by Ctrl-C: the score of the episodes so far

    def plot(self, ax: Any = None) -> Any:
        """Mean and interval; returns the axes."""
        from penumbra.plots import plot_scores

        return plot_scores([self], [""], ax)


@dataclass(frozen=True)
class Comparison:
    """Two policies on the same episodes, and the paired difference a - b."""

    a: Score
    b: Score
    difference: Estimate

    @property
    def better(self) -> Optional[str]:
        """ "a" or "b"; None: the interval of the difference holds 0."""
        return "a" if self.difference.low > 0 else "b" if self.difference.high < 0 else None

    def _repr_html_(self) -> str:
        rows = [("a", self.a), ("b", self.b), ("a - b", self.difference)]
        return html_table(
            (
                (n, f"{e.mean:.4f}", f"{e.standard_error:.4f}", f"{e.low:.4f} to {e.high:.4f}")
                for n, e in rows
            ),
            ("", "mean", "standard error", "95 % interval"),
        )

    def plot(self, ax: Any = None) -> Any:
        from penumbra.plots import plot_scores

        return plot_scores([self.a, self.b], ["a", "b"], ax)


def _estimate(fields: Dict[str, Any]) -> Dict[str, Any]:
    return {name: fields[name] for name in ("mean", "standard_error", "low", "high", "episodes")}


def score_from(fields: Union[str, Dict[str, Any]], interrupted: bool = False) -> Score:
    """From the record of the library."""
    f = json.loads(fields) if isinstance(fields, str) else fields
    return Score(
        **_estimate(f),
        undiscounted=f["undiscounted"]["mean"],
        steps=f["steps"],
        truncated=f["truncated"],
        max_steps=f["max_steps"],
        truncation_bound=f["truncation_bound"] or 0.0,
        seconds=f["seconds"],
        interrupted=interrupted and True,
    )


@in_python_words
def evaluate(
    model: Any,
    policy: Any,
    episodes: int = 10_000,
    seed: int = 1,
    max_steps: int = 0,
    threads: int = 0,
    execute: str = "controller",
) -> Score:
    """The score of a policy: one of pn.solve, a file, a name such as "random" or
    "despot(time=10ms)", or one of one's own. The same seed gives the same episodes as the program.
    Ctrl-C ends with the score so far."""
    m = as_model(model)
    player = player_for(m, policy, execute=execute, threads=threads)
    text, interrupted = _penumbra.evaluate(
        player, int(episodes), seed, max_steps, threads, in_main_thread()
    )
    return score_from(text, interrupted)


@in_python_words
def compare(
    model: Any,
    a: Any,
    b: Any,
    episodes: int = 10_000,
    seed: int = 1,
    max_steps: int = 0,
    threads: int = 0,
) -> Comparison:
    """Which of two policies is better, on the same episodes."""
    m = as_model(model)
    players = [player_for(m, p, threads=threads) for p in (a, b)]
    if not players[0].same_model(players[1]):
        players = [player_for(m, p, threads=threads, finite=True) for p in (a, b)]
    first, second, difference, interrupted = _penumbra.compare(
        players[0], players[1], int(episodes), seed, max_steps, threads, in_main_thread()
    )
    return Comparison(
        score_from(first, interrupted),
        score_from(second, interrupted),
        Estimate(**_estimate(json.loads(difference))),
    )
