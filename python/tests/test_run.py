"""Runs: the numbers of the program, as arrays; events; stopping."""

import csv
import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import zwang as zw

BALL = """system ball
param g = 10, e = 0.5
coord z
mass 1 at [0, 0, z]
gravity [0, 0, -g]
constraint floor: z >= 0 restitution e
initial z = 5
run to 2.5 every 0.25
"""
LONG = "coord x, y\nmass 1 at [x, y, 0]\npotential -1/sqrt(x^2 + y^2)\ninitial x = 1, y' = 0.7\nrun to 1e7 every 1"


@pytest.mark.parametrize("name", ["blade", "hoop", "string_pendulum", "snakeboard"])
def test_rows_are_those_of_the_program_bit_for_bit(name, models, program, tmp_path):
    out = tmp_path / "rows.csv"
    subprocess.run([program, "run", models / f"{name}.zw", "--to", "2", "--out", out, "--quiet"], check=True)
    with open(out, newline="") as file:
        head, *rows = csv.reader(file)
    r = zw.Model(models / f"{name}.zw").run(to=2)
    assert r.names == head
    assert np.array_equal(r.rows, np.array(rows, dtype=float), equal_nan=True)


def test_columns_are_views_of_one_block():
    r = zw.gallery("blade").run(to=1)
    assert np.shares_memory(r["x"], r.rows) and np.shares_memory(r.t, r.rows)
    kept = r["x"].copy()
    column = r["x"]
    del r
    assert np.array_equal(column, kept)


def test_several_columns():
    r = zw.gallery("blade").run(to=1)
    assert np.array_equal(r[["y", "x"]], np.column_stack([r["y"], r["x"]]))
    with pytest.raises(KeyError, match="no column 'q'"):
        r[["x", "q"]]


def test_a_column_that_is_not_there():
    with pytest.raises(KeyError, match="there are t, x, y"):
        zw.gallery("blade").run(to=1)["q"]


def test_events_of_a_ball():
    """It falls for 1 s, strikes with 10 m/s, and comes back after another second."""
    r = zw.Model(BALL).run()
    first, second = r.events[:2]
    assert (first.kind, first.constraint) == ("impact", "floor")
    assert first.t == pytest.approx(1, abs=1e-9) and second.t == pytest.approx(2, abs=1e-9)
    assert first.before == pytest.approx([-10], abs=1e-8) and first.after == pytest.approx([5], abs=1e-8)
    assert first.energy_lost == pytest.approx(37.5, abs=1e-7)
    assert r.complete


def test_a_run_that_stops_says_why_and_keeps_what_it_reached():
    m = zw.Model("coord x\nkinetic x'^2/2\nforce x'^2 along x\ninitial x' = 1\nrun to 2 every 0.1")
    with pytest.raises(zw.RunStopped) as caught:
        m.run()
    r = caught.value.run
    assert not r.complete and 0.9 <= r.t[-1] <= 1  # x' = 1/(1 - t)
    assert r["x'"][5] == pytest.approx(1 / (1 - r.t[5]), rel=1e-8)
    assert str(caught.value) and m.last_run is r


def test_progress_stops_a_run():
    parts = []

    def see(part):
        parts.append(part)
        return len(parts) < 3

    m = zw.Model(LONG)
    r = m.run(progress=see)
    assert len(parts) == 3 and not r.complete and len(r.rows) > 1
    assert 0 < parts[-1] < 1


def test_ctrl_c_keeps_what_was_reached():
    m = zw.Model(LONG)
    m.run(to=1)  # compiled, derived
    threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        m.run(progress=False)
    assert time.monotonic() - begin < 10
    assert m.last_run is not None and len(m.last_run.rows) > 1 and not m.last_run.complete
    assert m.run(to=1).complete


def test_ctrl_c_is_answered_during_a_proof():
    m = zw.gallery("bicycle")
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        m.check()
    assert time.monotonic() - begin < 3
    assert m.run(to=0.1).complete


def test_other_threads_go_on_during_a_run():
    count, done = 0, threading.Event()

    def work():
        nonlocal count
        while not done.is_set():
            count += 1

    m = zw.Model(LONG)
    thread = threading.Thread(target=work)
    thread.start()
    m.run(to=3e4)
    done.set()
    thread.join()
    assert count > 1000


def test_files_and_audits(tmp_path):
    out = tmp_path / "b.csv"
    r = zw.gallery("blade").run(to=1, out=out, audit=True, residuals=True)
    assert out.read_text().splitlines()[0] == ",".join(r.names)
    assert r.audit["error"] < 1e-6 and "residual.edge" in r
    try:
        zw.gallery("blade").run(to=1, out=tmp_path / "b.h5")
        assert (tmp_path / "b.h5").read_bytes()[1:4] == b"HDF"
    except zw.ModelError as error:  # wheels are built without HDF5
        assert "without HDF5" in str(error) and not (tmp_path / "b.h5").exists()


def test_tables_and_plots():
    pandas = pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    r = zw.gallery("blade").run(to=1)
    frame = r.dataframe()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "t" and list(frame) == r.names[1:]
    assert frame["x"].to_numpy()[-1] == r["x"][-1]
    assert len(r.plot().lines) == 3
    line = r.plot("x", "y").lines[0]
    assert np.array_equal(line.get_xdata(), r["x"]) and np.array_equal(line.get_ydata(), r["y"])


def test_the_page_stands_in_the_cell(tmp_path):
    r = zw.gallery("blade").run(to=1)
    try:
        page = r.view()
    except zw.ModelError as error:
        if "without its page" in str(error):
            pytest.skip("the library was built without npm, so without the page")
        raise
    assert page._repr_html_().startswith("<iframe srcdoc=") and "blade" in page.html
    assert page.save(tmp_path / "p.html").read_text() == page.html


def test_a_sweep_has_the_numbers_of_its_runs():
    m = zw.Model("param k = 1; coord x; kinetic x'^2/2; potential k*x^2/2; initial x = 1; run to 3")
    k = np.linspace(0.5, 4, 5)
    s = zw.sweep(m, vary={"x'": [0, 1]}, k=k, keep="last(x), max(x)", threads=2)
    assert s.runs == 10 and set(s.status) == {"ok"} and len(s.message) == 10
    for i in range(10):
        run = m.run(set={"x'": s["x'"][i], "k": s["k"][i]})
        assert run["x"][-1] == s["last(x)"][i]
    r = np.hypot(1, s["x'"] / np.sqrt(s["k"]))
    inside = np.arctan2(s["x'"] / np.sqrt(s["k"]), 1) <= 3 * np.sqrt(s["k"])
    assert np.allclose(s["max(x)"][inside], r[inside], rtol=0, atol=1e-9)
    assert np.array_equal(s["k"], np.tile(k, 2))
