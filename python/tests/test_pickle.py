"""What is pickled comes back the same, in this process and in others."""

import multiprocessing
import pickle

import numpy as np
import pytest

import zwang as zw

SPRING = "param k = 4; coord x; kinetic x'^2/2; potential k*x^2/2; initial x = 1; run to 1 every 0.25"


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def end(arguments):
    """In another process: the last x."""
    model, k = arguments
    return float(model.run(k=k)["x"][-1])


def test_a_model_keeps_its_text_settings_and_choices(tmp_path):
    file = tmp_path / "spring.zw"
    file.write_text(SPRING)
    m = zw.Model(file, set={"k": "3^2"})
    m.rates, m.run()
    file.write_text("coord y; kinetic y'^2/2")  # what was read counts
    for other in (m, again(m)):
        assert other.text == SPRING and other.run()["x"][-1] == pytest.approx(np.cos(3), abs=1e-9)
    hamel = zw.gallery("blade", speeds="orthonormal")
    assert str(again(hamel).derive("hamel")) == str(hamel.derive("hamel")) != str(zw.gallery("blade").derive("hamel"))


def test_a_model_that_includes_files(tmp_path, monkeypatch):
    (tmp_path / "numbers.zw").write_text("param k = 9\n")
    file = tmp_path / "spring.zw"
    file.write_text('include "numbers.zw"\n' + SPRING.replace("param k = 4; ", ""))
    monkeypatch.chdir(tmp_path)
    m = zw.Model("spring.zw")
    saved = pickle.dumps(m)
    monkeypatch.chdir("/")
    assert pickle.loads(saved).run()["x"][-1] == pytest.approx(np.cos(3), abs=1e-9)
    file.write_text('include "numbers.zw"\ncoord y; kinetic k*y\'^2/2')
    with pytest.raises(zw.ZwangError, match="has changed since it was read"):
        pickle.loads(saved)


def test_models_go_to_other_processes():
    values = [1, 4, 9, 16]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(end, [(zw.Model(SPRING), k) for k in values])
    assert found == pytest.approx(np.cos(np.sqrt(values)), abs=1e-9)


def test_a_run_keeps_its_rows_and_events():
    m = zw.Model("coord z; mass 1 at [0, 0, z]; gravity [0, 0, -10]; constraint floor: z >= 0 restitution 0.5\n"
                 "initial z = 5; run to 2.5 every 0.25")
    r = m.run()
    other = again(r)
    assert other.names == r.names and np.array_equal(other.rows, r.rows) and other.complete
    assert [e.t for e in other.events] == [e.t for e in r.events] and other.events[0].kind == "impact"
    assert other.report == r.report and np.shares_memory(other["z"], other.rows)


def test_answers_stay_what_they_were():
    m = zw.gallery("blade")
    for answer in (m.derive("hamel"), m.check(), m.at()):
        other = again(answer)
        assert type(other) is type(answer) and str(other) == str(answer) and other.json() == answer.json()
    assert again(m.derive("hamel"))._repr_html_() == m.derive("hamel")._repr_html_()
    assert again(m.check()).forms.agree
    lin = m.linearize(at={"v": 1, "w": 0})
    assert np.array_equal(again(lin).A, lin.A)
    (verdict,) = again(m.follows("v' = s*w^2"))
    assert verdict and verdict.proof == "exact"


def test_rates_and_simulations():
    f = zw.Model(SPRING).system(k=9)
    other = again(f)
    assert np.array_equal(other(0, [1, 2]), f(0, [1, 2])) and other.parameter_values == pytest.approx([9])
    sim = zw.Model(SPRING).simulation(tolerance=1e-12)
    sim.set(k=1)
    sim.to(0.5)
    twin = again(sim)
    for each in (sim, twin):
        each.to(1.5)
    assert np.array_equal(sim.row(), twin.row()) and twin["x"] == pytest.approx(np.cos(1.5), abs=1e-10)


def test_equations_and_models_of_sympy():
    sympy = pytest.importorskip("sympy")
    import sympy.physics.mechanics as me

    equations = zw.gallery("blade").sympy("appell")
    assert again(equations).equations == equations.equations
    q, k = me.dynamicsymbols("q"), sympy.Symbol("k", positive=True)
    lagrange = me.LagrangesMethod(q.diff() ** 2 / 2 - k * q**2 / 2, [q])
    (eom,) = lagrange.form_lagranges_equations()
    m = again(zw.from_sympy(lagrange, values={k: 4}, start={q: 1}))
    assert m.follows(eom)[0] and not m.follows(eom + k)[0]


def test_errors():
    with pytest.raises(zw.ModelError) as caught:
        zw.Model("coord x\nkinetic m*x'^2/2")
    error = again(caught.value)
    assert (error.line, error.column, str(error)) == (2, 9, str(caught.value))
    with pytest.raises(zw.RunStopped) as stopped:
        zw.Model("coord x\nkinetic x'^2/2\nforce x'^2 along x\ninitial x' = 1\nrun to 2 every 0.1").run()
    other = again(stopped.value)
    assert str(other) == str(stopped.value) and np.array_equal(other.run.rows, stopped.value.run.rows)


def test_a_model_that_reads_a_robot_and_a_table(tmp_path, monkeypatch):
    """The files beside it, also where the gallery has one of the same name."""
    for folder, force in ((tmp_path, 2), (tmp_path / "elsewhere", 5)):
        folder.mkdir(exist_ok=True)
        (folder / "u.csv").write_text(f"0,{force}\n9,{force}\n")
    (tmp_path / "robot_arm.urdf").write_text(
        '<robot name="slide"><link name="world"/><link name="bob"><inertial><mass value="4"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="x" type="prismatic"><parent link="world"/><child link="bob"/><axis xyz="1 0 0"/>'
        '<limit lower="-9" upper="9" effort="9" velocity="9"/></joint></robot>'
    )
    file = tmp_path / "robot.zw"
    file.write_text('read urdf "robot_arm.urdf" as s\ninput u = table("u.csv")\nforce u along s.x.distance\n')
    monkeypatch.chdir(tmp_path / "elsewhere")
    m = zw.Model(file)
    for other in (m, again(m)):
        assert other.run(to=1)["s.x.distance"][-1] == pytest.approx(2 / 4 / 2)
