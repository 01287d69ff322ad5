"""A ``zw_model`` with the settings that it stands at, and the texts that calls exchange with C."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterable, Mapping
from typing import Any, Callable, NamedTuple, Union

from . import _arguments, _errors, _worker
from ._zwang import ffi, lib

Settings = Mapping[str, Union[float, str]]


def text_of(at: Any) -> str | None:
    """A C string; None for NULL."""
    return None if at == ffi.NULL else str(ffi.string(at).decode())


def take(text: Any) -> str:
    """A text that the library has handed out, as a string; it is given back."""
    try:
        return text_of(text) or ""
    finally:
        lib.zw_free(text)


class Texts:
    """C strings that live as long as this object."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def one(self, text: str | None) -> Any:
        if text is None:
            return ffi.NULL
        if "\0" in text:
            raise ValueError(f"{text!r} holds a character that no text can have")
        at = ffi.new("char[]", text.encode())
        self._kept.append(at)
        return at

    def many(self, texts: Iterable[str]) -> tuple[Any, int]:
        each = [self.one(text) for text in texts]
        at = ffi.new("char *[]", each)
        self._kept.append(at)
        return ffi.cast("const char *const *", at), len(each)


See = Callable[[float], Union[bool, None]]


class Result(NamedTuple):
    """A ``zw_result``, how the call ended, and what was said."""

    at: Any
    status: int
    messages: tuple[_errors.Message, ...]
    interrupted: BaseException | None

    @property
    def text(self) -> str:
        return text_of(lib.zw_result_text(self.at)) or ""

    @property
    def json(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.text)
        return data


class Stopped(Exception):
    """A progress function returned False."""


class Handle:
    """The model in C. One thread at a time: every call takes its lock."""

    def __init__(
        self, name: str, text: bytes, settings: Settings, choices: Mapping[str, Any], from_file: bool = False
    ) -> None:
        self.name, self.text = name, text
        # Files that a model includes or reads are beside it: it is opened by its path, and must be there.
        self.includes = from_file and re.search(rb"(^|;)\s*(include|read)\b|\btable\s*\(", text, re.M) is not None
        self.settings, self.choices = settings, choices
        self._lock = threading.RLock()
        self._model: Any = None
        self._now: list[str] | None = None
        with self._lock:
            try:
                self._stand_at([])
            except _errors.ModelError as error:
                raise _arguments.misspelt(error, settings, []) or error from None

    def __reduce__(self) -> Any:
        name = os.path.abspath(self.name) if self.includes else self.name
        return Handle, (name, self.text, dict(self.settings), dict(self.choices), self.includes)

    # ---- The settings.

    def _open(self, more: list[str]) -> None:
        """A new model; the one before is freed."""
        texts, out = Texts(), ffi.new("zw_model **")
        opened_with = [_arguments.setting(*each) for each in self.settings.items()]
        settings, count = texts.many(opened_with + more)
        choices = {
            key: texts.one(value) if isinstance(value, str) else value
            for key, value in self.choices.items()
            if value is not None
        }
        options = ffi.new("zw_model_options *", {"settings": settings, "setting_count": count, **choices})

        def read() -> int:
            if self.includes:
                return int(lib.zw_model_open(texts.one(self.name), options, out))
            return int(lib.zw_model_read(texts.one(self.name), self.text, len(self.text), options, out))

        if self.includes:
            with open(self.name, "rb") as file:
                if file.read() != self.text:
                    raise _errors.ZwangError(f"{self.name} has changed since it was read; make the model anew")

        status = _worker.call(read)
        if out[0] == ffi.NULL:
            raise MemoryError("the library has no memory left")
        self._model = ffi.gc(out[0], lib.zw_model_free)
        self._now = None
        self._finish(status)
        self._now = more

    def _stand_at(self, more: list[str]) -> None:
        if self._now == more and self._model is not None:
            return
        if self._model is None or self.choices["reduce"]:
            self._open(more)
            return
        texts = Texts()
        self._now = None
        self._finish(lib.zw_model_set(self._model, *texts.many(more)))
        self._now = more

    def _leave(self) -> None:
        """The thread that was interrupted keeps the model until it ends; the next call opens another."""
        self._model = None
        self._now = None

    def names(self) -> list[str]:
        """The names that the model has given: what stands behind the words that introduce them."""
        text = re.sub(r"#[^\n]*", "", self.text.decode(errors="replace"))
        lists = re.findall(r"(?:^|[\n;])\s*(?:param|coord|speed|input|const)\b([^\n;]*)", text)
        return sorted({name for each in lists for name in re.findall(r"(?:^|,)\s*(\w+)", each)})

    # ---- Calls.

    def _finish(self, status: int) -> tuple[_errors.Message, ...]:
        """Takes the messages; raises where the call has failed, passes warnings on where not."""
        messages = _errors.parse(take(lib.zw_messages(self._model, lib.ZW_NOTE)))
        if status == lib.ZW_WRONG:
            self._now = None  # read anew for the next question, which then is told the same
            raise _errors.ModelError(_errors.join(messages), messages)
        if status == lib.ZW_FAILED:
            text = _errors.join(messages)
            if not text or "memory" in text:
                raise MemoryError(text or "the library has no memory left")
            raise OSError(text)
        return messages

    def ask(
        self, settings: Settings, call: Callable[..., int], see: See | None = None
    ) -> Result:
        """Makes ``call(model, texts, zw_result **)`` at these settings.

        With ``see`` the call is one more argument long: a ``zwpy_progress``, which is shown to it.
        """
        with self._lock:
            try:
                self._stand_at([_arguments.setting(*each) for each in settings.items()])
            except _errors.ModelError as error:
                raise _arguments.misspelt(error, settings, self.names()) or error from None
            texts, result, model = Texts(), ffi.new("zw_result **"), self._model
            interrupted: BaseException | None = None
            if see is None:
                status = _worker.call(lambda: call(model, texts, result), leave=self._leave)
            else:
                progress = ffi.new("zwpy_progress *")
                status = lib.ZW_NEGATIVE
                try:
                    status = self._watch(progress, lambda: call(model, texts, result, progress), see)
                except (KeyboardInterrupt, Stopped) as error:
                    if self._model is None:
                        raise KeyboardInterrupt from None
                    interrupted = error
            messages = self._finish(status)
            _errors.warn(messages)
            return Result(ffi.gc(result[0], lib.zw_result_free), status, messages, interrupted)

    def _watch(self, progress: Any, call: Callable[[], int], see: See) -> int:
        """Makes a call whose progress is told; Ctrl-C stops it."""

        def look() -> None:
            if see(progress.part) is False:
                raise Stopped

        def interrupt() -> float:
            progress.stop = True
            return 10.0

        try:
            return _worker.call(call, every=0.1, look=look, interrupt=interrupt, leave=self._leave)
        finally:
            close = getattr(see, "close", None)
            if close:
                close()


def source_of(source: Any) -> tuple[str | None, str, bytes]:
    """(path, name, text) of a model: a file where there is one by this name, else the text itself."""
    if isinstance(source, str):
        text_like = any(mark in source for mark in ("\n", ";", " ", "="))
        if text_like and not (len(source) < 4096 and "\0" not in source and os.path.exists(source)):
            return None, "model", source.encode()
    elif not isinstance(source, os.PathLike):
        raise TypeError(f"a model is a file's name or a text, not {source!r} ({type(source).__name__})")
    path = os.fsdecode(source)
    try:
        with open(path, "rb") as file:
            return path, path, file.read()
    except FileNotFoundError as error:
        if lib.zw_gallery_text(path.encode(errors="replace")) == ffi.NULL:
            raise
        hint = f"no such file; the model of the gallery is zw.gallery({path!r})"
        raise FileNotFoundError(error.errno, hint, path) from None
