"""SymPy: its systems read, its equations proved here, its numbers beside ours."""

import importlib
import re

import numpy as np
import pytest

sympy = pytest.importorskip("sympy")
from sympy.core.function import AppliedUndef  # noqa: E402
from sympy.physics import mechanics as me  # noqa: E402

import zwang as zw  # noqa: E402
from zwang._expressions import read  # noqa: E402

# The tests of SymPy's mechanics whose systems are taken; what they build is caught as they run.
SYSTEMS = [
    ("test_kane", "test_one_dof"),
    ("test_kane", "test_two_dof"),
    ("test_kane", "test_pend"),
    ("test_kane", "test_rolling_disc"),
    ("test_kane", "test_parallel_axis"),
    ("test_kane", "test_input_format"),
    ("test_kane5", "test_kane_rolling_disc_lu"),
    ("test_lagrange", "test_disc_on_an_incline_plane"),
    ("test_lagrange", "test_simp_pen"),
    ("test_lagrange", "test_nonminimal_pendulum"),
    ("test_lagrange", "test_dub_pen"),
    ("test_lagrange", "test_rolling_disc"),
    ("test_lagrange2", "test_lagrange_2forces"),
    ("test_models", "test_multi_mass_spring_damper_inputs"),
    ("test_models", "test_multi_mass_spring_damper_higher_order"),
    ("test_models", "test_n_link_pendulum_on_cart_inputs"),
    ("test_models", "test_n_link_pendulum_on_cart_higher_order"),
]


def systems_of(module, test, monkeypatch):
    """The KanesMethod and LagrangesMethod objects that a test of SymPy's makes."""
    made = []

    def catch(kind, name):
        plain = getattr(kind, name)

        def caught(self, *words, **options):
            out = plain(self, *words, **options)
            made.append(self)
            return out

        monkeypatch.setattr(kind, name, caught)

    catch(me.KanesMethod, "kanes_equations")
    catch(me.LagrangesMethod, "form_lagranges_equations")
    try:
        source = importlib.import_module(f"sympy.physics.mechanics.tests.{module}")
    except ImportError:
        pytest.skip("this SymPy comes without its tests")
    if not hasattr(source, test):
        pytest.skip(f"this SymPy has no {test}")
    getattr(source, test)()
    return made


@pytest.mark.parametrize("module, test", SYSTEMS)
def test_sympys_equations_follow_and_its_accelerations_are_ours(module, test, monkeypatch):
    methods = systems_of(module, test, monkeypatch)
    assert methods
    for seed, method in enumerate(methods):
        kane = isinstance(method, me.KanesMethod)
        model = zw.from_sympy(method)
        if kane or not method.coneqs:
            equations = list(method._fr + method._frstar) if kane else list(method.eom)
            assert all(model.follows(*equations)), model.text
        compare_accelerations(method, model, seed, kane)


def compare_accelerations(method, model, seed, kane):
    """At a random state with random parameters, q″ of SymPy's matrices and ours."""
    draw, t = np.random.default_rng(seed), me.dynamicsymbols._t
    word = {each: model._written(each).split(" = ")[0] for each in [*method.q, *method.q.diff(t)]}
    full, forcing = method.mass_matrix_full, method.forcing_full
    symbols = (full.free_symbols | forcing.free_symbols) - {t}
    symbols |= set().union(*(each.free_symbols for each in conditions_of(method, kane)), set()) - {t}
    parameters = {each: draw.uniform(0.5, 2) for each in sorted(symbols, key=str)}
    known = set(method.q) | (set(method.u) if kane else set(method.lam_vec))
    inputs = {f: 0.37 for f in forcing.atoms(sympy.core.function.AppliedUndef) - known}
    settings = {name: draw.uniform(0.5, 2) for name in re.findall(r"^param (\w+)$", model.text, re.M)}
    settings |= {model._written(s).split(" = ")[0]: v for s, v in parameters.items()}
    settings |= {f"{f.func.__name__}(a1)": v for f, v in inputs.items()}
    # What conditions decide is left to the model, and read from its start.
    free = [word[q] for q in method.q] + [word[q] for q in method.q.diff(t)]
    start = {each: draw.uniform(0.2, 0.9) for each in free}
    if conditions_of(method, kane):
        count = model.check("kind").freedom
        start = {each: start[each] for each in ([free[0]] + free[len(method.q) :][:count])}
    at = model.at(set={**settings, **start})
    here = {**inputs, **parameters, t: 0.0}
    rates = {q.diff(t): at["v"][word[q]] for q in method.q}
    here |= {q: at["q"][word[q]] for q in method.q}

    def value(matrix):
        return np.array(sympy.Matrix(matrix).xreplace(rates).xreplace(here).evalf(20), dtype=float)

    if kane:
        here |= dict(zip(method.u, value(speeds_of(method)).ravel()))
    matrix = value(full)
    if not np.isfinite(matrix).all():
        return  # SymPy has divided by 0 on its way; its equations were proved above
    solved = np.linalg.solve(matrix, value(forcing)).ravel()
    n = len(method.q)
    second = solved[n : 2 * n]
    if kane:
        f = sympy.Matrix([method.kindiffdict()[q.diff(t)] for q in method.q])
        state = list(method.q) + list(method.u)
        second = value(f.jacobian(state)) @ np.concatenate([value(f).ravel(), solved[n:]])
    assert np.array([at["a"][word[q]] for q in method.q]) == pytest.approx(second, rel=1e-8, abs=1e-8)


def conditions_of(method, kane):
    if kane:
        nonholonomic = method._k_nh * sympy.Matrix(method.u) + method._f_nh if method._k_nh else []
        return [*method._f_h, *nonholonomic]
    return [*method._hol_coneqs, *method.coneqs]


def speeds_of(method):
    rates = sympy.Matrix(method.q.diff(me.dynamicsymbols._t))
    return method._k_ku_implicit.LUsolve(-(method._k_kqdot_implicit * rates + method._f_k_implicit))


def test_a_pendulum_of_kane_runs():
    q, u = me.dynamicsymbols("theta omega")
    m, g, l = sympy.symbols("m g ell")
    frame, body = me.ReferenceFrame("N"), me.ReferenceFrame("B")
    body.orient(frame, "Axis", [q, frame.z])
    body.set_ang_vel(frame, u * frame.z)
    pivot = me.Point("O")
    pivot.set_vel(frame, 0)
    bob = pivot.locatenew("P", l * body.x)
    bob.v2pt_theory(pivot, frame, body)
    kane = me.KanesMethod(frame, [q], [u], [q.diff() - u])
    kane.kanes_equations([me.Particle("bob", bob, m)], [(bob, m * g * frame.x)])
    model = zw.from_sympy(kane, values={m: 2, g: 9.81, l: 1.5}, start={q: 0.3}, name="pendulum")
    r = model.run(to=2)
    assert "theta" in r and "omega" in r
    # cos(theta) by the energy
    energy = 1.5 * r["omega"] ** 2 / 2 - 9.81 * np.cos(r["theta"])
    assert energy == pytest.approx(np.full_like(energy, -9.81 * np.cos(0.3)), abs=1e-8)
    with pytest.raises(ValueError, match="no parameter"):
        zw.from_sympy(kane, values={sympy.Symbol("q"): 1})
    with pytest.raises(TypeError, match="KanesMethod"):
        zw.from_sympy(3)


@pytest.mark.parametrize("name", sorted(zw.gallery)[::5])
def test_expressions_come_over_whole(name):
    """A formula and its SymPy expression have the same value at a random place."""
    data = zw.gallery(name).derive("multipliers").json()
    draw, numbers = np.random.default_rng(7), {}

    def number(word, primes):
        return numbers.setdefault((word, primes), sympy.Float(draw.uniform(0.5, 1.5)))

    if not data["forms"]["multipliers"]["applies"]:
        return
    texts = [each[side] for each in data["forms"]["multipliers"]["equations"] for side in ("left", "right")]
    equations = zw.gallery(name).sympy("multipliers")
    pairs = [side for each in equations.equations for side in (each.lhs, each.rhs)]
    for text, expression in zip(texts, pairs):
        direct = read(text, number)
        values = {}
        for (word, primes), value in numbers.items():
            symbol = equations.symbols.get(word)
            if symbol is not None:
                values[symbol.diff(equations.t, primes) if primes else symbol] = value
            elif word == "t":
                values[equations.t] = value
        for order in (2, 1):
            rates = {k: v for k, v in values.items() if isinstance(k, sympy.Derivative) and k.derivative_count == order}
            expression = expression.xreplace(rates)
        # Derivatives of functions that stay open are substituted, not replaced; both sides then hold them alike.
        expression = expression.subs({k: v for k, v in values.items() if not isinstance(k, sympy.Derivative)})
        if direct.has(AppliedUndef) or expression.has(AppliedUndef):
            assert (direct - expression).simplify() == 0, text
        elif direct.is_number and expression.is_number:
            assert float(expression) == pytest.approx(float(direct), rel=1e-9, abs=1e-9), text


@pytest.mark.parametrize(
    "text, value",
    [("-2^2", -4), ("2^3^2", 512), ("4*2^-1", 2), ("-x^2*3", -12), ("8/2/2", 2), ("1 - 2 - 3", -4), ("(1 + x)'", None)],
)
def test_precedence(text, value):
    if value is None:
        with pytest.raises(ValueError):
            read(text, lambda name, primes: sympy.Integer(2))
    else:
        assert read(text, lambda name, primes: sympy.Integer(2)) == value


def test_open_functions_and_indices():
    m = zw.Model("param m\nfunction U(r)\ncoord q[2]\nkinetic m*(q[1]'^2 + q[2]'^2)/2\npotential U(q[1]*q[2])")
    equations = m.sympy("multipliers")
    assert [str(q.func) for q in equations.coordinates] == ["q_1", "q_2"]
    assert equations.equations[0].has(sympy.Derivative) and "U" in str(equations)
