#!/usr/bin/env python3
"""first_release.py PROGRAM [all]: the gallery of version 0.1 gives the motions that 0.1 gave.

first_release.txt has its models and the last rows of their runs, computed by that version. Each is
run, but without `all` those that take long are left out, and every column of the last row is
compared.
"""
import csv
import math
import os
import subprocess
import sys
import tempfile

# Both runs keep tolerances of 1e-10 and less in each step; the farthest apart that was seen is 3e-10.
WITHIN = 2e-9


def models(path):
    found = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "model":
                found.append({"name": rest.split()[0], "slow": rest.endswith(" slow"), "text": ""})
            elif word == "columns":
                found[-1]["columns"] = rest.split(";")
            elif word == "last":
                found[-1]["last"] = [float(value) for value in rest.split(";")]
            elif word == "":
                found[-1]["text"] += line[4:]
    return found


def last_row(program, model, folder):
    text, rows = os.path.join(folder, model["name"] + ".zw"), os.path.join(folder, "rows.csv")
    with open(text, "w", encoding="utf-8") as file:
        file.write(model["text"])
    command = [program, "run", text, "--engine", "interpret", "--out", rows, "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"exit {done.returncode}: {done.stderr}")
    with open(rows, encoding="utf-8") as file:
        table = list(csv.reader(file))
    return dict(zip(table[0], map(float, table[-1])))


def compare(model, row):
    worst = 0.0
    for name, value in zip(model["columns"], model["last"]):
        if name not in row:
            raise ValueError(f"there is no column '{name}'")
        both_nan = math.isnan(value) and math.isnan(row[name])
        apart = 0 if both_nan else abs(row[name] - value) / max(1, abs(value))
        if not apart <= WITHIN:
            raise ValueError(f"{name} is {row[name]!r} and was {value!r}")
        worst = max(worst, apart)
    return worst


def main():
    program, whole = os.path.abspath(sys.argv[1]), sys.argv[2:] == ["all"]
    known = models(os.path.join(os.path.dirname(os.path.abspath(__file__)), "first_release.txt"))
    assert len(known) > 50 and all(len(model["columns"]) == len(model["last"]) for model in known)
    failed, tried, worst = 0, 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for model in known:
            if model["slow"] and not whole:
                continue
            tried += 1
            try:
                worst = max(worst, compare(model, last_row(program, model, folder)))
            except ValueError as why:
                failed += 1
                print(f"{model['name']}: {why}")
    print(f"{tried} of {len(known)} models of 0.1: {tried - failed} as they were, within {worst:.1e}")
    sys.exit(failed > 0)


main()
