"""The rolling hoop by SciPy's DOP853, with equations from SymPy's KanesMethod and lambdify.

    hoop_scipy.py REPEATS TOLERANCE…

Prints a line a tolerance: name, tolerance, the least processor seconds of an integration over so
many of them (deriving and lambdifying do not count), steps, and x y θ ψ φ θ′ ψ′ φ′ at t = 100. The
accelerations are solved for by SymPy and lambdified into plain floats with common subexpressions
shared: of the ways to say this system to SciPy, the fastest (arrays and a numerical solve take
three times as long).
"""
import sys
import time

from scipy.integrate import solve_ivp
from sympy import Rational, cos, lambdify, sin
from sympy.physics.mechanics import (KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols,
                                     inertia)

END = 100


def derive():
    yaw, lean, spin = dynamicsymbols("theta psi phi")
    u = dynamicsymbols("u:3")
    m, r, g = 2, Rational(35, 100), Rational(981, 100)
    A, C = m * r**2 / 2, m * r**2
    N, Y, L, B = (ReferenceFrame(name) for name in "NYLB")
    Y.orient_axis(N, yaw, N.z)
    L.orient_axis(Y, -lean, Y.x)
    B.orient_axis(L, spin, L.y)
    L.set_ang_vel(N, u[0] * Y.z - u[1] * Y.x)
    B.set_ang_vel(N, u[0] * Y.z - u[1] * Y.x + u[2] * L.y)
    G = Point("G")
    G.set_vel(N, B.ang_vel_in(N).cross(r * L.z))
    hoop = RigidBody("hoop", G, B, m, (inertia(L, A, C, A), G))
    kinematics = [yaw.diff() - u[0], lean.diff() - u[1], spin.diff() - u[2]]
    kane = KanesMethod(N, q_ind=[yaw, lean, spin], u_ind=u, kd_eqs=kinematics)
    kane.kanes_equations([hoop], [(G, -m * g * N.z)])
    rates = kane.mass_matrix.LUsolve(kane.forcing).applyfunc(lambda e: e.simplify())
    path = [r * u[2] * cos(yaw), r * u[2] * sin(yaw)]
    return lambdify([yaw, lean, spin, *u], [*path, *u, *rates], modules="math", cse=True)


def main():
    repeats, tolerances = int(sys.argv[1]), [float(word) for word in sys.argv[2:]]
    rate = derive()
    for tolerance in tolerances:
        least = float("inf")
        for _ in range(repeats):
            start = time.process_time()
            motion = solve_ivp(lambda t, y: rate(*y[2:]), (0, END), [0, 0, 0, 0.2, 0, 0.3, 0, 6],
                               method="DOP853", rtol=tolerance, atol=tolerance, t_eval=[END])
            least = min(least, time.process_time() - start)
        print("scipy", tolerance, least, motion.nfev // 12,
              *(f"{value[-1]:.17g}" for value in motion.y), flush=True)


main()
