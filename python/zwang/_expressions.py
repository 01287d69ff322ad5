"""The expressions of the model language, read into SymPy. JSON has all formulas in this spelling."""

from __future__ import annotations

import re
from typing import Any, Callable

import sympy

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)"
    r"|(?P<mark>[-+*/^()\[\],'=])|(?P<end>$))"
)

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(sympy, name)
        for name in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt sign".split()
    },
    "abs": sympy.Abs,
    "min": sympy.Min,
    "max": sympy.Max,
}


class _Reader:
    def __init__(self, text: str, symbol: Callable[[str, int], Any]) -> None:
        self._text, self._symbol = text, symbol
        self._at = 0
        self._next()

    def _next(self) -> None:
        token = _TOKEN.match(self._text, self._at)
        if token is None:
            raise ValueError(f"cannot read {self._text[self._at:]!r} in {self._text!r}")
        self._kind, self._word = str(token.lastgroup), token[str(token.lastgroup)]
        self._at = token.end()

    def _takes(self, mark: str) -> bool:
        if self._kind == "mark" and self._word == mark:
            self._next()
            return True
        return False

    def _must(self, mark: str) -> None:
        if not self._takes(mark):
            raise ValueError(f"{mark!r} is expected before {self._word!r} in {self._text!r}")

    def whole(self) -> Any:
        value = self.sum()
        if self._takes("="):
            value = sympy.Eq(value, self.sum(), evaluate=False)
        if self._kind != "end":
            raise ValueError(f"unexpected {self._word!r} in {self._text!r}")
        return value

    def sum(self) -> Any:
        value = self.product()
        while True:
            if self._takes("+"):
                value = value + self.product()
            elif self._takes("-"):
                value = value - self.product()
            else:
                return value

    def product(self) -> Any:
        value = self.signed()
        while True:
            if self._takes("*"):
                value = value * self.signed()
            elif self._takes("/"):
                value = value / self.signed()
            else:
                return value

    def signed(self) -> Any:
        if self._takes("-"):
            return -self.signed()
        if self._takes("+"):
            return self.signed()
        value = self.primary()
        return value ** self.signed() if self._takes("^") else value

    def primary(self) -> Any:
        kind, word = self._kind, self._word
        if kind == "number":
            self._next()
            return sympy.Rational(word)
        if kind == "name":
            self._next()
            return self.named(word)
        self._must("(")
        value = self.sum()
        self._must(")")
        return value

    def list(self, end: str) -> list[Any]:
        values = [self.sum()]
        while self._takes(","):
            values.append(self.sum())
        self._must(end)
        return values

    def named(self, name: str) -> Any:
        if self._takes("["):
            name += "[" + ",".join(str(value) for value in self.list("]")) + "]"
        primes = 0
        while self._takes("'"):
            primes += 1
        which = self.list("]") if primes and self._takes("[") else [1] * primes
        if not self._takes("("):
            return self._symbol(name, primes)
        arguments = self.list(")")
        if not primes and name in _FUNCTIONS:
            return _FUNCTIONS[name](*arguments)
        return _open(name, arguments, [int(i) for i in which])


def _open(name: str, arguments: list[Any], by: list[int]) -> Any:
    """A function that is left open, or its derivative by these arguments."""
    function = sympy.Function(name)
    if not by:
        return function(*arguments)
    places = [sympy.Dummy(f"xi_{i + 1}") for i in range(len(arguments))]
    derivative = sympy.Derivative(function(*places), *[places[i - 1] for i in by])
    return sympy.Subs(derivative, places, arguments).doit()


def read(text: str, symbol: Callable[[str, int], Any]) -> Any:
    """An expression or an equation; ``symbol(name, primes)`` gives what a name stands for."""
    return _Reader(text, symbol).whole()
