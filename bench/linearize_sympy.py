"""The bicycle linearized by SymPy: the model of its own published test of KanesMethod.

    linearize_sympy.py

Prints the processor seconds that KanesMethod.linearize takes once Kane's equations are there, and
the peak memory in MiB. What comes after it in the test (numbers, the inverse of the mass matrix,
eigenvalues) is left out: not every version gets through that.
"""
import importlib
import resource
import time

from sympy.physics.mechanics import KanesMethod
from sympy.physics.mechanics.tests import test_kane3


class Watched(KanesMethod):
    def linearize(self, *arguments, **options):
        start = time.process_time()
        super().linearize(*arguments, **options)
        seconds = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{seconds:.6g} {peak:.6g}")
        raise SystemExit


def main():
    # In some versions the test means the module and gets the function of that name.
    if hasattr(test_kane3, "evalf") and not hasattr(test_kane3.evalf, "N"):
        test_kane3.evalf = importlib.import_module("sympy.core.evalf")
    test_kane3.KanesMethod = Watched
    test_kane3.test_bicycle()


if __name__ == "__main__":
    main()
