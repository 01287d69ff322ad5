"""libzwang.so by ctypes, as far as robots need it: M, bias and the conditions of a model."""

import ctypes as c

import numpy as np


class _Options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("velocities", c.c_bool)]


class _Layout(c.Structure):
    _fields_ = [
        ("coordinate_count", c.c_size_t), ("speed_count", c.c_size_t), ("state_count", c.c_size_t),
        ("state_names", c.POINTER(c.c_char_p)), ("start", c.POINTER(c.c_double)),
        ("parameter_count", c.c_size_t), ("parameter_names", c.POINTER(c.c_char_p)),
        ("parameter_values", c.POINTER(c.c_double)),
        ("condition_count", c.c_size_t), ("condition_names", c.POINTER(c.c_char_p)),
    ]


_PARTS = ["velocities", "accelerations", "mass", "bias", "jacobian", "gamma", "multipliers"]


class _Parts(c.Structure):
    _fields_ = [("size", c.c_size_t)] + [(name, c.POINTER(c.c_double)) for name in _PARTS]


class Refused(Exception):
    pass


class System:
    """The equations of a model's file: `names` of coordinates, `conditions`, and `parts(q, v)`."""

    def __init__(self, path, library):
        self.library = lib = c.CDLL(library)
        lib.zw_messages.restype = c.c_void_p
        lib.zw_system_layout.restype = c.POINTER(_Layout)
        model = c.c_void_p()
        system, work = c.c_void_p(), c.c_void_p()
        status = lib.zw_model_open(path.encode(), None, c.byref(model))
        if status == 0:
            options = _Options(c.sizeof(_Options), True)
            status = lib.zw_system_new(model, c.byref(options), c.byref(system))
        self.messages = c.string_at(lib.zw_messages(model, 0)).decode()
        if status != 0:
            raise Refused(self.messages)
        lib.zw_workspace_new(system, c.byref(work))
        layout = lib.zw_system_layout(system).contents
        self.system, self.work = system, work
        self.count = layout.coordinate_count
        self.names = [layout.state_names[i].decode() for i in range(self.count)]
        self.conditions = [layout.condition_names[i].decode() for i in range(layout.condition_count)]
        lib.zw_model_free(model)

    def parts(self, q, v):
        n, m = self.count, len(self.conditions)
        arrays = {"mass": np.zeros((n, n)), "bias": np.zeros(n), "jacobian": np.zeros((max(m, 1), n))}
        y = np.ascontiguousarray(np.concatenate([q, v]))
        pointer = lambda a: a.ctypes.data_as(c.POINTER(c.c_double))
        parts = _Parts(c.sizeof(_Parts), *[pointer(arrays[name]) if name in arrays else None for name in _PARTS])
        status = self.library.zw_system_parts(self.system, self.work, c.c_double(0), pointer(y), None, c.byref(parts))
        if status != 0:
            raise Refused(f"zw_system_parts: {status}")
        return arrays["mass"], arrays["bias"], arrays["jacobian"][:m]

    def close(self):
        self.library.zw_workspace_free(self.work)
        self.library.zw_system_free(self.system)
