"""Robots of the package example-robot-data: mass matrix and bias beside MuJoCo's."""

import glob
import os
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

import mujoco
import numpy as np

from library import Refused, System
from mujoco_state import Pair

LIMIT = 1e-12


def for_both(path, copy):
    """A copy without limits and dry friction, which have no part in M and bias."""
    root = ET.parse(path).getroot()
    for joint in root.findall("joint"):
        if joint.get("type") == "revolute":
            joint.set("type", "continuous")
        for limit in joint.findall("limit"):
            joint.remove(limit)
        for dynamics in joint.findall("dynamics"):
            dynamics.attrib.pop("friction", None)
    ET.ElementTree(root).write(copy)


def for_mujoco(path):
    """The file without what needs other files, and without what is no dynamics."""
    root = ET.parse(path).getroot()
    for element in list(root):
        if element.tag not in ("link", "joint"):
            root.remove(element)
    for link in root.findall("link"):
        for child in list(link):
            if child.tag in ("visual", "collision"):
                link.remove(child)
    for joint in root.findall("joint"):
        for child in list(joint):
            if child.tag == "mimic":
                joint.remove(child)
    settings = ET.SubElement(root, "mujoco")
    ET.SubElement(settings, "compiler", fusestatic="false", balanceinertia="false", discardvisual="true")
    model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    model.opt.gravity = [0, 0, -9.81]
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    return model


def main(library, robots):
    random = np.random.default_rng(int(os.environ.get("ZWANG_TEST_SEED", "1")))
    compared, left, worst = 0, [], (0, 0, "")
    robots = os.path.abspath(robots)
    for path in sorted(glob.glob(os.path.join(robots, "**", "*.urdf"), recursive=True)):
        name = os.path.basename(path)
        with tempfile.TemporaryDirectory() as folder:
            copy, text = os.path.join(folder, "robot.urdf"), os.path.join(folder, "robot.zw")
            for_both(path, copy)
            with open(text, "w") as file:
                file.write(f'system robot "{name}"\nread urdf "robot.urdf" as r\ngravity [0, 0, -9.81]\n')
            try:
                model = for_mujoco(copy)
            except ValueError as error:
                left.append(f"{name}: MuJoCo: {str(error).splitlines()[0]}")
                continue
            begin = time.perf_counter()
            try:
                system = System(text, library)
            except Refused as error:
                left.append(f"{name}: {chr(32).join(str(error).split())[-300:]}")
                continue
            took = time.perf_counter() - begin
        pair = Pair(model, system)
        mass, bias = np.max([pair.compare(random)[:2] for _ in range(4)], axis=0)
        print(f"{name}: {model.nv} coordinates, mass {mass:.1e}, bias {bias:.1e}, {took:.2f} s")
        worst = max(worst, (max(mass, bias), model.nv, name))
        compared += 1
        system.close()
    print(f"{compared} robots compared, the worst {worst[2]} by {worst[0]:.1e}")
    for line in left:
        print("left:", line)
    if compared < 10 or worst[0] > LIMIT:
        sys.exit(f"fewer than ten robots, or further than {LIMIT} from MuJoCo")


if __name__ == "__main__":
    main(*sys.argv[1:])
