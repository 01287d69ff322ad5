"""The model, and what can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _arguments, _fit, _run
from ._arguments import Names, word, words
from ._errors import RunStopped, join
from ._handle import Handle, Settings, Texts, source_of
from ._page import Page
from ._results import Check, Derivation, Instant, Linearization, Verdict
from ._rates import Rates
from ._run import Progress, Run
from ._simulation import Simulation
from ._zwang import ffi, lib

if TYPE_CHECKING:
    from ._sympy import Equations

At = Union[None, str, Mapping[str, Union[float, str]]]


def _positive(**given: Any) -> dict[str, float]:
    return {name: _arguments.positive(name, value) for name, value in given.items()}


def _words(**given: Any) -> dict[str, str | None]:
    return {name: word(name, value) for name, value in given.items()}


def _flags(**given: Any) -> dict[str, bool]:
    return {name: _arguments.flag(name, value) for name, value in given.items()}


class Model:
    """A mechanical system.

    >>> import zwang as zw
    >>> m = zw.Model("coord x; kinetic x'^2/2; potential 2*x^2; initial x = 1")
    >>> float(m.run(to=3)["x"][-1])    # cos(6)
    0.96017028665...

    ``source`` is a file, or the text of a model itself. ``set`` gives other values of parameters and
    another start, by name: ``{"m": 2, "theta'": 0.5}``; a value is a number or an expression. Names that
    are words of Python and no arguments may stand by themselves: ``zw.Model("blade.zw", m=2)``.

    ``reduce`` puts finite relations in: fewer coordinates. ``independent`` names the coordinates
    whose velocities the reduced forms keep, ``speeds="orthonormal"`` takes speeds with T = ½ Σ ω²,
    ``acting`` names the one-sided conditions that are equations in :meth:`derive` and :meth:`check`
    (or ``"all"``, ``"none"``), ``branch`` chooses a stationary point of Gauss's function.

    A model may be used from several threads; its calls then wait for each other. Different models do
    not. Calls release the interpreter's lock.
    """

    def __init__(
        self,
        source: str | os.PathLike[str],
        *,
        set: Optional[Settings] = None,
        reduce: bool = False,
        independent: Names = None,
        speeds: Optional[str] = None,
        acting: Names = None,
        branch: int = 0,
        **parameters: float | str,
    ) -> None:
        choices = {
            "reduce": _arguments.flag("reduce", reduce),
            "independent": words("independent", independent),
            "speeds": word("speeds", speeds),
            "acting": words("acting", acting),
            "branch": _arguments.count("branch", branch),
        }
        settings = _arguments.settings(Model.__init__, set, parameters)
        self._path, name, text = source_of(source)
        self._handle = Handle(name, text, settings, choices, self._path is not None)
        self._spelling: Any = None  # how an equation of SymPy's is written, of a model from there
        self.last_run: Run | None = None
        """the last run, also one that was stopped"""

    def __getstate__(self) -> dict[str, Any]:
        """A model is pickled as its text with its settings; what was derived is derived anew."""
        return {name: self.__dict__[name] for name in ("_path", "_handle", "_spelling")} | {"last_run": None}

    def __repr__(self) -> str:
        return f"<Model: {self._path or (self.text.strip().splitlines() or [''])[0]}>"

    @property
    def text(self) -> str:
        """The text of the model, as it was read."""
        return self._handle.text.decode(errors="replace")

    @cached_property
    def _facts(self) -> dict[str, Any]:
        return self.derive().json()

    @property
    def coordinates(self) -> list[str]:
        """The names of the coordinates, in order."""
        return list(self._facts["coordinates"])

    @property
    def speeds(self) -> list[str]:
        """The names of the declared speeds."""
        return list(self._facts["speeds"])

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters that are not given by others, and their values."""
        return dict(zip(self.rates.parameter_names, self.rates.parameter_values.tolist()))

    @property
    def units(self) -> dict[str, str]:
        """The SI units of coordinates, velocities, parameters, inputs, outputs, t and energy: what
        numbers mean that are given and returned. Empty where the model has no units."""
        return dict(self._facts.get("units", {}))

    # ---- What a person reads.

    def derive(
        self,
        *forms: str,
        steps: bool = False,
        naive: bool = False,
        reactions: bool = False,
        expand: bool = False,
        width: int = 0,
        set: Optional[Settings] = None,
        **parameters: float | str,
    ) -> Derivation:
        """The equations of motion in these forms, ``"all"`` of them, or one that is good.

        Forms: multipliers korteweg maggi lagrange appell kane tzenoff voronets hamel johnsen1
        johnsen2 gauss canonical action. ``steps`` adds the derivation, ``naive`` what the common
        mistakes give, ``reactions`` the multipliers and reactions; ``expand`` writes everything out.
        """
        settings, named = _arguments.settings(Model.derive, set, parameters), words("forms", forms)
        flags = _flags(naive=naive, steps=steps, reactions=reactions, expand=expand)
        columns = _arguments.count("width", width)

        def ask(form: int) -> str:
            def call(model: Any, texts: Texts, result: Any) -> int:
                options = ffi.new(
                    "zw_derive_options *", {"forms": texts.one(named), "as": form, "width": columns, **flags}
                )
                return int(lib.zw_derive(model, options, result))

            return self._handle.ask(settings, call).text

        text = ask(lib.ZW_TEXT)
        return Derivation(lambda: text, lambda: _json(ask(lib.ZW_JSON)), lambda: ask(lib.ZW_LATEX))

    def check(self, *only: str, set: Optional[Settings] = None, **parameters: float | str) -> Check:
        """What kind of system it is, what is constant, and whether all forms give the same motion.

        ``only``: some of ``"forms"``, ``"kind"``, ``"integrals"``, ``"jacobi"``.
        """
        settings, wanted = _arguments.settings(Model.check, set, parameters), words("only", only)

        def ask(form: int) -> str:
            def call(model: Any, texts: Texts, result: Any) -> int:
                options = ffi.new("zw_check_options *", {"only": texts.one(wanted), "as": form})
                return int(lib.zw_check(model, options, result))

            return self._handle.ask(settings, call).text

        data = _json(ask(lib.ZW_JSON))
        return Check(lambda: ask(lib.ZW_TEXT), lambda: data)

    def follows(self, *equations: Any, set: Optional[Settings] = None, **parameters: float | str) -> list[Verdict]:
        """Whether each of these equations follows from the motion, with its proof.

        They hold names of the model, accelerations (``x''``), multipliers (``lambda.NAME``) and
        quantities of the forms (``T``, ``S``, ``H``, ``p_theta`` …). For a model of :func:`from_sympy`
        they may be SymPy's: equations, or expressions that are 0.
        """
        settings = _arguments.settings(Model.follows, set, parameters)
        texts_of = [each if isinstance(each, str) else self._written(each) for each in equations]

        def call(model: Any, texts: Texts, result: Any) -> int:
            at, count = texts.many(texts_of)
            options = ffi.new("zw_equation_options *", {"equations": at, "count": count, "as": lib.ZW_JSON})
            return int(lib.zw_equations(model, options, result))

        data = self._handle.ask(settings, call).json
        return [Verdict(each) for each in data["equations"]]

    def _written(self, equation: Any) -> str:
        if self._spelling is None:
            raise TypeError(
                f"an equation is a string, not {equation!r} ({type(equation).__name__}); SymPy's are read for "
                "models of from_sympy"
            )
        return str(self._spelling(equation))

    def at(self, *, steps: bool = False, time: float = 0, set: Optional[Settings] = None, **parameters: float | str) -> Instant:
        """The instant at the start, or at a time of the run: accelerations, multipliers, reactions, energies."""
        instant = _arguments.finite("time", time)
        settings, shown = _arguments.settings(Model.at, set, parameters), _arguments.flag("steps", steps)

        def ask(form: int) -> str:
            def call(model: Any, texts: Texts, result: Any) -> int:
                options = ffi.new("zw_at_options *", {"as": form, "steps": shown, "time": instant})
                return int(lib.zw_at(model, options, result))

            return self._handle.ask(settings, call).text

        data = _json(ask(lib.ZW_JSON))
        return Instant(lambda: ask(lib.ZW_TEXT), lambda: data)

    def linearize(
        self,
        at: At = None,
        *,
        vary: Optional[str] = None,
        inputs: Names = None,
        digits: int = 0,
        slow: bool = False,
        set: Optional[Settings] = None,
        **parameters: float | str,
    ) -> Linearization:
        """A steady motion, the equations linearized about it, its eigenvalues and stability.

        ``at`` holds coordinates, velocities and speeds, ``{"psi": 0, "phi'": 6}``; a parameter in it
        is set. The rest is found. ``vary="v=0:10:200"`` follows the motion, ``inputs`` names
        parameters for the matrix B, ``digits`` asks for so many certain digits.
        """
        settings = _arguments.settings(Model.linearize, set, parameters)
        held = at if isinstance(at, str) or at is None else self._held(_arguments.mapping("at", at), settings)
        texts_given = {"at": held, "vary": word("vary", vary), "inputs": words("inputs", inputs)}
        sure, slowly = _arguments.count("digits", digits), _arguments.flag("slow", slow)

        def ask(form: int) -> str:
            def call(model: Any, texts: Texts, result: Any) -> int:
                options = ffi.new(
                    "zw_stability_options *",
                    {
                        **{name: texts.one(value) for name, value in texts_given.items()},
                        "digits": sure,
                        "slow": slowly,
                        "as": form,
                    },
                )
                return int(lib.zw_stability(model, options, result))

            return self._handle.ask(settings, call).text

        data = _json(ask(lib.ZW_JSON))
        return Linearization(lambda: ask(lib.ZW_TEXT), lambda: data)

    def _held(self, at: Mapping[str, float | str], settings: dict[str, float | str]) -> str | None:
        """What is held, as a text; parameters among it become settings."""
        motion = {*self.coordinates, *self.speeds}
        held = []
        for name, value in at.items():
            if name.rstrip("'") in motion:
                held.append(_arguments.setting(name, value))
            else:
                settings[name] = value
        return ",".join(held) or None

    # ---- The motion.

    def run(
        self,
        to: Optional[float] = None,
        *,
        every: Optional[float] = None,
        tolerance: Optional[float] = None,
        step: Optional[float] = None,
        method: Optional[str] = None,
        engine: Optional[str] = None,
        form: Optional[str] = None,
        residuals: bool = False,
        integrals: bool = False,
        watch: bool = True,
        fixed: bool = False,
        audit: bool = False,
        branches: Optional[str] = None,
        sensitivity: _arguments.Names = None,
        out: str | os.PathLike[str] | None = None,
        progress: Progress = None,
        set: Optional[Settings] = None,
        **parameters: float | str,
    ) -> Run:
        """The motion, as arrays: ``r.t``, ``r["x"]``, ``r.events``.

        Other values of parameters stand by name, ``m.run(m=2)``, or in ``set``, where they clash
        with an argument or are no word of Python: ``m.run(set={"to": 3, "theta'": 1})``. What is not
        given is as the model says.

        ``method`` is ``"auto"``, ``"taylor"``, ``"bdf"``, ``"adams"``, ``"erk"`` or
        ``"timestepping"``; ``residuals`` and ``integrals`` add columns; ``audit`` runs twice and
        estimates the error; ``sensitivity=["m", "x'"]`` adds columns ``diff(x,m)``,
        ``diff(x,x'(0))``, exact derivatives; ``out`` writes a .csv, .json or .jsonl file, too. ``progress`` is False,
        True, or a function of the part that is done, which stops the run by returning False; by
        default a bar is shown where a person looks.

        A run that ends before its time raises :class:`RunStopped`, whose ``run`` holds what was
        reached. Ctrl-C stops it: at a prompt and in a notebook what was reached is returned, in a
        program KeyboardInterrupt is raised, and ``m.last_run`` holds it.
        """
        settings = _arguments.settings(Model.run, set, parameters)
        numbers = _positive(to=to, every=every, tolerance=tolerance, step=step)
        texts_given = _words(form=form, method=method, engine=engine, branches=branches)
        texts_given["out"] = _arguments.path("out", out)
        texts_given["sensitivity"] = _arguments.words("sensitivity", sensitivity)
        flags = _flags(residuals=residuals, integrals=integrals, audit=audit, fixed=fixed)
        flags["no_watch"] = not _arguments.flag("watch", watch)
        see = _run.watcher(progress, "run")

        def call(model: Any, texts: Texts, result: Any, seen: Any) -> int:
            options = ffi.new(
                "zw_run_options *",
                {
                    **numbers,
                    **{name: texts.one(value) for name, value in texts_given.items()},
                    **flags,
                    "keep": True,
                    "progress": ffi.addressof(lib, "zwpy_look"),
                    "context": seen,
                },
            )
            return int(lib.zw_run(model, options, result))

        given = {"to": to, "every": every, "tolerance": tolerance, "method": method, "set": dict(settings)}
        result = self._handle.ask(settings, call, see)
        run = self.last_run = _run.Run(result, self, given)
        if isinstance(result.interrupted, KeyboardInterrupt) and not _run.interactive():
            raise result.interrupted
        if not run.complete and result.interrupted is None:
            raise RunStopped(join(run.messages) or run.report, run.messages, run)
        return run

    def fit(
        self,
        data: Any,
        vary: Names = None,
        *,
        initial: Names = None,
        use: Names = None,
        sigma: Names = None,
        loss: Optional[str] = None,
        tolerance: Optional[float] = None,
        method: Optional[str] = None,
        set: Optional[Settings] = None,
        **parameters: float | str,
    ) -> _fit.Fit:
        """Parameters (``vary=["m", "I=0.1:10"]``) and start values (``initial``) by least squares.

        ``data``: a .csv file with a column ``t``, a dict of columns, or several of these. ``use`` names
        columns, or gives them by the data's, ``["x", "y=pos_mm/1000"]``; ``sigma`` standard deviations;
        ``loss="huber"`` counts outliers less.
        """
        settings = _arguments.settings(Model.fit, set, parameters)
        given = _words(loss=loss, method=method)
        for name, value in {"vary": vary, "initial": initial, "use": use, "sigma": sigma}.items():
            given[name] = words(name, value)
        return _fit.fit(self, data, given, _positive(tolerance=tolerance), settings)

    @cached_property
    def rates(self) -> Rates:
        """y′ = f(t, y) as a function, with exact Jacobians: for SciPy, or a controller of one's own."""
        return self.system()

    def system(
        self, *, velocities: bool = False, set: Optional[Settings] = None, **parameters: float | str
    ) -> Rates:
        """The same with other values of parameters; with ``velocities`` all velocities in the state, so
        that nothing is divided by that could vanish on the way."""
        settings = _arguments.settings(Model.system, set, parameters)
        return Rates(self._handle, settings, _arguments.flag("velocities", velocities))

    def simulation(
        self,
        *,
        tolerance: Optional[float] = None,
        method: Optional[str] = None,
        engine: Optional[str] = None,
        form: Optional[str] = None,
        residuals: bool = False,
        integrals: bool = False,
        watch: bool = True,
        fixed: bool = False,
        set: Optional[Settings] = None,
        **parameters: float | str,
    ) -> Simulation:
        """A motion that is followed step by step, as for a controller in the loop; arguments as of
        :meth:`run`."""
        options: dict[str, Any] = {
            **_positive(tolerance=tolerance),
            **_words(method=method, engine=engine, form=form),
            **_flags(residuals=residuals, integrals=integrals, fixed=fixed),
            "no_watch": not _arguments.flag("watch", watch),
        }
        return Simulation(self._handle, _arguments.settings(Model.simulation, set, parameters), options)

    def view(
        self,
        to: Optional[float] = None,
        *,
        every: Optional[float] = None,
        tolerance: Optional[float] = None,
        method: Optional[str] = None,
        forms: Names = None,
        proofs: bool = False,
        height: int = 600,
        progress: Progress = None,
        set: Optional[Settings] = None,
        **parameters: float | str,
    ) -> Page:
        """A page with the system moving, plots and equations: in a notebook it stands in the cell."""
        import tempfile

        settings = _arguments.settings(Model.view, set, parameters)
        numbers = _positive(to=to, every=every, tolerance=tolerance)
        chosen, named = word("method", method), words("forms", forms)
        proved, pixels = _arguments.flag("proofs", proofs), _arguments.count("height", height)
        see = _run.watcher(progress, "view")
        with tempfile.TemporaryDirectory(prefix="zwang-") as folder:
            file = os.path.join(folder, "page.html")

            def call(model: Any, texts: Texts, result: Any, seen: Any) -> int:
                options = ffi.new(
                    "zw_view_options *",
                    {
                        **numbers,
                        "out": texts.one(file),
                        "method": texts.one(chosen),
                        "forms": texts.one(named),
                        "proofs": proved,
                        "progress": ffi.addressof(lib, "zwpy_look"),
                        "context": seen,
                    },
                )
                return int(lib.zw_view(model, options, result))

            result = self._handle.ask(settings, call, see)
            if result.interrupted:
                raise KeyboardInterrupt
            with open(file, encoding="utf-8") as page:
                return Page(page.read(), os.path.basename(self._path or "model"), pixels)

    # ---- For others.

    def export(
        self,
        to: str,
        *,
        out: str | os.PathLike[str] | None = None,
        forms: Names = None,
        fixed: bool = False,
        velocities: bool = False,
        smooth: bool = False,
        sources_only: bool = False,
        set: Optional[Settings] = None,
        **parameters: float | str,
    ) -> str:
        """The motion as source code (``"c"``, ``"python"``, ``"julia"``, ``"matlab"``) or as a document
        (``"latex"``): the text, or, with ``out``, which files were written. An FMU (``"fmu"``) is a
        file; ``sources_only`` leaves out its library for this machine."""
        settings = _arguments.settings(Model.export, set, parameters)
        texts_given = {**_words(to=to), "forms": words("forms", forms), "out": _arguments.path("out", out)}
        flags = _flags(fixed=fixed, velocities=velocities, smooth=smooth, sources_only=sources_only)

        def call(model: Any, texts: Texts, result: Any) -> int:
            options = ffi.new(
                "zw_export_options *",
                {**{name: texts.one(value) for name, value in texts_given.items()}, **flags},
            )
            return int(lib.zw_export(model, options, result))

        return self._handle.ask(settings, call).text

    def sympy(self, form: Optional[str] = None) -> Equations:
        """The equations of a form as SymPy expressions, with the symbols that they are made of."""
        return self.derive(*([form] if form is not None else [])).sympy()


def _json(text: str) -> dict[str, Any]:
    import json

    data: dict[str, Any] = json.loads(text)
    return data


class Gallery(Mapping[str, str]):
    """The models that come with the library: titles by name; called with a name, that model.

    >>> import zwang as zw
    >>> zw.gallery["blade"]
    'The blade on ice (Hamel 229)'
    >>> m = zw.gallery("blade")
    """

    @cached_property
    def _titles(self) -> dict[str, str]:
        return {
            ffi.string(lib.zw_gallery_name(i)).decode(): ffi.string(lib.zw_gallery_title(i)).decode()
            for i in range(lib.zw_gallery_count())
        }

    def text(self, name: str) -> str:
        """The text of a model."""
        self[name]
        return str(ffi.string(lib.zw_gallery_text(name.encode())).decode())

    def __call__(self, name: str, **options: Any) -> Model:
        """The model of this name; options as of :class:`Model`."""
        return Model(self.text(name), **options)

    def __getitem__(self, name: str) -> str:
        if not isinstance(name, str):
            raise TypeError(f"a model of the gallery is asked for by its name, not {name!r}")
        if name not in self._titles:
            near = _arguments.nearest(name, self._titles)
            hint = f"; did you mean {near!r}?" if near else ""
            raise KeyError(f"no model {name!r} in the gallery{hint}")
        return self._titles[name]

    def __iter__(self) -> Any:
        return iter(self._titles)

    def __len__(self) -> int:
        return len(self._titles)

    def __repr__(self) -> str:
        return "\n".join(f"{name:24}{title}" for name, title in self._titles.items())


gallery = Gallery()
