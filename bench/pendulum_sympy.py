"""The planar pendulum of N links by SymPy's KanesMethod: absolute angles, point masses.

    pendulum_sympy.py N [REPEATS]

Prints the least processor seconds of a derivation, over so many of them or those begun within ten
seconds (mass matrix and right-hand side; importing and declaring symbols do not count), and the
peak memory in MiB. Velocities are given in the axes of the inertial frame, as a sum that each link
adds to: of the ways to say this system to KanesMethod, the fastest (v2pt_theory takes 1.5 times as
long).
"""
import resource
import sys
import time

from sympy import cos, sin, symbols
from sympy.core.cache import clear_cache
from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols


def derive(n):
    q, u = dynamicsymbols(f"q:{n}"), dynamicsymbols(f"u:{n}")
    dq = [angle.diff() for angle in q]
    m, length, g = symbols(f"m:{n}"), symbols(f"l:{n}"), symbols("g")

    start = time.process_time()
    inertial = ReferenceFrame("N")
    joint = Point("O")
    joint.set_vel(inertial, 0)
    velocity = 0 * inertial.x
    particles, forces = [], []
    for i in range(n):
        bob = joint.locatenew(
            f"P{i}", length[i] * (sin(q[i]) * inertial.x - cos(q[i]) * inertial.y)
        )
        velocity += length[i] * u[i] * (cos(q[i]) * inertial.x + sin(q[i]) * inertial.y)
        bob.set_vel(inertial, velocity)
        particles.append(Particle(f"Pa{i}", bob, m[i]))
        forces.append((bob, -m[i] * g * inertial.y))
        joint = bob
    kane = KanesMethod(
        inertial, q_ind=q, u_ind=u, kd_eqs=[rate - speed for rate, speed in zip(dq, u)]
    )
    kane.kanes_equations(particles, forces)
    system = kane.mass_matrix_full, kane.forcing_full
    return time.process_time() - start, system


def main():
    n, repeats = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    best, total = float("inf"), 0
    while repeats > 0 and total < 10:
        clear_cache()
        seconds, _ = derive(n)
        best, total, repeats = min(best, seconds), total + seconds, repeats - 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{best:.6g} {peak:.6g}")


if __name__ == "__main__":
    main()
