"""Simulations stepped one by one: against runs, closed forms and each other."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import zwang as zw

PUSHED = "param u = 0\ncoord x\nkinetic x'^2/2\nforce u along x\ninitial x = 1\nrun to 1"
BALL = """coord z
mass 1 at [0, 0, z]
gravity [0, 0, -10]
constraint floor: z >= 0 restitution 0.5
initial z = 5
run to 2.5
"""


@pytest.mark.parametrize("name", ["blade", "hoop", "string_pendulum"])
def test_it_goes_where_a_run_goes(name):
    m = zw.gallery(name)
    r, sim = m.run(to=1, every=0.25), m.simulation()
    assert sim.names == r.names
    for t in (0.25, 0.5, 1):
        sim.to(t)
        assert sim.t == t
        assert sim.row() == pytest.approx(r.rows[np.searchsorted(r.t, t)], abs=1e-8)
    assert sim.q == pytest.approx([r[each][-1] for each in m.coordinates], abs=1e-8)


def test_steps_and_dense_output():
    """Free fall: exact at every time within a step."""
    sim = zw.Model("coord z\nkinetic z'^2/2\npotential 10*z\ninitial z = 1, z' = 2\nrun to 1").simulation()
    before = sim.t
    after = sim.step()
    assert after > before == 0
    for t in np.linspace(before, after, 5):
        assert sim.row(t)[1:3] == pytest.approx([1 + 2 * t - 5 * t**2, 2 - 10 * t], rel=1e-10, abs=1e-10)


def test_a_controller_in_the_loop():
    """A force held over each period: the exact discrete motion of a double integrator."""
    sim, x, v, h = zw.Model(PUSHED).simulation(), 1.0, 0.0, 0.05
    for k in range(60):
        u = -x - 1.5 * v
        sim.set(u=-sim["x"] - 1.5 * sim["x'"])
        sim.to((k + 1) * h)
        x, v = x + h * v + h**2 / 2 * u, v + h * u
        assert [sim["x"], sim["x'"]] == pytest.approx([x, v], abs=1e-9)


def test_events_are_told():
    sim = zw.Model(BALL).simulation()
    sim.to(0.5)
    assert sim.events == []
    sim.to(1.5)
    (event,) = sim.events
    assert (event.kind, event.constraint) == ("impact", "floor") and event.t == pytest.approx(1, abs=1e-9)
    assert sim["z'"] == pytest.approx(0, abs=1e-8)


def test_another_state():
    sim = zw.Model(PUSHED).simulation()
    sim.to(0.5)
    sim.set_state(q={"x": 3}, v={"x": -1})
    sim.to(1.5)
    assert (sim["x"], sim["x'"]) == pytest.approx((2, -1))
    sim.set_state(v=[4])
    assert sim.q == pytest.approx([2]) and sim.v == pytest.approx([4])


def test_saved_and_restored_it_goes_on_with_the_same_bits(tmp_path):
    m = zw.gallery("hoop")
    sim, other, third = m.simulation(), m.simulation(), m.simulation()
    sim.to(0.7)
    saved = sim.save()
    sim.save(tmp_path / "state")
    sim.to(1.3)
    other.restore(saved)
    third.restore(tmp_path / "state")
    assert other.t == third.t == 0.7
    for each in (other, third):
        each.to(1.3)
        assert np.array_equal(each.row(), sim.row())


def test_wrong_changes_are_refused_and_change_nothing():
    sim = zw.Model(PUSHED).simulation()
    sim.to(0.5)
    row = sim.row()
    with pytest.raises(zw.ModelError, match="q"):
        sim.set(q=1)
    with pytest.raises(ValueError, match="no coordinate"):
        sim.set_state(q={"y": 1})
    with pytest.raises(ValueError, match="q is 1 numbers"):
        sim.set_state(q=[1, 2])
    with pytest.raises(KeyError, match="there are t, x"):
        sim["y"]
    with pytest.raises((zw.ModelError, OSError)):
        sim.restore(b"nothing")
    assert np.array_equal(sim.row(), row)


KEPLER = "coord x, y\nmass 1 at [x, y, 0]\npotential -1/sqrt(x^2 + y^2)\ninitial x = 1, y' = 0.7\nrun to 10"


def test_ctrl_c_ends_to_and_it_goes_on_from_there():
    sim, whole = zw.Model(KEPLER).simulation(), zw.Model(KEPLER).simulation()
    sim.to(1)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        sim.to(1e9)
    assert time.monotonic() - begin < 10
    t = sim.t
    assert 1 < t < 1e9 and np.isfinite(sim.row()).all()
    energy = (sim.v @ sim.v) / 2 - 1 / np.hypot(*sim.q)
    assert energy == pytest.approx(0.245 - 1, abs=1e-7)
    sim.to(t + 1)
    assert sim.t == t + 1


def test_what_a_handler_of_a_signal_raises_is_raised():
    class TooLong(Exception):
        pass

    def handler(number, frame):
        raise TooLong("half a second")

    sim, before = zw.Model(KEPLER).simulation(), signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(TooLong, match="half a second"):
            sim.to(1e9)
        signal.setitimer(signal.ITIMER_REAL, 0)
        with pytest.raises(zw.ModelError):  # what came before is not raised again
            sim.to(0)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_it_outlives_its_model():
    sim = zw.Model(PUSHED).simulation()
    sim.to(1)
    assert sim["x"] == 1
