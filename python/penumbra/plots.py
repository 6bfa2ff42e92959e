"""Pictures, with matplotlib, which is imported on first use. All take and return axes."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

import numpy as np
import numpy.typing as npt

from penumbra._penumbra import Error

if TYPE_CHECKING:
    from penumbra.beliefs import Belief
    from penumbra.episodes import Episode
    from penumbra.policies import Controller
    from penumbra.scores import Estimate

Array = npt.NDArray[Any]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def plot_history(history: Dict[str, Array], ax: Any = None, over: str = "seconds") -> Any:
    """Value and bounds as a solve went on."""
    if over not in ("seconds", "backups"):
        raise Error(f"over must be seconds or backups, not '{over}'")
    ax = _axes(ax)
    x = history[over]
    for name, label, colour in (
        ("upper", "upper value", "tab:red"),
        ("simulated", "value, simulated", "tab:blue"),
        ("lower", "lower bound", "tab:green"),
    ):
        y = history[name]
        known = np.isfinite(y)
        if not known.any():
            continue
        ax.plot(
            x[known], y[known], label=label, color=colour, marker="." if known.sum() < 30 else ""
        )
        if name == "simulated":
            half = 1.96 * history["standard_error"][known]
            ax.fill_between(x[known], y[known] - half, y[known] + half, color=colour, alpha=0.2)
    ax.set_xlabel(over)
    ax.set_ylabel("value")
    ax.legend()
    return ax


def plot_scores(scores: Sequence["Estimate"], names: Sequence[str], ax: Any = None) -> Any:
    """Means with their 95 % intervals, one beside the other."""
    ax = _axes(ax)
    means = np.array([s.mean for s in scores])
    errors = np.array([[s.mean - s.low for s in scores], [s.high - s.mean for s in scores]])
    ax.errorbar(np.arange(len(scores)), means, yerr=errors, fmt="o", capsize=4)
    ax.set_xticks(np.arange(len(scores)), list(names))
    ax.set_xlim(-0.5, len(scores) - 0.5)
    ax.set_ylabel("value")
    return ax


def _field(fields: Dict[str, Array], name: Optional[str], what: str) -> str:
    if not fields:
        raise Error(f"{what} has no fields that could be drawn")
    if name is None:
        return next(iter(fields))
    if name not in fields:
        raise Error(f"there is no field '{name}'; there are {', '.join(fields)}")
    return name


def plot_belief(belief: "Belief", field: Optional[str] = None, ax: Any = None) -> Any:
    """How a field of the state is distributed."""
    fields = belief.model.fields(belief.states)
    name = _field(fields, field, belief.model.name)
    ax = _axes(ax)
    values = fields[name].astype("f8")
    distinct = np.unique(values)
    if len(distinct) <= 30:
        shares = [belief.weights[values == v].sum() for v in distinct]
        ax.bar(distinct, shares, width=0.8 * (np.diff(distinct).min() if len(distinct) > 1 else 1))
    else:
        ax.hist(values, bins=40, weights=belief.weights)
    ax.set_xlabel(name)
    ax.set_ylabel("probability")
    return ax


def plot_episode(episode: "Episode", field: Optional[str] = None, ax: Any = None) -> Any:
    """A field of the state over time, with the rewards; without fields the rewards alone."""
    ax = _axes(ax)
    fields = episode.model.fields(episode.states) if len(episode) else {}
    if fields or field is not None:
        name = _field(fields, field, episode.model.name)
        ax.step(np.arange(len(episode.states)), fields[name], where="post", label=name)
        ax.set_ylabel(name)
        rewards = ax.twinx()
        rewards.bar(np.arange(len(episode)) + 0.5, episode.rewards, alpha=0.3, color="tab:orange")
        rewards.set_ylabel("reward")
    else:
        ax.bar(np.arange(len(episode)), episode.rewards, color="tab:orange")
        ax.set_ylabel("reward")
    ax.set_xlabel("step")
    return ax


def _layers(controller: "Controller", most: int) -> List[List[int]]:
    """Nodes by their distance from the start, the first `most` of them."""
    layers, seen = [[controller.start]], {controller.start}
    while layers[-1] and len(seen) < most:
        fresh: List[int] = []
        for node in layers[-1]:
            for to in controller.next[node].tolist():
                if to not in seen and len(seen) < most:
                    seen.add(to)
                    fresh.append(to)
        layers.append(fresh)
    return [layer for layer in layers if layer]


def plot_controller(controller: "Controller", ax: Any = None, max_nodes: int = 60) -> Any:
    """Nodes with their actions, arrows with the observations that lead along them."""
    ax = _axes(ax)
    place: Dict[int, Any] = {}
    for depth, layer in enumerate(_layers(controller, max_nodes)):
        for i, node in enumerate(layer):
            place[node] = (depth, (len(layer) - 1) / 2 - i)
    for node, at in place.items():
        ways: Dict[int, List[str]] = {}
        for o, to in enumerate(controller.next[node].tolist()):
            ways.setdefault(to, []).append(controller.observations[o])
        for to, names in ways.items():
            if to not in place:
                continue
            said = names[0] if len(names) == 1 else f"{names[0]} + {len(names) - 1}"
            if to == node:
                ax.annotate(f"({said})", at, (at[0], at[1] + 0.22), ha="center", fontsize=6)
                continue
            ax.annotate(
                "",
                place[to],
                at,
                arrowprops={
                    "arrowstyle": "->",
                    "color": "0.6",
                    "shrinkA": 16,
                    "shrinkB": 16,
                    "connectionstyle": "arc3,rad=0.15",
                },
            )
            middle = (np.array(at) * 2 + np.array(place[to])) / 3
            ax.text(middle[0], middle[1], said, fontsize=6, color="0.4", ha="center")
        name = controller.actions[int(controller.action[node])]
        style = {"boxstyle": "round", "fc": "#def" if node == controller.start else "w"}
        ax.text(at[0], at[1], name, ha="center", va="center", fontsize=8, bbox=style)
    xs, ys = zip(*place.values())
    ax.set_xlim(min(xs) - 0.6, max(xs) + 0.6)
    ax.set_ylim(min(ys) - 0.6, max(ys) + 0.6)
    ax.set_axis_off()
    if len(place) < len(controller):
        ax.set_title(f"{len(place)} of {len(controller)} nodes", fontsize=8)
    return ax
