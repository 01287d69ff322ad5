"""The shortest way through the package, without pytest: each call once, against closed forms."""

import math

import numpy as np

import zwang as zw

m = zw.Model("param k = 4\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\ninitial x = 1\nrun to 3 every 0.5\n")
assert abs(m.run(k=9)["x"][-1] - math.cos(9)) < 1e-9
assert np.allclose(m.linearize(at={"x": 0}).eigenvalues ** 2, -4)
assert m.check().forms.agree and m.check().forms.proof == "exact"
assert "x″" in str(m.derive("lagrange" if False else "multipliers")) and "$$" in m.derive()._repr_html_()
assert m.follows("x'' = -k*x")[0]
assert np.allclose(m.rates(0, [0.5, 2]), [2, -2]) and np.allclose(m.rates.jacobian(0, [0.5, 2]), [[0, 1], [-4, 0]])
sim = m.simulation()
sim.to(1)
sim.set(k=0)
sim.to(2)  # goes on straight
assert abs(sim["x"] - (math.cos(2) - 2 * math.sin(2))) < 1e-9
t = np.linspace(0, 3, 31)
f = m.fit({"t": t, "x": np.cos(3 * t)}, vary=["k"])
assert abs(f.values["k"] - 9) < 1e-8
assert zw.gallery("robot_arm").run(to=0.1).t[-1] == 0.1  # reads a URDF file
try:
    zw.Model("coord x\nkinetic m*x'^2/2")
except zw.ModelError as error:
    assert (error.line, error.column) == (2, 9)
else:
    raise AssertionError("a wrong model was read")
print(f"zwang {zw.__version__} answers from Python")
