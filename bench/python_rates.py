#!/usr/bin/env python3
"""python_rates.py: what a call of the rates from Python costs above the rates themselves.

With the package installed. The rates of some models are called one by one from Python, with and
without `out`; beside them a function of Python's that does nothing. The least of several rounds
counts, so that a loaded machine is told from a slow one.
"""
import subprocess
import sys
import time

import numpy as np

COUNT, ROUNDS = 50, 4000  # rounds so short that some are not interrupted


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


def main():
    import zwang as zw

    print(f"import: {1000 * import_time():.0f} ms beside NumPy")
    print("| model | states | f(t, y) µs | f(t, y, out=) µs | an empty function µs |")
    print("| --- | --- | --- | --- | --- |")
    for name in ("pendulum", "blade", "bicycle"):
        if name not in zw.gallery:
            continue
        model = zw.gallery(name)
        f = model.rates
        y = np.array(f.start, dtype=float)
        out = np.empty_like(y)
        empty = least(nothing, 0.0, y, out=out)
        print(f"| {name} | {len(y)} | {least(f, 0.0, y):.2f} | {least(f, 0.0, y, out=out):.2f} | {empty:.2f} |")


if __name__ == "__main__":
    main()
