# compare.py: what the comparisons of motions share: running both sides in turn, errors against a
# reference of higher precision, and seconds at equal error.
import math
import os
import platform
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
CC = os.environ.get("CC", "cc")
FLAGS = ["-O3", "-march=native"]
PEERS = os.path.join(ROOT, "bench", "peers")
# One core: threads of a library that wait would count as work.
os.environ["OPENBLAS_NUM_THREADS"] = "1"


def ours(name):
    """The path of one of our programs; ends where it is not built."""
    path = os.path.join(BUILD, "bench", name)
    if not os.access(path, os.X_OK):
        raise SystemExit(f"{path} is not built; run make bench")
    return path


def heading(title):
    processor = "unknown processor"
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
    compiler = subprocess.run([CC, "--version"], capture_output=True, text=True).stdout
    print(f"\n## {time.strftime('%Y-%m-%d')}, {processor}: {title}\n")
    print(f"{compiler.splitlines()[0]}; peers compiled with {' '.join(FLAGS)}. "
          f"Load of the machine: {os.getloadavg()[0]:.1f}.\n")


class Sample:
    """One integration: tolerance, the least seconds, steps, and the state at the end."""

    def __init__(self, words):
        self.tolerance = float(words[1])
        self.seconds = float(words[2])
        self.steps = int(words[3])
        self.state = words[4:]


def dop853(folder, name, rate, parts, objects=()):
    """Compiles DOP853 with the rates of a header; the program."""
    program = os.path.join(folder, f"{name}_dop853")
    subprocess.run([CC, *FLAGS, f"-DPARTS={parts}", f'-DRATE="{rate}"',
                    os.path.join(PEERS, "motion_dop853.c"), *objects, "-o", program, "-lm"],
                   check=True)
    return program


def run_dop853(program, start, end, repeats, tolerances):
    lines = subprocess.run([program, repr(end) if isinstance(end, float) else str(end),
                            str(repeats), *map(str, tolerances)],
                           input=" ".join(map(str, start)), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    exact = [line.split()[4:] for line in lines if line.startswith("exact")]
    return ([float(x) for x in exact[0]] if exact else None,
            [Sample(line.split()) for line in lines if not line.startswith("exact")])


def run_zwang(model, end, repeats, tolerances, method="auto", engine="native"):
    """Samples whose state is q | q'; each has the method that was taken."""
    lines = subprocess.run([ours("motion_zwang"), model, method, engine, str(end), str(repeats),
                            *map(str, tolerances)],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    samples = []
    for line in lines:
        words = line.split()
        sample = Sample(words[:4] + words[7:])
        sample.whole, sample.first, sample.method = float(words[4]), float(words[5]), words[6]
        samples.append(sample)
    return samples


def error(state, exact):
    return max(abs(float(a) - b) for a, b in zip(state, exact))


def least(old, new):
    """The least seconds of samples that were taken again."""
    for a, b in zip(old, new):
        a.seconds = min(a.seconds, b.seconds)
    return old if old else new


def at_error(samples, exact, goal):
    """Seconds for this error, by a line through the logarithms of the neighbours; None: not
    reached. Where even the loosest tolerance is more accurate its seconds count."""
    points = [(error(s.state, exact), s.seconds) for s in samples]
    if not points or min(p[0] for p in points) > goal:
        return None
    if points[0][0] <= goal:
        return points[0][1]
    for (e0, s0), (e1, s1) in zip(points, points[1:]):
        if e0 > goal >= e1:
            part = math.log(e0 / goal) / math.log(e0 / max(e1, 1e-300))
            return math.exp(math.log(s0) + part * math.log(s1 / s0))
    return None


def table(rows):
    """Rows of (system, our sample, exact, {peer: samples}): the table with its ratios."""
    peers = []
    for row in rows:
        peers += [p for p in row[3] if p not in peers]
    print("| system | tolerance | method | steps | error | zwang ms | "
          + " | ".join(f"{p} at this error ms" for p in peers) + " | of the best peer |")
    print("| :--- | ---: | :--- | ---: | ---: | ---: |" + " ---: |" * (len(peers) + 1))
    for system, sample, exact, samples in rows:
        goal = error(sample.state, exact)
        times = {p: at_error(samples[p], exact, goal) for p in samples}
        known = [t for t in times.values() if t]
        cells = [f"{1e3 * times[p]:.3g}" if times.get(p) else "-" for p in peers]
        ratio = f"{sample.seconds / min(known):.2f}" if known else "-"
        print(f"| {system} | {sample.tolerance:g} | {sample.method} | {sample.steps} | {goal:.1e} "
              f"| {1e3 * sample.seconds:.3g} | " + " | ".join(cells) + f" | {ratio} |")


def scratch():
    return tempfile.TemporaryDirectory(prefix="zwang-bench-")
