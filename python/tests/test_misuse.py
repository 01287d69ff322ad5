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
REFUSALS = (zw.ZwangError, ValueError, TypeError, OSError, ArithmeticError, ImportError)  # without SymPy


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


SPRING = "param k = 4; coord x; kinetic x'^2/2; potential k*x^2/2; initial x = 1; run to 1"
# What is called, and the argument that its message names.
WRONG_TYPES = [
    (lambda m: zw.Model(3), "file's name or a text"),
    (lambda m: zw.Model(None), "file's name or a text"),
    (lambda m: zw.Model(SPRING, set=3), "set"),
    (lambda m: zw.Model(SPRING, set={3: 1}), "set"),
    (lambda m: zw.Model(SPRING, reduce="yes"), "reduce"),
    (lambda m: zw.Model(SPRING, independent=3), "independent"),
    (lambda m: zw.Model(SPRING, speeds=1), "speeds"),
    (lambda m: zw.Model(SPRING, branch="1"), "branch"),
    (lambda m: m.derive(3), "forms"),
    (lambda m: m.derive(steps="yes"), "steps"),
    (lambda m: m.derive(width=1.5), "width"),
    (lambda m: m.check(["forms"]), "only"),
    (lambda m: m.follows(3), "equation"),
    (lambda m: m.at(steps=3), "steps"),
    (lambda m: m.linearize(at=[0]), "at"),
    (lambda m: m.linearize(vary=3), "vary"),
    (lambda m: m.linearize(inputs=3), "inputs"),
    (lambda m: m.linearize(digits="3"), "digits"),
    (lambda m: m.run("3"), "to"),
    (lambda m: m.run(to=None, tolerance="1e-9"), "tolerance"),
    (lambda m: m.run(every=[1]), "every"),
    (lambda m: m.run(method=3), "method"),
    (lambda m: m.run(audit="no"), "audit"),
    (lambda m: m.run(out=3), "out"),
    (lambda m: m.run(progress=3), "progress"),
    (lambda m: m.run(k=None), "'k'"),
    (lambda m: m.run(k=[1]), "'k'"),
    (lambda m: m.view(height="tall"), "height"),
    (lambda m: m.export(3), "to"),
    (lambda m: m.export("c", out=3), "out"),
    (lambda m: m.rates("0", m.rates.start), "t is"),
    (lambda m: m.rates(0, "state"), "y is"),
    (lambda m: m.rates(0, m.rates.start, "p"), "p is"),
    (lambda m: m.rates.p(k="2"), "'k'"),
    (lambda m: m.simulation(method=1), "method"),
    (lambda m: m.simulation().to("1"), "t is"),
    (lambda m: m.simulation().set(3), "values"),
    (lambda m: m.simulation().set(k="2"), "'k'"),
    (lambda m: m.simulation().set_state(q="a"), "q is"),
    (lambda m: m.simulation().set_state(v={"x": "a"}), "'x'"),
    (lambda m: m.simulation().restore(3), "saved"),
    (lambda m: zw.gallery(3), "name"),
]


@pytest.mark.parametrize("number", range(len(WRONG_TYPES)))
def test_a_wrong_type_is_a_type_error_that_names_the_argument(number):
    call, name = WRONG_TYPES[number]
    with pytest.raises(TypeError, match=name):
        call(zw.Model(SPRING))


@pytest.mark.parametrize(
    "call, meant",
    [
        (lambda m: m.run(tolerence=1e-9), "'tolerance'"),
        (lambda m: m.run(residual=True), "'residuals'"),
        (lambda m: m.run(t_end=3), "'to'"),
        (lambda m: m.run(t=3), "'to'"),
        (lambda m: m.run(dt=0.1), "'every'"),
        (lambda m: m.simulation(rtol=1e-9), "'tolerance'"),
        (lambda m: m.simulation(methd="erk"), "'method'"),
        (lambda m: m.linearize(at={"x": 0}, input="k"), "'inputs'"),
        (lambda m: m.derive("appell", step=True), "'steps'"),
        (lambda m: m.run(to=1).view(heigth=300), "'height'"),
        (lambda m: m.export("c", velocites=True), "'velocities'"),
        (lambda m: m.run(stiffnes=1), "'stiffness'"),
        (lambda m: zw.Model(SPRING, idependent="x"), "'independent'"),
        (lambda m: zw.gallery("blade", spedes="orthonormal"), "'speeds'"),
    ],
)
def test_a_misspelt_argument_is_refused_with_what_was_meant(call, meant):
    m = zw.Model("param stiffness = 4; coord x; kinetic x'^2/2; potential stiffness*x^2/2; initial x = 1; run to 1")
    with pytest.raises(TypeError, match=f"did you mean {meant}"):
        call(m)
    assert m.run(stiffness=9)["x"][-1] == pytest.approx(np.cos(3))  # the model still answers


def test_an_argument_that_is_a_word_of_the_language():
    with pytest.raises(TypeError, match="no argument 'velocity'.*its arguments are to, .*velocities"):
        zw.Model(SPRING).export("c", velocity=True)
    with pytest.raises(zw.ModelError, match="unknown name 'q'"):  # the name is right, its value is not
        zw.Model(SPRING).run(k="2*q")


def test_a_name_of_the_model_is_a_setting_whatever_it_is_like():
    m = zw.Model("param stp = 4; coord x; kinetic x'^2/2; potential stp*x^2/2; initial x = 1; run to 1")
    assert m.run(stp=9)["x"][-1] == pytest.approx(np.cos(3))
    assert zw.Model(m.text, stp=9).run()["x"][-1] == pytest.approx(np.cos(3))


def test_a_wrong_sweep():
    m = zw.Model(SPRING)
    with pytest.raises(zw.ModelError, match="unknown name 'w'"):
        zw.sweep(m, w=[1, 2])
    with pytest.raises(zw.ModelError, match="nothing is varied"):
        zw.sweep(m)
    with pytest.raises(zw.ModelError, match="belongs to a random axis"):
        zw.sweep(m, k=[1, 2], samples=3)
    with pytest.raises(TypeError, match="2 dimensions"):
        zw.sweep(m, k=np.ones((2, 2)))
    with pytest.raises(KeyError, match="did you mean 'max\\(x\\)'"):
        zw.sweep(m, k=[1, 2], keep="max(x)")["maxx)"]


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError, match="nowhere.zw"):
        zw.Model("nowhere.zw")
    with pytest.raises(FileNotFoundError, match="gallery"):
        zw.Model("blade")
    with pytest.raises(KeyError, match="did you mean 'blade'"):
        zw.gallery["blaed"]
