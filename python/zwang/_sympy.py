"""To SymPy and back: equations as expressions, and SymPy's systems as models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from ._model import Model


class Equations:
    """Equations of motion as SymPy expressions.

    Coordinates and speeds are functions of ``t``, as ``sympy.physics.mechanics.dynamicsymbols`` makes
    them; parameters are plain symbols. A name that is no identifier is spelt with underscores:
    ``lambda.edge`` is ``lambda_edge``, ``q[2]`` is ``q_2``.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        import sympy
        from sympy.physics.mechanics import dynamicsymbols

        from ._expressions import read

        self._made_of = data
        self.t: Any = dynamicsymbols._t
        self.symbols: dict[str, Any] = {}
        """what each name of the model has become"""
        moving = {*data["coordinates"], *data["speeds"]}

        def symbol(name: str, primes: int = 0) -> Any:
            if name == "t":
                return self.t if primes == 0 else sympy.Integer(primes == 1)
            if name == "pi":
                return sympy.pi
            if name not in self.symbols:
                spelt = re.sub(r"\W+", "_", name).strip("_")
                made = dynamicsymbols(spelt) if name in moving or "." in name else sympy.Symbol(spelt)
                self.symbols[name] = made
            return self.symbols[name].diff(self.t, primes) if primes else self.symbols[name]

        self.coordinates: list[Any] = [symbol(name) for name in data["coordinates"]]
        self.speeds: list[Any] = [symbol(name) for name in data["speeds"]]
        self.quantities: dict[Any, Any] = {
            symbol(each["name"]): read(each["value"], symbol) for each in data["quantities"]
        }
        """in equations too long to be written out: named parts and what they stand for, in earlier ones"""
        self.constraints: dict[str, Any] = {
            each["name"]: read(each["equation"], symbol)
            for each in data["constraints"]
            if each["kind"] != "one_sided"
        }
        """the conditions, by name"""
        self.forms: dict[str, list[Any]] = {
            name: [
                sympy.Eq(read(each["left"], symbol), read(each["right"], symbol), evaluate=False)
                for each in form["equations"]
            ]
            for name, form in data["forms"].items()
            if form["applies"]
        }
        """the equations of each form that applies"""

    def __reduce__(self) -> Any:
        return Equations, (self._made_of,)

    @property
    def equations(self) -> list[Any]:
        """The equations of the first form."""
        return next(iter(self.forms.values()), [])

    @property
    def parameters(self) -> list[Any]:
        """The symbols that are no functions of time."""
        import sympy

        return [each for each in self.symbols.values() if isinstance(each, sympy.Symbol)]

    def __repr__(self) -> str:
        return "\n".join(str(each) for each in self.equations)

    def _repr_latex_(self) -> str:
        from sympy.physics.mechanics import mlatex

        lines = "\\\\\n".join(f"&{mlatex(each)}" for each in self.equations)
        return f"$$\\begin{{aligned}}\n{lines}\n\\end{{aligned}}$$"


def equations(data: dict[str, Any]) -> Equations:
    return Equations(data)


# ---- From SymPy.

_RESERVED = set("t pi world origin in at on to by about along when lambda".split())


class _Names:
    """Names of the model for the symbols of SymPy."""

    def __init__(self, of: Optional[dict[Any, str]] = None) -> None:
        self._of: dict[Any, str] = of or {}
        self._taken = {*_RESERVED, *self._of.values()}

    def __call__(self, symbol: Any) -> str:
        if symbol not in self._of:
            head = str(symbol) if isinstance(symbol, type) or not symbol.args else symbol.func.__name__
            name = re.sub(r"\W+", "_", head).strip("_") or "s"
            if not name[0].isalpha():
                name = "s_" + name
            while name in self._taken:
                name += "_"
            self._taken.add(name)
            self._of[symbol] = name
        return self._of[symbol]


def _writer(names: _Names, moving: set[Any], t: Any) -> Any:
    """A printer that writes expressions in the model language."""
    from sympy import Function
    from sympy.core.function import AppliedUndef
    from sympy.printing.str import StrPrinter

    class Writer(StrPrinter):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.names = names
            self.functions: set[tuple[str, int]] = set()

        def _print_Symbol(self, expr: Any) -> str:
            return "t" if expr == t else names(expr)

        def _print_Pow(self, expr: Any, rational: bool = False) -> str:
            base, exponent = expr.as_base_exp()
            return f"({self._print(base)})^({self._print(exponent)})"

        def _print_Exp1(self, expr: Any) -> str:
            return "exp(1)"

        def _print_Float(self, expr: Any) -> str:
            return repr(float(expr))

        def _print_Derivative(self, expr: Any) -> str:
            if expr.expr in moving and set(expr.variables) == {t}:
                return names(expr.expr) + "'" * len(expr.variables)
            if isinstance(expr.expr, AppliedUndef) and expr.expr.args == tuple(set(expr.variables)):
                return self._call(expr.expr, "'" * len(expr.variables))
            raise ValueError(f"the derivative {expr} cannot be written in a model")

        def _call(self, expr: Any, primes: str = "") -> str:
            name = names(Function(expr.func.__name__))
            self.functions.add((name, len(expr.args)))
            return f"{name}{primes}({', '.join(self._print(each) for each in expr.args)})"

        def _print_Function(self, expr: Any) -> str:
            if expr in moving:
                return names(expr)
            if isinstance(expr, AppliedUndef):
                return self._call(expr)
            word = {"Abs": "abs", "Min": "min", "Max": "max", "ln": "log"}.get(expr.func.__name__, expr.func.__name__)
            turned = {"sec": "cos", "csc": "sin", "cot": "tan"}
            arguments = [self._print(each) for each in expr.args]
            if word in turned:
                return f"(1/{turned[word]}({arguments[0]}))"
            if word in ("min", "max") and len(arguments) > 2:
                return f"{word}({arguments[0]}, {self._print(expr.func(*expr.args[1:]))})"
            known = "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max"
            if word not in known.split():
                raise ValueError(f"the model language has no function {expr.func.__name__}, which {expr} holds")
            return f"{word}({', '.join(arguments)})"

        _print_Abs = _print_Min = _print_Max = _print_ExpBase = _print_exp = _print_Function

        def emptyPrinter(self, expr: Any) -> str:
            raise ValueError(f"{expr} cannot be written in a model")

    return Writer()


class _System:
    """What is common to both of SymPy's methods."""

    def __init__(self, q: list[Any]) -> None:
        from sympy.physics.mechanics import dynamicsymbols

        self.t = dynamicsymbols._t
        self.q = q
        self.qd = [each.diff(self.t) for each in q]
        self.qdd = [each.diff(self.t) for each in self.qd]
        self.speeds: dict[Any, Any] = {}
        self.energy: tuple[str, Any] = ("kinetic", 0)
        self.forces: list[Any] = []
        self.finite: list[Any] = []
        self.on_velocities: list[Any] = []

    def text(self, name: str, values: Mapping[Any, float], start: Mapping[Any, float], writer: Any) -> str:
        names = writer.names
        lines = [f"coord {', '.join(names(each) for each in self.q)}"]
        lines += [f"speed {names(u)} = {writer.doprint(value)}" for u, value in self.speeds.items()]
        word, energy = self.energy
        lines.append(f"{word} {writer.doprint(energy)}")
        for coordinate, force in zip(self.q, self.forces):
            if force != 0:
                lines.append(f"force {writer.doprint(force)} along {names(coordinate)}")
        for condition in [*self.finite, *self.on_velocities]:
            lines.append(f"constraint {writer.doprint(condition)} = 0")
        if start:
            lines.append("initial " + ", ".join(f"{writer.doprint(k)} = {float(v)!r}" for k, v in start.items()))
        head = [f"system {name}"]
        parameters = self._parameters()
        given = {**values}
        for symbol in parameters:
            value = given.pop(symbol, None)
            head.append(f"param {names(symbol)}" + ("" if value is None else f" = {float(value)!r}"))
        if given:
            raise ValueError(f"{', '.join(map(str, given))}: no parameter of this system")
        open_ones = [
            f"function {each}({', '.join(f'a{i + 1}' for i in range(count))})"
            for each, count in sorted(writer.functions)
        ]
        return "\n".join([*head, *open_ones, *lines]) + "\n"

    def _parameters(self) -> list[Any]:
        import sympy

        every = [self.energy[1], *self.forces, *self.finite, *self.on_velocities, *self.speeds.values()]
        found = set().union(*(sympy.sympify(each).free_symbols for each in every)) - {self.t}
        return sorted(found, key=str)


def _with_loads(system: _System, loads: Any, frame: Any, replaced: dict[Any, Any]) -> None:
    """Generalized forces: Q_j = Σ F·∂v/∂q_j′."""
    from sympy import Matrix
    from sympy.physics.mechanics import ReferenceFrame, msubs

    system.forces = [0] * len(system.q)
    for place, vector in loads or []:
        turns = isinstance(place, ReferenceFrame)
        velocity = place.ang_vel_in(frame) if turns else place.vel(frame)
        v = msubs(velocity.to_matrix(frame), replaced)
        f = msubs(vector.to_matrix(frame), replaced)
        for j, rate in enumerate(system.qd):
            system.forces[j] += (Matrix(v).diff(rate).T * f)[0]


def _energies(bodies: Any, frame: Any, replaced: dict[Any, Any]) -> tuple[Any, Any]:
    """T and Appell's S, in coordinates and their derivatives."""
    from sympy import Rational
    from sympy.physics.mechanics import Particle, msubs

    half = Rational(1, 2)
    kinetic, appell = 0, 0
    for body in bodies:
        point = body.point if isinstance(body, Particle) else body.masscenter
        v = msubs(point.vel(frame), replaced)
        a = msubs(v.dt(frame), replaced)
        kinetic += half * body.mass * v.dot(v)
        appell += half * body.mass * a.dot(a)
        if not isinstance(body, Particle):
            inertia = body.central_inertia
            w = msubs(body.frame.ang_vel_in(frame), replaced)
            turning = msubs(w.dt(frame), replaced)
            kinetic += half * w.dot(inertia.dot(w))
            appell += half * turning.dot(inertia.dot(turning)) + turning.dot(w.cross(inertia.dot(w)))
    return kinetic, appell


def _same_motion(system: _System, kinetic: Any, appell: Any) -> bool:
    """Whether ∂S/∂q″ is d/dt ∂T/∂q′ − ∂T/∂q, seen at random places: not where rolling is put into the
    velocities already, since T is then a reduced one."""
    import random

    import sympy

    differences = [
        sympy.diff(appell, qdd) - (sympy.diff(kinetic, qd).diff(system.t) - sympy.diff(kinetic, q))
        for q, qd, qdd in zip(system.q, system.qd, system.qdd)
    ]
    draw = random.Random(1)
    for _ in range(3):
        numbers = {
            each: sympy.Rational(draw.randint(100, 900), 571)
            for each in [*system.qdd, *system.qd, *system.q, system.t]
        }
        for difference in differences:
            value = difference
            for group in (system.qdd, system.qd, system.q, [system.t]):
                value = value.xreplace({each: numbers[each] for each in group})
            left = {each: sympy.Rational(draw.randint(100, 900), 571) for each in value.free_symbols}
            if abs(sympy.N(value.xreplace(left), 30, chop=False)) > 1e-15:
                return False
    return True


def _of_kane(method: Any, bodies: Any, loads: Any) -> _System:
    from sympy import Matrix
    from sympy.physics.mechanics import msubs

    bodies = method.bodies if bodies is None else bodies
    loads = method.forcelist if loads is None else loads
    if not bodies:
        raise ValueError("the method has no bodies yet; call its kanes_equations, or give bodies= and loads=")
    system = _System(list(method.q))
    u, frame = list(method.u), method._inertial
    if len(u) != len(system.q):
        raise ValueError(f"{len(system.q)} coordinates and {len(u)} speeds: a model has as many of both")
    # k_u·u + k_q·q′ + f = 0
    rates = Matrix(system.qd)
    known = method._k_ku_implicit.LUsolve(-(method._k_kqdot_implicit * rates + method._f_k_implicit))
    replaced: dict[Any, Any] = {each: 0 for each in method._uaux}
    replaced.update(zip(u, known))
    system.speeds = dict(zip(u, known))
    kinetic, appell = _energies(bodies, frame, replaced)
    plain = _same_motion(system, kinetic, appell)
    system.energy = ("kinetic", kinetic) if plain else ("acceleration_energy", appell)
    _with_loads(system, loads, frame, replaced)
    system.finite = list(method._f_h)
    if method._k_nh:
        conditions = method._k_nh * Matrix(u) + method._f_nh
        hidden = [each.diff(system.t) for each in system.finite]
        system.on_velocities = [
            each for each in msubs(conditions, replaced) if not any((each - one).equals(0) for one in hidden)
        ]
    return system


def _of_lagrange(method: Any) -> _System:
    system = _System(list(method.q))
    system.energy = ("lagrangian", method._L[0])
    _with_loads(system, method.forcelist, method.inertial, {})
    system.finite = list(method._hol_coneqs)
    system.on_velocities = list(method.coneqs)[len(system.finite) :]
    return system


def from_sympy(
    method: Any,
    *,
    values: Optional[Mapping[Any, float]] = None,
    start: Optional[Mapping[Any, float]] = None,
    name: str = "system",
    bodies: Any = None,
    loads: Any = None,
    **options: Any,
) -> Model:
    """The system of a ``KanesMethod`` or a ``LagrangesMethod`` of SymPy, as a model.

    ``values`` gives numbers for its symbols, ``start`` for its coordinates, their derivatives and
    speeds; both are needed for a run only. ``bodies`` and ``loads`` are those that ``kanes_equations``
    would be given, where it was not called before. Options are those of :class:`Model`. Other
    functions of time in it become functions that are left open.

    >>> m = zw.from_sympy(kane, values={g: 9.81, l: 1}, start={q: 0.1})
    >>> print(m.text)
    """
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod

    from ._model import Model

    if isinstance(method, KanesMethod):
        system = _of_kane(method, bodies, loads)
    elif isinstance(method, LagrangesMethod):
        system = _of_lagrange(method)
    else:
        raise TypeError(f"a KanesMethod or a LagrangesMethod is read, not {type(method).__name__}")
    spelling = _Spelling(_Names(), {*system.q, *system.speeds}, system.t)
    model = Model(system.text(name, values or {}, start or {}, spelling.writer), **options)
    model._spelling = spelling
    return model


class _Spelling:
    """How equations of SymPy's are written in the names of a model."""

    def __init__(self, names: _Names, moving: set[Any], t: Any) -> None:
        self._names, self._moving, self._t = names, moving, t
        self.writer = _writer(names, moving, t)

    def __call__(self, equation: Any) -> str:
        """An equation, or an expression that is 0."""
        left, right = (equation.lhs, equation.rhs) if hasattr(equation, "lhs") else (equation, 0)
        return f"{self.writer.doprint(left)} = {self.writer.doprint(right)}"

    def __reduce__(self) -> Any:
        from sympy import srepr

        names = {srepr(symbol): name for symbol, name in self._names._of.items()}
        return _spelling, (names, [srepr(each) for each in self._moving], srepr(self._t))


def _spelling(names: dict[str, str], moving: list[str], t: str) -> _Spelling:
    from sympy import sympify

    return _Spelling(
        _Names({sympify(text): name for text, name in names.items()}),
        {sympify(text) for text in moving},
        sympify(t),
    )
