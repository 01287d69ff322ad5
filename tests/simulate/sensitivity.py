#!/usr/bin/env python3
"""sensitivity.py ZWANG MODELS: derivatives of runs, beside closed forms and differences of runs.

Closed forms: a ball through ten impacts, a block that sticks and slips on a belt, an oscillator.
Differences: of order 6 of runs at a tighter tolerance, for random draws of what is differentiated.
"""
import csv
import io
import json
import math
import os
import random
import subprocess
import sys
import tempfile

ZWANG, MODELS = sys.argv[1], sys.argv[2]
FAILURES = []


def run(model, sets=(), options=(), tolerance="1e-10"):
    command = [ZWANG, "run", model, "--tolerance", tolerance, "--quiet", "--out", "-", *options]
    for name, value in sets:
        command += ["--set", f"{name}={value!r}"]
    made = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    rows = list(csv.reader(io.StringIO(made.stdout)))
    return rows[0], [[float(cell) for cell in row] for row in rows[1:]]


def expect(what, got, wanted, size, within=1e-8):
    if not abs(got - wanted) <= within * size:
        FAILURES.append(f"{what}: {got!r}, not {wanted!r}")


def refused(model, names, reason):
    made = subprocess.run([ZWANG, "run", model, "--quiet", "--out", "-", "--sensitivity", names],
                          capture_output=True, text=True, timeout=60)
    if made.returncode not in (1, 2) or reason not in " ".join(made.stderr.split()):
        FAILURES.append(f"{model}: exit {made.returncode}: {made.stderr}")


def differences(model, starts, options, within=2e-8):
    """Columns diff(c,name) beside differences of column c, at rows whose times stay."""
    sets = list(starts.items())
    head, rows = run(model, sets, ["--sensitivity", ",".join(starts), *options])
    assert rows, "no rows"
    for name, value in starts.items():
        step = (abs(value) or 1) * 1e-4
        moved = {}
        for k in (-3, -2, -1, 1, 2, 3):
            others = [(n, v + k * step if n == name else v) for n, v in sets]
            moved[k] = run(model, others, options, "1e-13")[1]
        if any(len(other) != len(rows) for other in moved.values()):
            continue
        label = name if f"diff({head[1]},{name})" in head else f"{name}(0)"
        seen = 0
        for column, title in enumerate(head):
            if not title.endswith(f",{label})"):
                continue
            base = head.index(title[5 : -len(label) - 2])
            pairs = []
            for r, row in enumerate(rows):
                if any(abs(other[r][0] - row[0]) > 1e-12 for other in moved.values()):
                    continue
                change = [moved[k][r][base] - moved[-k][r][base] for k in (1, 2, 3)]
                pairs.append((row[column], (0.75 * change[0] - 0.15 * change[1] + change[2] / 60) / step))
            size = max(abs(wanted) for _, wanted in pairs)
            for got, wanted in pairs:
                expect(f"{model} {title}", got, wanted, max(size, 1e-3), within)
            seen += 1
        assert seen > 0, title


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def ball(folder):
    """z = h, dropped; impact k at t1·(1 + 2 Σ e^i), speeds e^k·g·t1."""
    model = write(folder, "ball.zw", """param g = 9.81, e = 0.8, h = 1
coord z
mass 2 at [0, 0, z]
gravity [0, 0, -g]
constraint floor: z >= 0 restitution e
initial z = h
""")
    g, e, h = 9.81, 0.8, 1
    first = math.sqrt(2 * h / g)
    times = [first * (1 + 2 * sum(e**i for i in range(1, k + 1))) for k in range(12)]
    by_e = [first * 2 * sum(i * e ** (i - 1) for i in range(1, k + 1)) for k in range(12)]
    end = (times[9] + times[10]) / 2
    events = os.path.join(folder, "events.json")
    head, rows = run(model, [], ["--to", repr(end), "--every", repr(end / 7), "--sensitivity",
                                 "g,e,h", "--events", events])
    last, s = dict(zip(head, rows[-1])), end - times[9]
    speed = e**10 * g * first
    expect("z", last["z"], speed * s - g * s * s / 2, 1)
    for name, rate, of_time in (
            ("g", speed / (2 * g), -times[9] / (2 * g)),
            ("e", 10 * speed / e, by_e[9]),
            ("h", speed / (2 * h), times[9] / (2 * h))):
        wanted = rate * s - speed * of_time + g * s * of_time - (s * s / 2 if name == "g" else 0)
        expect(f"diff(z,{name}) after ten impacts", last[f"diff(z,{name})"], wanted, max(abs(wanted), 0.1))
    records = [json.loads(line) for line in open(events)]
    assert len(records) == 10, len(records)
    for k, record in enumerate(records):
        expect(f"impact {k}", record["t"], times[k], 1)
        expect(f"diff(t,e) {k}", record["diff(t,e)"], by_e[k], 1 + by_e[k])
        expect(f"diff(t,h) {k}", record["diff(t,h)"], times[k] / (2 * h), times[k])


def belt():
    """Slips where k·x = mus·m·g, x = V·t; its time is mus·m·g/(k·V)."""
    model = os.path.join(MODELS, "friction_belt.zw")
    with tempfile.TemporaryDirectory() as folder:
        events = os.path.join(folder, "events.csv")
        run(model, [], ["--to", "2", "--sensitivity", "mus,k,V", "--events", events])
        records = list(csv.DictReader(open(events)))
    slip = 0.6 * 9.81 / (20 * 0.5)
    expect("slip", float(records[0]["t"]), slip, 1)
    for name, wanted in (("mus", slip / 0.6), ("k", -slip / 20), ("V", -slip / 0.5)):
        expect(f"diff(t,{name})", float(records[0][f"diff(t,{name})"]), wanted, abs(wanted))
    differences(model, {"mu": 0.4, "V": 0.5, "m": 1}, ["--to", "3.9", "--every", "0.3"])


def refusals(folder):
    model = write(folder, "wall.zw", """param a = 1
coord x
mass 1 at [x, 0, 0]
potential x^2/2
constraint wall: x <= 1
initial x = -a
run to 4
""")
    for options, words in (
            (["--sensitivity", "a"], ("does not depend smoothly on a: 'wall' is", "grazed")),
            (["--sensitivity", "b"], ("'b' is no parameter and no start value; there are a, x",)),
            (["--sensitivity", "a,a"], ("'a' is named twice",)),
            (["--sensitivity", "a", "--method", "bdf"], ("'taylor' and 'erk'",))):
        made = subprocess.run([ZWANG, "run", model, "--quiet", *options], capture_output=True, text=True)
        told = " ".join(made.stderr.split())
        if made.returncode == 0 or any(word not in told for word in words):
            FAILURES.append(f"{options}: {made.returncode} {told}")


def same_motion():
    for name in ("string_pendulum", "friction_belt"):
        model = os.path.join(MODELS, name + ".zw")
        head, plain = run(model, [], ["--to", "1"])
        whole = run(model, [], ["--to", "1", "--sensitivity", "g"])[1]
        if plain != [row[: len(head)] for row in whole]:
            FAILURES.append(f"{name}: the motion differs with derivatives")


def together(folder):
    """Two things at one instant whose times change differently; a second `set` of one event."""
    start = "coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x' = 1, y' = 1\nrun to 2 every 1\n"
    for name, text in (("events", "event a: x >= 1 { set x' = -x' }\nevent b: y >= 1 { set y' = -y'/2 }\n"),
                       ("switches", "force 1 + sign(x - 1) along x\nforce 3 + 3*sign(y - 1) along y\n"),
                       ("shock", "constraint a: x <= 1 restitution 1\nevent b: y >= 1 { set y' = 2 }\n")):
        refused(write(folder, name + ".zw", start + text), "x'", "does not depend smoothly on x'(0)")
    model = write(folder, "sets.zw", start + "state u = 0\nforce u*x along x\nforce u along y\n"
                  "event a: x >= 1 { set u = 1; set u = -x'; impulse -u along y }\n")
    differences(model, {"x'": 1.25, "y": 0.5}, ["--to", "2", "--every", "0.5"])


BODY = "coord x\nmass m at [x, 0, 0]\npotential k*x^2/2\ninitial x = 1, x' = 0.1\nrun to 3 every 0.5\n"
PAIR = "coord x, y\nmass m at [x, 0, 0]\nmass 2*m at [y, 0, 0]\npotential x^2 + k*y^2/2\ninitial x = 1, y = 0.2\nrun to 3 every 0.5\n"
# What is run, and what it is differentiated by; m = 1, k = 2 and a, b as given.
STEPS = "function f(s) = table(\"f.csv\", previous, hold)\n"
PASSED = {
    "sampled": (BODY + "state u = 0\nforce -u along x\nsample c: 0.1 { set u = a*x + b*x' }\n", "m k a x"),
    "period": (BODY + "state u = 0\nforce -u along x\nsample c: a/9 from b/7 { set u = 3*x + x' }\n", "a b"),
    "kicked": (BODY + "sample c: 0.2 { impulse -b*x' - a*x along x }\n", "a b"),
    "two samples": (BODY + "state u = 0, w = 1\nforce -u*w along x\nsample c: 0.1 { set u = a*x + x' }\n"
                    "sample d: 0.2 { set w = u/5 + b }\n", "a b"),
    "sample and event": (BODY + "state n = 1\nforce -n*x along x\nevent e: x <= 0 { set n = n + a*x' }\n"
                         "sample s: 0.3 { set n = n*0.9 }\n", "a x"),
    "state by a parameter": (BODY + "state n = a, p = 2*a*m\nforce -n*x - p along x\n"
                             "event e: t = b { set n = -n*b, p = n }\n", "a b m"),
    "while t": (BODY + "force a along x while t <= b\n", "a b m"),
    "while mode": (BODY + "state n = 0\nforce a along x while n = 1\nevent e: x <= b { set n = 1 }\n", "a b m"),
    "while event": (BODY + "event e: x <= 0.5 while t >= b { set x' = -a*x' }\n", "a b"),
    "while friction": (BODY + "state n = 1\nfriction rub: a along x while n = 1\nevent e: x <= b { set n = 0 }\n", "a b"),
    "while impacts": (BODY + "state n = 1\nforce -a along x while n = 1\nconstraint wall: x >= -0.3 restitution b\n"
                      "event f: x <= 0.2 { set n = 0 }\nevent h: x >= 0.2 { set n = 1 }\n", "a b"),
    "struck beside a condition": (PAIR.replace(", y = 0.2", "") + "constraint bar: y = b*sin(x)\nimpulse a*x along x when t = b\n", "a b m x"),
    "struck beside a rolling": (PAIR + "constraint bar: y' = b*x*x' + a\nsample s: 0.4 { impulse -a*x' - b along x }\n", "a b k"),
    "struck blade": ("coord x, y, th\nmass m at [x + b*cos(th), y + b*sin(th), 0]\nkinetic k*th'^2\n"
                     "constraint edge: -sin(th)*x' + cos(th)*y' = 0\nspeed v = x'*cos(th) + y'*sin(th)\n"
                     "initial x = 0.5, y = 0, th = a, v = 1, th' = b\nimpulse a along x when t = 0.9\nrun to 3 every 0.5\n", "a b m"),
    "released": (PAIR + "constraint bar: x - y = 0.8 while t <= b\n", "b m k"),
    "servo": (PAIR.replace("initial x = 1, ", "initial ") + "servo x = a + sin(3*t)/3 by x\n", "m k"),
    "hidden": (PAIR.replace("initial x = 1, y = 0.2\n", "") + "servo y = 0.2 + a*t^4 by x\nspring between [x, 5, 0] and [y, 5, 0] stiffness 9\n", "m k a"),
    "accelerations": (PAIR + "constraint s: x'' + y'' = -a*x\n", "a k m"),
    "abs": (BODY + "potential a*abs(x - b)^3 + abs(x - b)*b\n", "a b x"),
    "min, max": (BODY + "force -a*max(x - b, 0) + min(x', b) along x\n", "a b"),
    "nested": (BODY + "force max(min(a*x, b), -b) + abs(abs(x) - b) along x\n", "a b"),
    "sign of t": (BODY + "force a*sign(t - b) + max(0, sin(3*b*t)) along x\n", "a b"),
    "table": (BODY + "function f(s) = table(\"f.csv\")\nforce a*f(b*x) along x\n", "a b"),
    "table of t": (BODY + "function f(s) = table(\"f.csv\", hold)\nforce a*f(b*t - 3) along x\n", "a b"),
    "steps": (BODY + STEPS + "force a*f(b*x) along x\n", "a b x"),
    "steps of t": (BODY + STEPS + "force a*f(b*t - 0.6) along x\n", "a b"),
    # It comes to stick, and slips or is released at a step, whose time stays.
    "slip at a step": (BODY + STEPS + "force f(t - 1) along x\nfriction rub: 2.2*a along x\n", "a m x"),
    "slip at a step that moves": (BODY + STEPS + "force f(t - 1 - b/9) along x\nfriction rub: 2.2*a along x\n", "a b"),
    "release at a step": (BODY.replace("potential k*x^2/2", "") + STEPS + "force 3*f(t - 1 - b/9) - a along x\n"
                          "constraint wall: x >= -0.2\n", "a b"),
    "noise": (BODY + "input w = random(normal(b, a), 0.3, 5)\nforce w along x\n", "a b"),
    "near a kink": (BODY + "coord z\npotential a*sqrt(x^2 + z^2)\nkinetic z'^2/2\ninitial z = 0.05, z' = b/9\n", "a b"),
}
REFUSED = {
    "interval": (BODY + "input w = random(normal(0, 3), a, 5)\nforce w along x\n", "depends on 'a'"),
    "given interval": (BODY + "param c = a/2, d = 3*c\ninput w = random(normal(0, 3), d, 5)\nforce w along x\n",
                       "depends on 'a'"),
    "seed": (BODY + "input w = random(normal(0, 3), 0.3, 5*a - 3)\nforce w along x\n", "depends on 'a'"),
    "begins": (PAIR + "state n = 0\nconstraint bar: x = y while n = 1\nevent e: x <= y { set n = 1 }\n", "a percussion"),
    "delayed": (BODY + "state u = 0\nsample c: 0.1 delay 0.05 { set u = x }\nforce u along x\n", "a delay ('c')"),
    "light": (PAIR + "coord u\npotential k*(x - u)^2/2\ninitial u = 1\nfriction s: a along u\n", "no inertia ('s')"),
    "root": (BODY + "potential a*sqrt(x^2)\n", "a root of x^2 goes through 0"),
    "spring": (PAIR + "spring between [x, 5, 0] and [y, 5, 0] stiffness 9 rest 0.1\n", "goes through 0"),
}


def passed(folder):
    """Samples, `while`, servos, conditions on accelerations, kinks; what is not followed is named."""
    write(folder, "f.csv", "s,f\n-6,0.3\n-2,1\n-0.5,0.2\n0.25,-1\n0.8,0.5\n6,0.9\n")
    values = {"a": 0.8, "b": 0.37, "m": 1, "k": 2, "x": 1}
    head = "param m = 1, k = 2, a = 0.8, b = 0.37\n"
    for name, (text, names) in PASSED.items():
        differences(write(folder, name + ".zw", head + text), {n: values[n] for n in names.split()}, [])
    for name, (text, reason) in REFUSED.items():
        refused(write(folder, name + ".zw", head + text), "a", reason)
    # An orbit, and one whose pericentre takes the digits: that is said.
    orbit = """param k = 1, v = %s
coord x, y
mass 1 at [x, y, 0]
potential -k/sqrt(x^2 + y^2)
initial x = 1, y = 0, x' = 0, y' = v
run to 6 every 1
"""
    differences(write(folder, "orbit.zw", orbit % 0.5), {"k": 1, "v": 0.5}, [])
    refused(write(folder, "comet.zw", orbit % 0.01), "k", "have lost their digits")


def main():
    random.seed(24)
    draw = lambda value: value * random.uniform(0.95, 1.05)
    with tempfile.TemporaryDirectory() as folder:
        ball(folder)
        together(folder)
        passed(folder)
        refusals(folder)
        switched = write(folder, "switched.zw", """param m = 1.3, k = 4, F = 0.7, b = 0.2, P = 0.4, T = 1.1
coord x, y
mass m at [x, y, 0]
potential k*x^2/2 + y^2 + x*y/2
force -F*sign(x - b) along x
impulse P*y along x when t = T
initial x = 1, x' = 0.3, y = 0.5
output e = m*x'^2 + y
run to 3 every 0.5
""")
        thrown = write(folder, "thrown.zw", """param m = 1, g = 9.81, mu = 0.2, e = 0.6, h = 0.5, vx = 2
coord x, z
point P = [x, 0, z]
mass m at P
gravity [0, 0, -g]
constraint floor: z >= 0 restitution e friction mu at P on P
initial z = h, x' = vx
run to 1 every 0.1
""")
        names = {"m": 1.3, "F": 0.7, "b": 0.2, "P": 0.4, "T": 1.1, "x'": 0.3}
        differences(switched, {n: draw(v) for n, v in names.items()}, [])
        differences(thrown, {n: draw(v) for n, v in {"mu": 0.2, "e": 0.6, "vx": 2}.items()}, [])
        refused(write(folder, "together.zw", """param a = 1, b = 2
coord x; mass 1 at [x, 0, 0]
impulse a along x when t = 1
impulse b along x when t = 1
run to 2 every 1
"""), "a,b", "several impulses at once")
        refused(write(folder, "shared.zw", """param g = 9.81
coord z; mass 1 at [0, 0, z]
gravity [0, 0, -g]
constraint a: z >= 0
constraint b: 2*z >= 0
output n = lambda.b
run to 1
"""), "g", "the derivative of 'n' by g is not known")
    belt()
    same_motion()
    for name, names, options in (
            ("fourbar", {"a": 0.2, "alpha'": 12}, ["--to", "0.4", "--every", "0.1"]),
            ("hoop", {"r": 0.35, "phi'": 6}, ["--to", "1", "--every", "0.25"]),
            ("blade_wall", {"e": 0.5, "w0": 0.5}, ["--to", "2", "--every", "0.25"]),
            ("string_pendulum", {"L": 1, "x'": 6}, ["--to", "1.5", "--every", "0.25"]),
            ("event_rimless", {"gamma": 0.08, "theta'": 1.5}, ["--to", "2", "--every", "0.5"])):
        starts = {n: draw(v) for n, v in names.items()}
        if name == "string_pendulum":
            starts = {"x'": draw(6)}
        differences(os.path.join(MODELS, name + ".zw"), starts, options)
    for failure in FAILURES[:20]:
        print(failure)
    sys.exit(bool(FAILURES))


main()
