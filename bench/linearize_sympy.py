"""The bicycle linearized by SymPy: its own published test of KanesMethod, from the equations on.

    linearize_sympy.py

Prints the processor seconds from the non-linear equations to the numerical state matrices at four
speeds, which the test compares with Meijaard et al. (2007), and the peak memory in MiB. The test is
taken from the installed package and runs unchanged; only the time is taken when Kane's equations
are there.
"""
import importlib
import resource
import time

from sympy.physics.mechanics import KanesMethod
from sympy.physics.mechanics.tests import test_kane3

derived = []


class Watched(KanesMethod):
    def kanes_equations(self, *arguments, **options):
        equations = super().kanes_equations(*arguments, **options)
        derived.append(time.process_time())
        return equations


def main():
    # In some versions the test means the module and gets the function of that name.
    if hasattr(test_kane3, "evalf") and not hasattr(test_kane3.evalf, "N"):
        test_kane3.evalf = importlib.import_module("sympy.core.evalf")
    test_kane3.KanesMethod = Watched
    test_kane3.test_bicycle()
    seconds = time.process_time() - derived[-1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{seconds:.6g} {peak:.6g}")


if __name__ == "__main__":
    main()
