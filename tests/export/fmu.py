#!/usr/bin/env python3
"""fmu.py ZWANG FOLDER [all]: FMUs that the program writes, taken apart and loaded through ctypes.

What they compute is compared with closed forms, with difference quotients and with runs; what they
cannot follow must be refused with its reason. FMPy is asked by fmu_peer.py.
"""
import csv
import ctypes
import io
import math
import os
import random
import subprocess
import sys
import zipfile

from fmu_host import *

# ---- What stands in the file.

def test_container():
    first, second = once("hoop"), exported(gallery("hoop"))
    with open(first, "rb") as a, open(second, "rb") as b:
        check(a.read() == b.read(), "the same model gives other bytes")
    with zipfile.ZipFile(exported(gallery("hoop"), "--sources-only")) as archive:
        check(archive.namelist() == ["modelDescription.xml", "sources/buildDescription.xml", "sources/fmu.c"],
              f"sources alone: {archive.namelist()}")
        source = archive.read("sources/fmu.c")
    fmu = Fmu(first, "ModelExchange")
    with open(os.path.join(fmu.folder, "sources/fmu.c"), "rb") as file:
        check(file.read() == source, "the source depends on --sources-only")
    own = os.path.join(work, "own.so")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-O0"]
    made = subprocess.run([os.environ.get("CC", "cc"), *strict, "-shared", "-fPIC", "-o", own,
                           os.path.join(fmu.folder, "sources/fmu.c"), "-lm"], capture_output=True, text=True)
    check(made.returncode == 0, made.stderr[:2000])
    head = list(csv.reader(io.StringIO(zwang("run", gallery("hoop"), "--to", "0.1", "--quiet", "--out", "-").stdout)))
    for name in head[0]:
        check(column(name) in fmu.variables, f"the column {name} is no variable")
    check(fmu.variables["A"].get("causality") == "calculatedParameter", "A follows from m and r")
    fmu.initialize(m=3.0)
    near(fmu.get("A"), 3 * 0.35**2 / 2, 1e-15, "A follows m")


# ---- Co-simulation beside closed forms and runs.

def ball(t, e=0.7, g=9.81, h=1.0):
    """Height and velocity of a ball that bounces, and how often it has."""
    fall = math.sqrt(2 * h / g)
    if t < fall:
        return h - g * t * t / 2, -g * t, 0
    t, speed, count = t - fall, g * fall * e, 1
    while speed > 1e-9 and t > 2 * speed / g:
        t, speed, count = t - 2 * speed / g, speed * e, count + 1
    return (speed * t - g * t * t / 2, speed - g * t, count) if speed > 1e-9 else (0.0, 0.0, count)


def test_ball():
    fmu = Fmu(once("bouncing_ball"), "CoSimulation").initialize()
    times = [0.1 * i for i in range(1, 25)] + [2.557, 4.0]
    t = 0.0
    for until in times:
        fmu.step(t, until - t)
        t = until
        z, v, count = ball(t)
        near(fmu.get("z"), z, 1e-9, f"z at {t}")
        near(fmu.get("der(z)"), v, 1e-9, f"z' at {t} after {count} impacts")
        near(fmu.get("x"), 2 * t, 1e-9, f"x at {t}")
    check(ball(2.557)[2] >= 20, "too few impacts are looked at")
    near(fmu.get("lambda.floor"), 9.81, 1e-9, "the floor holds the ball")


def test_events():
    """Model exchange: an impact in event mode, and what is told of it."""
    fmu = Fmu(once("bouncing_ball"), "ModelExchange").initialize()
    fall = math.sqrt(2 / 9.81)
    changed, next_time = fmu.update()
    check(not changed and next_time is None, "nothing happens at the start")
    fmu.call("EnterContinuousTimeMode")
    floor = fmu.indicators
    fmu.set_states(0.4, [0.8, 1 - 9.81 * 0.08, 2, -9.81 * 0.4])
    before = fmu.values(floor)[0]
    fmu.set_states(fall, [2 * fall, 0.0, 2, -9.81 * fall])
    fmu.set_states(fall + 1e-6, [2 * fall, -9.81 * fall * 1e-6, 2, -9.81 * fall])
    check(before < 0 < fmu.values(floor)[0], "the indicator changes its sign at the floor")
    fmu.set_states(fall, [2 * fall, 0.0, 2, -9.81 * fall])
    fmu.call("EnterEventMode")
    check(fmu.update()[0], "an impact changes the states")
    near(fmu.get("der(z)"), 0.7 * 9.81 * fall, 1e-14, "the rebound")
    check(fmu.values(floor)[0] < 0, "the indicator is below 0 behind the impact")


def test_against_runs():
    models = [("hoop", 4), ("string_pendulum", 3)]
    for name, end in models + LARGE * [("corner", 3), ("bicycle", 2), ("strings", 1), ("cue_shot", 1.5), ("snakeboard", 3)]:
        rows = run_rows(gallery(name), "--to", str(end), "--every", str(end / 4), "--tolerance", "1e-12")
        fmu = Fmu(once(name), "CoSimulation").initialize()
        for i in range(4):
            fmu.step(end * i / 4, end / 4)
        last = rows[max(rows)]
        for column_name, value in last.items():
            if column_name != "t":
                near(fmu.get(column_name), value, 1e-9, f"{name} {column_name}")


# ---- Dry friction.

def compare_with_run(name, model, steps=20, within=1e-9):
    """Co-simulation beside a run, at every communication point."""
    path = made.get(model) or exported(model)
    fmu = Fmu(path, "CoSimulation").initialize()
    end = float(fmu.root.find("DefaultExperiment").get("stopTime"))
    rows = run_rows(model, "--every", repr(end / steps), "--tolerance", "1e-12")
    sizes = {}
    for row in rows.values():
        for key, value in row.items():
            sizes[key] = max(sizes.get(key, 0), abs(value))
    for i in range(steps):
        before = len(failures)
        reached = fmu.step(end * i / steps, end / steps)
        if len(failures) > before:
            return
        t = min(rows, key=lambda at: abs(at - reached))
        check(abs(t - reached) < 1e-9, f"{name}: no row at {reached!r}")
        for key, value in rows[t].items():
            if key != "t" and abs(t - reached) < 1e-9:
                off = abs(fmu.get(key) - value) / (1 + sizes[key])
                check(off <= within, f"{name}: {key} at {t:g} is {fmu.get(key)!r}, not {value!r}")
        if fmu.ended:
            check(t == max(rows), f"{name}: it ends at {t}, and a run at {max(rows)}")
            fmu.step(reached, 1, status=3)
            check("has ended the motion" in fmu.said, fmu.said)
            return
    near(max(rows), end, 1e-12, f"{name}: a run's end")


def test_friction():
    models = ["friction_box", "friction_puck"]
    more = ["slope", "rocking", "belt", "blocks", "brake", "disc", "drum", "hinge", "ladder", "painleve", "rod", "skid", "spin", "wheel"]
    for name in models + LARGE * ["friction_" + word for word in more + ["wheelset"]]:
        compare_with_run(name, gallery(name))


ROD = """system rod
param m = 1, l = {l}, mu = {mu}, e = {e}, g = 9.81, J = m*l^2/3
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]; point C = G - l*B.x; point D = G + l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 restitution e {law} friction mu at C on rod
constraint other: D.z >= 0 restitution {f} {law} friction mu at D on rod
initial theta = {theta}, z = {z}, x' = {u}, z' = -1, theta' = {w}
run to {end} every 0.05
"""


def test_impacts_with_friction():
    """Rods that fall on the floor with an end, or flat; runs solve that by other means."""
    for case in range(18 if LARGE else 2):
        values = {"l": random.uniform(0.3, 1), "mu": random.uniform(0.05, 0.6), "e": random.uniform(0, 0.9),
                  "f": random.uniform(0, 0.9), "theta": random.uniform(-0.8, 0.8), "u": random.uniform(-2, 2),
                  "w": random.uniform(-3, 3), "end": 0.5, "law": ["", "law newton", "law poisson"][case % 3]}
        values["z"] = values["l"] * abs(math.sin(values["theta"])) + 0.1
        model = model_file(ROD.format(**values))
        if zwang("run", model, "--quiet", "--out", "-").returncode == 0:  # it may end, by a paradox
            compare_with_run(f"rod {case}", model, 10, 2e-9)


def test_modes():
    """Model exchange: friction sticks, slides and holds again in event mode."""
    text = "system s\ncoord x\nkinetic x'^2/2\nfriction f: 1 static 2 along x\ninput u\nforce u along x\n"
    fmu = Fmu(exported(model_file(text)), "ModelExchange").initialize(u=1.5)
    fmu.update()
    near(fmu.get("mode.f"), 1, 0, "it holds")
    near(fmu.get("friction.f"), -1.5, 0, "what holds it")
    fmu.call("EnterContinuousTimeMode")
    check(fmu.values(fmu.indicators)[0] < 0, "inside the cone")
    fmu.set("u", 2.5)
    check(fmu.values(fmu.indicators)[0] > 0, "the indicator tells that it cannot hold")
    fmu.call("EnterEventMode")
    fmu.update()
    near(fmu.get("mode.f"), 2, 0, "it slides")
    near(fmu.get("der(x,2)"), 1.5, 1e-14, "with the sliding friction")
    fmu.call("EnterContinuousTimeMode")
    fmu.set_states(1.0, [0.75, 1.5])
    fmu.set("u", -0.5)
    check(fmu.values(fmu.indicators)[0] < 0, "it slides on")
    fmu.set_states(2.0, [1.5, 0.0])
    fmu.call("EnterEventMode")
    fmu.update()
    near(fmu.get("mode.f"), 1, 0, "it holds again")
    near(fmu.get("der(x,2)"), 0, 0, "at rest")


# ---- Events of the model.

COUNTED = """system counted
coord x, z
state n = 0, last = 0
mass 2 at [x, 0, z]
gravity [0, 0, -9.81]
constraint floor: z >= 0 restitution 0.6
event hit: impact(floor) { set n = n + 1, last = x; impulse [0.5, 0, 0] at [x, 0, z] }
event far: x >= 1 { set x' = -x' }
event calm: n >= 6 { stop "six" }
initial z = 1, x' = 1
run to 5
"""
BLADE = """system blade
coord x, y, theta
speed v = x'*cos(theta) + y'*sin(theta)
kinetic (x'^2 + y'^2)/2 + theta'^2/10
constraint edge: y'*cos(theta) = x'*sin(theta)
state k = 1
force k along theta
event far: theta = 1 rising { set k = -1, v = 2*v }
event back: theta = -0.5 falling { set k = 1, theta' = 0; impulse 0.3 along theta }
initial v = 1
run to 4
"""
HELD = """system held
coord x
state n = 0
kinetic x'^2/2
potential 2*x^2
friction f: 0.3 static 0.4 along x
event held: stick(f) { set n = n + 1, x = x + 1.5 }
event goes: slip(f) { set n = n + 0.5 }
initial x = 2
run to 8 until n >= 3
"""
INTEGRAL = """system integral
coord x
mass 2 at [x, 0, 0]
state xi' = 1 - x, w' = -3*w + x'
force 8*xi + 6*(1 - x) - 5*x' - w along x
constraint wall: x <= 1.05 restitution 0.5
run to 4
"""


SAMPLED = """system sampled
param k = 12, c = 6, h = 0.05
coord x, y
mass 1 at [x, 0, 0]; mass 2 at [y, 0, 0]
state u = 0, n = 0, w = 0
force 4*x + u along x
force w - 3*y along y
sample loop: h delay h/4 { set u = -k*x - c*x'; set n = n + u }
sample other: 0.1 from 0.02 { set w = x + y; set w = 2*w }
initial x = 0.1, y = 1
run to 2 every 0.25
"""


# A force between two times, a spring until it is let go, a count and samples before and behind that.
WHILES = """system whiles
param F = 2, k = 4, from = 1/2
coord x, y, z
mass 1 at [x, y, z]
state held = 1, n = 0, m = 0, u = 0
force F along x while t >= from and t <= 5/4
spring s: between origin and [0, y, 0] stiffness k damping 1e-9 while held = 1
event off: y <= 0 { set held = 0 }
event turn: z >= 1 while held = 0 { set z = 0, n = n + 1 }
sample loop: 0.1 while held = 1 { set m = m + 1 }
sample late: 0.3 delay 0.1 while held = 1 { set u = t }
constraint wall: x <= 1 restitution 0.5
initial y = 1, z' = 1
run to 3.03 every 0.1
"""


# Conditions and friction with `while`: by a state and by the time, on positions and velocities,
# beside contacts, set velocities and impulses, dependent, with friction, and kept by a servo.
WHILE_ROWS = {
    "latch": """system latch
coord x, y; mass 1 at [x, 0, 0]; mass 2 at [y, 0, 0]
state held = 0
event meet: x >= y { set held = 1 }
event part: t >= 1.53 { set held = 0 }
constraint bar: x = y while held = 1
force sin(3*t) along x
output r = lambda.bar
initial x' = 3, y = 1
run to 2
""",
    "rod": """system rod
coord x, z
mass 2 at [x, 0, z]
gravity [0, 0, -9.81]
constraint rod: x^2 + z^2 = 1 while t <= 1.05
constraint floor: z >= -3 restitution 0.5 friction 0.3 at [x, 0, z] on [x, 0, z]
initial x = 1
run to 3
""",
    "slider": """system slider
coord x, z
point P = [x, 0, z]
mass 1 at P
gravity [0, 0, -9.81]
state on_rail = 1
constraint rail: z = 0.2*x friction 0.3 at P on P while on_rail = 1
event off: x >= 1.5 { set on_rail = 0 }
force 6*sin(3*t) along z
initial x' = 3, z' = 0.6
run to 1
"""}
MORE_WHILE_ROWS = {
    "brakes": """system brakes
coord x, y
mass 1 at [x, 0, 0]; mass 2 at [y, 0, 0]
state pressed = 0
event go: x >= 1 { set pressed = 1 }
event gone: t >= 2.03 { set pressed = 0 }
friction f: 1.5 along x while pressed = 1
friction g: 2 static 2.5 along y while t >= 0.5
force sin(2*t) along x
force 4*cos(3*t) along y
initial x' = 1.2
run to 4
""",
    "knife": """system knife
coord x, y, theta
kinetic (x'^2 + y'^2)/2 + theta'^2/10
constraint edge: y'*cos(theta) = x'*sin(theta) while t >= 0.5 and t <= 2
force 2*sin(2*t) along theta
force 1 along x
initial x' = 1, y' = 0.3, theta = 0.4
run to 3
""",
    "weld": """system weld
coord x, a, u, b
kinetic x'^2 + a'^2/4 + u'^2/2 + b'^2/8
state held = 0
event hit: t >= 0.72 { set u = x, b = a, held = 1 }
event off: t >= 2.01 { set held = 0; impulse 1 along x }
event blow: t >= 1.32 { impulse 0.7 along u }
event slow: t >= 1.62 { set a' = a'/2 }
constraint w1: x = u while held = 1
constraint w2: a = b while held = 1
force 1 - x along x
force -3*b along b
initial x' = 1, b = 0.5
run to 3
""",
    "wall": """system wall
coord x, y
mass 1 at [x, 0, 0]; mass 2 at [y, 0, 0]
state closed = 0, n = 0
event go: t >= 0.43 { set closed = 1 }
event gone: n >= 3 { set closed = 0 }
constraint stop: x <= 1 restitution 0.8 while closed = 1
constraint bar: x - y = -1/2 while t <= 1.73
event hit: impact(stop) { set n = n + 1 }
force 3 along x
initial y = 1/2
run to 4
""",
    "box": """system box
coord x, z, y, w
mass 1 at [x, 0, z]; mass 2 at [y, 0, w]
gravity [0, 0, -9.81]
constraint floor: z >= 0 restitution 0.3 friction 0.4 at [x, 0, z] on [x, 0, z]
constraint tie: x - y = -1 while t <= 0.92
constraint other: z - w = -0.5 while t <= 0.92
initial z = 1, w = 1.5, y = 1, x' = 1, y' = 1
run to 1.5
""",
    "joined": """system joined
coord x, y, z
mass 1 at [x, 0, 0]; mass 2 at [y, 0, 0]; mass 3 at [z, 0, 0]
state a = 1, b = 0
constraint p: x = y while a = 1
constraint q: y' = z' while b = 1
constraint r: x' = z' while a = 1 and b = 1
event one: t >= 1.02 { set b = 1 }
event two: t >= 2.02 { set a = 0 }
force sin(t) along x
spring s: along z stiffness 2
initial x' = 1, y' = 1
run to 3
""",
    "rest": """system rest
coord x, y
mass 1 at [x, 0, 0]; mass 2 at [y, 0, 0]
state s = 0
sample tick: 0.33 { set s = 1 - s }
constraint a: x' = y' while s = 1
constraint wall: x <= 0.3 restitution 0.1
friction f: 0.5 along y while s = 0
force 2 - x along x
force 1 - y along y
initial x' = 0.9, y' = -0.6
run to 2.5
""",
    "servo": """system servo
coord x, y, z
mass 1 at [x, 0, 0]; mass 2 at [y, 0, 0]; mass 1 at [z, 0, 0]
spring s: between [x, 0, 0] and [y, 0, 0] stiffness 5 rest 1
state mode = 0
event a: t >= 0.51 { set mode = 1, y = sin(t) }
event b: t >= 1.71 { set mode = 2, z = x }
servo drive: y = sin(t) by y while mode = 1
servo always: z' = cos(2*t)*x by z
constraint tie: z' = x' while mode = 2
initial y = 1
run to 3
"""}


SLIDE = """coord x, y, th
kinetic x'^2 + y'^2 + th'^2/4
force 3*cos(2*t) along x
force 2*sin(3*t) - 1 along y
force 0.4*cos(2*t) along th
constraint a: y - 0.3*th = 0
constraint b: y + 0.5*th = 0
friction guide: {bound} along x
initial x' = 1
run to 5
"""


def test_sums_of_reactions():
    """Guides that hold and slide, with reactions that change their signs."""
    compare_with_run("slide", model_file(SLIDE.format(bound="1.2*(abs(lambda.a) + abs(lambda.b)) + 0.1")))
    if LARGE:
        compare_with_run("lengths", model_file(SLIDE.format(bound="0.3*sqrt(lambda.a^2 + lambda.b^2) + 0.2")), within=1e-7)


# A wheel with a resistance against rolling that bounces, slides and rolls; a bead on a rail that
# brakes a drum, too.
ONE_REACTION = {
    "wheel": """system wheel
param m = 2, r = 0.3, J = m*r^2/2, mu = 0.4, rho = 0.02
coord x, z, phi
frame F = world rotate phi about y
point G = [x, 0, z]; point K = G - r*world.z
body wheel frame F mass m at G inertia [0, J, 0]
gravity [0, 0, -9.81]
constraint floor: K.z >= 0 restitution 0.3 friction mu at K on wheel
friction resist: rho*lambda.floor along phi
initial x' = 3, z = r + 0.05, phi' = -5
run to 6
""",
    "rail": """system rail
coord x, z, a
point P = [x, 0, z]
mass 1 at P
kinetic a'^2/2
gravity [0, 0, -9.81]
constraint rail: z = 0.1*x^2 friction 0.3 at P on P
friction drum: 0.2*abs(lambda.rail) along a
force 3*sin(2*t) along a
force 8*cos(3*t) along z
initial x = -1, z = 0.1, x' = 1, z' = -0.2, a' = 2
run to 3
""",
    "drill": """system drill
coord x, y, z, s
point P = [x, y, z]
mass 1 at P
kinetic 0.002*s'^2
gravity [0, 0, -9.81]
constraint floor: z >= 0 restitution 0.4 friction 0.3 at P on P
friction drill: 0.01*lambda.floor along s
initial x' = 1, y' = 0.5, z = 0.1, s' = 8
run to 2
"""}


def test_several_frictions_by_one_reaction():
    for name in ["wheel"] + LARGE * ["rail", "drill"]:
        model = model_file(ONE_REACTION[name])
        compare_with_run(name, model)
        compare_derivatives_in_modes(name, made[model], (0.5, 1.5))
    if LARGE:
        bound = "0.3*abs(lambda.a) along x\nfriction h: 0.2*abs(lambda.a)"
        compare_with_run("one coordinate", model_file(SLIDE.format(bound=bound)))


def test_whiles():
    model = model_file(WHILES)
    made[model] = exported(model)
    fmu = Fmu(made[model], "CoSimulation").initialize()
    fmu.step(0, 1.2)
    near(fmu.get("x"), 0.7**2, 1e-10, "x while it is pushed")
    quarter = math.pi / 4
    near(fmu.get("y"), -2 * (1.2 - quarter), 1e-7, "y behind the spring")
    near(fmu.get("held"), 0, 0, "held")
    near(fmu.get("m"), 8, 0, "samples at 0, 0.1, ... until pi/4")
    near(fmu.get("u"), 0.6, 1e-15, "what was computed at 0.6 is applied at 0.7")
    near(fmu.get("n"), 1, 0, "z has come to 1 behind that time")
    compare_with_run("whiles", model)


def test_rows_that_wait():
    """Conditions and friction that hold for a while: beside runs, and derivatives where they act."""
    looks = {"rod": (0.5, 2.5), "slider": (0.2, 0.5)}
    for name, text in {**WHILE_ROWS, **(MORE_WHILE_ROWS if LARGE else {})}.items():
        model = model_file(text)
        compare_with_run(name, model)
        compare_derivatives_in_modes(name, made[model], looks.get(name, ()))
    misfit = WHILE_ROWS["latch"].replace("x >= y {", "t >= 0.2 {")
    if LARGE:
        ended(Fmu(exported(model_file(misfit)), "CoSimulation").initialize(), "'bar' begins where its residual is -0.398")
    refused("coord x\nmass 1 at [x, 0, 0]\nconstraint c: x'' = 1 while t >= 1\n", "condition on accelerations 'c'")
    refused("coord x, y\nmass 1 at [x, y, 0]\nconstraint c: x'^2 + y'^2 = 1 while t >= 1\ninitial x' = 1\n",
            "is not linear in the velocities")
    refused("coord x, y\nmass 1 at [x, y, 0]\nconstraint c: x = 0 while t <= 1\nforce lambda.c along y\n",
            "of one that holds for a while")


def test_events_of_the_model():
    texts = {"counted": COUNTED, "blade": BLADE}
    for name, text in {**texts, **({"held": HELD, "integral": INTEGRAL} if LARGE else {})}.items():
        compare_with_run(name, model_file(text))
    compare_with_run("sampled", model_file(SAMPLED))
    for name in ["bang_bang"] + LARGE * ["ratchet", "rimless", "runner", "section", "walker"]:
        compare_with_run(name, gallery("event_" + name))


def test_rows_of_whole_seconds():
    """An event is left by steps of a part of `every`, whatever that and the steps of the host are."""
    for every, h in ((1, 0.05), (1, 1), (3, 0.3), (0.7, 0.3)):
        text = f"coord x\nmass 1 at [x, 0, 0]\nstate n = 0\nevent hit: x = 0.5 {{ set n = n + 1 }}\n" \
               f"initial x = 1, x' = -1\nrun to 3 every {every}\n"
        fmu, t = Fmu(exported(model_file(text)), "CoSimulation").initialize(), 0.0
        while t < 0.9 and not failures:
            fmu.step(t, h)
            t += h
        near(fmu.get("x"), 1 - t, 1e-9, f"x at {t}, every {every}")
        near(fmu.get("n"), 1, 0, f"events up to {t}, every {every}")


def test_event_mode():
    """Model exchange: what an event sets, and that it ends the motion."""
    text = "system s\ncoord x\nstate n = 2\nkinetic x'^2/2\nevent up: x = 1 rising { set n = n + 1, x = -x }\n" \
           "event done: n >= 4 { stop }\ninitial x' = 1\n"
    fmu = Fmu(exported(model_file(text)), "ModelExchange")
    check(fmu.variables["n"].get("variability") == "discrete", "a discrete state is a discrete output")
    fmu.initialize()
    fmu.update()
    fmu.call("EnterContinuousTimeMode")
    at = fmu.indicators[0]
    fmu.set_states(0.9, [0.9, 1.0])
    before = fmu.values([at])[0]
    fmu.set_states(1.0 + 1e-12, [1.0 + 1e-12, 1.0])
    check(before < 0 < fmu.values([at])[0], "the indicator is the event's function")
    fmu.call("EnterEventMode")
    check(fmu.update()[0] and not fmu.ended, "the event sets the state")
    near(fmu.get("x"), -1, 1e-9, "x is set")
    near(fmu.get("n"), 3, 0, "n is set")
    check(not fmu.update()[0], "it fires once")
    fmu.set("n", 7.0, status=3)
    fmu.call("EnterContinuousTimeMode")
    fmu.set_states(3.0 + 1e-12, [1.0 + 1e-12, 1.0])
    fmu.call("EnterEventMode")
    fmu.update()
    near(fmu.get("n"), 4, 0, "n is set again")
    check(fmu.ended, "the second event ends the motion")


def test_sample_mode():
    """Model exchange: the instants of samples are time events, and so is what a delay applies."""
    fmu = Fmu(exported(model_file(SAMPLED)), "ModelExchange").initialize()
    near(fmu.update()[1], 0.0125, 1e-15, "what was computed at t = 0 is applied")
    fmu.call("EnterContinuousTimeMode")
    fmu.set_states(0.0125, [0.2, 1.0, 0.0, 0.0])
    fmu.call("EnterEventMode")
    near(fmu.update()[1], 0.02, 1e-15, "the other sample")
    near(fmu.get("u"), -12 * 0.1, 1e-12, "u by the state of t = 0")
    fmu.call("EnterContinuousTimeMode")
    fmu.set_states(0.02, [0.3, 0.5, 0.0, 0.0])
    fmu.call("EnterEventMode")
    near(fmu.update()[1], 0.05, 1e-15, "the next sample")
    near(fmu.get("w"), 1.6, 1e-12, "w by two sets")


# ---- Inputs, parameters, switches, impulses.

DRIVEN = """system driven
param m = 2
input u, w = 3*t
coord x, y
state s' = u + w
kinetic m*x'^2/2 + m*y'^2/2
force u along x
force w along y
output push = u
"""


def test_inputs():
    path = exported(model_file(DRIVEN))
    fmu = Fmu(path, "CoSimulation").initialize()
    check(fmu.variables["u"].get("causality") == "input", "u is an input")
    fmu.step(0, 1)
    near(fmu.get("x"), 0, 1e-15, "nobody pushes")
    near(fmu.get("y"), 3 / 12, 1e-12, "w follows its formula")
    near(fmu.get("s"), 3 / 2, 1e-12, "the state takes it up")
    fmu.set("u", 4.0)
    fmu.set("w", 0.0)
    near(fmu.get("push"), 4, 0, "the output sees the input")
    fmu.step(1, 2)
    near(fmu.get("x"), 4, 1e-12, "x after 2 s of u = 4")
    near(fmu.get("s"), 3 / 2 + 8, 1e-12, "and the state")
    near(fmu.get("der(y)"), 3 / 4, 1e-12, "y goes on")
    fmu.set("m", 4.0)
    fmu.step(3, 1)
    near(fmu.get("der(x)"), 5, 1e-12, "with another mass")
    me = Fmu(path, "ModelExchange").initialize()
    at = {n: int(v.get("valueReference")) for n, v in me.variables.items()}
    got = me.along([at["der(x,2)"], at["push"]], [at["u"]], [1.0])
    near(got[0], 0.5, 1e-15, "the derivative by the input")
    near(got[1], 1, 0, "the derivative of the output by the input")


# Values that jump at knots, a spline over V t, and noise: steps end where the pieces do.
TABLES = """system tables
param V = 3
input u = table("t.csv", "s", "b", previous, repeat)
input w = random(normal(1, 5), 0.1, 7), z = random(uniform(-1, 5), 0.03, 2)
function road(s) = table("t.csv", "s", "a", cubic, repeat)
coord x, y
mass 2 at [x, y, 0]
potential 3*x^2 + 5*(y - road(V*t))^2
force 40*u + w along x
force z along y
initial x = 0.3
run to 4.87
#= table "t.csv"
#|s,a,b
#|0,1,-2
#|0.3,0.5,1
#|0.35,-1,0.2
#|0.9,0.4,0.3
#|1.4,2,-1
#|2,1,0.6
"""


def test_until():
    """What ends a run ends an FMU."""
    text = "system s\ncoord x\nmass 1 at [x, 0, 0]\ninitial x' = 1\nrun to 2 until x >= 0.7\n"
    fmu = Fmu(exported(model_file(text)), "CoSimulation").initialize()
    near(fmu.step(0, 1.5), 0.7, 1e-12, "the end by until")
    check(fmu.ended, "until ends the motion")


def test_tables():
    compare_with_run("tables", model_file(TABLES), steps=7)
    refused(TABLES.replace("potential", "function h(s) = table(\"t.csv\", previous, hold)\nforce h(x) along y\npotential"),
            "jumps at its knots")


def test_switches():
    """m x'' = -sign(x): parabolas between the switches, with a period of 4 sqrt(2 x0)."""
    text = "system s\ncoord x\nkinetic x'^2/2\nforce -sign(x) along x\ninitial x = 0.5\n"
    fmu = Fmu(exported(model_file(text)), "CoSimulation").initialize()
    fmu.step(0, 4 * 1.0)
    near(fmu.get("x"), 0.5, 1e-10, "x after a period of sign(x)")
    fmu.step(4, 1.5)
    near(fmu.get("x"), -0.375, 1e-10, "x half a second behind the first switch of the next period")


def test_many_switches():
    """Several functions that switch within one step, drawn at random: each at its own time."""
    draw = random.Random(9)
    for i in range(6 if LARGE else 2):
        a, b, c, d = (draw.uniform(-0.1, 0.3) for _ in range(4))
        text = f"""system many
coord x
kinetic x'^2/2
potential x^2 + 60*max(0, x - {a})^2 + 30*max(0, {b} - x)^2
force -{abs(c) + 0.2}*sign(x - {c}) - 0.4*abs(x - {d}) along x
initial x = -0.2, x' = {draw.uniform(0.5, 1)}
run to 2
"""
        compare_with_run(f"many {i}", model_file(text), steps=4)


def test_impulses():
    text = "system s\nparam J = 3\ncoord x\nkinetic x'^2\nimpulse J along x when t = J/6\ninitial x' = 1\n"
    fmu = Fmu(exported(model_file(text)), "CoSimulation").initialize()
    fmu.step(0, 1)
    near(fmu.get("x"), 1 + 0.5 * 1.5, 1e-12, "x behind an impulse")
    near(fmu.get("der(x)"), 2.5, 1e-12, "x' behind an impulse")


# ---- Derivatives, saved states.

def draw_states(fmu, size):
    start = [float(fmu.variables[fmu.names[s]].get("start")) for s in fmu.states]
    return [s + random.uniform(-size, size) for s in start]


def compare_derivatives(name, fmu, t, states):
    still = {"slip." + n[5:] for n in fmu.variables if n.startswith("mode.") and fmu.get(n) == 1}
    unknowns = [u for u in fmu.outputs + fmu.derivatives + fmu.indicators if fmu.names[u] not in still]
    seed = [random.uniform(-1, 1) for _ in states]
    fmu.set_states(t, states)
    exact = fmu.along(unknowns, fmu.states, seed)
    weights = [random.uniform(-1, 1) for _ in unknowns]
    adjoint = fmu.adjoint(unknowns, fmu.states, weights)
    a, b = sum(w * e for w, e in zip(weights, exact)), sum(s * e for s, e in zip(seed, adjoint))
    near(a, b, 1e-10, f"{name}: adjoint")
    h, found = 2e-4, []
    for s in (-2, -1, 1, 2):
        fmu.set_states(t, [y + s * h * d for y, d in zip(states, seed)])
        found.append(fmu.values(unknowns))
    for i, unknown in enumerate(unknowns):
        quotient = (found[0][i] - 8 * found[1][i] + 8 * found[2][i] - found[3][i]) / (12 * h)
        scale = max(abs(f[i]) for f in found)
        near(exact[i], quotient, 1e-7 * (1 + scale), f"{name}: derivative of {fmu.names[unknown]}")


def test_derivatives():
    models = ["hoop", "string_pendulum"]
    for name in models + LARGE * ["fourbar", "second_affine", "bicycle", "strings", "snakeboard", "cylinder", "squeezer"]:
        fmu = Fmu(once(name), "ModelExchange").initialize()
        fmu.update()
        fmu.call("EnterContinuousTimeMode")
        for _ in range(2):
            compare_derivatives(name, fmu, 0.0, draw_states(fmu, 0.02))


def compare_derivatives_in_modes(name, path, times):
    """In modes that a co-simulation has come to, saved and set in another instance."""
    fmu, t = Fmu(path, "CoSimulation").initialize(), 0.0
    for until in times:
        fmu.step(t, until - t)
        t = until
        saved = fmu.saved()
        states = fmu.values(fmu.states)
        fmu.call("EnterEventMode")
        fmu.call("EnterContinuousTimeMode")
        moved = [y + random.uniform(-1e-3, 1e-3) for y in states]
        compare_derivatives(f"{name} at {t}", fmu, t, moved)
        fmu.restore(saved)


def test_derivatives_of_modes():
    models = [("friction_box", (1, 2.5)), ("friction_puck", (0.5, 1.3))]
    more = [("friction_rod", (0.5,)), ("friction_brake", (0.1, 2)), ("friction_rocking", (0.1, 2.9)),
            ("friction_disc", (0.5,)), ("friction_ladder", (0.2,)), ("friction_blocks", (0.1, 1))]
    for name, times in models + LARGE * more:
        compare_derivatives_in_modes(name, once(name), times)


def test_saved_states():
    fmu = Fmu(once("bouncing_ball"), "CoSimulation").initialize()
    fmu.step(0, 1)
    state, again, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    fmu.call("GetFMUState", ctypes.byref(state))
    fmu.call("SerializedFMUStateSize", state, ctypes.byref(size))
    saved = (ctypes.c_uint8 * size.value)()
    fmu.call("SerializeFMUState", state, saved, size)
    fmu.step(1, 1)
    first = fmu.values(fmu.outputs)
    fmu.call("SetFMUState", state)
    near(fmu.get("t"), 1, 0, "the time of a saved state")
    fmu.step(1, 1)
    check(fmu.values(fmu.outputs) == first, "a saved state goes on with other numbers")
    other = Fmu(once("bouncing_ball"), "CoSimulation").initialize()
    other.call("DeserializeFMUState", saved, size, ctypes.byref(again))
    other.call("SetFMUState", again)
    other.step(1, 1)
    check(other.values(other.outputs) == first, "a state from bytes goes on with other numbers")
    saved[3] ^= 1
    other.call("DeserializeFMUState", saved, size, ctypes.byref(again), status=3)
    fmu.call("FreeFMUState", ctypes.byref(state))
    fmu.call("Reset")
    fmu.initialize()
    near(fmu.get("z"), 1, 0, "the start after a reset")


# ---- What is refused.

NINE = """coord z[1..9]
for i in 1..9 {
    mass 1 at [0, 0, z[i]]
    constraint floor[i]: z[i] >= 0
}
gravity [0, 0, -1]
"""
HIGH = NINE + "for i in 1..9 { initial z[i] = 1 }\n"


def refused(text, words, *more):
    path = model_file(text)
    done = zwang("export", path, "--to", "fmu", "--out", os.path.join(work, "no.fmu"), *more)
    check(done.returncode == 2 and words in done.stderr, f"not refused by '{words}': {done.stderr}")
    check(not os.path.exists(os.path.join(work, "no.fmu")), "a refused FMU is written")


def test_refusals():
    with open(gallery("cone_wall")) as file:
        refused(file.read(), "one-sided conditions beside the condition 'cone', which is not linear")
    with open(gallery("sledge")) as file:
        refused(file.read(), "one-sided conditions beside the servo 'draw'")
    refused(NINE, "9 one-sided conditions touch at once, and an FMU takes 8: floor[1], floor[2]")
    refused("coord x\nkinetic (2 + sign(x))*x'^2/2\n", "only forces may switch")
    refused("coord x, u\nmass 1 at [x, 0, 0]\npotential (x - u)^2/2\nfriction f: 1 along u\n", "has no inertia")
    refused("input u\ncoord x, y\nkinetic x'^2/2 + y'^2/2\nconstraint y = u\n", "needs the rate of the input 'u'")
    for text in ("mass 1 at [x + u, 0, 0]\n", "kinetic x'^2/2\nforce u' along x\n",
                 "kinetic x'^2/2\nconstraint x >= u\n", "kinetic x'^2/2\nfriction 1 against x' - u\n",
                 "kinetic x'^2/2\nstate s' = u\ncoord y\nkinetic y'^2/2\nconstraint y = s\n"):
        refused("input u = t\ncoord x\n" + text, "needs the rate of the input 'u'")
    refused("function f(t)\ncoord x\nkinetic x'^2/2\nforce f(t) along x\n", "f")
    plain = "coord x\nkinetic x'^2/2\n"
    refused(plain, "parameters that can be set", "--fixed")
    done = zwang("export", model_file(plain), "--to", "fmu", "--out", "-")
    check(done.returncode == 2 and "an FMU is a file" in done.stderr, done.stderr)
    env = dict(os.environ, CC="/nonexistent/cc", ZWANG_CACHE=work)
    done = subprocess.run([ZWANG, "export", model_file(plain), "--to", "fmu", "--out", os.path.join(work, "n.fmu")],
                          capture_output=True, text=True, env=env)
    check(done.returncode == 3 and "--sources-only" in done.stderr, done.stderr)
    fmu = Fmu(exported(model_file(HIGH)), "CoSimulation").initialize()
    fmu.step(0, 2, status=3)
    check("this FMU takes 8" in fmu.said and "floor[1], floor[2]" in fmu.said, fmu.said)
    fmu = Fmu(once("hoop"), "CoSimulation").initialize()
    fmu.set("x", 1.0, status=3)
    fmu.step(3, 1, status=3)
    check("the state is at t = 0" in fmu.said, fmu.said)


# ---- What must end: singular parameters, numbers that are none, motions that end.

# The mass vanishes where a = 1 - k x does; a spring of such a stiffness that steps are of 1e-8.
SINGULAR = """param k = 0, c = 1
coord x
kinetic (1 - k*x)*x'^2/2
force -c*(c - 1)*x along x
initial x' = 1
"""
# x' = 1/(1 - t).
EXPLODES = "coord x\nkinetic x'^2/2\nforce x'^2 along x\ninitial x' = 1\n"


def ended(fmu, words, t=0.0, length=2.0):
    fmu.step(t, length, status=3)
    check(any(word in fmu.said for word in words), f"none of {words} in: {fmu.said}")


def test_what_has_no_end():
    path = exported(model_file(SINGULAR))
    ended(Fmu(path, "CoSimulation").initialize(k=1.0), ["so short", "no step"])
    ended(Fmu(path, "CoSimulation").initialize(c=1e9), ["so short"])
    fmu = Fmu(path, "CoSimulation").initialize()
    fmu.step(0, 0.9)
    near(fmu.get("x"), 0.9, 1e-12, "a free mass")
    fmu.set("k", 1 / 0.9)  # the mass is 0 here
    ended(fmu, ["not finite", "no step", "so short"], 0.9, 0.1)
    start = Fmu(path, "CoSimulation")
    start.set("k", 1.0)
    start.set("x", 1.0)
    start.call("EnterInitializationMode", False, ctypes.c_double(0), ctypes.c_double(0), False, ctypes.c_double(0))
    start.call("ExitInitializationMode", status=3)
    check("not finite" in start.said, start.said)
    for value in (math.nan, math.inf):
        fmu = Fmu(path, "CoSimulation")
        fmu.set("k", value, status=3)
        check("not finite" in fmu.said, fmu.said)
        fmu.initialize()
        fmu.step(0, value, status=3)
        check("a finite length" in fmu.said, fmu.said)
    fmu = Fmu(exported(model_file(EXPLODES)), "CoSimulation").initialize()
    fmu.step(0, 0.5)
    near(fmu.get("der(x)"), 2, 1e-10, "x' on its way")
    ended(fmu, ["so short", "no step"], 0.5)
    if LARGE:
        ended(Fmu(once("bicycle"), "CoSimulation").initialize(w=0.0), ["so short"], length=0.5)


CALLS = """EnterInitializationMode ExitInitializationMode EnterEventMode EnterStepMode EnterContinuousTimeMode
Terminate GetFloat64 SetFloat64 GetFMUState SetFMUState FreeFMUState SerializedFMUStateSize SerializeFMUState
DeserializeFMUState GetDirectionalDerivative GetAdjointDerivative UpdateDiscreteStates EvaluateDiscreteStates
CompletedIntegratorStep SetTime SetContinuousStates GetContinuousStateDerivatives GetEventIndicators
GetContinuousStates GetNominalsOfContinuousStates GetNumberOfEventIndicators GetNumberOfContinuousStates
GetOutputDerivatives DoStep SetDebugLogging GetInt32 SetBoolean GetClock EnterConfigurationMode""".split()


def misuse(path, kind, seed):
    """Calls in any order, with pointers that are missing and numbers that are none."""
    random.seed(seed)
    fmu = Fmu(path, kind)
    one, many = ctypes.c_size_t(1), (ctypes.c_double * 64)(*[random.choice([0, 1, math.nan, 1e300])] * 64)
    at = (ctypes.c_uint32 * 64)(*[random.randrange(0, 40) for _ in range(64)])
    for _ in range(400):
        name = random.choice(CALLS)
        if name in ("SetFMUState", "SerializeFMUState", "FreeFMUState", "DeserializeFMUState"):
            arguments = [None] * 4  # what is no state of this FMU cannot be told from one
        elif random.random() < 0.3:
            arguments = [None] * 8
        elif "Float64" in name:
            arguments = [at, one, many, one]
        elif "Derivative" in name and "States" not in name and "State" not in name:
            arguments = [at, one, at, one, many, one, many, one]
        elif name == "DoStep":
            flags = [ctypes.byref(ctypes.c_bool()) for _ in range(3)]
            arguments = [ctypes.c_double(0), ctypes.c_double(0.01), True, *flags, ctypes.byref(ctypes.c_double())]
        elif name in ("EnterInitializationMode", "SetTime"):
            time = ctypes.c_double(random.choice([0, math.nan]))
            arguments = [time] if name == "SetTime" else [False, ctypes.c_double(0), time, False, time]
        else:
            arguments = [None] * 8
        fmu.dll["fmi3" + name](fmu.instance, *arguments)
        fmu.dll["fmi3" + name](None, *arguments)
    fmu.dll["fmi3FreeInstance"](fmu.instance)
    fmu.dll["fmi3FreeInstance"](None)


def test_misuse():
    """A host's mistakes end with a status: in a process of its own, which must end well."""
    for name in ["friction_box", "event_bang_bang"]:
        path = once(name)
        for kind in ("CoSimulation", "ModelExchange"):
            child = os.fork()
            if child == 0:
                misuse(path, kind, random.randrange(10**6))
                os._exit(0)
            check(os.waitpid(child, 0)[1] == 0, f"{name}, {kind}: misuse ends the host")


def test_notes():
    """No note names an option that changes nothing here."""
    for name in ("bouncing_ball", "wedge"):
        path = os.path.join(work, "noted.fmu")
        done = zwang("export", gallery(name), "--to", "fmu", "--out", path, "--sources-only")
        check(done.returncode == 0 and "acting" not in done.stderr, done.stderr)


seed = int(os.environ.get("SEED", "7"))
random.seed(seed)
for test in [value for name, value in sorted(globals().items()) if name.startswith("test_")]:
    test()
if failures:
    print(f"{len(failures)} failures with SEED={seed}")
    sys.exit(1)
