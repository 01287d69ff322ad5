# compare.py: exported Python modules against the values that exported C has given (values.txt).
import importlib
import sys

import numpy as np

sys.path.insert(0, ".")
count = 0


def compare(model, what, found, expected, within):
    size = np.max(np.abs(expected), initial=1e-300)
    if not np.all(np.abs(found - expected) <= within * size):
        sys.exit(f"{model}: {what} is {found}, not {expected}")


with open("values.txt") as file:
    lines = file.readlines()
for line in lines:
    words = line.split()
    model, (size, n, m, drifts, sides) = f"model_{words[0]}", map(int, words[1:6])
    t, values = float(words[6]), np.array(words[7:], dtype=float)
    parts = np.split(values, np.cumsum([size, size, size * size, n, m, drifts]))
    y, rate, jacobian, a, l, miss, side = parts
    module = importlib.import_module(model)
    p = module.parameters()
    compare(model, "derivative", module.derivative(t, y, p), rate, 1e-14)
    compare(model, "jacobian", module.jacobian(t, y, p), jacobian.reshape(size, size), 1e-12)
    found = module.motion(t, y, p)
    compare(model, "acceleration", found[1], a, 1e-12)
    if m:
        compare(model, "multiplier", np.append(found[2], a), np.append(l, a), 1e-10)
    if drifts:
        compare(model, "drift", np.append(module.drift(t, y, p)[0], 1), np.append(miss, 1), 1e-14)
        onto = module.project(t, y, p)
        left = np.append(module.drift(t, onto, p)[0], 1)
        compare(model, "projection", left, np.append(0 * miss, 1), 1e-13)
    if sides:
        found = module.sides(t, y, p)
        compare(model, "side", np.stack(found[:3], axis=1), side.reshape(sides, 3), 1e-13)
        phi = found[3].dot(np.linalg.solve(found[-1], found[-2].T)[: found[3].shape[1]])
        compare(model, "Phi", phi, phi.T, 1e-12)
    module.quantities(t, y, p)
    count += 1
print(f"{count} modules")
if count < int(sys.argv[1]):
    sys.exit("too few modules were compared")
