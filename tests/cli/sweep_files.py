#!/usr/bin/env python3
"""sweep_files.py ZWANG [ranks]: HDF5 of a sweep that is killed. What stands under its name is a whole file
of runs of that sweep; gone on with, every dataset is that of a sweep that was never broken off, by
one process or ("ranks") by four ranks, one of which is killed. Exits 77 without h5py."""

import os
import signal
import subprocess
import sys
import tempfile
import time

try:
    import h5py
except ImportError:
    with_h5py = subprocess.run([os.path.dirname(__file__) + "/../../tools/python_with", "h5py"],
                               capture_output=True, text=True)
    python = with_h5py.stdout.strip()
    if with_h5py.returncode == 0 and os.path.realpath(python) != os.path.realpath(sys.executable):
        os.execv(python, [python, *sys.argv])
    print("skipped: h5py is missing")
    sys.exit(77)

ZWANG = os.path.realpath(sys.argv[1])
MODEL = """param l = 1, g = 9.81
coord a
mass 1 at [l*sin(a), 0, -l*cos(a)]
gravity [0, 0, -g]
constraint stop: a >= -0.5 restitution 0.9
initial a = 1
run to {} every {}
"""
SWEEP = ["sweep", "m.zw", "--vary", "a=0.1:3:30", "--vary", "l=uniform(0.5, 2)", "--samples", "20",
         "--seed", "7", "--keep", "final,rows,events,max(a),count(impact)", "--quiet"]
RANKS = ["mpirun", "--oversubscribe", "-n", "4"]
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def datasets(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[:]})
                        if isinstance(item, h5py.Dataset) else None)
        return found, dict(file.attrs), file["t"].is_virtual


def same(path, whole, some=False):
    """The datasets of a file; those of `whole`, or of some of its runs."""
    found, facts, virtual = datasets(path)
    assert found.keys() == whole.keys(), (path, found.keys())
    runs = set(found["run"])
    for name, values in whole.items():
        key = name.split("/")[0] + "/run" if "/" in name else "run"
        if some:
            values = values[[run in runs for run in whole.get(key, whole["run"])]]
        assert values.tobytes() == found[name].tobytes() if values.dtype != object else list(
            values) == list(found[name]), f"{path}: {name} differs"
    assert facts["seed"] == "7" and facts["model"] == MODEL and "zwang" in facts["command"]
    assert facts["version"] and facts["runs"] == 600 and facts["complete"] == (not some)
    return len(runs), virtual


def files():
    return sorted(name for name in os.listdir(".") if name.startswith("k."))


def kill_when(there, begin):
    process = subprocess.Popen(begin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(3000):
        pid = there(process)
        if pid or process.poll() is not None:
            break
        time.sleep(0.01)
    assert process.poll() is None and pid, f"{begin} ended before it was killed"
    os.kill(pid, signal.SIGKILL)
    assert process.wait() != 0


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)


def rank_process(number):
    """The process of a rank that has written a file."""
    if not os.path.exists(f"k.rank{number}.h5"):
        return None
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/environ", "rb") as variables, open(f"/proc/{name}/comm") as comm:
                if (f"OMPI_COMM_WORLD_RANK={number}".encode() in variables.read().split(b"\0")
                        and comm.read().strip() == "zwang" and os.readlink(f"/proc/{name}/cwd") == os.getcwd()):
                    return int(name)
        except OSError:
            continue
    return None


def write_model(seconds):
    """The model, run for so long that one thread takes these seconds for the sweep; one.h5 is the sweep's file."""
    global MODEL
    text, end, took = MODEL, 20, 0
    while took < seconds:
        MODEL = text.format(end, end // 4)
        with open("m.zw", "w") as file:
            file.write(MODEL)
        begin = time.monotonic()
        run(ZWANG, *SWEEP, "--threads", "1", "--out", "one.h5")
        took = time.monotonic() - begin
        end *= 2


def main():
    # A file is there after a second; then the sweep, and its last rank, must not be done.
    write_model(8 if sys.argv[2:] == ["ranks"] else 2.5)
    whole = datasets("one.h5")[0]

    # One process, killed.
    begin = [ZWANG, *SWEEP, "--threads", "1", "--out", "k.h5"]
    kill_when(lambda process: os.path.exists("k.h5") and process.pid, begin)
    made, _ = same("k.h5", whole, some=True)
    assert 0 < made < 600
    run(*begin, "--resume")
    assert same("k.h5", whole) == (600, False) and files() == ["k.h5"], files()
    os.remove("k.h5")


def main_ranks():
    # Runs of ranks that are not there any more are those of rank 0.
    whole = datasets("one.h5")[0]
    begin = [ZWANG, *SWEEP, "--threads", "1", "--out", "k.h5"]
    for resumed in ([*RANKS[:-1], "2"], []):
        kill_when(lambda _: rank_process(2), [*RANKS, *begin])
        assert sum(same(name, whole, some=True)[0] for name in files() if "rank" in name and
                   name.endswith(".h5")) > 0
        run(*resumed, *begin, "--resume")
        count = len(resumed) and int(resumed[-1])
        assert files() == ["k.h5"] + [f"k.rank{i}.h5" for i in range(count)], files()
        assert same("k.h5", whole) == (600, count > 0)
        if count:  # all of it elsewhere
            os.mkdir("moved")
            for name in files():
                os.rename(name, "moved/" + name)
            assert same("moved/k.h5", whole) == (600, True)
        for name in files():
            os.remove(name)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
    if sys.argv[2:] == ["ranks"]:
        main_ranks()
    os.chdir("/")
print("HDF5 of sweeps that were killed is that of whole ones")
