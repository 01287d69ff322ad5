#!/usr/bin/env python3
"""python_rates.py [ZWANG]: what calls from Python cost.

With the package installed. The rates of some models are called one by one, with and without `out`; beside
them a function of Python's that does nothing. Then runs of models that are opened anew, beside the same
runs by the program ZWANG (build/zwang), in milliseconds of the processor. The least of several rounds
counts, so that a loaded machine is told from a slow one.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import zwang as zw

COUNT, ROUNDS = 50, 4000  # rounds so short that some are not interrupted
RUNS = 9
SPRING = "coord x; kinetic x'^2/2; potential x^2/2; initial x = 1"  # its rates are two operations


def least(function, *arguments, **given):
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(COUNT):
            function(*arguments, **given)
        best = min(best, time.perf_counter() - begin)
    return 1e6 * best / COUNT


def nothing(t, y, out=None):
    return out


def import_time():
    """Seconds to import the package in a new process, beside NumPy."""
    code = "import time, numpy\nb = time.perf_counter()\nimport zwang\nprint(time.perf_counter() - b)"
    return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5))


def compare_rates():
    print("| model | states | f(t, y) µs | f(t, y, out=) µs | an empty function µs |")
    print("| --- | ---: | ---: | ---: | ---: |")
    models = {"a mass on a spring": zw.Model(SPRING), **{name: zw.gallery(name) for name in ("blade", "bicycle")}}
    for name, model in models.items():
        f = model.rates
        y = np.array(f.start, dtype=float)
        out = np.empty_like(y)
        empty = least(nothing, 0.0, y, out=out)
        print(f"| {name} | {len(y)} | {least(f, 0.0, y):.2f} | {least(f, 0.0, y, out=out):.2f} | {empty:.2f} |")


def of_program(*words):
    """Its processor time, and that of processes that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def of_package(path, end):
    before = time.process_time()
    run = zw.Model(path).run(to=end)
    assert run.t[-1] == end
    return 1000 * (time.process_time() - before)


def compare_runs(program):
    start = min(of_program(program, "--version") for _ in range(RUNS))
    print(f"\nThe program starts in {start:.1f} ms.\n")
    print("| run | rows | Python ms | program ms |")
    print("| --- | ---: | ---: | ---: |")
    for name, end in (("pendulum", 200), ("hoop", 500), ("bicycle", 100), ("bouncing_ball", 20)):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name + ".zw")
            with open(path, "w", encoding="utf-8") as file:
                file.write(zw.gallery.text(name))
            words = [program, "run", path, "--to", str(end), "--quiet", "--out", os.path.join(folder, "rows.h5")]
            rows = len(zw.Model(path).run(to=end).t)
            python = min(of_package(path, end) for _ in range(RUNS))
            command = min(of_program(*words) for _ in range(RUNS))
        print(f"| {name} to {end} | {rows} | {python:.1f} | {command:.1f} |")


def main(program="build/zwang"):
    print(f"import: {1000 * import_time():.0f} ms beside NumPy")
    compare_rates()
    compare_runs(program)


if __name__ == "__main__":
    main(*sys.argv[1:])
