"""Dry friction, servos of high degree and coordinates without inertia against reference values.

    reference_friction.py ZWANG [METHOD …] [--table]

The values are closed forms, quadratures and extrapolations in 20 to 30 digits. Without methods the
default one is run; `--table` prints the worst relative error of every problem and method.
"""
import json
import os
import subprocess
import sys
import tempfile

from friction_variants import VARIANTS

SLOPE = """param m = 1, g = 9.81, alpha = %s, mu = %s, mus = %s
coord s, n
frame F = world rotate -alpha about y
point P = [s, 0, n] in F
mass m at P
gravity [0, 0, -g]
constraint floor: n >= 0 friction mu static mus at P on P
event back: s <= 0 { record }
initial s' = 2
run to %s every 0.1
"""
PUCK = """param g = 9.81, alpha = 0.4, mu = %s
coord x, y, n
frame S = world rotate alpha about y
point P = [x, y, n] in S
mass 1 at P
gravity [0, 0, -g]
constraint plane: n >= 0 friction mu at P on P
initial y' = 3
run to %s every 0.5495623021229194
"""
BELT = """param m = 1, k = 20, V = 0.5, g = 9.81, mu = 0.4, mus = %s
coord x
mass m at [x, 0, 0]
potential k*x^2/2
friction belt: mu*m*g static mus*m*g against x' - V
event top: x' = 0 falling { record }
event bottom: x' = 0 rising { record }
event least: k*x - mu*m*g = 0 falling { record }
initial x' = V
run to 5 every 0.1
"""
BALL = """param m = 1, r = 0.1, I = 2*m*r^2/5, g = 9.81, mu = 0.15
coord x, z, phi
frame F = world rotate phi about y
point G = [x, 0, z]; point K = G - r*world.z
body ball frame F mass m at G inertia [I, I, I]
gravity [0, 0, -g]
constraint lane: K.z >= 0 friction mu at K on ball
initial x' = %s, phi' = %s, z = r
run to 2 every 0.5
"""
BALL_IN_SPACE = """param m = 1, r = 0.1, I = 2*m*r^2/5, g = 9.81, mu = 0.15
coord x, y, z, e0, e1, e2, e3
frame F = world quaternion (e0, e1, e2, e3)
point G = [x, y, z]; point K = G - r*world.z
body ball frame F mass m at G inertia [I, I, I]
gravity [0, 0, -g]
constraint lane: K.z >= 0 friction mu at K on ball
initial x' = 2, y' = 0.5, z = r, e1' = 7.5, e2' = -15, e3' = 20
run to 1.2 every 0.1
"""
WHEEL = """param m = 1, r = 0.3, J = m*r^2/2, g = 9.81, mu = 0.5, alpha = 0.2
coord s, n, phi
frame S = world rotate -alpha about y
frame F = S rotate phi about y
point G = [s, 0, n] in S
point K = G - r*S.z
body wheel frame F mass m at G inertia [J/2, J, J/2]
gravity [0, 0, -g]
constraint slope: n >= r friction mu at K on wheel
event top: s' = 0 falling { record }
event back: s <= 0 { record }
initial n = r, phi' = 40
run to 6 every 0.5
"""
BOX = """param m = 2, w = 0.6, h = 1, g = 9.81, mu = %s, J = m*(w^2 + h^2)/12
coord x, z, theta
frame B = world rotate theta about y
point G = [x, 0, z]
point R = G + [-w/2, 0, -h/2] in B
point Q = G + [w/2, 0, -h/2] in B
point H = G + [-w/2, 0, 0.3] in B
body box frame B mass m at G inertia [J, J, J]
gravity [0, 0, -g]
constraint rear: R.z >= 0 friction mu at R on box
constraint front: Q.z >= 0 friction mu at Q on box
force 3*t*world.x at H on box
initial z = h/2
run to %s every 0.654
"""
LADDER = """param m = 2, l = 2, g = 9.81, J = m*l^2/12, start = 0.9
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point A = G - l/2*B.x
point C = G + l/2*B.x
body ladder frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint side: C.x <= 0 friction 0.3 at C on ladder
constraint ground: A.z >= 0 friction 0.2 at A on ladder
initial theta = start, x = -l/2*cos(start), z = l/2*sin(start)
output turn = theta''
run to 0.62 every 0.01
"""
CORNER = """param m = 1, r = 0.1, J = 0.005, g = 9.81, mu = 0.3
coord x, z, phi
frame F = world rotate phi about y
point G = [x, 0, z]
body roll frame F mass m at G inertia [J, J, J]
gravity [0, 0, -g]
constraint floor: z >= r friction mu at G - r*world.z on roll
constraint wall: x <= -r friction mu at G + r*world.x on roll
initial x = -r, z = r, phi' = 30
output turn = phi''
run to 0.6 every 0.1
"""
BLOCKS = """param m = 1, M = 2, g = 9.81, h = 0.4
coord x, z, X, Z
point P = [x, 0, z]; point Q = [X, 0, Z]
body bottom frame world mass M at Q
mass m at P
gravity [0, 0, -g]
constraint floor: Z >= 0 friction 0.1 at Q on bottom
constraint between: z - Z >= h friction 0.5 at P on P and bottom
initial z = h, x' = 4
run to 2 every 0.5
"""
ROD = """param m = 1, l = 1, mu = %s, J = m*l^2/3, g = 9.81, start = %s
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point C = G - l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 %s friction mu at C on rod
initial theta = start, theta' = %s, z = l*sin(start), x' = %s, z' = %s
run to %s every %s
"""
SPIN = """param m = 1, r = 0.05, I = 2*m*r^2/5, g = 9.81
coord x, z, phi
frame F = world rotate phi about y
point G = [x, 0, z]; point K = G - r*world.z
body ball frame F mass m at G inertia [I, I, I]
gravity [0, 0, -g]
constraint floor: K.z >= 0 restitution 0.8 friction 0.2 at K on ball
initial x' = 2, z = 1 + r, phi' = -60
run to 2.5 every 0.5
"""
KANE = """param d = pi/180
coord a, b
frame A = world rotate -a about y
frame B = world rotate -b about y
point P = -A.z
point Q = P - B.z
body upper frame A mass 1 at -0.5*A.z inertia [0, 1/12, 0]
body lower frame B mass 1 at P - 0.5*B.z inertia [0, 1/12, 0]
gravity [0, 0, -9.81]
constraint floor: Q.z >= -cos(20*d) - cos(30*d) law %s restitution 0.7 friction 0.5 at Q on lower
initial a = 20*d, b = 30*d, a' = -0.1, b' = -0.2
run to 0.001 every 0.001
"""
HINGE = """param m = 1, l = 1, g = 9.81
coord theta
mass m at l*[sin(theta), 0, -cos(theta)]
gravity [0, 0, -g]
friction bearing: 0.7 along theta
initial theta = 1.2
run to 9 every 0.5
"""
TABLE_A = """param g = 9.81, mu = 0.2
coord x, y, z
point P = [x, y, z]
frame T = world rotate 2*t about z
body table frame T
mass 1 at P
gravity [0, 0, -g]
constraint top: z >= 0 friction mu at P on P and table
initial x = 0.3
run to 1 every 0.1
"""
TABLE_B = """param g = 9.81, mu = 0.3
coord x, y, z
point P = [x, y, z]
frame T = world rotate 0.75*t^2 about z
body table frame T
mass 1 at P
gravity [0, 0, -g]
constraint top: z >= 0 friction mu at P on P and table
initial x = 0.5
run to 3 every 0.5
"""
GUIDE_A = """coord x, y
frame R = world rotate 3*t about z
point P = x*R.x + y*R.y
mass 1 at P
body rod frame R
constraint guide: y = 0 friction 0.3 at P on P and rod
initial x = 0.2
run to 1 every 0.5
"""
GUIDE_B = """param mu = 0.3, g = 9.81
coord r, u, w
frame R = world rotate 3*t about z
point P = [r, u, w] in R
mass 1 at P
gravity [0, 0, -g]
constraint a: u = 0
constraint b: w = 0
friction f: mu*sqrt(lambda.a^2 + lambda.b^2) along r
initial r = 1
run to 1 every 0.5
"""
HOOP = """param g = 9.81, mu = 0.2
coord r, theta
point P = r*[sin(theta), 0, -cos(theta)]
mass 1 at P
gravity [0, 0, -g]
constraint hoop: r = 1 friction mu at P on P
event flip: lambda.hoop = 0 { record }
initial r = 1, theta' = 7
run to 0.7 every 0.1
"""
DRUM = """param g = 9.81
coord a, b
mass 1 at [0, 0, -a]
mass 3 at [1, 0, -b]
gravity [0, 0, -g]
constraint rope: a + b = 1.6
force (exp(0.2*pi) - 1)*lambda.rope along b
initial a = 1.2, b = 0.4
output down = b''
run to 0.5 every 0.5
"""
TIPPE = """param R = 0.02, m = 0.02, A = 3e-6, C = 3.2e-6, d = 0.003, g = 9.81, mu = 0.3
param tilt = 0.3, spin = 200
coord x, y, z, q0, q1, q2, q3
frame F = world quaternion (q0, q1, q2, q3)
point G = [x, y, z]
point O = G + d*F.z
point K = O - R*world.z
body top frame F mass m at G inertia [A, A, C]
gravity [0, 0, -g]
speed p = dot(omega(F), F.x)
speed q = dot(omega(F), F.y)
speed r = dot(omega(F), F.z)
constraint floor: K.z >= 0 friction mu at K on top
initial q0 = cos(tilt/2), q1 = 0, q2 = sin(tilt/2), q3 = 0, z = R - d*cos(tilt)
initial p = -spin*sin(tilt), q = 0, r = spin*cos(tilt)
output lean = F.z.z
output turn = omega(F).z
run to 1 every 0.5
"""
CARS = """param m1 = 1, m2 = 2, k = 5, l = 1
coord x1, x2
mass m1 at [x1, 0, 0]
mass m2 at [x2, 0, 0]
potential k/2*(x2 - x1 - l)^2
servo lead: x2 = 1 + t^5 by x1
run to 0.7 every 0.7
"""
CRANE = """param M = 1, m = 100, J = 10, g = 9.81
coord s, l, phi
point C = [s, 0, 0]
point P = C + l*[sin(phi), 0, -cos(phi)]
mass M at C
mass m at P
kinetic J/2*l'^2
gravity [0, 0, -g]
servo across: s + l*sin(phi) = t^5 by s
servo up: -l*cos(phi) = -4 + t^5/2 by l
initial approx l = 4
run to 0.4 every 0.4
"""
MAXWELL = """coord x, u
mass 1 at [x, 0, 0]
potential 2*(x - u)^2
dissipation u'^2
initial x = 1, u = 0
run to 2 every 2
"""
JENKINS = """coord x, u
mass 1 at [x, 0, 0]
potential 5*x^2 + 15*(x - u)^2
friction slider: 2 along u
event turn: x' = 0 { record }
initial x = 1, u = 1 - 2/30
run to 6 every 0.5
"""


class Run:
    """The rows and events of one run."""

    def __init__(self, zwang, model, options):
        with tempfile.TemporaryDirectory() as folder:
            path, events = os.path.join(folder, "m.zw"), os.path.join(folder, "e.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write("system reference\n" + model)
            done = subprocess.run(
                [zwang, "run", path, "--out", "-", "--quiet", "--events", events, *options],
                capture_output=True, text=True, timeout=300, check=False)
            self.code, self.message = done.returncode, done.stderr.strip()
            lines = done.stdout.split()
            names = lines[0].split(",") if lines else []
            self.rows = [dict(zip(names, map(float, line.split(",")))) for line in lines[1:]]
            self.events = []
            if os.path.exists(events):
                with open(events, encoding="utf-8") as file:
                    self.events = [json.loads(line) for line in file if line.strip()]

    def last(self, column):
        return self.rows[-1][column]

    def at(self, t, column):
        return next(row[column] for row in self.rows if abs(row["t"] - t) < 1e-9)

    def event(self, kind, number=0, name=None):
        found = [e for e in self.events
                 if e["kind"] == kind and (name is None or name in (e.get("event"),
                                                                    e.get("constraint")))]
        return found[number]

    def when(self, *which):
        return self.event(*which)["t"]

    def state(self, column, *which):
        event = self.event(*which)
        if column == "t":
            return event["t"]
        if column.endswith("'") and column in event.get("after", {}):
            return event["after"][column]
        return event["state"][column] if "state" in event else event[column]


def events(*checks):
    """(column, kind, number, name, value) each."""
    return [(lambda run, c=column, w=which: run.state(c, *w), value, True)
            for column, *which, value in checks]


def rows(*checks):
    return [(lambda run, c=column: run.last(c), value, False) for column, value in checks]


PROBLEMS = [
    ("1a slope, stays", SLOPE % (0.3, 0.5, 0.5, 3), [],
     events(("t", "stick", 0, None, 0.2636790526891995)) + rows(
         ("s", 0.2636790526891995), ("s'", 0.0)) +
     [(lambda r: 0.5*r.last("lambda.floor") - abs(r.last("friction.floor.x"))/0.9553364891256060,
       1.786872251813356, False)]),
    ("1b slope, comes back", SLOPE % (0.5, 0.3, 0.3, 1), [],
     events(("t", "reverse", 0, None, 0.2745031830476741),
            ("s", "reverse", 0, None, 0.2745031830476741),
            ("t", "event", 0, "back", 0.7833367964932969),
            ("s'", "event", 0, "back", -1.078950665970534))),
    ("1c slope, static", SLOPE % (0.5, 0.4, 0.6, 3), [],
     events(("t", "stick", 0, None, 0.2454952087483581)) + rows(
         ("s", 0.2454952087483581), ("s'", 0.0))),
    ("2a puck across", PUCK % (0.6, 1.1), [],
     events(("t", "stick", 0, None, 1.099124604245839)) + rows(
         ("x", 0.5808780365292580), ("y", 0.9476906413231375), ("x'", 0.0)) +
     [(lambda r: r.rows[1]["x'"], 0.8046653255958737, False),
      (lambda r: r.rows[1]["y'"], 0.4722084392963989, False)]),
    ("2b puck for ever", PUCK % ("tan(0.4)", 8), [], rows(("x'", 1.5))),
    ("3a belt", BELT % 0.6, [],
     events(("t", "slip", 0, None, 0.5886), ("x", "slip", 0, None, 0.2943),
            ("x", "stick", 0, None, 0.0981), ("x", "event", 0, "top", 0.3449400752991607),
            ("x", "event", 0, "bottom", 0.04745992470083928),
            ("x'", "event", 0, "least", -0.6651858386947215)) +
     [(lambda r: r.when("stick", 0) - r.when("slip", 0), 1.082876868843478, True),
      (lambda r: r.when("slip", 1) - r.when("stick", 0), 0.3924, True)]),
    ("3b belt that grazes", BELT % 0.4, [],
     events(("t", "slip", 0, None, 0.3924), ("x", "event", 0, "top", 0.3080033988749895)) +
     [(lambda r: r.when("event", 1, "top") - r.when("event", 0, "top"), 1.404962946208145, True)]),
    ("4a skid", BALL % (7, 0), [],
     events(("t", "stick", 0, None, 1.359157322460075), ("x", "stick", 0, None, 8.154943934760449))
     + rows(("x'", 5.0), ("phi'", 50.0))),
    ("4b back spin", BALL % (3, -20), [],
     events(("t", "stick", 0, None, 0.9708266589000534),
            ("x", "stick", 0, None, 2.219032363200122)) +
     rows(("x'", 1.571428571428571), ("phi'", 15.71428571428571))),
    ("4c skid in space", BALL_IN_SPACE, [],
     events(("t", "stick", 0, None, 1.045612311467308), ("x", "stick", 0, None, 1.344358686172253),
            ("y", "stick", 0, None, 0.2240597810287089)) +
     rows(("x'", 0.5714285714285714), ("y'", -0.07142857142857143))),
    ("5 wheel on a slope", WHEEL, [],
     events(("t", "stick", 0, None, 0.9620986405552303),
            ("s'", "stick", 0, None, 2.749947715270235),
            ("s", "stick", 0, None, 1.322860479229727), ("t", "event", 0, "top", 3.078586879310302),
            ("s", "event", 0, "top", 4.232976477510144),
            ("t", "event", 0, "back", 5.631192003893017),
            ("s'", "event", 0, "back", -3.316593261327192))),
    ("6a box slides", BOX % (0.3, 3.3), [],
     events(("t", "slip", 0, "rear", 1.962), ("t", "release", 0, "rear", 3.27),
            ("x'", "release", 0, "rear", 1.283148), ("x", "release", 0, "rear", 0.559452528)) +
     [(lambda r: r.at(2.616, "lambda.front"), 18.639, False),
      (lambda r: r.at(2.616, "lambda.rear"), 0.981, False)]),
    ("6b box tips", BOX % (0.5, 2.5), [], events(("t", "release", 0, "rear", 2.4525))),
    ("7 ladder", LADDER, [],
     events(("t", "release", 0, "side", 0.6049518150007171),
            ("theta", "release", 0, "side", 0.4476912927987422),
            ("theta'", "release", 0, "side", -1.896277027409066)) +
     [(lambda r: r.rows[0]["turn"], -1.911486860546202, False),
      (lambda r: r.rows[0]["lambda.ground"], 15.42000940506891, False),
      (lambda r: r.rows[0]["lambda.side"], 6.078640071544177, False)]),
    ("8 cylinder in a corner", CORNER, [],
     events(("t", "stick", 0, "floor", 0.4273504273504274)) + rows(("phi", 6.410256410256410)) +
     [(lambda r: r.rows[0]["lambda.floor"], 9.0, False),
      (lambda r: r.rows[0]["lambda.wall"], 2.7, False),
      (lambda r: r.rows[0]["turn"], -70.2, False)]),
    ("9 two blocks", BLOCKS, [],
     events(("t", "stick", 0, "between", 0.6795786612300374),
            ("x'", "stick", 0, "between", 0.6666666666666667),
            ("x", "stick", 0, "between", 1.585683542870087),
            ("X", "stick", 0, "between", 0.2265262204100125),
            ("t", "stick", 0, "floor", 1.359157322460075)) +
     rows(("X", 0.4530524408200249), ("x", 1.812209763280100))),
    ("10 state 3", ROD % (1.6, "atan(2)", "", 0, 1, 0, 1e-6, 1e-6), [],
     [(lambda r: r.rows[0]["lambda.floor"], 2.786931818181818, False)]),
    ("10 state 4", ROD % (1.6, 0.6, "", 0, -1, 0, 1e-6, 1e-6), [],
     [(lambda r: r.rows[0]["lambda.floor"], 12.16151646202569, False)]),
    ("10 without collision, e = 0", ROD % (1.6, "atan(2)", "restitution 0", 0, -1, 0, 1e-6, 1e-6),
     ["--paradox", "impact"],
     [(lambda r: r.event("percussion")["energy_lost"], 0.2, False)]),
    ("10 without collision, e = 0.5",
     ROD % (1.6, "atan(2)", "restitution 0.5", 0, -1, 0, 1e-6, 1e-6), ["--paradox", "impact"],
     [(lambda r: r.event("percussion")["energy_lost"], 0.1867647058823529, False)]),
    ("11 ball with spin", SPIN, [],
     [(lambda r, i=i, c=c: r.state(c, "impact", i), v, True)
      for i, values in enumerate(
          [(0.4515236409857309, 0.9030472819714618), (1.173961466562900, 1.315868896586987),
           (1.751911727024636, 1.646126188279408), (2.214271935394024, 1.910332021633344)])
      for c, v in (("t", values[0]), ("x'", 0.5714285714285714), ("phi'", 11.42857142857143))] +
     [(lambda r: r.last("x'"), 0.5714285714285714, False)]),
    ("12a rod strikes, poisson",
     ROD % (0.5, "pi/4", "restitution 0.9", 0, 0.5, -1, 1e-6, 1e-6), [],
     [(lambda r: r.event("impact")["energy_lost"], 0.09932197672457413, False)]),
    ("12b rod strikes, poisson",
     ROD % (0.5, "pi/4", "restitution 0.9", 0, -1.5, -1, 1e-6, 1e-6), [],
     [(lambda r: r.event("impact")["energy_lost"], 0.9422448979591837, False)]),
    ("12b rod strikes, newton",
     ROD % (0.5, "pi/4", "law newton restitution 0.9", 0, -1.5, -1, 1e-6, 1e-6), [],
     [(lambda r: r.event("impact")["energy_lost"], 0.9422448979591837, False)]),
    ("12c Kane, poisson", KANE % "poisson", [],
     [(lambda r: r.event("impact")["energy_lost"], 0.009929221380819938, False),
      (lambda r: r.event("impact")["after"]["a'"], -0.2028542791399225, False),
      (lambda r: r.event("impact")["after"]["b'"], 0.2310362602860256, False)]),
    ("13 hinge", HINGE, [],
     [(lambda r, i=i: [e for e in r.events if e["kind"] in ("reverse", "stick")][i]["t"], v, True)
      for i, v in enumerate([1.088836135885260, 2.152187241606597, 3.196194276203265,
                             4.225575508739458, 5.244155952066406, 6.255187866201923,
                             7.261562512553928, 8.265963367457425])] +
     rows(("theta", -0.03443448159107429), ("theta'", 0.0))),
    ("14a turntable", TABLE_A, [],
     events(("t", "stick", 0, None, 0.3654858327618369), ("x", "stick", 0, None, 0.2799870466187192),
            ("y", "stick", 0, None, 0.1242805994369783))),
    ("14b turntable that speeds up", TABLE_B, [],
     events(("t", "slip", 0, None, 1.590480041404026)) +
     rows(("x", 0.3072205831062773), ("y", -1.581399038700122), ("x'", 2.237481379615188),
          ("y'", -1.405183779652566))),
    ("15a bead on a rod", GUIDE_A, [], rows(("x", 1.200987478962476), ("x'", 2.672796281132848))),
    ("15b bead across gravity", GUIDE_B, [],
     rows(("r", 5.226876124485517), ("r'", 11.52632973633858))),
    ("15c bead on a hoop", HOOP, [],
     events(("t", "event", 0, "flip", 0.4403368447341438),
            ("theta", "event", 0, "flip", 1.821926297307891),
            ("t", "reverse", 0, None, 0.6006582321948679),
            ("theta", "reverse", 0, None, 1.947785663672293))),
    ("15d rope over a drum", DRUM, [],
     rows(("down", 2.265193404636353)) +
     [(lambda r: abs(r.last("lambda.rope")), 12.07519340463635, False)]),
    ("16 tippe top", TIPPE, [],
     rows(("lean", -0.5684832494541736), ("r", -90.06152878993866), ("turn", 163.7750604718339),
          ("x'", -0.01105276182330788), ("y'", 0.002142010502381855)) +
     [(lambda r: r.at(0.5, "lean"), 0.4591736744863718, False)]),
    ("17a two cars", CARS, [],
     rows(("x1", 2.91207), ("x1'", 12.9605), ("lambda.lead", 54.18))),
    ("17b crane", CRANE, [],
     rows(("s", 0.4995650143540670), ("l", 4.024736660214257), ("phi", -0.1218809185391486),
          ("lambda.across", 143.1521538633404), ("lambda.up", -1013.242094513676))),
    ("18a damper without inertia", MAXWELL, [],
     rows(("x", -0.1531227684140493), ("x'", 0.09905975948382963), ("u", -0.04952987974191481)) +
     [(lambda r: r.rows[0]["u'"], 2.0, False)]),
    ("18b Jenkins", JENKINS, [],
     events(("t", "event", 0, "turn", 0.9455345970262102),
            ("x", "event", 0, "turn", -0.6326663997864531),
            ("t", "event", 1, "turn", 1.840084814424549),
            ("x", "event", 1, "turn", 0.2904421952050050),
            ("t", "event", 2, "turn", 2.544061049338683),
            ("x", "event", 2, "turn", -0.04801839449289554))),
]



def asked(what):
    """What a variant asks for, as a function of the run."""
    if what[0] == "event":
        return lambda run: run.state(*what[1:])
    if what[0] == "lost":
        return lambda run: next(e["energy_lost"] for e in run.events
                                if e["kind"] in ("impact", "percussion"))
    return lambda run: run.rows[0 if what[0] == "first" else -1][what[1]]


PROBLEMS += [(name, model, options,
              [(asked(what), value, what[0] == "event") for what, value in checks])
             for name, model, options, checks in VARIANTS]

# What a method promises of values of size 1 in these problems.
WITHIN = {"auto": 1e-9, "taylor": 1e-9, "erk": 1e-8, "adams": 1e-6, "bdf": 1e-5,
          "timestepping": 2e-2}


# What a method ends with an error, by name.
LEFT_OUT = {("2a puck across", "bdf"), ("15b bead across gravity", "bdf")}


def worst(run, checks, fixed):
    """The largest error over max(1, |value|); steps of fixed length have no events of friction."""
    most = 0.0
    for check, value, is_event in checks:
        if fixed and is_event:
            continue
        most = max(most, abs(check(run) - value) / max(1.0, abs(value)))
    return most


def main(arguments):
    zwang, table = arguments[0], "--table" in arguments
    methods = [a for a in arguments[1:] if a != "--table"] or ["auto"]
    failures = 0
    for name, model, options, checks in PROBLEMS:
        told = []
        for method in methods:
            if (name, method) in LEFT_OUT and not table:
                continue
            fixed = method == "timestepping"
            text = model
            if fixed:
                text = "\n".join(l for l in model.split("\n") if not l.startswith("event"))
            extra = [] if method == "auto" else ["--method", method]
            run = None
            try:
                run = Run(zwang, text, options + extra)
                error = worst(run, checks, fixed) if run.code == 0 else None
                message = run.message
            except (StopIteration, IndexError, KeyError, subprocess.TimeoutExpired) as wrong:
                error, message = None, f"{type(wrong).__name__} {wrong}"
            good = error is not None and error <= WITHIN[method]
            told.append(f"{error:.0e}" if error is not None else "exit %d" % run.code if run else "too long")
            if not good and not table:
                print(f"{name} by {method}: {told[-1]} {message[-300:]}")
            elif error is None:
                told[-1] += " (" + " ".join(message.split())[:150] + ")"
            failures += not good
        if table:
            print(f"{name:32} " + "  ".join(f"{m} {t}" for m, t in zip(methods, told)), flush=True)
    return 1 if failures and not table else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
