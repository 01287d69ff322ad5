# sweep.py: the hoop for 100 s at 1e-9 from many starts, by zwang sweep, by heyoka's integrators,
# one start at a time and in batches, and by a loop of zwang run, as Markdown: milliseconds of the
# processor for one run, and the largest error of the place at the end; then how a sweep scales over
# threads and over ranks of MPI, by the clock. The reference is heyoka at the last digit.
#
#     python3 bench/sweep.py [RUNS]        to keep a result: … >>bench/RESULTS.md
#
# `make` builds our side. heyoka comes by `pip install heyoka`; without it, and without mpirun, their
# rows are left out, and the text says so.
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
import compare

try:
    import heyoka
    import numpy
except ImportError:
    heyoka = None

ZWANG = os.path.join(compare.BUILD, "zwang")
MODEL = os.path.join(compare.ROOT, "models", "hoop.zw")
END, TOLERANCE = 100.0, 1e-9
STARTS = (0.2, 0.4)  # of theta'
RANKS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
         "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def starts(count):
    return [STARTS[0] + (STARTS[1] - STARTS[0]) * i / (count - 1) for i in range(count)]


def sweep(count, *options, before=()):
    """Seconds of the processor, seconds of the clock, and the table."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.csv")
        used, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([*before, ZWANG, "sweep", MODEL, "--vary",
                        f"theta'={STARTS[0]}:{STARTS[1]}:{count}", "--to", str(END), "--every",
                        str(END), "--tolerance", str(TOLERANCE), "--out", out, "--quiet", *options],
                       check=True, env={**os.environ, **RANKS})
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(out) as lines:
            rows = [line.split(",") for line in lines.read().splitlines()]
        return now.ru_utime - used.ru_utime, time.monotonic() - began, rows


def loop(count):
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    for start in starts(count):
        subprocess.run([ZWANG, "run", MODEL, "--set", f"theta'={start!r}", "--to", str(END),
                        "--every", str(END), "--tolerance", str(TOLERANCE), "--quiet"], check=True)
    return (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used) / count


def equations():
    x, y, theta, psi, phi, yaw, lean, spin = heyoka.make_vars(
        "x", "y", "theta", "psi", "phi", "yaw", "lean", "spin")
    m, r, g = 2.0, 0.35, 9.81
    A, C, R = m * r * r / 2, m * r * r, m * r * r
    sp, cp = heyoka.sin(psi), heyoka.cos(psi)
    yaw_rate = lean * ((2 * A - C) * sp * yaw + C * spin) / A / cp
    lean_rate = (m * g * r * sp - cp * yaw * ((A - C - R) * sp * yaw + (R + C) * spin)) / (A + R)
    return [(x, r * spin * heyoka.cos(theta)), (y, r * spin * heyoka.sin(theta)), (theta, yaw),
            (psi, lean), (phi, spin), (yaw, yaw_rate), (lean, lean_rate),
            (spin, sp * yaw_rate + (2 * R + C) / (R + C) * cp * yaw * lean)]


def peer(count, tolerance):
    """Seconds of the processor for one run, and the states at the end."""
    integrator = heyoka.taylor_adaptive(equations(), [0.0] * 8, tol=tolerance)
    ends = []
    began = time.process_time()
    for start in starts(count):
        integrator.time = 0.0
        integrator.state[:] = [0, 0, 0, 0.2, 0, start, 0, 6]
        integrator.propagate_until(END)
        ends.append(integrator.state.copy())
    return (time.process_time() - began) / count, ends


def peer_batch(count):
    lanes = heyoka.recommended_simd_size()
    integrator = heyoka.taylor_adaptive_batch(equations(), numpy.zeros((8, lanes)), tol=TOLERANCE)
    all_starts = starts(count - count % lanes)
    began = time.process_time()
    for i in range(0, len(all_starts), lanes):
        integrator.set_time(0.0)
        integrator.state[:] = 0
        integrator.state[3] = 0.2
        integrator.state[5] = all_starts[i:i + lanes]
        integrator.state[7] = 6
        integrator.propagate_until(END)
    return (time.process_time() - began) / len(all_starts), lanes


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    compare.heading("sweeps of the hoop, 100 s at 1e-9")
    few = max(count // 20, 2)
    sweep(few, "--threads", "1")  # what is compiled is found from now on
    tolerances = (TOLERANCE, 1e-11, 1e-13)
    ours, theirs, batches = [], {t: [] for t in tolerances}, []
    for _ in range(3):  # in turn
        small, large = sweep(few, "--threads", "1"), sweep(count, "--threads", "1")
        ours.append((large[0] - small[0]) / (count - few))
        for tolerance in tolerances if heyoka else ():
            theirs[tolerance].append(peer(count, tolerance))
        if heyoka:
            batches.append(peer_batch(count))
    names = large[2][0]
    places = [float(row[names.index("x")]) for row in large[2][1:]]
    exact = [end[0] for end in peer(count, 1e-17)[1]] if heyoka else None

    def error(ends):
        return f"{max(abs(a - b) for a, b in zip(ends, exact)):.1e}" if heyoka else "-"
    print(f"heyoka {heyoka.__version__}.\n" if heyoka else "heyoka is missing.\n")
    rows = [("zwang sweep, one thread", TOLERANCE, error(places), min(ours))]
    for tolerance in tolerances if heyoka else ():
        rows.append(("heyoka, one start at a time", tolerance,
                     error([end[0] for end in theirs[tolerance][0][1]]),
                     min(t[0] for t in theirs[tolerance])))
    if heyoka:
        rows.append((f"heyoka, {batches[0][1]} starts at a time", TOLERANCE, "-",
                     min(b[0] for b in batches)))
    rows.append(("a loop of zwang run", TOLERANCE, "-", loop(10)))
    print("| by | tolerance | error of x | ms of the processor for one run |\n"
          "| :--- | ---: | ---: | ---: |")
    for name, tolerance, off, seconds in rows:
        print(f"| {name} | {tolerance:g} | {off} | {1e3 * seconds:.3g} |")
    print("\n| threads | ranks | seconds by the clock | times as fast |\n| ---: | ---: | ---: | ---: |")
    first = None
    ways = [(n, 1) for n in (1, 2, 4, 8, 16) if n <= os.cpu_count()]
    if shutil.which("mpirun"):
        ways += [(1, n) for n in (2, 4, 8, 16) if n <= max(4, os.cpu_count())]
    for threads, ranks in ways:
        before = ("mpirun", "-n", str(ranks)) if ranks > 1 else ()
        seconds = min(sweep(count, "--threads", str(threads), before=before)[1] for _ in range(2))
        first = first or seconds
        print(f"| {threads} | {ranks} | {seconds:.3g} | {first / seconds:.2f} |")
    print("\nThe clock includes reading, deriving and writing, and the start of mpirun.")


main()
