"""A system as functions of t, its state and its parameters."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import _arguments
from ._handle import text_of
from ._zwang import ffi, lib

if TYPE_CHECKING:
    from ._handle import Handle, Settings

Array = npt.NDArray[np.float64]

_DOUBLES = ffi.typeof("double[]")
_FLOAT64 = np.dtype(np.float64)
_NULL, _from_buffer, _rates, _empty = ffi.NULL, ffi.from_buffer, lib.zw_rates, np.empty


class Parts(NamedTuple):
    """M·q″ + bias = Jᵀ·λ and J·q″ + gamma = 0, and what solves them."""

    velocities: Array
    accelerations: Array
    mass: Array
    bias: Array
    jacobian: Array
    gamma: Array
    multipliers: Array


def _names(at: Any, count: int) -> list[str]:
    return [text_of(at[i]) or "" for i in range(count)]


def _copy(at: Any, count: int) -> Array:
    return np.array([at[i] for i in range(count)], dtype=np.float64)


class Rates:
    """y′ = f(t, y): ``f(t, y)``, and its exact derivatives.

    For integrators, optimizers and controllers of one's own, ``scipy.integrate.solve_ivp(f, (0, 10),
    f.start, jac=f.jacobian)``. ``y`` holds the coordinates, then independent speeds, as ``f.names``
    says; ``p`` the parameters, as ``f.parameter_names`` says, those of the model where it is missing.
    With ``out``, an array of float64 that the result is written to, nothing is allocated. One-sided
    conditions and impulses do not act in these functions. Several threads may call them.
    """

    def __init__(self, handle: Handle, settings: Settings, velocities: bool) -> None:
        self._made_of = (handle, settings, velocities)
        out = ffi.new("zw_system **")

        def call(model: Any, texts: Any, result: Any) -> int:
            options = ffi.new("zw_system_options *", {"velocities": velocities})
            return int(lib.zw_system_new(model, options, out))

        handle.ask(settings, call)
        self._system = ffi.gc(out[0], lib.zw_system_free)
        self._local = threading.local()
        at = lib.zw_system_layout(self._system)
        self.names: list[str] = _names(at.state_names, at.state_count)
        """what the numbers of y are: coordinates, then speeds"""
        self.start: Array = _copy(at.start, at.state_count)
        """the state at t = 0"""
        self.parameter_names: list[str] = _names(at.parameter_names, at.parameter_count)
        """what the numbers of p are"""
        self.parameter_values: Array = _copy(at.parameter_values, at.parameter_count)
        """p as the model has it"""
        self.condition_names: list[str] = _names(at.condition_names, at.condition_count)
        """the conditions in force"""
        self.coordinate_count: int = at.coordinate_count
        self._count: int = at.state_count

    def __reduce__(self) -> Any:
        return Rates, self._made_of

    def __repr__(self) -> str:
        return f"<Rates: y = ({', '.join(self.names)}), p = ({', '.join(self.parameter_names)})>"

    def _workspace(self) -> Any:
        """This thread's own."""
        work = ffi.new("zw_workspace **")
        if lib.zw_workspace_new(self._system, work):
            raise MemoryError("no memory for a workspace")
        system = self._system  # kept: a workspace is freed before its system

        def free(at: Any, system: Any = system) -> None:
            lib.zw_workspace_free(at)

        self._local.work = ffi.gc(work[0], free)
        self._local.last = (None,) * 4  # y and out of the last call, and their memory
        return self._local.work

    def p(self, **parameters: float) -> Array:
        """The parameters as an array, some of them changed: ``f(t, y, f.p(m=2))``."""
        values = self.parameter_values.copy()
        for name, value in parameters.items():
            if name not in self.parameter_names:
                near = _arguments.nearest(name, self.parameter_names)
                hint = f"did you mean {near!r}?" if near else f"there are {', '.join(self.parameter_names)}"
                raise ValueError(f"no parameter {name!r}; {hint}")
            values[self.parameter_names.index(name)] = _arguments.real(f"the value of {name!r}", value)
        return values

    def _call(self, function: Any, t: float, y: Any, p: Any, out: Any, shape: tuple[int, ...]) -> Any:
        try:
            work = self._local.work
        except AttributeError:
            work = self._workspace()
        if type(y) is not np.ndarray or y.dtype is not _FLOAT64 or not y.flags.c_contiguous:
            y = _arguments.numbers_of("y", y)
        if y.shape != (self._count,):
            raise ValueError(
                f"the state is one array of {self._count} numbers ({', '.join(self.names)}), not of shape {y.shape}"
            )
        given = ffi.NULL
        if p is not None:
            p = self.p(**p) if isinstance(p, Mapping) else _arguments.numbers_of("p", p)
            if p.shape != (len(self.parameter_names),):
                raise ValueError(f"p is one array of {len(self.parameter_names)} numbers, not of shape {p.shape}")
            given = ffi.from_buffer(_DOUBLES, p)
        if out is None:
            out = np.empty(shape)
        elif type(out) is not np.ndarray or out.dtype is not _FLOAT64 or out.shape != shape:
            raise ValueError(f"out is an array of float64 of the shape {shape}")
        if type(t) is not float:
            t = _arguments.real("t", t)
        status = function(
            self._system, work, t, ffi.from_buffer(_DOUBLES, y), given, ffi.from_buffer(_DOUBLES, out, True)
        )
        if status:
            raise ArithmeticError(
                f"there are no finite values at t = {t}, y = {y}; where speeds do not determine the velocities, "
                "system(velocities=True) has all velocities in its state"
            )
        return out

    def __call__(self, t: float, y: Any, p: Any = None, out: Optional[Array] = None) -> Array:
        """y′ at (t, y)."""
        # The short way, of arrays as they should be; shorter where they are those of the last call, whose
        # memory is known. What it does not take, the long one takes or refuses.
        try:
            local = self._local
            if p is None and y.dtype is _FLOAT64:
                if out is None:
                    into = _empty(self._count)
                else:
                    last = local.last
                    if last[0] is y and last[1] is out and out.dtype is _FLOAT64:
                        if not _rates(self._system, local.work, t, last[2], _NULL, last[3]):
                            return out  # type: ignore[no-any-return]
                    into = out
                if into.dtype is _FLOAT64 and y.ndim == 1:
                    a, b = _from_buffer(_DOUBLES, y), _from_buffer(_DOUBLES, into, True)
                    if len(a) == self._count == len(b) and not _rates(self._system, local.work, t, a, _NULL, b):
                        if out is not None:
                            local.last = y, out, a, b
                        return into
        except (AttributeError, TypeError, ValueError, BufferError):
            pass
        return self._call(lib.zw_rates, t, y, p, out, (self._count,))  # type: ignore[no-any-return]

    def jacobian(self, t: float, y: Any, p: Any = None, out: Optional[Array] = None) -> Array:
        """∂f/∂y, exact."""
        shape = (self._count, self._count)
        return self._call(lib.zw_rates_by_state, t, y, p, out, shape)  # type: ignore[no-any-return]

    def by_parameters(self, t: float, y: Any, p: Any = None, out: Optional[Array] = None) -> Array:
        """∂f/∂p, exact."""
        shape = (self._count, len(self.parameter_names))
        return self._call(lib.zw_rates_by_parameters, t, y, p, out, shape)  # type: ignore[no-any-return]

    def parts(self, t: float, y: Any, p: Any = None) -> Parts:
        """Mass matrix, bias, Jacobian of the conditions, and the accelerations and multipliers."""
        n, m = self.coordinate_count, len(self.condition_names)
        made = Parts(*(np.empty(shape) for shape in (n, n, (n, n), n, (m, n), m, m)))
        at = ffi.new("zw_parts *")
        for name, array in zip(Parts._fields, made):
            setattr(at, name, ffi.from_buffer(_DOUBLES, array, True))

        def function(system: Any, work: Any, t: float, y: Any, given: Any, out: Any) -> int:
            return int(lib.zw_system_parts(system, work, t, y, given, at))

        self._call(function, t, y, p, None, (0,))
        return made
