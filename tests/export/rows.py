#!/usr/bin/env python3
"""rows.py PROGRAM ROOT MODEL…|all: the rows of exported code beside those of a run, and inputs.

Each model is exported to C, Python and MATLAB. The examples in the code are run, in Octave where the
language is MATLAB, and their rows must be those of `zwang run` to 1e-7 of the size of each column.
An example that ends early must say why and exit 1, with right rows up to there; what cannot be
followed must be refused. Models that take minutes in a language are left out of it. Exit 1 where
something is wrong.
"""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

program, root, models = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
if models == ["all"]:
    models = sorted(f[:-3] for f in os.listdir(root + "/models") if f.endswith(".zw"))
HUGE = {"field", "field_dual", "field_matter"}  # code of 10,000 lines and more
wrong = []


def call(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


def table(text):
    rows = [row for row in csv.reader(text.splitlines()) if row]
    return (rows[0], [[float(x) for x in row] for row in rows[1:]]) if rows else ([], [])


def difference(run, code):
    """The largest, of all columns that both have; code may have fewer rows."""
    (names, rows), (others, fewer) = run, code
    worst = (0.0, "")
    for name in others:
        if name not in names:
            continue
        i, j = names.index(name), others.index(name)
        size = max(1e-3, max(abs(row[i]) for row in rows))
        for row, other in zip(rows, fewer):
            off = abs(row[i] - other[j]) / size
            if not off <= worst[0]:
                worst = (off, f"{name} at t = {row[0]:g}")
    return worst


def languages():
    """How the example of each is run: NAME.ending → the command."""
    found = {"c": ("c", lambda name: ["./example"])}
    python = subprocess.run([root + "/tools/python_with", "numpy"], capture_output=True, text=True)
    if python.returncode == 0:
        found["python"] = ("py", lambda name: [python.stdout.strip(), "-W", "error", name + ".py"])
    else:
        print("skipped: no Python with NumPy for the rows of exported Python")
    if shutil.which("octave-cli"):
        found["matlab"] = ("m", lambda name: ["octave-cli", "--norc", "--eval",
                                              f"f = {name}(); f.example()"])
    else:
        print("skipped: no Octave for the rows of exported MATLAB")
    return found


def run_example(language, ending, command, model, folder, models=root + "/models", words=()):
    name = model
    code, _, said = call([program, "export", f"{models}/{model}.zw", "--to", language, "--out",
                          f"{name}.{ending}", *words], folder)
    if code == 2 and re.search("which this code cannot follow|'random' draws its numbers", " ".join(said.split())):
        return "refused"
    if code != 0:
        return f"export ends with {code}: {said.strip()[-200:]}"
    if language == "c":
        code, _, said = call(["cc", "-O1", "-DZWANG_MAIN", f"{name}.c", "-lm", "-o", "example"], folder)
        if code != 0:
            return f"cc: {said.strip()[-200:]}"
    return call(command(name), folder)


def judge(model, language, run, example):
    if isinstance(example, str):
        if example != "refused":
            wrong.append(f"{model}, {language}: {example}")
        return example
    code, out, said = example
    rows = table(out)
    off, where = difference(run, rows)
    # Where something switches at the very end, the row behind that is the run's alone.
    times = [row[0] for row in run[1]]
    ended = code == 0 and len(rows[1]) in (len(times), len(times) - times[:-1].count(times[-1]))
    early = code == 1 and rows[1] and ("cannot go on from t" in said or "before t = " in said)
    # Close to where it ends early digits are lost.
    if not (ended or early) or not off <= (1e-7 if ended else 1e-6):
        wrong.append(f"{model}, {language}: exit {code}, {len(rows[1])} of {len(run[1])} rows, off by "
                     f"{off:.1e} ({where}): {said.strip()[-200:]}")
    return f"{off:.1e}" if ended else f"{off:.1e} up to t = {rows[1][-1][0]:g}" if early else "WRONG"


DRIVEN = """system driven
param m = 2, c = 3, k = 50
input F = 4*sin(3*t), w, r = t^2
coord z
kinetic m*z'^2/2
potential k*z^2/2
dissipation c*(z' - r')^2/2
state xi' = F - z
force F + 2*w along z
initial z = 0.1
run to 1 every 0.25
"""
CALLS = """#include "driven.c"
#include <stdio.h>
int main(void)
{
    driven_params p;
    driven_state y = {.by = {0.3, 0.2, -0.7}}, rate;
    driven_inputs u = {.by = {1.5, -0.4}};
    driven_defaults(&p);
    p.c = 5;
    driven_follow(&p);
    driven_derivative(&p, 0.9, &y, &u, &rate);
    printf("%.17g %.17g %.17g\\n", rate.at[0], rate.at[1], rate.at[2]);
}
"""
CALL = """import driven
p = driven.parameters(c=5)
print(driven.INPUTS == ["F", "w"], *driven.derivative(0.9, [0.3, 0.2, -0.7], [1.5, -0.4], p))
"""


def check_inputs(found):
    """What a caller gives as u acts; an input whose rate is needed stays a function of t."""
    truth = [-0.7, 1.5 - 0.3, (1.5 - 0.8 - 5 * (-0.7 - 2 * 0.9) - 50 * 0.3) / 2]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("driven.zw", DRIVEN), ("calls.c", CALLS), ("call.py", CALL)):
            with open(f"{folder}/{name}", "w") as file:
                file.write(text)
        for words in ([], ["--fixed"]):
            call([program, "run", "driven.zw", "--quiet", "--out", "run.csv"], folder)
            with open(folder + "/run.csv") as file:
                run = table(file.read())
            for language, (ending, command) in found.items():
                judge("driven", language, run,
                      run_example(language, ending, command, "driven", folder, folder, words))
            if words:
                continue
            _, said, _ = call(["sh", "-c", "cc calls.c -lm -o calls && ./calls"], folder)
            told = [[float(x) for x in said.split()]]
            if "python" in found:
                _, said, _ = call(found["python"][1]("call"), folder)
                if not said.startswith("True"):
                    wrong.append(f"driven: {said}")
                told.append([float(x) for x in said.split()[1:]])
            for values in told:
                if len(values) != 3 or max(abs(a - b) for a, b in zip(values, truth)) > 1e-13:
                    wrong.append(f"driven: {values}, not {truth}")


def main():
    found = languages()
    check_inputs(found)
    for model in models:
        with tempfile.TemporaryDirectory() as folder:
            call([program, "run", f"{root}/models/{model}.zw", "--quiet", "--out", "run.csv"], folder)
            with open(folder + "/run.csv") as file:
                run = table(file.read())
            told = []
            for language, (ending, command) in found.items():
                if model in HUGE and language != "python":
                    continue
                example = run_example(language, ending, command, model, folder)
                told.append(f"{language} {judge(model, language, run, example)}")
            print(f"{model}: {', '.join(told)}", flush=True)
    for line in wrong:
        print("wrong:", line)
    return 1 if wrong else 0


sys.exit(main())
