"""Runs: rows as NumPy arrays, events, tables, plots."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import numpy as np
import numpy.typing as npt

from ._handle import Result, text_of
from ._zwang import ffi, lib

if TYPE_CHECKING:
    from ._model import Model
    from ._page import Page

Array = npt.NDArray[np.float64]
Progress = Union[None, bool, Callable[[float], Optional[bool]]]


@dataclass(frozen=True)
class Event:
    """An instant at which the motion goes on by another law, or with other velocities."""

    t: float
    kind: str
    """``"impact"``, ``"contact"``, ``"release"``, ``"rest"``, ``"impulse"``, ``"switch"`` …"""
    constraint: str | None
    """the condition that it belongs to"""
    what: str | None
    """that which switches, as it is written"""
    before: Array
    """the velocities before, in the order of the coordinates"""
    after: Array
    """the velocities after"""
    impulse: float
    energy_lost: float
    """by all shocks at this t together"""
    doubtful: bool
    """it is within the tolerance that there is none"""
    uncertainty: float
    """of a rest: how far its time may be off"""
    event: str | None
    """the model's event, by its label"""


def _numbers(at: Any, count: int) -> Array:
    if at == ffi.NULL:
        return np.empty(0)
    return np.frombuffer(ffi.buffer(at, count * 8), dtype=np.float64).copy()


def event_of(at: Any) -> Event:
    """A copy of a ``zw_event``."""
    return Event(
        at.t,
        text_of(at.kind) or "",
        text_of(at.constraint),
        text_of(at.what),
        _numbers(at.before, at.count),
        _numbers(at.after, at.count),
        at.impulse,
        at.energy_lost,
        at.doubtful,
        at.uncertainty,
        text_of(at.event),
    )


class Run(Mapping[str, Array]):
    """A motion: columns by name, ``r["x"]``, all of them views of one array ``r.rows``."""

    def __init__(self, result: Result, model: Model, given: dict[str, Any]) -> None:
        at = result.at
        facts = lib.zw_result_run(at) if at != ffi.NULL else ffi.NULL
        there = facts != ffi.NULL
        count = facts.columns if there else 0
        self.names: list[str] = [text_of(lib.zw_result_column_name(at, i)) or "" for i in range(count)]
        """the names of the columns"""
        self.rows: Array = _rows(at, facts.rows, count) if there else np.empty((0, 0))
        """all numbers, a row an instant: a view of the library's own memory"""
        self.events: list[Event] = [event_of(lib.zw_result_event(at, i)) for i in range(facts.events)] if there else []
        """what happened on the way: impacts, contacts, releases, rests, impulses, switches"""
        self.report: str = result.text
        """the summary that the program prints"""
        self.messages = result.messages
        """notes and warnings"""
        self.complete: bool = result.status == lib.ZW_DONE and result.interrupted is None
        """whether the run reached its end"""
        audit = text_of(lib.zw_result_audit(at))
        self.audit: Any = json.loads(audit) if audit else None
        """what an audit found, where one was asked for"""
        self._at = {name: i for i, name in enumerate(self.names)}
        self._model, self._given = model, given

    @property
    def t(self) -> Array:
        """The time of each row. At an event two rows have the same t."""
        return self.rows[:, 0]

    def __getitem__(self, name: str | list[str]) -> Array:
        """A column; of a list of names a matrix with these columns, which is a copy."""
        if isinstance(name, (list, tuple)):
            return self.rows[:, [self._place(each) for each in name]]
        return self.rows[:, self._place(name)]

    def _place(self, name: str) -> int:
        try:
            return self._at[name]
        except (KeyError, TypeError):
            raise KeyError(f"no column {name!r}; there are {', '.join(self.names)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        end = "" if self.complete else ", stopped early"
        span = f"t = {self.t[0]:g} … {self.t[-1]:g}, " if len(self.rows) else ""
        return f"<Run: {span}{len(self.rows)} rows, {len(self.events)} events{end}>"

    def dataframe(self) -> Any:
        """The rows as a pandas DataFrame, with t as its index."""
        import pandas

        return pandas.DataFrame(self.rows[:, 1:], columns=self.names[1:], index=pandas.Index(self.t, name="t"))

    def plot(self, *names: str, ax: Any = None, **style: Any) -> Any:
        """Draws columns with matplotlib and returns the axes.

        Without names the coordinates against t, with one name that column against t, with two the
        second against the first; with more, or where the first is ``"t"``, all against the first.
        """
        import matplotlib.pyplot as plt

        if not names:
            count = sum(1 for name in self.names if name + "'" in self._at)
            names = ("t", *self.names[1 : 1 + count])
        elif len(names) == 1:
            names = ("t", names[0])
        if ax is None:
            ax = plt.subplots()[1]
        for name in names[1:]:
            ax.plot(self[names[0]], self[name], **({"label": name} | style))
        ax.set_xlabel(names[0])
        if len(names) == 2:
            ax.set_ylabel(names[1])
        else:
            ax.legend()
        return ax

    def view(self, **options: Any) -> Page:
        """The page of this run: in a notebook it stands in the cell. See :meth:`Model.view`."""
        return self._model.view(**{**self._given, **options})

    def _ipython_key_completions_(self) -> list[str]:
        return self.names


class _Bar:
    """A bar on standard error, from half a second on."""

    def __init__(self, label: str) -> None:
        self.label, self.begin, self.shown = label, time.monotonic(), False

    def __call__(self, part: float) -> None:
        if time.monotonic() - self.begin < 0.5:
            return
        self.shown = True
        done = int(30 * part)
        sys.stderr.write(f"\r{self.label} [{'#' * done}{'.' * (30 - done)}] {100 * part:3.0f} %")
        sys.stderr.flush()

    def close(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * (len(self.label) + 42) + "\r")
            sys.stderr.flush()


def interactive() -> bool:
    """Whether a person types: at Python's prompt, in IPython or in a notebook."""
    return hasattr(sys, "ps1") or "get_ipython" in vars(sys.modules.get("builtins"))


def watcher(progress: Progress, label: str) -> Callable[[float], bool | None]:
    """What is called with the part of a run that is done."""
    if callable(progress):
        return progress
    if progress is not None and not isinstance(progress, bool):
        raise TypeError(f"progress is True, False or a function of the part that is done, not {progress!r}")
    if progress is None:
        progress = sys.stderr is not None and (sys.stderr.isatty() or interactive())
    return _Bar(label) if progress else lambda part: None


def _rows(at: Any, count: int, columns: int) -> Array:
    """The rows as they lie in the result, column after column; the array keeps the result."""
    first = lib.zw_result_column(at, 0)
    if not count or first == ffi.NULL:
        return np.empty((0, columns))
    apart = lib.zw_result_column(at, columns - 1) - first
    kept = ffi.gc(first, lambda _, result=at: None)  # lives as long as the array does
    block = np.frombuffer(ffi.buffer(kept, (apart + count) * 8), dtype=np.float64)
    step = apart // (columns - 1) * 8 if columns > 1 else 8
    return np.lib.stride_tricks.as_strided(block, (count, columns), (8, step))
