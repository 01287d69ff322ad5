"""Arguments of calls: what is wrong about one is said by its name."""

from __future__ import annotations

import inspect
import math
import numbers
import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any, Dict, Union

import numpy as np

from ._zwang import ffi, lib

Names = Union[None, str, Iterable[str]]


def _kind(value: Any) -> str:
    return "None" if value is None else f"{value!r} ({type(value).__name__})"


def real(name: str, value: Any) -> float:
    """A number, which may be infinite."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} is a number, not {_kind(value)}")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name} is a number, not {_kind(value)}") from None


def finite(name: str, value: Any) -> float:
    made = real(name, value)
    if not math.isfinite(made):
        raise ValueError(f"{name} is a finite number, not {made}")
    return made


def positive(name: str, value: Any) -> float:
    """A time or a tolerance; 0, which None becomes, leaves it to the model."""
    if value is None:
        return 0.0
    made = real(name, value)
    if not 0 < made < math.inf:
        raise ValueError(f"{name} is a positive number, not {value!r}")
    return made


def count(name: str, value: Any) -> int:
    try:
        made = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {_kind(value)}") from None
    if not 0 <= made < 2**31:
        raise ValueError(f"{name} is a whole number of at least 0, not {made}")
    return made


def flag(name: str, value: Any) -> bool:
    if isinstance(value, bool) or (hasattr(value, "__index__") and value in (0, 1)):
        return bool(value)
    raise TypeError(f"{name} is True or False, not {_kind(value)}")


def word(name: str, value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{name} is a string, not {_kind(value)}")


def words(name: str, value: Names) -> str | None:
    """One string, ``"a,b"``, or several."""
    if value is None or isinstance(value, str):
        return value
    try:
        each = list(value)
    except TypeError:
        raise TypeError(f"{name} is a string or several, not {_kind(value)}") from None
    for one in each:
        if not isinstance(one, str):
            raise TypeError(f"{name} is a string or several, and {_kind(one)} is none")
    return ",".join(each) or None


def path(name: str, value: Any) -> str | None:
    if value is None:
        return None
    try:
        return os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{name} is a file's name, not {_kind(value)}") from None


def mapping(name: str, value: Any) -> Mapping[str, Any]:
    """Values by name; None is none."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f'{name} is a dict of values by name, {{"m": 2}}, not {_kind(value)}')
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"{name} has names as its keys, and {_kind(key)} is none")
    return value


def numbers_of(name: str, value: Any) -> Any:
    """An array of float64, as it is where it is one already."""
    try:
        return np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is an array of numbers, not {_kind(value)}") from None


class Settings(Dict[str, Any]):
    """Values by name for a call; of those that stood among its arguments, which arguments it has."""

    def __init__(self, values: Mapping[str, Any], by_name: Mapping[str, Any], call: Any) -> None:
        super().__init__({**values, **by_name})
        self.by_name = frozenset(by_name)
        self.call = call

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


def settings(call: Any, set: Any, parameters: Mapping[str, Any]) -> Settings:
    """Those of ``set=`` and those that stand by name."""
    values = mapping("set", set)
    for name in parameters:
        if name in values:
            raise TypeError(f"{name!r} is given twice, in set= and by name")
    return Settings(values, parameters, call)


# What is called so elsewhere.
_ELSEWHERE = {
    **dict.fromkeys("t T t1 t_end tend t_final t_span end until duration stop".split(), "to"),
    **dict.fromkeys("dt t_eval output_step n_steps".split(), "every"),
    **dict.fromkeys("tol rtol atol eps accuracy".split(), "tolerance"),
    **dict.fromkeys("h step_size stepsize max_step".split(), "step"),
    **dict.fromkeys("solver integrator".split(), "method"),
    **dict.fromkeys("file filename path output".split(), "out"),
    **dict.fromkeys("params parameters settings values args".split(), "set"),
}


def misspelt(error: Any, given: Mapping[str, Any], names: list[str]) -> TypeError | None:
    """What to say of an argument that is none of the call's and no name of the model; None where
    the error is another one."""
    wrong = error.caret.split("=")[0].strip() if error.file == "setting" else ""
    if not isinstance(given, Settings) or wrong not in given.by_name or wrong in names:
        return None
    call = given.call
    arguments = [
        each.name
        for each in inspect.signature(call).parameters.values()
        if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY) and each.name != "self"
    ]
    near = _ELSEWHERE.get(wrong)
    if near not in arguments:
        near = nearest(wrong, [*arguments, *names])
    hint = f"did you mean {near!r}?" if near else f"its arguments are {', '.join(arguments)}"
    known = "the model has no such name" if error.message.startswith("unknown name") else error.message
    where = call.__qualname__.replace(".__init__", "").split(".")[-1]
    return TypeError(f"{where}() has no argument {wrong!r}, and {known}; {hint}")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """What was probably meant."""
    each = [ffi.new("char[]", one.encode()) for one in known]
    at = ffi.new("char *[]", each)
    found = lib.zw_nearest(word.encode(), ffi.cast("const char *const *", at), len(each))
    return None if found == ffi.NULL else str(ffi.string(found).decode())


def setting(name: str, value: Any) -> str:
    """``name=value`` as the library reads it; a number is in SI units and keeps all its bits."""
    if isinstance(value, str):
        return f"{name}={value}"
    if not isinstance(value, numbers.Real) and getattr(value, "shape", None) != ():
        raise TypeError(f"the value of {name!r} is a number or an expression as a string, not {_kind(value)}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"the value of {name!r} is {number}, which no quantity of a model can have")
    return f"{name}={number!r} SI"
