"""Derivations, checks, equations, linearizations: against closed forms, and against each other."""

import numpy as np
import pytest

import zwang as zw


def test_a_derivation_is_text_json_and_latex():
    d = zw.gallery("blade").derive("hamel")
    assert "m·v′ − m·s·w² = 0" in str(d) and repr(d) == str(d).rstrip("\n")
    assert [each["for"] for each in d["forms"]["hamel"]["equations"]] == ["v", "w"]
    assert d.latex().startswith("\\documentclass") and "\\documentclass" not in d.latex(document=False)
    html = d._repr_html_()
    assert html.count("$$") % 2 == 0 and "\\begin{align*}" not in html and "%<paper>" not in html
    assert "m\\,v' - m\\,s\\,w^{2} = 0" in html and "label" not in d._repr_latex_()


@pytest.mark.parametrize("name", sorted(zw.gallery)[::6])
def test_every_model_can_be_set_in_type(name):
    d = zw.gallery(name).derive()
    for text in (d._repr_html_(), d._repr_latex_()):
        assert text.count("\\begin{aligned}") == text.count("\\end{aligned}") > 0
        assert "\\begin{align" not in text.replace("\\begin{aligned}", "")


def test_forms_agree_with_their_proof():
    check = zw.gallery("blade").check()
    assert check.forms.agree is True and check.forms.proof == "exact"
    assert check.forms["hamel"].agrees and not check.forms["johnsen1"].applies
    assert not check.holonomic and check.freedom == 2 and "energy" in check.integrals
    assert "gives the same motion" in str(check)


def test_equations_of_a_book():
    right, wrong = zw.gallery("blade").follows("I*w' + m*s*v*w = 0", "v' = 0")
    assert right and right.proof == "exact"
    assert not wrong and wrong.follows is False and wrong["difference"]


def test_eigenvalues_of_a_pendulum_by_the_formula():
    m = zw.Model("param g = 9.81, l = 2\ncoord q\nkinetic l^2*q'^2/2\npotential g*l*(1 - cos(q))")
    below, above = m.linearize(at={"q": 0}), m.linearize(at={"q": "pi"})
    w = np.sqrt(9.81 / 2)
    assert np.sort_complex(below.eigenvalues) == pytest.approx(np.array([-1j * w, 1j * w]))
    assert np.sort(above.eigenvalues.real) == pytest.approx([-w, w])
    assert above.verdict == "unstable" and below.verdict == "stable_first_order"
    # A parameter among what is held is set.
    assert m.linearize(at={"q": 0, "l": 8}).eigenvalues.imag.max() == pytest.approx(np.sqrt(9.81 / 8))


def test_inputs_and_modes():
    m = zw.Model("param F = 0\ncoord x, y\nkinetic (x'^2 + 2*y'^2)/2\npotential (x^2 + (x - y)^2)/2\nforce F along y")
    lin = m.linearize(at={"x": 0, "y": 0}, inputs="F")
    assert lin.variables == ["x", "y", "x'", "y'"]
    assert lin.A == pytest.approx(np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-2, 1, 0, 0], [0.5, -0.5, 0, 0]]))
    assert lin.B == pytest.approx(np.array([[0], [0], [0], [0.5]]))
    assert lin.A @ lin.modes == pytest.approx(lin.modes * lin.eigenvalues)


def test_the_bicycle_balances_between_its_critical_speeds():
    m = zw.gallery("bicycle")
    held = {"phi": 0, "delta": 0, "chiR'": "-v/rR"}
    growth = {v: m.linearize(at={**held, "v": v}).eigenvalues.real.max() for v in (4, 5, 7)}
    assert growth[4] > 1e-3 and growth[5] < 1e-9 and growth[7] > 1e-3
    lin = m.linearize(at=held, vary="v=0:10:50")
    assert [each["value"] for each in lin.critical] == pytest.approx([4.292382536, 6.024262015], rel=1e-9)


def test_the_instant():
    now = zw.gallery("blade").at()
    assert now["lambda"]["edge"] == pytest.approx(-0.275) and "Gauss" in str(now)


def test_exported_code_runs():
    code = zw.gallery("blade").export("python")
    space = {"__name__": "blade"}
    exec(compile(code, "blade.py", "exec"), space)
    y = np.array(space["start"]())
    assert len(space["derivative"](0.0, y, space["parameters"]())) == len(y)


def test_what_was_not_asked_is_not_answered():
    """A free mass is holonomic: not asked, nothing is said of it."""
    m = zw.Model("coord x; kinetic x'^2/2; initial x = 1")
    assert m.check().holonomic is m.check("kind").holonomic is True
    assert m.check("integrals").holonomic is None and "energy" in m.check("integrals").integrals
    with pytest.raises(AttributeError, match="not asked for"):
        m.check("kind").integrals
    with pytest.raises(AttributeError, match="not asked for"):
        m.check("kind").forms
    with pytest.raises(ValueError, match="set_state"):
        m.simulation().set(x=3)
