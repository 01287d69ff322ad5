"""The rolling hoop by SymPy's KanesMethod: one form, without any proof.

    hoop_sympy.py [REPEATS]

Prints the least processor seconds of a derivation, over so many of them or those begun within ten
seconds (mass matrix and right-hand side; importing and declaring symbols do not count), and the
peak memory in MiB. The speeds are the angular velocities along the leaning axes, in which SymPy is
fastest; the contact is taken into the velocity of the centre, so that no condition is left.
"""
import resource
import sys
import time

from sympy import symbols
from sympy.core.cache import clear_cache
from sympy.physics.mechanics import (
    KanesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)


def derive():
    q, u = dynamicsymbols("q1:4"), dynamicsymbols("u1:4")
    r, m, g, a, c = symbols("r m g A C")

    start = time.process_time()
    world = ReferenceFrame("N")
    yaw = world.orientnew("Y", "Axis", [q[0], world.z])
    lean = yaw.orientnew("L", "Axis", [q[1], yaw.x])
    wheel = lean.orientnew("R", "Axis", [q[2], lean.y])
    spin = wheel.ang_vel_in(world)
    rates = [spin.dot(axis) - speed for axis, speed in zip(lean, u)]
    wheel.set_ang_vel(world, u[0] * lean.x + u[1] * lean.y + u[2] * lean.z)
    contact = Point("K")
    contact.set_vel(world, 0)
    centre = contact.locatenew("G", r * lean.z)
    centre.v2pt_theory(contact, world, wheel)
    hoop = RigidBody("hoop", centre, wheel, m, (inertia(lean, a, c, a), centre))
    kane = KanesMethod(world, q_ind=q, u_ind=u, kd_eqs=rates)
    kane.kanes_equations([hoop], [(centre, -m * g * world.z)])
    system = kane.mass_matrix, kane.forcing
    return time.process_time() - start, system


def main():
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    best, total = float("inf"), 0
    while repeats > 0 and total < 10:
        clear_cache()
        seconds, _ = derive()
        best, total, repeats = min(best, seconds), total + seconds, repeats - 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{best:.6g} {peak:.6g}")


if __name__ == "__main__":
    main()
