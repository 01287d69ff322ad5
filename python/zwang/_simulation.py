"""A simulation that is followed step by step."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _arguments, _errors
from ._handle import Texts, take, text_of
from ._run import Event, event_of
from ._zwang import ffi, lib

if TYPE_CHECKING:
    from ._handle import Handle, Settings

Array = npt.NDArray[np.float64]
Numbers = Union[None, Mapping[str, float], npt.ArrayLike]


# What was raised between two steps of a call, by thread: as a rule KeyboardInterrupt.
_raised: dict[int, BaseException] = {}


def _keep(kind: Any, error: BaseException, trace: Any) -> None:
    _raised[threading.get_ident()] = error


@ffi.def_extern(name="zwpy_signals", error=False, onerror=_keep)  # type: ignore[untyped-decorator]
def _signals() -> bool:
    """Called by the library between steps: handlers of signals run before this function does."""
    return True


class Simulation:
    """A motion that is followed step by step, with all events: a controller in the loop.

    >>> import zwang as zw
    >>> m = zw.Model("param u = 0; coord x; kinetic x'^2/2; force u along x; initial x = 1")
    >>> sim = m.simulation()
    >>> for k in range(1000):
    ...     sim.set(u=-sim["x"] - 2*sim["x'"])
    ...     sim.to(0.01*(k + 1))
    >>> abs(sim["x"]) < 1e-2
    True

    ``sim.step()`` takes one step of the integrator, ``sim.to(t)`` as many as lead to t exactly. Ctrl-C
    ends ``sim.to`` with KeyboardInterrupt; the simulation then is where it was, and can go on.
    ``sim["x"]`` is a column of a run at the present time, ``sim.q`` and ``sim.v`` are the coordinates
    and velocities.
    """

    def __init__(self, handle: Handle, settings: Settings, options: Mapping[str, Any]) -> None:
        self._made_of = (handle, settings, options)
        out = ffi.new("zw_sim **")

        def call(model: Any, texts: Texts, result: Any) -> int:
            words = ("method", "engine", "form")
            made = {key: texts.one(value) if key in words else value for key, value in options.items()}
            made["progress"] = ffi.addressof(lib, "zwpy_may_go_on")
            return int(lib.zw_sim_new(model, ffi.new("zw_sim_options *", made), out))

        handle.ask(settings, call)
        self._sim = ffi.gc(out[0], lib.zw_sim_free)
        self._lock = threading.RLock()
        self.names: list[str] = [
            text_of(lib.zw_sim_column_name(self._sim, i)) or "" for i in range(lib.zw_sim_columns(self._sim))
        ]
        """the names of the columns"""
        self._at = {name: i for i, name in enumerate(self.names)}
        self._count: int = lib.zw_sim_coordinates(self._sim)

    def __reduce__(self) -> Any:
        return _restored, (*self._made_of, self.save())

    def __repr__(self) -> str:
        return f"<Simulation: t = {self.t:g}>"

    def _do(self, function: Any, *arguments: Any) -> None:
        with self._lock:
            status = function(self._sim, *arguments)
            if not status:
                return
            raised = _raised.pop(threading.get_ident(), None)
            if raised is not None:
                raise raised
            messages = _errors.parse(take(lib.zw_sim_messages(self._sim, lib.ZW_NOTE)))
        text = _errors.join(messages) or "the motion cannot be followed further"
        if status == lib.ZW_WRONG:
            raise _errors.ModelError(text, messages)
        if status == lib.ZW_FAILED:
            raise OSError(text)
        raise _errors.RunStopped(text, messages, None)

    # ---- Going on.

    def step(self) -> float:
        """One step of the integrator, as long as the tolerance allows, to the first event in it."""
        self._do(lib.zw_sim_step)
        return self.t

    def to(self, t: float) -> None:
        """As many steps as lead to this time."""
        self._do(lib.zw_sim_to, _arguments.real("t", t))

    @property
    def events(self) -> list[Event]:
        """What happened in the last step, ``to`` or change."""
        found: list[Event] = []
        while (at := lib.zw_sim_event(self._sim, len(found))) != ffi.NULL:
            found.append(event_of(at))
        return found

    # ---- Where it is.

    def _state(self) -> tuple[float, Array, Array]:
        t, q, v = ffi.new("double *"), np.empty(self._count), np.empty(self._count)
        self._do(lib.zw_sim_state, t, ffi.from_buffer("double[]", q, True), ffi.from_buffer("double[]", v, True))
        return t[0], q, v

    @property
    def t(self) -> float:
        """The time."""
        return self._state()[0]

    @property
    def q(self) -> Array:
        """The coordinates, in the order of the model."""
        return self._state()[1]

    @property
    def v(self) -> Array:
        """Their velocities."""
        return self._state()[2]

    def row(self, t: Optional[float] = None) -> Array:
        """All columns at the present time, or at a time within the last step."""
        out, time = np.empty(len(self.names)), self.t if t is None else _arguments.real("t", t)
        self._do(lib.zw_sim_row, time, ffi.from_buffer("double[]", out, True))
        return out

    def __getitem__(self, name: str) -> float:
        if name not in self._at:
            raise KeyError(f"no column {name!r}; there are {', '.join(self.names)}")
        return float(self.row()[self._at[name]])

    # ---- Changes.

    def set(self, values: Optional[Mapping[str, float]] = None, **parameters: float) -> None:
        """Other values of parameters from now on: ``sim.set(u=3.1)``."""
        for name, value in {**_arguments.mapping("values", values), **parameters}.items():
            number = _arguments.finite(f"the value of {name!r}", value)
            if name.rstrip("'") in self.names[1 : 1 + self._count]:
                raise ValueError(f"{name!r} is no parameter; sim.set_state(q={{…}}, v={{…}}) sets it")
            self._do(lib.zw_sim_set_parameter, name.encode(), number)

    def set_state(self, q: Numbers = None, v: Numbers = None) -> None:
        """Another state at the same time, which meets the conditions: arrays, or some by name."""
        _, old_q, old_v = self._state()
        new_q, new_v = self._numbers("q", q, old_q), self._numbers("v", v, old_v)
        self._do(lib.zw_sim_set_state, ffi.from_buffer("double[]", new_q), ffi.from_buffer("double[]", new_v))

    def _numbers(self, which: str, given: Numbers, old: Array) -> Array:
        if given is None:
            return old
        if isinstance(given, Mapping):
            names = self.names[1 : 1 + self._count]
            for name, value in given.items():
                if not isinstance(name, str) or name.rstrip("'") not in names:
                    raise ValueError(f"{which}: no coordinate {name!r}; there are {', '.join(names)}")
                old[names.index(name.rstrip("'"))] = _arguments.real(f"{which}[{name!r}]", value)
            return old
        made: Array = _arguments.numbers_of(which, given)
        if made.shape != old.shape:
            raise ValueError(f"{which} is {len(old)} numbers, not an array of shape {made.shape}")
        return made

    # ---- Saving.

    def save(self, path: str | os.PathLike[str] | None = None) -> Optional[bytes]:
        """The whole simulation, to a file or as bytes; who restores it gets the same numbers, bit for bit."""
        if path is not None:
            self._do(lib.zw_sim_save_file, os.fsencode(_arguments.path("path", path) or ""))
            return None
        out, count = ffi.new("char **"), ffi.new("size_t *")
        self._do(lib.zw_sim_save, out, count)
        try:
            return bytes(ffi.buffer(out[0], count[0]))
        finally:
            lib.zw_free(out[0])

    def restore(self, saved: bytes | str | os.PathLike[str]) -> None:
        """What :meth:`save` has saved, of a simulation of the same model and options."""
        if isinstance(saved, (bytes, bytearray, memoryview)):
            self._do(lib.zw_sim_restore, ffi.from_buffer("char[]", saved), len(saved))
        elif saved is None:
            raise TypeError("saved is bytes or a file's name, not None")
        else:
            self._do(lib.zw_sim_restore_file, os.fsencode(_arguments.path("saved", saved) or ""))


def _restored(handle: Handle, settings: Settings, options: Mapping[str, Any], saved: bytes) -> Simulation:
    sim = Simulation(handle, settings, options)
    sim.restore(saved)
    return sim
