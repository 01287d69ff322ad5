#!/usr/bin/env python3
"""fmu_peer.py ZWANG FOLDER: FMUs beside runs, simulated by FMPy.

FMPy finds nothing wrong with those of all models of the gallery, the headers of FMI that it brings compile with their sources,
Co-Simulation gives a run's rows to 1e-9, Model Exchange to what FMPy's integrator reaches.
"""
import csv
import io
import os
import subprocess
import sys
import tempfile
import zipfile

import fmpy
import numpy as np
from fmpy.validation import validate_fmu

ZWANG, FOLDER = sys.argv[1:3]
DRIVEN = """system driven "A mass on a spring, driven"
param m = 2, k = 8, c = 0.3
input u, w = sin(3*t)
coord x
kinetic m*x'^2/2
potential k*x^2/2
dissipation c*x'^2/2
force u + w along x
initial x = 0.1
output power = (u + w)*x'
"""
TIGHT = 1e-13  # what its integrator is asked for
failed = False


def column(name):
    return f"der({name[:-1]})" if name.endswith("'") else name


def run_rows(model, end, every, settings):
    words = [w for name, value in settings.items() for w in ("--set", f"{name}={value}")]
    out = subprocess.run([ZWANG, "run", model, "--quiet", "--out", "-", "--to", str(end), "--every", str(every),
                          "--tolerance", "1e-12", *words], capture_output=True, text=True, check=True)
    rows = list(csv.DictReader(io.StringIO(out.stdout)))
    return {round(float(row["t"]), 9): {column(k): float(v) for k, v in row.items() if v} for row in rows}


def difference(result, rows, names, count):
    """The largest one, as a part; the later of two rows at a time counts."""
    worst, where = 0.0, ""
    last = {round(t, 9): i for i, t in enumerate(result["time"])}
    for t, row in rows.items():
        for name in names if t in last else []:  # a run has rows at events too
            apart = abs(result[name][last[t]] - row[name]) / (1 + abs(row[name]))
            worst, where = max((worst, where), (apart, f"{name} at {t}"))
    assert len(set(rows) & set(last)) >= count, "rows are missing"
    return worst, where


def compile_with_headers(fmu, folder):
    headers = os.path.join(os.path.dirname(fmpy.__file__), "c-code")
    with zipfile.ZipFile(fmu) as archive:
        archive.extract("sources/fmu.c", folder)
    done = subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror",
                           "-DZWANG_FMI3_HEADERS", "-I", headers, "-fsyntax-only",
                           os.path.join(folder, "sources/fmu.c")], capture_output=True, text=True)
    return done.stderr


def judge(name, model, end, every, exchange, **inputs):
    global failed
    with tempfile.TemporaryDirectory() as folder:
        fmu = os.path.join(folder, name + ".fmu")
        subprocess.run([ZWANG, "export", model, "--to", "fmu", "--out", fmu], check=True, capture_output=True)
        said = validate_fmu(fmu) + [line for line in compile_with_headers(fmu, folder).splitlines()]
        rows = run_rows(model, end, every, inputs)
        names = [n for n in next(iter(rows.values())) if n != "t"]
        for kind, within in (("CoSimulation", 1e-9), ("ModelExchange", exchange)):
            signals = None
            if inputs:
                types = [("time", float)] + [(n, float) for n in inputs]
                signals = np.array([(0.0, *inputs.values()), (end, *inputs.values())], dtype=types)
            result = fmpy.simulate_fmu(fmu, fmi_type=kind, start_time=0, stop_time=end, step_size=every,
                                       output_interval=every, relative_tolerance=TIGHT, output=names, input=signals)
            apart, where = difference(result, rows, names, round(end / every) + 1)
            good = apart <= within and not said
            failed = failed or not good
            print(f"{name:15} {kind:13} {round(end / every) + 1:4} rows, apart by {apart:.1e} ({where}); "
                  f"validation: {said or 'no message'}{'' if good else '   FAILED'}")


def validate_gallery():
    """Descriptions and sources of all models; what is refused is counted."""
    global failed
    models, refused = sorted(f for f in os.listdir(gallery) if f.endswith(".zw")), []
    for name in models:
        with tempfile.TemporaryDirectory() as folder:
            fmu = os.path.join(folder, "m.fmu")
            done = subprocess.run([ZWANG, "export", os.path.join(gallery, name), "--to", "fmu", "--sources-only",
                                   "--out", fmu], capture_output=True, text=True)
            if done.returncode == 2:
                refused.append(name[:-3])
                continue
            said = validate_fmu(fmu) + compile_with_headers(fmu, folder).splitlines()
            failed = failed or bool(said) or done.returncode != 0
            if said or done.returncode:
                print(f"{name}: {said} {done.stderr}   FAILED")
    print(f"{len(models) - len(refused)} models of {len(models)} without a message; refused: {', '.join(refused)}")


print(f"FMPy {fmpy.__version__}")
gallery = os.path.join(FOLDER, "models")
validate_gallery()
for name, end, every, exchange in (("friction_slope", 1, 0.02, 1e-7), ("friction_box", 3.2, 0.04, 1e-7),
                                   ("friction_belt", 5, 0.05, 1e-6), ("friction_skid", 2, 0.02, 1e-7),
                                   ("friction_brake", 3, 0.03, 1e-6), ("friction_spin", 2.5, 0.05, 1e-6),
                                   ("friction_rod", 1, 0.02, 1e-7), ("friction_hinge", 10, 0.1, 1e-7),
                                   ("event_rimless", 20, 0.1, 1e-6), ("event_ratchet", 12, 0.1, 1e-6),
                                   ("event_runner", 2.5, 0.05, 1e-6), ("while_train", 4, 0.1, 1e-7)):
    judge(name, os.path.join(gallery, name + ".zw"), end, every, exchange)
judge("hoop", os.path.join(gallery, "hoop.zw"), 20, 0.1, 1e-7)
judge("bicycle", os.path.join(gallery, "bicycle.zw"), 2, 0.05, 1e-7)
judge("bouncing_ball", os.path.join(gallery, "bouncing_ball.zw"), 2.5564, 0.03652, 1e-7)  # 20 impacts
judge("string_pendulum", os.path.join(gallery, "string_pendulum.zw"), 3, 0.1, 1e-7)
with tempfile.NamedTemporaryFile("w", suffix=".zw") as file:
    file.write(DRIVEN)
    file.flush()
    judge("driven", file.name, 5, 0.1, 1e-7)
    judge("driven, u = 1.5", file.name, 5, 0.1, 1e-7, u=1.5)
sys.exit(failed)
