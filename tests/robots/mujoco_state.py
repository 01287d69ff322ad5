"""A robot's state in MuJoCo and here: coordinates q, and v = N·(MuJoCo's velocities)."""

import re

import mujoco
import numpy as np

HINGE, SLIDE, BALL, FREE = (int(getattr(mujoco.mjtJoint, "mjJNT_" + kind))
                            for kind in ("HINGE", "SLIDE", "BALL", "FREE"))


def spelled(name):
    name = re.sub(r"[^A-Za-z0-9]", "_", name)
    return name if name[0].isalpha() else "n" + name


def product(a, b):
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def matrix(q):
    return np.array([product(product(q, np.array([0, *e])), q * [1, -1, -1, -1])[1:] for e in np.eye(3)]).T


class Pair:
    """Draws states of a MuJoCo model, and says what they are to a System whose part is `part`."""

    def __init__(self, model, system, part="r", names=None):
        self.model, self.system, self.data = model, system, mujoco.MjData(model)
        self.at = {name: i for i, name in enumerate(system.names)}
        self.part, self.names = part, names or {}

    def coordinate(self, joint, member):
        name = mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_JOINT, joint)
        return self.at[f"{self.part}.{self.names.get(name, spelled(name))}.{member}"]

    def draw(self, random, speed=1.0):
        """Sets MuJoCo's state; returns q, v, N and what of q'' is not N·(MuJoCo's accelerations)."""
        m, d, n = self.model, self.data, self.system.count
        q, N, rest = np.zeros(n), np.zeros((n, m.nv)), np.zeros(n)
        for i in range(m.nv):
            d.qvel[i] = speed * random.normal()
        for j in range(m.njnt):
            at, dof, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], int(m.jnt_type[j])
            if kind in (HINGE, SLIDE):
                i = self.coordinate(j, "angle" if kind == HINGE else "distance")
                q[i] = random.normal() * (0.7 if kind == HINGE else 0.2)
                d.qpos[at] = m.qpos0[at] + q[i]
                N[i, dof] = 1
                continue
            e = random.normal(size=4)
            e /= np.linalg.norm(e)
            w = d.qvel[dof:dof + 3]
            if kind == FREE:
                turn, way = matrix(m.qpos0[at + 3:at + 7]), random.normal(size=3)
                d.qpos[at:at + 3] = m.qpos0[at:at + 3] + turn @ way
                d.qpos[at + 3:at + 7] = product(m.qpos0[at + 3:at + 7], e)
                for k in range(3):
                    i = self.coordinate(j, f"distance{k + 1}")
                    q[i] = way[k]
                    N[i, dof:dof + 3] = turn[:, k]
                dof += 3
                w = d.qvel[dof:dof + 3]
            else:
                d.qpos[at:at + 4] = e
            bent = product(e, np.array([0, *w])) / 2
            bent = product(bent, np.array([0, *w])) / 2
            columns = np.array([product(e, np.array([0, *axis])) / 2 for axis in np.eye(3)]).T
            for k in range(4):
                i = self.coordinate(j, f"e{k}")
                q[i], rest[i] = e[k], bent[k]
                N[i, dof:dof + 3] = columns[k]
        mujoco.mj_forward(m, d)
        return q, N @ d.qvel, N, rest

    def inertia(self):
        """Column by column, by MuJoCo's own product: the layout of its matrix changes by version."""
        n = self.model.nv
        whole, unit, column = np.zeros((n, n)), np.eye(n), np.zeros(n)
        for i in range(n):
            mujoco.mj_mulM(self.model, self.data, column, unit[i])
            whole[:, i] = column
        return whole

    def compare(self, random, speed=1.0):
        """The differences of M and bias, each over its largest entry."""
        q, v, N, rest = self.draw(random, speed)
        M, bias, jacobian = self.system.parts(q, v)
        ours, theirs = N.T @ M @ N, self.inertia()
        d = self.data
        expected = d.qfrc_bias - d.qfrc_passive - d.qfrc_actuator
        # Sums of large parts that cancel are as exact as the parts.
        size = max(np.abs(expected).max(), np.abs(N.T @ np.abs(bias)).max())
        got = N.T @ (bias + M @ rest)
        return (np.abs(ours - theirs).max() / np.abs(theirs).max(),
                np.abs(got - expected).max() / max(size, 1e-300), N, jacobian)
