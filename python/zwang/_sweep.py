"""Sweeps: many runs of one model, by threads."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _arguments, _run
from ._handle import Result, Settings, Texts, text_of
from ._zwang import ffi, lib

if TYPE_CHECKING:
    from ._model import Model

Array = npt.NDArray[np.float64]
Axis = Union[str, float, npt.ArrayLike]


def _numbers(at: Any, count: int) -> Array:
    return np.frombuffer(ffi.buffer(at, count * 8), dtype=np.float64).copy() if count else np.empty(0)


class Sweep(Mapping[str, Array]):
    """What runs have left: the axes and what is kept of each run by name, ``s["max(x)"]``, a number a run.

    ``status`` has ``"ok"``, ``"stopped"``, ``"failed"``, ``"limit"``, or ``""`` for a run that was not
    made; ``steps``, ``error``, ``t`` and ``message`` tell more of each.
    """

    def __init__(self, result: Result) -> None:
        facts = lib.zw_result_sweep(result.at)
        runs = int(facts.runs)
        self.report: str = text_of(lib.zw_result_text(result.at)) or ""
        self.runs, self.done = runs, int(facts.done)
        self._columns = {
            text_of(facts.names[i]) or "": _numbers(facts.numbers[i], runs) for i in range(facts.columns)
        }
        self.status = np.array([text_of(facts.statuses[i]) for i in range(runs)])
        self.message: list[str] = [text_of(facts.messages[i]) or "" for i in range(runs)]
        self.steps = np.array([facts.steps[i] for i in range(runs)], dtype=np.int64)
        self.error = _numbers(facts.errors, runs)
        self.t = _numbers(facts.reached, runs)

    def __getitem__(self, name: str) -> Array:
        if name not in self._columns:
            near = _arguments.nearest(name, self._columns)
            raise KeyError(f"{name!r} is not kept of the runs" + (f"; did you mean {near!r}?" if near else ""))
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        good = int(np.sum((self.status == "ok") | (self.status == "stopped")))
        return f"<Sweep: {self.runs} runs, {good} of them to their end>"


def _axis(name: str, values: Axis) -> str:
    if isinstance(values, str):
        return f"{name}={values}"
    numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if numbers.ndim != 1:
        raise TypeError(f"the values of {name} are one list of numbers, not an array of {numbers.ndim} dimensions")
    return f"{name}=[{', '.join(repr(float(each)) for each in numbers)}]"


def sweep(
    model: Model,
    vary: Optional[Mapping[str, Axis]] = None,
    *,
    keep: Optional[str] = None,
    zip: bool = False,
    samples: Optional[int] = None,
    seed: int = 0,
    threads: Optional[int] = None,
    limit_each: Optional[float] = None,
    to: Optional[float] = None,
    every: Optional[float] = None,
    tolerance: Optional[float] = None,
    step: Optional[float] = None,
    method: Optional[str] = None,
    engine: Optional[str] = None,
    until: Optional[str] = None,
    watch: bool = True,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    set: Optional[Settings] = None,
    progress: _run.Progress = None,
    **axes: Axis,
) -> Sweep:
    """Many runs: ``zw.sweep(m, v=np.linspace(0, 5, 100), keep="max(x), last(y)")``.

    What is varied, parameters and starts, stands by name or in ``vary``: arrays, numbers, or texts,
    ``"0:10:5"``, ``"normal(1, 0.1)"``, ``"uniform(0, 1)"``, ``"sobol(0, 1)"`` with ``samples``. The
    values are crossed, or paired with ``zip``. ``keep`` is as of ``zwang sweep``; ``out`` writes a .csv
    file, too. Runs that fail raise nothing: ``s.status`` tells. Ctrl-C returns what is done.
    """
    given = {**(_arguments.mapping("vary", vary) if vary is not None else {}), **axes}
    texts_given = [_axis(name, values) for name, values in given.items()]
    counts = {
        "samples": _arguments.count("samples", samples) if samples is not None else 0,
        "threads": _arguments.count("threads", threads) if threads is not None else 0,
    }
    numbers = {
        name: _arguments.positive(name, value)
        for name, value in {"to": to, "every": every, "tolerance": tolerance, "step": step}.items()
    }
    limit = _arguments.positive("limit_each", limit_each)
    words = {name: _arguments.word(name, value) for name, value in {"method": method, "engine": engine, "until": until}.items()}
    see = _run.watcher(progress, "sweep")
    no_watch = not _arguments.flag("watch", watch)
    file, kept = _arguments.path("out", out), _arguments.word("keep", keep)

    def call(at: Any, texts: Texts, result: Any, seen: Any) -> int:
        run = ffi.new(
            "zw_run_options *",
            {**numbers, **{name: texts.one(value) for name, value in words.items()}, "no_watch": no_watch},
        )
        listed, count = texts.many(texts_given)
        options = ffi.new(
            "zw_sweep_options *",
            {
                **counts,
                "vary": listed,
                "vary_count": count,
                "zip": bool(zip),
                "seed": seed,
                "limit_each": limit,
                "keep": texts.one(kept),
                "out": texts.one(file),
                "resume": bool(resume),
                "numbers": True,
                "run": run,
                "progress": ffi.addressof(lib, "zwpy_look"),
                "context": seen,
            },
        )
        return int(lib.zw_sweep(at, options, result))

    settings = _arguments.mapping("set", set) if set is not None else {}
    return Sweep(model._handle.ask(settings, call, see))
