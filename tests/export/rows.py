#!/usr/bin/env python3
"""rows.py PROGRAM ROOT MODEL…|all: the rows of exported code beside those of a run.

Each model is exported to C, Python and MATLAB. The examples in the code are run, in Octave where the
language is MATLAB, and their rows must be those of `zwang run` to 1e-7 of the size of each column.
An example that ends early must say why and exit 1, with right rows up to there; what cannot be
followed must be refused. Models that take minutes in a language are left out of it. Exit 1 where
something is wrong.
"""
import csv
import os
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


def run_example(language, ending, command, model, folder):
    name = model
    code, _, said = call([program, "export", f"{root}/models/{model}.zw", "--to", language, "--out",
                          f"{name}.{ending}"], folder)
    if code == 2 and "which this code cannot follow" in " ".join(said.split()):
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
    ended = code == 0 and len(rows[1]) == len(run[1])
    early = code == 1 and rows[1] and ("cannot go on from t" in said or "before t = " in said)
    # Close to where it ends early digits are lost.
    if not (ended or early) or not off <= (1e-7 if ended else 1e-6):
        wrong.append(f"{model}, {language}: exit {code}, {len(rows[1])} of {len(run[1])} rows, off by "
                     f"{off:.1e} ({where}): {said.strip()[-200:]}")
    return f"{off:.1e}" if ended else f"{off:.1e} up to t = {rows[1][-1][0]:g}" if early else "WRONG"


def main():
    found = languages()
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
