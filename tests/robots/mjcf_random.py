"""MJCF files drawn at random, with all kinds of joints, of poses, of masses and with loops: mass matrix,
bias and the rows of the loops beside MuJoCo's."""

import os
import sys
import tempfile

import mujoco
import numpy as np

from library import Refused, System
from mujoco_state import Pair

LIMIT = 1e-12


def numbers(values):
    return " ".join(repr(float(v)) for v in np.atleast_1d(values))


class Drawing:
    def __init__(self, random):
        self.random, self.bodies, self.joints, self.count = random, [], [], 0
        self.degrees, self.euler = random.random() < 0.5, str(random.choice(["xyz", "zyx", "XYZ", "zxz", "ZYX"]))
        self.classes = []

    def angle(self, value):
        return np.degrees(value) if self.degrees else value

    def some(self, *choices):
        return choices[self.random.integers(len(choices))]

    def turn(self):
        r = self.random
        kind = self.some("", "", "quat", "euler", "axisangle", "xyaxes", "zaxis")
        draws = {"quat": lambda: r.normal(size=4), "euler": lambda: self.angle(r.uniform(-2, 2, 3)),
                 "axisangle": lambda: [*r.normal(size=3), self.angle(r.uniform(-2, 2))],
                 "xyaxes": lambda: r.normal(size=6), "zaxis": lambda: r.normal(size=3)}
        return f' {kind}="{numbers(draws[kind]())}"' if kind else ""

    def pose(self):
        return f' pos="{numbers(self.random.normal(size=3) / 2)}"{self.turn()}' if self.random.random() < 0.8 else ""

    def geom(self):
        r = self.random
        kind = self.some("sphere", "capsule", "cylinder", "box", "ellipsoid")
        sizes = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}[kind]
        ends = sizes > 1 and r.random() < 0.4
        size = r.uniform(0.05, 0.3, sizes - 1 if ends else sizes)
        place = f' fromto="{numbers(r.normal(size=6) / 3)}"' if ends else self.pose()
        mass = self.some(f' mass="{r.uniform(0.1, 3)!r}"', f' density="{r.uniform(100, 3000)!r}"', "")
        return f'<geom type="{kind}" size="{numbers(size)}"{place}{mass}/>'

    def inertial(self):
        r = self.random
        a = r.normal(size=(3, 3))
        tensor = a @ a.T + np.eye(3)
        tensor = (np.trace(tensor) * np.eye(3) - tensor) * 0.05
        if r.random() < 0.5:
            entries = f'fullinertia="{numbers([tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]])}"'
            turn = ""
        else:
            b = r.uniform(0.05, 0.2, 3)
            entries, turn = f'diaginertia="{numbers([b[1] + b[2], b[2] + b[0], b[0] + b[1]])}"', self.turn()
        return f'<inertial pos="{numbers(r.normal(size=3) / 4)}"{turn} mass="{r.uniform(0.2, 3)!r}" {entries}/>'

    def joint(self, kind):
        r, name = self.random, f"j{len(self.joints)}"
        self.joints.append((name, kind))
        text = f'<joint name="{name}" type="{kind}" pos="{numbers(r.normal(size=3) / 4)}"'
        if kind in ("hinge", "slide"):
            text += f' axis="{numbers(self.some(np.eye(3)[r.integers(3)], r.normal(size=3)))}"'
            if r.random() < 0.3:
                text += f' ref="{numbers(self.angle(r.normal()) if kind == "hinge" else r.normal())}"'
            if r.random() < 0.3:
                text += f' stiffness="{r.uniform(0, 5)!r}" springref="{numbers(self.angle(r.normal() / 2) if kind == "hinge" else r.normal())}"'
            if r.random() < 0.3:
                text += f' range="{numbers(self.angle(np.array([-5000, 5000])) if self.degrees else [-5000, 5000])}"'
        if r.random() < 0.4:
            text += f' damping="{r.uniform(0, 2)!r}"'
        if r.random() < 0.4:
            text += f' armature="{r.uniform(0, 1)!r}"'
        if self.classes and r.random() < 0.5:
            text += f' class="{self.some(*self.classes)}"'
        return text + "/>"

    def body(self, depth):
        r, name = self.random, f"b{self.count}"
        self.count += 1
        self.bodies.append(name)
        kinds = self.some([], ["hinge"], ["hinge"], ["slide"], ["ball"], ["hinge", "hinge"], ["slide", "slide", "hinge"],
                          ["slide", "ball"], ["free"] if depth == 0 else ["hinge"])
        inside = [f'<joint name="j{len(self.joints)}" type="free"/>'] if kinds == ["free"] else []
        if inside:
            self.joints.append((f"j{len(self.joints)}", "free"))
        else:
            inside += [self.joint(kind) for kind in kinds]
        mass = r.random() < 0.5
        geoms = [self.geom() for _ in range(r.integers(0 if mass else 1, 4))]
        if geoms and r.random() < 0.3:
            geoms[0] = f"<frame{self.pose()}>{geoms[0]}</frame>"
        inside += ([self.inertial()] if mass else []) + geoms
        while self.count < 9 and r.random() < (0.9 if depth < 3 else 0.4):
            inner = self.body(depth + 1)
            inside.append(f"<frame{self.pose()}>{inner}</frame>" if r.random() < 0.15 else inner)
        return f'<body name="{name}"{self.pose()}>{"".join(inside)}</body>'

    def defaults(self):
        r, text = self.random, ""
        if r.random() < 0.5:
            text += f'<joint damping="{r.uniform(0, 1)!r}"/><geom density="{r.uniform(200, 900)!r}"/>'
        if r.random() < 0.5:
            self.classes = ["outer", "inner"]
            text += (f'<default class="outer"><joint armature="{r.uniform(0, 1)!r}"/>'
                     f'<default class="inner"><joint damping="{r.uniform(0, 1)!r}"/></default></default>')
        return f"<default>{text}</default>"

    def loops(self):
        r, text = self.random, ""
        for i in range(r.integers(0, 3)):
            if len(self.bodies) < 2:
                break
            a, b = r.choice(len(self.bodies), 2, replace=False)
            other = f' body2="{self.bodies[b]}"' if r.random() < 0.8 else ""
            text += f'<connect name="loop{i}" body1="{self.bodies[a]}"{other} anchor="{numbers(r.normal(size=3))}"/>'
        single = [name for name, kind in self.joints if kind in ("hinge", "slide")]
        if len(single) > 1 and r.random() < 0.4:
            a, b = r.choice(len(single), 2, replace=False)
            text += f'<joint name="gear" joint1="{single[a]}" joint2="{single[b]}" polycoef="{numbers([0, *r.normal(size=4)])}"/>'
        return f"<equality>{text}</equality>"

    def motors(self):
        text = ""
        for name, kind in self.joints:
            if kind in ("hinge", "slide") and self.random.random() < 0.4:
                word = self.some("motor", "position", "velocity")
                extra = {"motor": "", "position": f' kp="{self.random.uniform(0, 9)!r}" kv="{self.random.uniform(0, 2)!r}"',
                         "velocity": f' kv="{self.random.uniform(0, 2)!r}"'}[word]
                text += f'<{word} name="m_{name}" joint="{name}" gear="{self.random.normal()!r}"{extra}/>'
        return f"<actuator>{text}</actuator>"

    def file(self):
        unit = "degree" if self.degrees else "radian"
        defaults = self.defaults()
        world = "".join(self.body(0) for _ in range(self.random.integers(1, 3)))
        return (f'<mujoco model="drawn"><compiler angle="{unit}" eulerseq="{self.euler}"/>{defaults}'
                f"<worldbody>{world}</worldbody>{self.loops()}{self.motors()}</mujoco>")


def compare(text, library, random):
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.gravity = [0, 0, -9.81]
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    for flag in ("CONTACT", "LIMIT", "FRICTIONLOSS"):
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, "mjDSBL_" + flag))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "robot.xml"), "w") as file:
            file.write(text)
        path = os.path.join(folder, "robot.zw")
        with open(path, "w") as file:
            file.write('system drawn "A robot drawn at random"\nread mjcf "robot.xml" as r\ngravity [0, 0, -9.81]\n')
        system = System(path, library)
    pair = Pair(model, system)
    mass, bias, N, jacobian = pair.compare(random)
    worst = max(mass, bias)
    # Conditions that follow from others are set aside; the sign of a condition is free.
    theirs = pair.data.efc_J.reshape(-1, model.nv)
    places = [f"r.loop{i}.{axis}" for i in range(text.count("<connect")) for axis in "xyz"] + ["r.gear"]
    rows = [i for i, name in enumerate(system.conditions) if name in places]
    for i in rows:
        a, b = jacobian[i] @ N, theirs[places.index(system.conditions[i])]
        worst = max(worst, min(np.abs(a - b).max(), np.abs(a + b).max()) / max(np.abs(theirs).max(), 1))
    system.close()
    return worst, model.nv, len(rows)


def main(library, count):
    seed = int(os.environ.get("ZWANG_TEST_SEED", "1"))
    worst, freedom, conditions, files, left = 0.0, 0, 0, 0, 0
    for i in range(int(count)):
        random = np.random.default_rng([seed, i])
        drawing = Drawing(random)
        text = drawing.file()
        if not drawing.joints:
            continue
        try:
            difference, n, rows = compare(text, library, random)
        except Refused as error:
            # A loop may leave its bodies no freedom, or be singular where the file has it.
            if not any(said in str(error) for said in ("no start was found", "depends on the constraints")):
                sys.exit(f"seed {seed}, file {i}: {error}\n{text}")
            left += 1
            continue
        except Exception as error:
            sys.exit(f"seed {seed}, file {i}: {error}\n{text}")
        if difference > LIMIT:
            sys.exit(f"seed {seed}, file {i}: {difference:.1e} from MuJoCo\n{text}")
        worst, freedom, conditions, files = max(worst, difference), freedom + n, conditions + rows, files + 1
    if left * 10 > files:
        sys.exit(f"{left} of {left + files} files were refused")
    print(f"{files} MJCF files ({left} left: loops without freedom), {freedom} velocities, {conditions} rows of loops: at most {worst:.1e} from MuJoCo")


if __name__ == "__main__":
    main(*sys.argv[1:])
