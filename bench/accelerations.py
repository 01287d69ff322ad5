# accelerations.py: accelerations of chains by zwang's compiled rates beside Featherstone's
# articulated-body algorithm written out by CasADi, as Markdown.
#
#     python3 bench/accelerations.py [NAME[:N]…]        to keep a result: … >>bench/RESULTS.md
#
# `make bench` builds our side; CasADi comes by `pip install casadi`.
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
import aba
import compare

SYSTEMS = ["arm7", "planar:10", "planar:20", "planar:40", "spatial:20", "planar:100"]


def model(folder, words):
    path = os.path.join(folder, "_".join(words) + ".zw")
    with open(path, "w") as file:
        subprocess.run([sys.executable, os.path.join(compare.ROOT, "bench", "chains"), *words],
                       stdout=file, check=True)
    return path


def library(folder, words, keen):
    name = os.path.join(folder, "_".join(words) + ("_keen" if keen else ""))
    operations, _ = aba.write(words, name + ".c", keen)
    subprocess.run([compare.CC, *compare.FLAGS, "-shared", "-fPIC", name + ".c", "-o",
                    name + ".so", "-lm"], check=True)
    return name + ".so", operations


def main(words):
    try:
        import casadi
    except ImportError:
        raise SystemExit("accelerations: casadi is missing (pip install casadi)")
    compare.heading("accelerations")
    print(f"CasADi {casadi.__version__}. Operations are + - * / of theirs, and all arithmetic "
          "instructions of ours, of which one may be a product and a sum. Keen: turns of symmetric "
          "matrices by what they do not change.\n")
    print("| system | zwang operations | ABA | keen | zwang ns | ABA ns | keen ns | of ABA | of the "
          "best | differs by |")
    print("| :--- |" + " ---: |" * 9)
    with compare.scratch() as folder:
        for system in words or SYSTEMS:
            parts = system.split(":")
            plain, plain_count = library(folder, parts, False)
            keen, keen_count = library(folder, parts, True)
            line = subprocess.run([compare.ours("accelerations"), model(folder, parts), plain, keen],
                                  capture_output=True, text=True)
            if line.returncode:
                print(f"| {system} | {line.stderr.strip()} |" + " - |" * 8)
                continue
            _, ours, own, theirs, tricky, differs, _ = line.stdout.split()
            print(f"| {system} | {ours} | {plain_count} | {keen_count} | {own} | {theirs} | {tricky}"
                  f" | {float(own) / float(theirs):.2f}"
                  f" | {float(own) / min(float(theirs), float(tricky)):.2f} | {differs} |",
                  flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
