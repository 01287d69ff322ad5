"""Models, their errors and their settings."""

import doctest
import inspect
import threading

import numpy as np
import pytest

import zwang as zw

SPRING = "param k = 4\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\ninitial x = 1\nrun to 3 every 0.5\n"


def test_file_text_and_gallery_are_the_same_model(models):
    named = zw.Model(models / "blade.zw")
    by_string = zw.Model(str(models / "blade.zw"))
    of_text = zw.Model((models / "blade.zw").read_text())
    of_gallery = zw.gallery("blade")
    rows = [m.run(to=1).rows for m in (named, by_string, of_text, of_gallery)]
    assert all(np.array_equal(rows[0], each) for each in rows)
    assert named.coordinates == ["x", "y", "theta"] and named.speeds == ["v", "w"]


def test_an_error_has_line_column_and_caret():
    with pytest.raises(zw.ModelError) as caught:
        zw.Model("coord x\nkinetic m*x'^2/2")
    error = caught.value
    assert (error.line, error.column, error.message) == (2, 9, "unknown name 'm'")
    assert error.caret.splitlines() == ["    kinetic m*x'^2/2", "            ^"]
    assert str(error).startswith("model:2:9: error: unknown name 'm'")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises((zw.ModelError, OSError), match="nowhere.zw"):
        zw.Model(tmp_path / "nowhere.zw")


def test_settings_are_of_one_call_only():
    m = zw.Model(SPRING)
    first = m.run()["x"][-1]
    assert m.run(k=9)["x"][-1] == pytest.approx(np.cos(9), abs=1e-9)
    assert m.run(set={"x": 2, "k": "3*3"})["x"][-1] == pytest.approx(2 * np.cos(9), abs=1e-9)
    assert m.run()["x"][-1] == first == pytest.approx(np.cos(6), abs=1e-9)


def test_a_model_opened_with_settings_keeps_them():
    m = zw.Model(SPRING, set={"k": 9})
    assert m.run()["x"][-1] == pytest.approx(np.cos(9), abs=1e-9)
    assert m.run(set={"x": 2})["x"][-1] == pytest.approx(2 * np.cos(9), abs=1e-9)


def test_wrong_settings_are_refused_and_leave_the_model_usable():
    m = zw.Model(SPRING)
    with pytest.raises(TypeError, match="no argument 'q', and the model has no such name"):
        m.run(q=3)
    with pytest.raises(zw.ModelError, match="unknown name 'q'"):
        m.run(set={"q": 3})
    with pytest.raises(ValueError, match="nan"):
        m.run(k=float("nan"))
    with pytest.raises(TypeError, match="number"):
        m.run(k=[1, 2])
    with pytest.raises(TypeError, match="twice"):
        m.run(set={"k": 3}, k=4)
    assert m.run()["x"][-1] == pytest.approx(np.cos(6), abs=1e-9)


def test_parameters_have_names_and_values():
    assert zw.gallery("blade", m=3).parameters["m"] == 3
    m = zw.Model("param a = 2, b = 3*a; coord x; kinetic b*x'^2/2")
    assert m.parameters == {"a": 2.0}


def test_settings_keep_every_bit():
    m = zw.Model(SPRING)
    for value in (0.1, 1 / 3, 1e-17, 123456789.123456789, np.nextafter(1, 2)):
        assert m.run(set={"x": value})["x"][0] == value


def test_choices(models):
    plain, reduced = zw.Model(models / "cart.zw"), zw.Model(models / "cart.zw", reduce=True)
    assert len(reduced.coordinates) == len(plain.coordinates) - 1
    assert reduced.run(to=1, set={"m": 3})["x"][-1] == pytest.approx(plain.run(to=1, m=3)["x"][-1], abs=1e-8)
    kept = zw.Model(models / "hoop.zw", independent=["x", "theta", "psi"])
    assert kept.derive().json()["independent"] == ["x'", "theta'", "psi'"]


@pytest.mark.filterwarnings("ignore::zwang.ZwangWarning")
@pytest.mark.parametrize("name", ["blade", "hoop", "tire", "string_pendulum", "top", "cart"])
def test_a_call_with_settings_is_a_model_opened_with_them(name):
    """Every question, after every other one."""
    m, draw = zw.gallery(name), np.random.default_rng(5)
    values = {each: v for each, v in numbers_in(m.text).items()}
    questions = {
        "at": lambda model, **more: model.at(**more).json(),
        "run": lambda model, **more: model.run(to=0.2, **more).rows.tolist(),
        "linearize": lambda model, **more: model.linearize(**more)["eigenvalues"],
        "held": lambda model, **more: model.linearize(at={model.coordinates[-1]: 0.0}, **more)["eigenvalues"],
        "export": lambda model, **more: model.export("c", fixed=True, smooth=True, **more).split("*/")[-1],
    }
    for _ in range(2):
        given = {each: v * draw.uniform(1.01, 1.2) for each, v in values.items()}
        for key, question in questions.items():
            assert answer(question, m, set=given) == answer(question, zw.gallery(name, set=given)), (name, key)


def numbers_in(text):
    """Parameters that the model gives as plain numbers."""
    found = {}
    for line in text.splitlines():
        if line.startswith("param "):
            for each in line[6:].split("#")[0].split(","):
                left, _, right = each.partition("=")
                try:
                    found[left.strip()] = float(right)
                except ValueError:
                    pass
    return found


def answer(question, model, **more):
    try:
        return question(model, **more)
    except zw.ZwangError as error:
        return str(error)


def test_unknown_names_say_what_was_meant():
    with pytest.raises(zw.ModelError, match="canonical"):
        zw.gallery("blade").derive("hamilton")
    with pytest.raises(KeyError, match="blade"):
        zw.gallery("blode")


def test_models_run_side_by_side():
    """Two models in two threads, and one in both: the rows are those of a run alone."""
    alone = zw.gallery("hoop").run(to=2).rows
    shared, found = zw.gallery("hoop"), []

    def work(model):
        for _ in range(5):
            found.append(model.run(to=2).rows)

    threads = [threading.Thread(target=work, args=(m,)) for m in (zw.gallery("hoop"), shared, shared)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 15 and all(np.array_equal(alone, each) for each in found)


def test_everything_public_says_what_it_is():
    for name in zw.__all__:
        thing = getattr(zw, name)
        assert inspect.getdoc(thing), name
        for key, member in vars(thing).items() if inspect.isclass(thing) else ():
            if not key.startswith("_") and callable(member) or isinstance(member, property):
                assert inspect.getdoc(member), f"{name}.{key}"


def test_examples_of_the_help():
    module = inspect.getmodule(zw.Model)
    failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert tried > 4 and failed == 0


def test_numbers_are_si() -> None:
    """Floats are in SI units, strings have units of their own; ``units`` says which."""
    m = zw.Model(
        "param m = 2 kg, k = 5 kN/m\ncoord x in cm\nmass m at [x, 0, 0]\nspring along x stiffness k\n"
        "input u in N\nforce u along x\ninitial x = 3 cm\nrun to 1 s"
    )
    assert m.units == {"x": "m", "x'": "m/s", "m": "kg", "k": "N/m", "u": "N", "t": "s", "energy": "J"}
    for mass in (0.5, np.float64(0.5), "0.5 kg", "500 g"):
        run = m.run(m=mass, x=-0.02)
        assert abs(run["x"] + 0.02 * np.cos(np.sqrt(5000 / 0.5) * run.t)).max() < 1e-9
    assert zw.Model("coord x\nmass 1 at [x, 0, 0]").units == {}
    sim = m.simulation()
    sim.set(m=0.5)
    sim.to(0.1)
    assert abs(sim["x"] - 0.03 * np.cos(10)) < 1e-9
