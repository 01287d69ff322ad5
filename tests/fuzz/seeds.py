#!/usr/bin/env python3
"""seeds.py TARGET FOLDER: writes the seeds of tests/fuzz/fuzz_TARGET.c into FOLDER.
seeds.py --choose TARGET PROGRAM: chooses those of TARGET.seeds anew.

They are made of texts that are there anyway: the gallery, the models of the manual, those that the tests
write, and what an earlier run has found (tests/fuzz/corpus, tests/fuzz/models). Where a seed takes
long, as questions do, those that reach most are kept in TARGET.seeds: a line "== " with the bytes that choose
the question and its options, in hexadecimal, and the model. PROGRAM is the target without sanitizers,
build-edges/fuzz_TARGET: each text is tried with some of these bytes, and the fewest that reach
what all of them do, but for a few edges each, are written.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests" / "fuzz"
MOST_TEXT = 1400  # a little less than questions.h takes


def without_comments(text):
    lines = (re.sub(r"\s*#.*", "", line) for line in text.splitlines())
    return "\n".join(line for line in lines if line.strip()) + "\n"


def gallery():
    return [without_comments(path.read_text()) for path in sorted((ROOT / "models").glob("*.zw"))]


def small():
    paths = sorted((HERE / "models").glob("*.zw")) + sorted((HERE / "corpus").glob("*.zw"))
    return [path.read_bytes().decode(errors="surrogateescape") for path in paths]


def manual():
    """The models of the manual: blocks that have file=NAME.zw."""
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        found += re.findall(r"^```\S* file=\S+\.zw\n(.*?)^```", page.read_text(), re.M | re.S)
    return [without_comments(text) for text in found]


WORDS = re.compile(r"^\s*(coord|param|mass|constraint|force|kinetic|lagrangian|frame|body|point|part|for|include)\b", re.M)


ROBOTS = re.compile(r"<(robot|mujoco)\b")


def written_in_tests(*folders, words=WORDS):
    """What the tests write as models: texts of C in one piece that have a statement."""
    found = []
    literal = r'"(?:[^"\\\n]|\\.)*"'
    for folder in folders:
        for path in sorted((ROOT / "tests" / folder).glob("*.c")):
            for piece in re.findall(rf"{literal}(?:\s+{literal})*", path.read_text()):
                parts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', piece)
                text = "".join(parts).encode().decode("unicode_escape").encode("latin-1")
                text = text.decode(errors="surrogateescape")
                if words.search(text):
                    found.append(text)
    return found


def texts(*folders):
    """All of them, each once, the shortest first."""
    pool = set(gallery() + small() + manual() + written_in_tests(*folders))
    return sorted(pool, key=lambda text: (len(text), text))


def byte(text, salt):
    return zlib.crc32(f"{salt}:{text}".encode(errors="surrogateescape")) & 0xFF


def encode(text):
    return text.encode(errors="surrogateescape")


def plain():
    for text in texts("text", "model", "expr", "cli", "api", "simulate"):
        yield encode(text)


def include():
    yield from (path.read_bytes() for path in sorted((HERE / "include").iterdir()))
    yield from plain()


def answers():
    for index, text in enumerate(texts("simulate", "api", "forms")):
        if len(encode(text)) <= MOST_TEXT:
            for again in range(REPEATS):
                question = (index + 2 * again) % 5 + 5 * (byte(text, again) % 8 if again else 0)
                yield bytes([question, byte(text, f"choice {again}")]) + encode(text)


def calls():
    for index, text in enumerate(texts("simulate", "api")):
        if len(encode(text)) <= MOST_TEXT:
            # Questions, then a system or a simulation.
            head = [8 * (index % 5), byte(text, 1), (2, 3)[index % 2], byte(text, 2), 3, byte(text, 3)]
            head += [4, byte(text, 4), 4, (0, 1, 17, 2, 3)[index % 5], 4, byte(text, 5)]
            yield bytes(head) + encode(text)


def robots():
    yield from (path.read_bytes() for path in sorted((HERE / "robots").iterdir()))
    yield from (path.read_bytes() for path in sorted((ROOT / "models").glob("robot_*")) if path.suffix != ".zw")
    yield from (encode(text) for text in written_in_tests("robots", "api", words=ROBOTS))


def saved():
    states = ["t 1.25\nlength 1\nto 10\nq 0.5\nv -2\n", "t 0\nlength 1\nto 10\nq 1 0\nv 0 1\n", "set m=2.5\nt 1\nlength 2\nto 10\nq 0.1\nv 0\n",
              "set mode=2\nt 1\nlength 2\nto 10\nq 0.1\nv 0\n", "t 1\nlength 1\nto 10\nq 3 4\nv 0 1\n", "t -1\nlength x\nto 10\nq\nv\n", ""]
    for which in range(4):
        for index, state in enumerate(states):
            yield bytes([3 + 4 * which + 16 * (index % 2)]) + state.encode()
    # Behind a right checksum: what is missing in the head, one after the other, and parameters.
    heads = ["", "zwang simulation 2\n", "zwang simulation 1\n", "zwang simulation 1\nversion 0.1.0\nmodel 0\n",
             "zwang simulation 1\nversion 1.0.0\n", "zwang simulation 1\nversion 1.0.0\nmodel 0\n"]
    for head in heads:
        yield b"\x01" + head.encode()
    for setting in ["=2", "m", "m=x", f"{'n' * 4000}=1", "nothing=1", "x=3"]:
        yield b"\x03" + f"set {setting}\nt 1\nlength 1\nto 10\nq 0.5\nv -2\n".encode()
    yield b"\x00zwang simulation 1\nversion 1.0.0\n"
    yield b"\x02set m=2\nsum 0000000000000000\n"


# Bytes before the model; seeds that add fewer edges than this are left out.
HEADS = {"answers": 2, "calls": 12}
FEWEST, REPEATS = 12, 2


def pack(target, seeds):
    head = HEADS[target]
    lines = (b"== " + seed[:head].hex().encode() + b"\n" + seed[head:] for seed in seeds)
    (HERE / f"{target}.seeds").write_bytes(b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines))


def unpack(target):
    whole = (HERE / f"{target}.seeds").read_bytes()
    for head, text in re.findall(rb"^== ([0-9a-f]+)\n(.*?)(?=^== |\Z)", whole, re.M | re.S):
        yield bytes.fromhex(head.decode()) + text


def edges_of(control):
    """The edges that each file of a control file of libFuzzer's merge reaches, by the file's path."""
    lines = control.read_text(errors="replace").splitlines()
    files = lines[2 : 2 + int(lines[0])]
    words = (line.split() for line in lines[2 + len(files) :] if line.startswith("FT "))
    return {files[int(found[1])]: set(found[2:]) for found in words}


def fewest(reached):
    """Greedily: always the one that adds most."""
    known, chosen = set(), []
    while reached:
        best = max(reached, key=lambda file: len(reached[file] - known))
        if len(reached[best] - known) < FEWEST:
            break
        known |= reached.pop(best)
        chosen.append(best)
    return sorted(chosen)


def choose(target, program):
    maker = {"answers": answers, "calls": calls}[target]
    with tempfile.TemporaryDirectory() as work:
        pool, control = pathlib.Path(work, "pool"), pathlib.Path(work, "control")
        write(maker(), pool)
        pathlib.Path(work, "out").mkdir()
        words = ["-merge=1", f"-merge_control_file={control}", "-use_counters=0", "-timeout=10"]
        subprocess.run([program, *words, f"-artifact_prefix={work}/", f"{work}/out", str(pool)], check=False)
        chosen = fewest(edges_of(control))
        pack(target, [pathlib.Path(file).read_bytes() for file in chosen])


def write(seeds, into):
    into.mkdir(parents=True, exist_ok=True)
    for old in into.iterdir():
        old.unlink()
    for index, seed in enumerate(seeds):
        (into / f"{index:04}").write_bytes(seed)


MAKERS = {"text": plain, "model": plain, "include": include, "robots": robots, "saved": saved}


def main(target, folder):
    if target in HEADS:
        seeds = unpack(target)
    else:
        seeds = MAKERS[target]()
    write(seeds, pathlib.Path(folder))


if __name__ == "__main__":
    if sys.argv[1] == "--choose":
        choose(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
