# orbits.py: Kepler's motion, Arenstorf's orbit and the outer solar system by zwang's compiled
# series, by heyoka and by DOP853 in C with rates written by hand, as Markdown: milliseconds at
# equal error of the state at the end, and their ratio to the best peer.
#
#     python3 bench/orbits.py [REPEATS [ROUNDS]]        to keep a result: … >>bench/RESULTS.md
#
# `make bench` builds our side. heyoka comes by `pip install heyoka`; without it that column is
# left out, and the text says so.
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
import compare

try:
    import heyoka
except ImportError:
    heyoka = None

# Masses in those of the Sun, places in astronomical units, velocities in these a day: Hairer,
# Lubich, Wanner, Geometric Numerical Integration, 2nd ed., table I.2.2. The Sun has the masses of
# the inner planets too.
GRAVITY = "2.95912208286e-4*365.25^2"
PLANETS = [
    ("sun", "1.00000597682", "0 0 0", "0 0 0"),
    ("jupiter", "0.000954786104043", "-3.5023653 -3.8169847 -1.5507963",
     "0.00565429 -0.00412490 -0.00190589"),
    ("saturn", "0.000285583733151", "9.0755314 -3.0458353 -1.6483708",
     "0.00168318 0.00483525 0.00192462"),
    ("uranus", "0.0000437273164546", "8.3101420 -16.2901086 -7.2521278",
     "0.00354178 0.00137102 0.00055029"),
    ("neptune", "0.0000517759138449", "11.4707666 -25.7294829 -10.8169456",
     "0.00288930 0.00114527 0.00039677"),
    ("pluto", "1/1.3e8", "-15.5387357 -25.2225594 -3.1902382",
     "0.00276725 -0.00170702 -0.00136504"),
]
MU = "0.012277471"
ARENSTORF = "-2.00158510637908252240537862224"
PERIOD = "17.0652165601579625588917206249"


class System:
    """The same three times: as zwang's text, as C for DOP853, as heyoka's equations. The state is
    q | q'."""

    def __init__(self, name, end, text, c, start, equations):
        self.name, self.end, self.text, self.c = name, end, text, c
        self.start, self.equations = start, equations


def kepler():
    def equations():
        x, y, u, v = heyoka.make_vars("x", "y", "u", "v")
        cube = (x**2 + y**2)**-1.5
        return [(x, u), (y, v), (u, -x * cube), (v, -y * cube)]
    return System("Kepler, e = 0.6, 100 turns", "628.318530717958647692528676656", """
system kepler
coord x, y
mass 1 at [x, y, 0]
potential -1/sqrt(x^2 + y^2)
initial x = 0.4, y' = 2
""", """
    REAL r2 = y[0] * y[0] + y[1] * y[1], cube = 1 / (r2 * IN(sqrt)(r2));
    out[0] = y[2];
    out[1] = y[3];
    out[2] = -y[0] * cube;
    out[3] = -y[1] * cube;
""", ["0.4", "0", "0", "2"], equations)


def arenstorf():
    def equations():
        x, y, u, v = heyoka.make_vars("x", "y", "u", "v")
        mu = float(MU)
        a, b = x + mu, x - (1 - mu)
        d1, d2 = (a**2 + y**2)**-1.5, (b**2 + y**2)**-1.5
        return [(x, u), (y, v), (u, x + 2 * v - (1 - mu) * a * d1 - mu * b * d2),
                (v, y - 2 * u - (1 - mu) * y * d1 - mu * y * d2)]
    return System("Arenstorf, one turn", PERIOD, f"""
system arenstorf
param mu = {MU}
coord x, y
mass 1 at [x, y, 0]
potential -(x^2 + y^2)/2 - (1 - mu)/sqrt((x + mu)^2 + y^2) - mu/sqrt((x - (1 - mu))^2 + y^2)
force [2*y', -2*x', 0] at [x, y, 0]
initial x = 0.994, y' = {ARENSTORF}
""", f"""
    const REAL mu = {MU}L;
    REAL a = y[0] + mu, b = y[0] - (1 - mu), y2 = y[1] * y[1];
    REAL a2 = a * a + y2, b2 = b * b + y2;
    REAL da = (1 - mu) / (a2 * IN(sqrt)(a2)), db = mu / (b2 * IN(sqrt)(b2));
    out[0] = y[2];
    out[1] = y[3];
    out[2] = y[0] + 2 * y[3] - a * da - b * db;
    out[3] = y[1] - 2 * y[2] - y[1] * (da + db);
""", ["0.994", "0", "0", ARENSTORF], equations)


def solar():
    names = [p[0] for p in PLANETS]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1:]]
    text = [f"system outer\nparam k = {GRAVITY}"]
    text += [f"param m_{n} = {m}" for n, m, _, _ in PLANETS]
    text += [f"coord x_{n}, y_{n}, z_{n}" for n in names]
    text += [f"mass m_{n} at [x_{n}, y_{n}, z_{n}]" for n in names]
    text += [f"potential -k*m_{a}*m_{b}/sqrt((x_{a} - x_{b})^2 + (y_{a} - y_{b})^2"
             f" + (z_{a} - z_{b})^2)" for a, b in pairs]
    for n, _, place, velocity in PLANETS[1:]:
        text += [f"initial {c}_{n} = {p}, {c}_{n}' = {v}*365.25"
                 for c, p, v in zip("xyz", place.split(), velocity.split())]
    masses = ", ".join(m.replace("1/1.3e8", "1/1.3e8L") + ("L" if "/" not in m else "")
                       for _, m, _, _ in PLANETS)
    c = f"""
    static const REAL m[] = {{{masses}}};
    const REAL g = 2.95912208286e-4L * 365.25L * 365.25L;
    for (int i = 0; i < 18; i++) {{
        out[i] = y[18 + i];
        out[18 + i] = 0;
    }}
    for (int i = 0; i < 6; i++)
        for (int j = i + 1; j < 6; j++) {{
            const REAL *a = y + 3 * i, *b = y + 3 * j;
            REAL x = b[0] - a[0], u = b[1] - a[1], z = b[2] - a[2], r2 = x * x + u * u + z * z;
            REAL f = g / (r2 * IN(sqrt)(r2)), fa = f * m[j], fb = f * m[i];
            REAL *p = out + 18 + 3 * i, *q = out + 18 + 3 * j;
            p[0] += fa * x, p[1] += fa * u, p[2] += fa * z;
            q[0] -= fb * x, q[1] -= fb * u, q[2] -= fb * z;
        }}
"""

    def equations():
        masses = [eval(m) for _, m, _, _ in PLANETS]
        model = heyoka.model.nbody(6, masses=masses, Gconst=2.95912208286e-4 * 365.25**2)
        order = [f"{c}_{i}" for i in range(6) for c in ("x", "y", "z")]
        order += [f"v{c}" for c in order]
        by_name = {str(lhs): (lhs, rhs) for lhs, rhs in model}
        return [by_name[name] for name in order]
    start = [x for _, _, place, _ in PLANETS for x in place.split()]
    start += [str(float(v) * 365.25) for _, _, _, velocity in PLANETS for v in velocity.split()]
    return System("outer solar system, 1000 yr", "1000", "\n".join(text), c, start, equations)


def run_heyoka(system, repeats, tolerances):
    samples = []
    for tolerance in tolerances:
        start = [float(x) for x in system.start]
        integrator = heyoka.taylor_adaptive(system.equations(), start, tol=tolerance)
        best, steps = float("inf"), 0
        for _ in range(repeats):
            integrator.time = 0.0
            integrator.state[:] = start
            begin = time.perf_counter()
            steps = integrator.propagate_until(float(system.end))[3]
            best = min(best, time.perf_counter() - begin)
        samples.append(compare.Sample(["heyoka", tolerance, best, steps, *integrator.state]))
    return samples


def measure(system, folder, repeats, rounds):
    name = system.name.split()[0].strip(",")
    model, rate = os.path.join(folder, f"{name}.zw"), os.path.join(folder, f"{name}.h")
    with open(model, "w") as file:
        file.write(system.text.lstrip() + "\n")
    with open(rate, "w") as file:
        file.write("static inline void IN(rate)(REAL t, const REAL *y, REAL *out)\n{\n    (void)t;"
                   + system.c + "}\n")
    program = compare.dop853(folder, name, rate, len(system.start))
    wide = [10.0**-k for k in range(2, 16)]
    exact, classic = compare.run_dop853(program, system.start, system.end, 1, wide)
    own, series = [], []
    for turn in range(rounds):
        again = compare.run_zwang(model, system.end, repeats, [1e-4, 1e-8, 1e-12])
        own = compare.least(own, again)
        classic = compare.least(
            classic, compare.run_dop853(program, system.start, system.end, -repeats, wide)[1])
        if heyoka:
            series = compare.least(series, run_heyoka(system, repeats, wide))
    peers = {"DOP853": classic}
    if heyoka:
        peers["heyoka"] = series
    return [(system.name, sample, exact, peers) for sample in own]


def main(words):
    repeats = int(words[0]) if words else 20
    rounds = int(words[1]) if len(words) > 1 else 3
    compare.heading("orbits")
    print(f"heyoka {heyoka.__version__}.\n" if heyoka else
          "heyoka is missing (pip install heyoka): DOP853 alone.\n")
    rows = []
    with compare.scratch() as folder:
        for system in (kepler(), arenstorf(), solar()):
            rows += measure(system, folder, repeats, rounds)
    compare.table(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
