"""Answers: derivations, checks, linearizations. Each holds what the program prints, and its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._sympy import Equations


class Answer(Mapping[str, Any]):
    """What the library answers: ``a["key"]`` as in the JSON of the program, ``str()`` its report."""

    def __init__(self, text: Callable[[], str], data: Callable[[], dict[str, Any]]) -> None:
        self._make_text, self._make_data = text, data

    def __getstate__(self) -> dict[str, Any]:
        """What it holds, made: a pickled answer needs its model no more."""
        return {"_text": self._text, "_data": self._data}

    @cached_property
    def _text(self) -> str:
        return self._make_text()

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self._make_data()

    def json(self) -> dict[str, Any]:
        """All of it, as the program's ``--as json``."""
        return self._data

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


_PAPER = re.compile(r"%<paper>.*?%</paper>\n?", re.S)
_ALIGN = re.compile(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", re.S)
_NUMBER = re.compile(r"\\numberthis(?:\\label\{[^}]*\})?")


class Derivation(Answer):
    """Equations of motion. ``str()`` is text; a notebook sets them in type."""

    def __init__(
        self,
        text: Callable[[], str],
        data: Callable[[], dict[str, Any]],
        latex: Callable[[], str],
    ) -> None:
        super().__init__(text, data)
        self._make_latex = latex

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_document": self._document}

    @cached_property
    def _document(self) -> str:
        return self._make_latex()

    def latex(self, document: bool = True) -> str:
        """LaTeX: a document that compiles by itself, or the equations alone, for a paper."""
        if document:
            return self._document
        return "\n".join(part for kind, part in self._parts() if kind == "math")

    def sympy(self) -> Equations:
        """The equations as SymPy expressions."""
        from ._sympy import equations

        return equations(self._data)

    def _parts(self) -> list[tuple[str, str]]:
        """The body of the document: ("title" | "head" | "words" | "math", LaTeX)."""
        body = self._document.split(r"\begin{document}", 1)[-1].split(r"\end{document}", 1)[0]
        body = _NUMBER.sub("", _PAPER.sub("", body))
        parts: list[tuple[str, str]] = []
        at = 0
        for block in _ALIGN.finditer(body):
            parts += _words(body[at : block.start()])
            inside = block[1].strip()
            parts.append(("math", "\\begin{aligned}\n" + inside + "\n\\end{aligned}"))
            at = block.end()
        return parts + _words(body[at:])

    def _repr_latex_(self) -> str:
        return "\n\n".join(f"$$\n{part}\n$$" for kind, part in self._parts() if kind == "math")

    def _repr_html_(self) -> str:
        import html

        lines = []
        for kind, part in self._parts():
            if kind == "math":
                lines.append(f"$$\n{html.escape(part, quote=False)}\n$$")
            else:
                tag = {"title": "h3", "head": "h4"}.get(kind, "p")
                lines.append(f"<{tag}>{html.escape(part, quote=False)}</{tag}>")
        return "\n".join(lines)


def _words(text: str) -> list[tuple[str, str]]:
    parts = []
    for line in text.split("\n"):
        line = re.sub(r"\\(?:par|smallskip|medskip|bigskip|noindent)\b", "", line).strip()
        head = re.fullmatch(r"\\(sub)?section\*\{(.*)\}", line)
        if head:
            parts.append(("head" if head[1] else "title", head[2].replace("~", " ")))
        elif line and not line.startswith("%"):
            parts.append(("words", line))
    return parts


class FormVerdict:
    """What :meth:`Model.check` says of one form."""

    def __init__(self, name: str, data: dict[str, Any]) -> None:
        self.name = name
        self.applies: bool = data["applies"]
        self.reason: str | None = data["reason"]
        """why it does not apply"""
        self.agrees: bool | None = data["agrees"]
        """whether it gives the same motion; None where that is not known"""
        self.proof: str | None = data["proof"]
        """``"exact"``, or ``"modular"``: by evaluation in a prime field, with a stated chance of error"""

    def __repr__(self) -> str:
        if not self.applies:
            return f"<{self.name}: does not apply: {self.reason}>"
        verdict = {True: "agrees", False: "DISAGREES", None: "not known"}[self.agrees]
        return f"<{self.name}: {verdict}" + (f", proof {self.proof}>" if self.proof else ">")


class Forms(Mapping[str, FormVerdict]):
    """The forms of the equations, and whether they give the same motion."""

    def __init__(self, data: dict[str, Any], agree: bool | None) -> None:
        self._forms = {name: FormVerdict(name, each) for name, each in data.items()}
        self.agree = agree
        """True where all forms that apply are proved to give the same motion, None where that is open"""

    @property
    def proof(self) -> str | None:
        """The weakest proof among the forms: ``"exact"``, ``"modular"``; None where something is open."""
        kinds = {form.proof for form in self._forms.values() if form.applies}
        if not self.agree or None in kinds:
            return None
        return kinds.pop() if len(kinds) == 1 else "modular"

    def __getitem__(self, name: str) -> FormVerdict:
        return self._forms[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._forms)

    def __len__(self) -> int:
        return len(self._forms)

    def __repr__(self) -> str:
        applied = sum(form.applies for form in self._forms.values())
        return f"<{applied} forms that apply: agree {self.agree}, proof {self.proof}>"


class Check(Answer):
    """What kind of system it is, what stays constant, and whether all forms give the same motion."""

    @property
    def forms(self) -> Forms:
        """``.agree``, ``.proof``, and by name what is said of each form."""
        if "forms_agree" not in self._data:
            raise AttributeError("the forms were not asked for; check() or check('forms') does")
        return Forms(self._data["forms"], self._data["forms_agree"])

    @property
    def holonomic(self) -> bool | None:
        """Whether all conditions can be integrated; None where that is not known, or was not asked."""
        answer: bool | None = self._data["holonomic"]
        return answer

    @property
    def freedom(self) -> int:
        """Degrees of freedom."""
        return int(self._data["degrees_of_freedom"])

    @property
    def integrals(self) -> dict[str, str | None]:
        """What is constant along every motion: expressions by name; None for more than a million terms."""
        if self._data["integrals"] is None:
            raise AttributeError("the integrals were not asked for; check() or check('integrals') does")
        return {each["name"]: each["value"] for each in self._data["integrals"]}


class Instant(Answer):
    """Accelerations, multipliers, reactions and energies at the start."""


class Linearization(Answer):
    """A steady motion, the equations linearized about it, and what they say of its stability."""

    def _matrix(self, key: str) -> npt.NDArray[np.float64]:
        return np.array(self._data[key], dtype=float)

    @property
    def variables(self) -> list[str]:
        """What the rows and columns of A stand for."""
        return list(self._data["variables"])

    @property
    def A(self) -> npt.NDArray[np.float64]:
        """x′ = A·x + B·u for small x about the steady motion."""
        return self._matrix("A")

    @property
    def B(self) -> npt.NDArray[np.float64]:
        """The matrix of the inputs, where ``inputs`` named some."""
        if "B_state" not in self._data:
            raise AttributeError("no inputs were named; linearize(inputs=[…]) does")
        return self._matrix("B_state")

    @property
    def M(self) -> npt.NDArray[np.float64]:
        """M, C and K of M·u′ + C·u + K·x = 0, where the equations have this shape."""
        return self._matrix("M")

    @property
    def C(self) -> npt.NDArray[np.float64]:
        """See M."""
        return self._matrix("C")

    @property
    def K(self) -> npt.NDArray[np.float64]:
        """See M."""
        return self._matrix("K")

    @property
    def eigenvalues(self) -> npt.NDArray[np.complex128]:
        """Of A: the zeros of the family of steady motions, then by falling real part."""
        return np.array([complex(*each[:2]) for each in self._data["eigenvalues"]], dtype=complex)

    @property
    def modes(self) -> npt.NDArray[np.complex128]:
        """A column an eigenvalue."""
        return np.array([[complex(*z) for z in mode] for mode in self._data["modes"]]).T

    @property
    def verdict(self) -> str:
        """``"asymptotically_stable"``, ``"stable_first_order"``, ``"unstable"`` or ``"undecided"``"""
        return str(self._data["verdict"])

    @property
    def reason(self) -> str:
        """Why."""
        return str(self._data["reason"])

    @property
    def state(self) -> dict[str, float]:
        """The steady motion: coordinates, velocities (``x'``) and speeds."""
        parts = self._data["state"]
        return {**parts["q"], **{name + "'": value for name, value in parts["v"].items()}, **parts["u"]}

    @property
    def critical(self) -> list[dict[str, Any]]:
        """Where, along what was varied, the stability changes."""
        return list(self._data["critical"])

    @property
    def curve(self) -> list[dict[str, Any]]:
        """The eigenvalues along what was varied."""
        return list(self._data["curve"])


class Verdict(Mapping[str, Any]):
    """Whether an equation follows from the motion."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self.equation: str = data.get("equation", "")
        self.follows: bool | None = data.get("follows")
        """True, False, or None where it is undecided"""
        self.proof: str | None = data.get("proof")

    def __bool__(self) -> bool:
        return self.follows is True

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        word = {True: "follows", False: "does not follow", None: "undecided"}[self.follows]
        return f"<{self.equation}: {word}" + (f", proof {self.proof}>" if self.proof else ">")
