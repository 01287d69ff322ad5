"""zwang: analytical mechanics from a short text.

A mechanical system becomes equations of motion in fourteen classical forms, proofs that they say the
same, motions, and pictures:

>>> import zwang as zw
>>> m = zw.gallery("blade")              # or zw.Model("blade.zw"), or the text itself
>>> m.derive("hamel")                    # in a notebook: typeset
>>> m.check().forms.agree
True
>>> r = m.run(to=10, m=2)
>>> r.t, r["x"], r.events

The manual is docs/python.md.
"""

from ._errors import Message, ModelError, RunStopped, ZwangError, ZwangWarning
from ._fit import Fit
from ._model import Model, gallery
from ._page import Page
from ._rates import Parts, Rates
from ._results import Check, Derivation, Instant, Linearization, Verdict
from ._run import Event, Run
from ._simulation import Simulation
from ._sweep import Sweep, sweep
from ._sympy import Equations, from_sympy
from ._zwang import ffi as _ffi
from ._zwang import lib as _lib


__version__: str = _ffi.string(_lib.zw_version()).decode()

__all__ = [
    "Check",
    "Derivation",
    "Equations",
    "Event",
    "Fit",
    "Instant",
    "Linearization",
    "Message",
    "Model",
    "ModelError",
    "Page",
    "Parts",
    "Rates",
    "Run",
    "RunStopped",
    "Simulation",
    "Sweep",
    "Verdict",
    "ZwangError",
    "ZwangWarning",
    "from_sympy",
    "gallery",
    "sweep",
]
