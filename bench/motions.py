# motions.py: chains in time by zwang, and by DOP853 in C on Featherstone's articulated-body
# algorithm written out by CasADi, as Markdown: milliseconds at equal error of the state at the end.
#
#     python3 bench/motions.py [NAME[:N]:SECONDS…]        to keep a result: … >>bench/RESULTS.md
#
# `make bench` builds our side; CasADi comes by `pip install casadi`. The reference is DOP853 in
# long doubles, on the same code.
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
import aba
import compare

SYSTEMS = ["arm7:1", "planar:10:10", "planar:20:10", "planar:40:10"]
TOLERANCES = [1e-6, 1e-9, 1e-12]
RATE = """
int aba_double(const double **arg, double **res, long long *iw, double *w, int mem);
int aba_long(const long double **arg, long double **res, long long *iw, long double *w, int mem);
static inline void IN(rate)(REAL t, const REAL *y, REAL *out)
{
    (void)t;
    const REAL *arg[] = {y, y + PARTS / 2};
    REAL *res[] = {out + PARTS / 2};
    for (int i = 0; i < PARTS / 2; i++)
        out[i] = y[PARTS / 2 + i];
    IN(aba)(arg, res, 0, 0, 0);
}
"""


def peer(folder, words):
    """The program of DOP853 on the articulated-body code."""
    name = os.path.join(folder, "_".join(words))
    _, n = aba.write(words, name + ".c", True)
    objects = []
    for kind, more in (("double", []),
                       ("long", ["-Dcasadi_real=long double", "-include", "tgmath.h"])):
        objects.append(f"{name}_{kind}.o")
        # Of the reference only the accuracy counts.
        flags = compare.FLAGS if kind == "double" else ["-O1"]
        subprocess.run([compare.CC, *flags, *more, f"-Daba=aba_{kind}", "-c", name + ".c", "-o",
                        objects[-1]], check=True)
    with open(name + ".h", "w") as file:
        file.write(RATE)
    return compare.dop853(folder, "_".join(words), name + ".h", 2 * n,
                          # What CasADi writes beside the function is there twice.
                          [*objects, "-Wl,-z,muldefs"])


def start_of(words):
    """q | q'. A chain in the plane begins near to hanging down, at rest: thrown about it forgets
    its start within seconds, a digit in half of one, and no two programs end alike."""
    links = aba.chain(words)
    if words[0] != "planar":
        return [at["q"] for at in links] + [at["v"] for at in links]
    q = [round(at["q"] / 10, 4) for at in links]
    q[0] = round(q[0] - 1.5, 4)
    return q + [0] * len(links)


def model(folder, words, start):
    path = os.path.join(folder, "_".join(words) + ".zw")
    text = subprocess.run([sys.executable, os.path.join(compare.ROOT, "bench", "chains"), *words],
                          capture_output=True, text=True, check=True).stdout.splitlines()
    n = len(start) // 2
    text = [line for line in text if not line.startswith("initial")]
    text += [f"initial q[{i + 1}] = {start[i]}, q[{i + 1}]' = {start[n + i]}" for i in range(n)]
    with open(path, "w") as file:
        file.write("\n".join(text) + "\n")
    return path


def measure(folder, words, end, rounds, method):
    start = start_of(words)
    path = model(folder, words, start)
    program = peer(folder, words)
    wide = [10.0**-k for k in range(3, 16)]
    exact, classic = compare.run_dop853(program, start, end, 1, wide)
    own = []
    for _ in range(rounds):
        own = compare.least(own, compare.run_zwang(path, end, 3, TOLERANCES, method))
        classic = compare.least(classic, compare.run_dop853(program, start, end, -3, wide)[1])
    name = f"{' '.join(words)}, {end} s"
    return [(name, sample, exact, {"DOP853 on ABA": classic}) for sample in own]


def main(words):
    try:
        import casadi
    except ImportError:
        raise SystemExit("motions: casadi is missing (pip install casadi)")
    method = os.environ.get("METHOD", "auto")
    compare.heading("chains in time")
    print(f"CasADi {casadi.__version__}.\n")
    rows = []
    with compare.scratch() as folder:
        for system in words or SYSTEMS:
            *parts, end = system.split(":")
            rows += measure(folder, parts, end, 3, method)
    compare.table(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
