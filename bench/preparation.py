# preparation.py: from the text of a chain to the end of its first step, interpreted, beside CasADi
# and the compiler on the articulated-body algorithm, as Markdown; seconds and peak memory.
#
#     python3 bench/preparation.py [N…]        to keep a result: … >>bench/RESULTS.md
#
# `make bench` builds our side; without CasADi (pip install casadi) the last column is left out.
import math
import os
import resource
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
import aba
import compare

LIMIT = 120  # seconds


def measure(command):
    """Processor seconds and MiB of a command; None: it failed or took too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        line = subprocess.run(["/bin/sh", "-c", 'ulimit -t %d; exec "$@"' % LIMIT, "sh", *command],
                              capture_output=True, text=True)
    except OSError:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if line.returncode:
        return None
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024)


def peer(folder, words):
    start = time.process_time()
    name = os.path.join(folder, "peer")
    aba.write(words, name + ".c")
    own = time.process_time() - start
    compiled = measure([compare.CC, "-O1", "-shared", "-fPIC", name + ".c", "-o", name + ".so"])
    return own + compiled[0] if compiled else None


def main(words):
    try:
        import casadi
        version = f"CasADi {casadi.__version__}, C compiled with -O1."
    except ImportError:
        casadi, version = None, "CasADi is missing (pip install casadi)."
    compare.heading("preparation to the first step")
    print(version + "\n\n| planar links | zwang s | peak MiB | grows as | CasADi and cc s |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    former = None
    with compare.scratch() as folder:
        for n in [int(w) for w in words] or [10, 40, 160, 1000]:
            path = os.path.join(folder, f"{n}.zw")
            with open(path, "w") as file:
                subprocess.run([sys.executable, os.path.join(compare.ROOT, "bench", "chains"),
                                "planar", str(n)], stdout=file, check=True)
            found = min((measure([compare.ours("motion_zwang"), path, "taylor", "interpret", "1e-6",
                                  "1", "1e-6"]) or (math.inf, 0) for _ in range(3 if n < 200 else 1)),
                        key=lambda pair: pair[0])
            grows = "-"
            if former and math.isfinite(found[0]):
                grows = f"n^{math.log(found[0] / former[1]) / math.log(n / former[0]):.2f}"
            former = (n, found[0]) if math.isfinite(found[0]) else None
            other = peer(folder, ["planar", str(n)]) if casadi and n <= 200 else None
            shown = f"{found[0]:.3f} | {found[1]:.0f}" if former else f"over {LIMIT} | -"
            print(f"| {n} | {shown} | {grows} | {f'{other:.2f}' if other else '-'} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
