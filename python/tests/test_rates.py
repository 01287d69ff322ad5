"""Rates and their derivatives: against runs, SciPy, differences and each other."""

import threading

import numpy as np
import pytest

import zwang as zw

NAMES = ["blade", "hoop", "top", "tire", "cart"]


@pytest.mark.parametrize("name", NAMES)
def test_another_integrator_finds_the_same_motion(name):
    integrate = pytest.importorskip("scipy.integrate")
    m = zw.gallery(name)
    f, r = m.rates, m.run(to=0.5, every=0.1)
    found = integrate.solve_ivp(f, (0, 0.5), f.start, t_eval=r.t, rtol=1e-11, atol=1e-12, jac=f.jacobian, method="Radau")
    for i, each in enumerate(f.names):
        assert found.y[i] == pytest.approx(r[each], abs=2e-8), each


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_are_those_of_the_rates(name):
    f = zw.gallery(name).rates
    y, p, h = f.start + 0.1 * np.sin(1 + np.arange(len(f.start))), f.parameter_values, 1e-5
    steps = np.eye(len(y)) * h
    by_state = np.array([(f(0, y + d) - f(0, y - d)) / (2 * h) for d in steps]).T
    assert f.jacobian(0, y) == pytest.approx(by_state, rel=1e-5, abs=1e-4)
    steps = np.diag(np.abs(p) * h)
    by_parameter = np.array([(f(0, y, p + d) - f(0, y, p - d)) / (2 * d.sum()) for d in steps if d.any()]).T
    kept = [j for j, d in enumerate(steps) if d.any()]
    assert f.by_parameters(0, y)[:, kept] == pytest.approx(by_parameter, rel=1e-5, abs=1e-4)


def test_all_velocities_in_the_state():
    """The snakeboard's speeds cease to determine its velocities on the way."""
    integrate = pytest.importorskip("scipy.integrate")
    m = zw.gallery("snakeboard")
    r, f = m.run(to=0.5, every=0.1), m.system(velocities=True)
    assert f.names == m.coordinates + [each + "'" for each in m.coordinates]
    found = integrate.solve_ivp(f, (0, 0.5), f.start, t_eval=r.t, rtol=1e-10, atol=1e-11, method="DOP853")
    for i, each in enumerate(f.names):
        assert found.y[i] == pytest.approx(r[each], abs=1e-6), each


def test_a_pendulum_by_its_formula():
    m = zw.Model("param g = 9.81, l = 2\ncoord q\nkinetic l^2*q'^2/2\npotential -g*l*cos(q)\ninitial q = 0.3")
    f = m.rates
    assert f.names == ["q", "q'"] and list(f.start) == [0.3, 0]
    assert f(0, [0.5, 0.7]) == pytest.approx([0.7, -9.81 / 2 * np.sin(0.5)])
    assert f.jacobian(0, [0.5, 0.7]) == pytest.approx(np.array([[0, 1], [-9.81 / 2 * np.cos(0.5), 0]]))
    assert f(0, [0.5, 0.7], f.p(l=4)) == pytest.approx([0.7, -9.81 / 4 * np.sin(0.5)])
    assert m.system(l=4)(0, [0.5, 0.7]) == pytest.approx([0.7, -9.81 / 4 * np.sin(0.5)])
    parts = f.parts(0, [0.5, 0.7])
    assert parts.mass == pytest.approx(np.array([[4]])) and parts.bias == pytest.approx([9.81 * 2 * np.sin(0.5)])


def test_parts_of_a_system_with_conditions():
    f = zw.gallery("blade").rates
    y = f.start + 0.2
    parts = f.parts(0, y)
    q, n = parts.accelerations, f.coordinate_count
    assert parts.mass @ q + parts.bias == pytest.approx(parts.jacobian.T @ parts.multipliers)
    assert parts.jacobian @ q + parts.gamma == pytest.approx(np.zeros(1), abs=1e-12)
    assert parts.velocities == pytest.approx(f(0, y)[:n])


def test_results_are_written_where_they_are_wanted():
    f = zw.gallery("hoop").rates
    out = np.empty(len(f.start))
    assert f(0, f.start, out=out) is out and np.array_equal(out, f(0.0, list(f.start)))
    # The same arrays again, with other numbers; then one of them alone.
    y = f.start.copy()
    for step in range(4):
        y += 0.1 * step
        assert np.array_equal(f(0, y, out=out), f(0, y.copy()))
    assert np.array_equal(f(0, y + 1, out=out), f(0, y + 1)) and f(0, y, out=np.empty_like(out)) is not out
    other = np.asfortranarray(np.arange(2 * len(f.start), dtype=np.float32).reshape(2, -1))[0]
    assert np.array_equal(f(0, other), f(0, other.astype(float)))
    strided = np.repeat(f.start, 2)[::2]
    assert np.array_equal(f(0, strided), f(0, f.start))


def test_wrong_calls_are_refused():
    f = zw.gallery("blade").rates
    for y in ([1, 2], np.zeros(9), np.zeros((2, 2)), np.zeros((5, 2)), np.zeros((5, 1))):
        with pytest.raises(ValueError):
            f(0, y)
    for out in (np.empty(5, dtype=np.float32), np.empty(4), np.empty((5, 5)), np.empty(10)[::2]):
        with pytest.raises((ValueError, BufferError)):
            f(0, f.start, out=out)
    with pytest.raises(ValueError, match="no parameter 'q'"):
        f.p(q=1)
    with pytest.raises(ArithmeticError):
        f(0, np.full(5, np.nan))


def test_threads_share_the_functions():
    f = zw.gallery("hoop").rates
    states = np.random.default_rng(1).uniform(-1, 1, (200, len(f.start)))
    alone, wrong = [f(0, y) for y in states], []

    def work():
        for y, expected in zip(states, alone):
            if not np.array_equal(f(0, y), expected):
                wrong.append(y)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_functions_outlive_their_model():
    f = zw.gallery("blade").rates
    assert np.isfinite(f(0, f.start)).all()
