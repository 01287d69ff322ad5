"""bindings.py HEADER OUT: writes the C source of the module zwang._zwang.

Every declaration of the public header becomes a call: nothing is listed twice.
"""

import re
import sys

import cffi


def declarations(header: str) -> str:
    """The header without comments, preprocessor lines and the C++ bracket."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    return text


OWN = """
typedef struct {
    double part;
    bool stop;
} zwpy_progress;
bool zwpy_look(void *context, double part);
bool zwpy_may_go_on(void *context, double part);
extern "Python" bool zwpy_signals(void);
"""


def main(header: str, out: str) -> None:
    ffi = cffi.FFI()
    with open(header, encoding="utf-8") as file:
        ffi.cdef(declarations(file.read()))
    ffi.cdef(OWN)
    ffi.set_source("zwang._zwang", '#include "progress.h"', py_limited_api=True)
    ffi.emit_c_code(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
