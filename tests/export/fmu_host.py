"""A host of FMUs: loads them through ctypes, steps them, and locates their events.

Shared by the tests of FMUs, which are called with ZWANG FOLDER [all].
"""
import atexit
import csv
import ctypes
import io
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
import zipfile

ZWANG, FOLDER = sys.argv[1:3]
LARGE = sys.argv[3:] == ["all"]  # also models that take the compiler longer
failures = []
made = {}
work = tempfile.mkdtemp()
atexit.register(shutil.rmtree, work, True)


def check(good, what):
    if not good:
        failures.append(what)
        print("FAILED:", what)


def near(value, truth, within, what):
    check(abs(value - truth) <= within * (1 + abs(truth)), f"{what}: {value!r}, not {truth!r}")


def zwang(*words):
    return subprocess.run([ZWANG, *words, "--width", "0"], capture_output=True, text=True, timeout=100)


def column(name):
    return f"der({name[:-1]})" if name.endswith("'") else name


def run_rows(model, *words):
    """The last row of a run at each time, by the FMU's names."""
    text = zwang("run", model, "--quiet", "--out", "-", *words).stdout
    rows = csv.DictReader(io.StringIO(text))
    return {float(row["t"]): {column(k): float(v) for k, v in row.items() if v} for row in rows}


LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)


class Fmu:
    """An FMU of this machine: variables by name, the functions of FMI by theirs."""

    def __init__(self, path, kind):
        self.said = ""
        self.folder = tempfile.mkdtemp(dir=work)
        with zipfile.ZipFile(path) as archive:
            check(archive.testzip() is None, f"{path}: a sum is wrong")
            archive.extractall(self.folder)
            library = [name for name in archive.namelist() if name.startswith("binaries/")]
        self.root = tree.parse(os.path.join(self.folder, "modelDescription.xml")).getroot()
        self.variables = {v.get("name"): v for v in self.root.find("ModelVariables")}
        self.names = {int(v.get("valueReference")): n for n, v in self.variables.items()}
        structure = self.root.find("ModelStructure")
        self.derivatives = self.listed(structure, "ContinuousStateDerivative")
        self.states = [int(self.variables[self.names[d]].get("derivative")) for d in self.derivatives]
        self.outputs = self.listed(structure, "Output")
        self.indicators = self.listed(structure, "EventIndicator")
        self.dll = ctypes.CDLL(os.path.join(self.folder, library[0]))
        self.log = LOG(lambda _, status, category, message: self.note(message.decode()))
        token = self.root.get("instantiationToken").encode()
        call = self.dll[f"fmi3Instantiate{kind}"]
        call.restype = ctypes.c_void_p
        more = [False, False, None, ctypes.c_size_t(0)] if kind == "CoSimulation" else []
        last = [None] if kind == "CoSimulation" else []
        self.instance = ctypes.c_void_p(call(b"one", token, None, False, False, *more, None, self.log, *last))
        check(self.instance.value, f"{path}: no instance")

    @staticmethod
    def listed(structure, what):
        return [int(e.get("valueReference")) for e in structure.findall(what)]

    def note(self, message):
        self.said = message

    def call(self, name, *arguments, status=0):
        got = self.dll["fmi3" + name](self.instance, *arguments)
        check(got == status, f"fmi3{name} gives {got}: {self.said}")

    def initialize(self, **values):
        for name, value in values.items():
            self.set(name, value)
        self.call("EnterInitializationMode", False, ctypes.c_double(0), ctypes.c_double(0), False, ctypes.c_double(0))
        self.call("ExitInitializationMode")
        return self

    def set(self, name, value, status=0):
        at = ctypes.c_uint32(int(self.variables[name].get("valueReference")))
        self.call("SetFloat64", ctypes.byref(at), ctypes.c_size_t(1), ctypes.byref(ctypes.c_double(value)),
                  ctypes.c_size_t(1), status=status)

    def values(self, references):
        at = (ctypes.c_uint32 * len(references))(*references)
        out = (ctypes.c_double * len(references))()
        size = ctypes.c_size_t(len(references))
        self.call("GetFloat64", at, size, out, size)
        return list(out)

    def get(self, name):
        return self.values([int(self.variables[name].get("valueReference"))])[0]

    def step(self, t, h, status=0):
        flags = [ctypes.c_bool() for _ in range(3)]
        reached = ctypes.c_double()
        self.call("DoStep", ctypes.c_double(t), ctypes.c_double(h), True, *map(ctypes.byref, flags),
                  ctypes.byref(reached), status=status)
        self.ended = flags[1].value
        return reached.value

    def saved(self):
        """The whole state as bytes."""
        state, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.call("GetFMUState", ctypes.byref(state))
        self.call("SerializedFMUStateSize", state, ctypes.byref(size))
        bytes_of = (ctypes.c_uint8 * size.value)()
        self.call("SerializeFMUState", state, bytes_of, size)
        self.call("FreeFMUState", ctypes.byref(state))
        return bytes_of

    def restore(self, bytes_of):
        state = ctypes.c_void_p()
        self.call("DeserializeFMUState", bytes_of, ctypes.c_size_t(len(bytes_of)), ctypes.byref(state))
        self.call("SetFMUState", state)
        self.call("FreeFMUState", ctypes.byref(state))

    def set_states(self, t, states):
        self.call("SetTime", ctypes.c_double(t))
        self.call("SetContinuousStates", (ctypes.c_double * len(states))(*states), ctypes.c_size_t(len(states)))

    def update(self):
        """Event mode, once; whether states have changed, and the next event's time."""
        flags = [ctypes.c_bool() for _ in range(5)]
        next_time = ctypes.c_double()
        self.call("UpdateDiscreteStates", *map(ctypes.byref, flags), ctypes.byref(next_time))
        self.ended = flags[1].value
        return flags[3].value, next_time.value if flags[4].value else None

    def along(self, unknowns, knowns, seed):
        out = (ctypes.c_double * len(unknowns))()
        self.call("GetDirectionalDerivative", (ctypes.c_uint32 * len(unknowns))(*unknowns),
                  ctypes.c_size_t(len(unknowns)), (ctypes.c_uint32 * len(knowns))(*knowns),
                  ctypes.c_size_t(len(knowns)), (ctypes.c_double * len(seed))(*seed),
                  ctypes.c_size_t(len(seed)), out, ctypes.c_size_t(len(unknowns)))
        return list(out)

    def adjoint(self, unknowns, knowns, seed):
        out = (ctypes.c_double * len(knowns))()
        self.call("GetAdjointDerivative", (ctypes.c_uint32 * len(unknowns))(*unknowns),
                  ctypes.c_size_t(len(unknowns)), (ctypes.c_uint32 * len(knowns))(*knowns),
                  ctypes.c_size_t(len(knowns)), (ctypes.c_double * len(seed))(*seed),
                  ctypes.c_size_t(len(seed)), out, ctypes.c_size_t(len(knowns)))
        return list(out)


def model_file(text):
    handle, path = tempfile.mkstemp(suffix=".zw", dir=work)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    return path


def exported(model, *words):
    path = tempfile.mktemp(suffix=".fmu", dir=work)
    done = zwang("export", model, "--to", "fmu", "--out", path, *words)
    check(done.returncode == 0, f"{model}: {done.stderr}")
    if not words:
        made[model] = path
    return path


def once(name):
    """The FMU of a model of the gallery, made once."""
    return made.get(gallery(name)) or exported(gallery(name))


def gallery(name):
    return os.path.join(FOLDER, "models", name + ".zw")
