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
    model, (size, n, m) = f"model_{words[0]}", map(int, words[1:4])
    t, values = float(words[4]), np.array(words[5:], dtype=float)
    y, rate, jacobian, a, l = np.split(values, np.cumsum([size, size, size * size, n]))
    module = importlib.import_module(model)
    p = module.parameters()
    compare(model, "derivative", module.derivative(t, y, p), rate, 1e-13)
    compare(model, "jacobian", module.jacobian(t, y, p), jacobian.reshape(size, size), 1e-12)
    found = module.motion(t, y, p)
    compare(model, "acceleration", found[1], a, 1e-12)
    if m:
        compare(model, "multiplier", np.append(found[2], a), np.append(l, a), 1e-10)
    module.quantities(t, y, p)
    count += 1
print(f"{count} modules")
if count < 25:
    sys.exit("too few modules were compared")
