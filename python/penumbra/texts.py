"""Texts: options as the program writes them, errors in Python's words, tables."""
from __future__ import annotations

import functools
import html
import os
import re
import threading
from typing import Any, Callable, Iterable, List, Sequence, Tuple, TypeVar, cast

import numpy as np

from penumbra._penumbra import Error

F = TypeVar("F", bound=Callable[..., Any])


def option_text(value: Any) -> str:
    """A value as it is written on the program's command line."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(cell_text(v) for v in value) + "]"
    return str(os.fspath(value)) if isinstance(value, os.PathLike) else str(value)


def cell_text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "(" + ",".join(option_text(v) for v in value) + ")"
    return option_text(value)


def seconds_text(value: Any) -> str:
    """Durations may be numbers of seconds."""
    return str(value) if isinstance(value, str) else repr(float(value))


def megabytes(value: Any) -> str:
    """Memory as a number of megabytes, or a text such as 4G or 500M."""
    if not isinstance(value, str):
        return str(int(value))
    match = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?)B?\s*", value, re.IGNORECASE)
    if not match:
        raise Error(f"memory must be megabytes or a text such as 500M or 4G, not '{value}'")
    unit = {"": 1.0, "K": 1e-3, "M": 1.0, "G": 1e3, "T": 1e6}[match.group(2).upper()]
    return str(max(1, int(float(match.group(1)) * unit)))


def settings_of(options: dict[str, Any]) -> List[Tuple[str, str]]:
    """Keywords as options of the program; None: not given."""
    return [
        (name.replace("_", "-"), option_text(value))
        for name, value in options.items()
        if value is not None
    ]


def in_python_words(function: F) -> F:
    """Errors of the library speak of --options; here they are keywords."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Error as error:
            text = re.sub(r"(?<![\w-])--([a-z])", r"\1", str(error))
            if text == str(error):
                raise
            raise Error(text) from None

    return cast(F, wrapped)


def in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def html_table(rows: Iterable[Sequence[Any]], head: Sequence[str] = ()) -> str:
    def cells(row: Sequence[Any], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(str(c))}</{tag}>" for c in row)

    top = f"<thead><tr>{cells(head, 'th')}</tr></thead>" if head else ""
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table>{top}<tbody>{body}</tbody></table>"


class Table(List[Tuple[str, ...]]):
    """Rows of texts that print as a table, in a notebook as HTML."""

    def __init__(self, rows: Iterable[Sequence[str]], head: Sequence[str]) -> None:
        super().__init__(tuple(row) for row in rows)
        self.head = tuple(head)

    def __repr__(self) -> str:
        rows = [self.head, *self]
        widths = [max(len(str(row[i])) for row in rows) for i in range(len(self.head))]
        lines = ("  ".join(str(c).ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_table(self, self.head)
