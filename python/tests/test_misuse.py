"""Wrong and unusual calls end in an exception of Python's, never in a signal."""

import numpy as np
import pytest

import zwang as zw

TEXTS = [
    "\n",
    "coord\n",
    "coord x\n",
    "coord x\nkinetic x'^2/2\n",
    "param m\ncoord x\nkinetic m*x'^2/2\n",
    "coord x\0\nkinetic x'^2/2\n",
    "coord x\nkinetic 0\n",
    'include "parts.zw"\ncoord x\nkinetic x\'^2/2\n',
    "function f(s)\ncoord x\nkinetic x'^2/2\npotential f(x)\n",
]
CHOICES = [
    {},
    {"set": {"x": 1}},
    {"set": {"m": 2}},
    {"set": {"f(s)": "s^2"}},
    {"set": {"a\0b": 1}},
    {"set": {"": 1}},
    {"reduce": True},
    {"independent": "x"},
    {"acting": "all"},
    {"speeds": "orthonormal"},
    {"branch": 2},
]
NAN = float("nan")
QUESTIONS = [
    lambda m: m.derive("all"),
    lambda m: m.check(),
    lambda m: m.at(),
    lambda m: m.run(to=0.1),
    lambda m: m.run(to=-1),
    lambda m: m.run(to=NAN),
    lambda m: m.run(method="x"),
    lambda m: m.run(to=0.1, out="/nowhere/x.csv"),
    lambda m: m.linearize(),
    lambda m: m.linearize(at={"x": 0}),
    lambda m: m.linearize(vary="q"),
    lambda m: m.rates(0, m.rates.start),
    lambda m: m.rates.parts(0, m.rates.start),
    lambda m: m.export("c"),
    lambda m: m.export("nonsense"),
    lambda m: m.follows("x'' = 0", "%%"),
    lambda m: m.sympy(),
    lambda m: m.simulation(method="timestepping"),
    lambda m: m.simulation().step(),
    lambda m: m.simulation().to(-5),
    lambda m: m.simulation().to(NAN),
    lambda m: m.simulation().row(99),
    lambda m: m.simulation().restore(b"\0" * 100),
    lambda m: m.simulation().set(x=NAN),
    lambda m: m.simulation().set_state(q=[np.inf]),
]
REFUSALS = (zw.ZwangError, ValueError, TypeError, OSError, ArithmeticError)


@pytest.mark.filterwarnings("ignore::zwang.ZwangWarning")
@pytest.mark.parametrize("text", TEXTS)
def test_every_call_answers_or_refuses(text):
    answered = refused = 0
    for choices in CHOICES:
        try:
            m = zw.Model(text, **choices)
        except REFUSALS:
            refused += 1
            continue
        for question in QUESTIONS:
            try:
                question(m)
                answered += 1
            except REFUSALS as error:
                assert str(error)
                refused += 1
    assert refused > len(CHOICES) / 2
