"""Runs as one page: charts, the controller, episodes."""
from __future__ import annotations

import html
import os
import shutil
import tempfile
import warnings
from typing import Any, Iterable, List, Sequence, Union

from penumbra import _penumbra
from penumbra.models import PathLike, as_model
from penumbra.solving import Solution
from penumbra.texts import in_python_words

LARGE = 5_000_000  # bytes that a notebook would keep


class Report:
    """A page that loads nothing. In a notebook it shows itself; save() writes it."""

    def __init__(self, page: str, runs: int) -> None:
        self.page = page
        self.runs = runs

    def save(self, path: PathLike) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)

    def __repr__(self) -> str:
        return f"<Report of {self.runs} runs, {len(self.page) / 1e6:.1f} MB>"

    def _repr_html_(self) -> str:
        if len(self.page) > LARGE:
            warnings.warn(
                f"this page of {len(self.page) / 1e6:.0f} MB becomes part of the notebook"
            )
        source = html.escape(self.page, quote=True)
        return (
            f"<p>{html.escape(repr(self))}; save(path) writes it to a file.</p>"
            f'<iframe srcdoc="{source}" width="100%" height="700" style="border:1px solid #ccc">'
            "</iframe>"
        )


def _folder_of(item: Union[PathLike, Solution]) -> str:
    if not isinstance(item, Solution):
        return os.fspath(item)
    if item.run is None:
        raise _penumbra.Error("a report is made of runs: solve with run=folder")
    return item.run


@in_python_words
def report(
    what: Union[PathLike, Solution, Sequence[Union[PathLike, Solution]]],
    *,
    episodes: int = 5,
    steps: int = 100,
    visits: int = 20_000,
    seed: int = 1,
    threads: int = 0,
    models: Iterable[Any] = (),
    trust: bool = False,
) -> Report:
    """The page of a run's folder, of a folder of runs, of a bench, of solutions that have runs, or
    of a list of these. Runs of models in Python need these models; those of a model in a .cpp or
    .so need it or trust=True."""
    items: List[Union[PathLike, Solution]]
    items = list(what) if isinstance(what, (list, tuple)) else [what]  # type: ignore[list-item]
    known = [as_model(m)._core for m in models]
    known += [item.model._core for item in items if isinstance(item, Solution)]

    def make(path: str) -> Report:
        page, runs, _, _ = _penumbra.report(
            path,
            episodes,
            steps,
            visits,
            seed,
            threads,
            known,
            trust,
            lambda text: warnings.warn(text),
        )
        return Report(page, runs)

    if len(items) == 1:
        return make(_folder_of(items[0]))
    with tempfile.TemporaryDirectory() as folder:
        for i, item in enumerate(items):
            source = _folder_of(item)
            name = f"{i + 1}-{os.path.basename(os.path.abspath(source))}"
            shutil.copytree(source, os.path.join(folder, name))
        return make(folder)
