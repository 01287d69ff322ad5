"""A chain of N bodies by SymPy's KanesMethod, as bench/chain.c describes it.

    chain_sympy.py KIND N [REPEATS]

KIND is skew, cross or planar. Prints the least processor seconds of a derivation, over so many of
them or those begun within ten seconds (mass matrix and right-hand side; importing and declaring
symbols do not count), and the peak memory in MiB. Frames are nested and velocities are carried from
point to point (v2pt_theory), so that SymPy too keeps vectors in their frames.
"""
import resource
import sys
import time

from sympy import symbols
from sympy.core.cache import clear_cache
from sympy.physics.mechanics import (
    KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia)

AXES = {
    "skew": [(1, 2, 2), (2, -1, 2), (2, 2, 1)],
    "cross": [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "planar": [(0, 0, 1)] * 3,
}


def derive(kind, n):
    q, u = dynamicsymbols(f"q:{n}"), dynamicsymbols(f"u:{n}")
    dq = [angle.diff() for angle in q]
    m, l, h = symbols(f"m:{n}"), symbols(f"l:{n}"), symbols(f"h:{n}")
    a, b, c, g = symbols(f"A:{n}"), symbols(f"B:{n}"), symbols(f"C:{n}"), symbols("g")

    start = time.process_time()
    world = frame = ReferenceFrame("N")
    joint = Point("O")
    joint.set_vel(world, 0)
    bodies, forces = [], []
    for i in range(n):
        x, y, z = AXES[kind][i % 3]
        axis = (x * frame.x + y * frame.y + z * frame.z).normalize()
        link = frame.orientnew(f"F{i}", "Axis", [q[i], axis])
        link.set_ang_vel(frame, u[i] * axis)
        centre = joint.locatenew(f"G{i}", l[i] / 2 * link.x + h[i] * link.y)
        centre.v2pt_theory(joint, world, link)
        moments = inertia(link, a[i], b[i], c[i])
        bodies.append(RigidBody(f"L{i}", centre, link, m[i], (moments, centre)))
        forces.append((centre, -m[i] * g * world.y))
        tip = joint.locatenew(f"J{i}", l[i] * link.x)
        tip.v2pt_theory(joint, world, link)
        frame, joint = link, tip
    kane = KanesMethod(
        world, q_ind=q, u_ind=u, kd_eqs=[rate - speed for rate, speed in zip(dq, u)]
    )
    kane.kanes_equations(bodies, forces)
    system = kane.mass_matrix_full, kane.forcing_full
    return time.process_time() - start, system


def main():
    kind, n = sys.argv[1], int(sys.argv[2])
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    best, total = float("inf"), 0
    while repeats > 0 and total < 10:
        clear_cache()
        seconds, _ = derive(kind, n)
        best, total, repeats = min(best, seconds), total + seconds, repeats - 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{best:.6g} {peak:.6g}")


if __name__ == "__main__":
    main()
