# growth.py: how the accelerations of chains grow with their length: operations and nanoseconds of
# the compiled rates, and the seconds of the processor that making them took, the compiler apart, as
# Markdown.
#
#     python3 bench/growth.py [NAME:FEW:MANY…]        to keep a result: … >>bench/RESULTS.md
#
# `make bench` builds our side.
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
import compare

CHAINS = ["planar:100:1000", "absolute:100:1000", "spatial:40:160", "full:40:160", "ladder:16:128",
          "trailers:5:40"]


def measure(folder, name, count):
    """Operations, nanoseconds of an evaluation, seconds of the making; None: refused."""
    path = os.path.join(folder, f"{name}_{count}.zw")
    with open(path, "w") as file:
        subprocess.run([sys.executable, os.path.join(compare.ROOT, "bench", "chains"), name,
                        str(count)], stdout=file, check=True)
    line = subprocess.run([compare.ours("accelerations"), path], capture_output=True, text=True)
    if line.returncode:
        return None
    words = line.stdout.split()
    return int(words[1]), float(words[2]), float(words[4])


def exponent(few, many, ratio):
    return f"{math.log(many / few) / math.log(ratio):.2f}"


def main(words):
    compare.heading("growth of the accelerations")
    print("| chain | length | operations | exponent | ns | exponent | made s |")
    print("| :--- |" + " ---: |" * 6)
    with compare.scratch() as folder:
        for chain in words or CHAINS:
            name, few, many = chain.split(":")
            first = measure(folder, name, few)
            last = measure(folder, name, many)
            if not first or not last:
                print(f"| {name} | {few} to {many} | not in one program |" + " - |" * 4)
                continue
            ratio = int(many) / int(few)
            print(f"| {name} | {few} | {first[0]} | - | {first[1]:.0f} | - | {first[2]:.2f} |")
            print(f"| {name} | {many} | {last[0]} | {exponent(first[0], last[0], ratio)} "
                  f"| {last[1]:.0f} | {exponent(first[1], last[1], ratio)} | {last[2]:.2f} |",
                  flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
