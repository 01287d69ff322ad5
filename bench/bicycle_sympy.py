"""The Whipple bicycle by SymPy: the derivation in SymPy's own published test of KanesMethod.

    bicycle_sympy.py [REPEATS]

Prints the least processor seconds of a derivation, over so many of them or those begun within ten
seconds (from the declaration of symbols to the mass matrix and right-hand side; importing does not
count), and the peak memory in MiB. The test is taken from the installed package and runs unchanged
up to Kane's equations; what follows there, a linearization compared with numbers, is cut off.
"""
import resource
import sys
import time

from sympy.core.cache import clear_cache
from sympy.physics.mechanics import KanesMethod
from sympy.physics.mechanics.tests import test_kane3


class Derived(Exception):
    """The equations are there."""


class UpToTheEquations(KanesMethod):
    def kanes_equations(self, *arguments, **options):
        super().kanes_equations(*arguments, **options)
        raise Derived(self.mass_matrix_full, self.forcing_full)


def derive():
    start = time.process_time()
    try:
        test_kane3.test_bicycle()
    except Derived:
        return time.process_time() - start
    raise RuntimeError("SymPy's test of the bicycle derives no equations here")


def main():
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    test_kane3.KanesMethod = UpToTheEquations
    best, total = float("inf"), 0
    while repeats > 0 and total < 10:
        clear_cache()
        seconds = derive()
        best, total, repeats = min(best, seconds), total + seconds, repeats - 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{best:.6g} {peak:.6g}")


if __name__ == "__main__":
    main()
