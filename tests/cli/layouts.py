#!/usr/bin/env python3
"""layouts.py ZWANG MODELS NAME…: what commands print at 60, 80 and 120 columns.

No line is wider than the terminal unless it is one word; no word of the unbroken text is lost;
with --ascii every byte is ASCII; without its escape sequences a text in colour is the same.
"""
import os
import re
import subprocess
import sys
import unicodedata

COMMANDS = ["derive", "derive --form all", "check --only kind,integrals", "at", "at --steps",
            "stability", "run"]
SIGNS = {"+", "−", "-", "=", "·", "*", "≤", "≥", "<=", ">=", "<", ">", "→", "->", "…", "..."}


def ask(program, command, model, *more):
    first, *rest = command.split()
    words = [program, first] + ([model] if model else []) + rest + list(more)
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    environment.pop("COLUMNS", None)
    done = subprocess.run(words, capture_output=True, env=environment, stdin=subprocess.DEVNULL)
    return done.stdout.decode() + done.stderr.decode()


def columns(line):
    return sum(not unicodedata.combining(c) for c in line)


def words_of(text):
    # A caret may be broken in two; the order in a stacked table is another one.
    lines = [line for line in text.split("\n") if not re.fullmatch(r" *[\^~]+", line)]
    return sorted(" ".join(lines).split())


def too_wide(text, width):
    for line in text.split("\n"):
        words = line.split()
        # A sign stays with what follows it.
        whole = [w for w in words if w not in SIGNS]
        if columns(line) > width and len(whole) > 1:
            yield line


def examine(program, command, model, wrong):
    where = f"{command} {os.path.basename(model or '')}"
    whole = ask(program, command, model, "--width", "0")
    wanted = words_of(whole)
    for width in (60, 80, 120):
        text = ask(program, command, model, "--width", str(width))
        for line in too_wide(text, width):
            wrong.append(f"{where}: wider than {width}: {line}")
        given = words_of(text)
        # A table that is stacked repeats its heading: nothing may be missing.
        missing = [w for w in wanted if w not in given] if given != wanted else []
        if missing or (len(given) < len(wanted) and "value" not in wanted):
            wrong.append(f"{where}: at {width} these words are missing: {missing[:5]}")
    plain = ask(program, command, model, "--ascii", "--width", "70")
    if not plain.isascii():
        wrong.append(f"{where}: --ascii prints {set(c for c in plain if ord(c) > 127)}")
    if "?" in plain.replace("?", "", whole.count("?")):
        wrong.append(f"{where}: --ascii has no spelling for something")
    if command in ("derive", "at"):
        text = ask(program, command, model, "--color", "always")
        if re.sub(r"\033\[[0-9;]*m", "", text) != ask(program, command, model):
            wrong.append(f"{where}: colours change the text")


def main():
    program, models, *names = sys.argv[1:]
    wrong, count = [], 0
    for command in [""] + sorted(re.findall(r"^  ([a-z]+) ", ask(program, "--help", None), re.M)):
        for width in (60, 80, 120):
            text = ask(program, f"{command} --help".strip(), None, "--width", str(width))
            wrong += [f"{command} --help: {line}" for line in too_wide(text, width)]
            count += 1
    for name in names or sorted(n[:-3] for n in os.listdir(models) if n.endswith(".zw")):
        for command in COMMANDS:
            examine(program, command, os.path.join(models, name + ".zw"), wrong)
            count += 1
    print("\n".join(wrong[:40]))
    print(f"{count} layouts, {len(wrong)} wrong")
    return 1 if wrong or count < 20 else 0


sys.exit(main())
