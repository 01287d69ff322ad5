"""What can go wrong, and the messages that say so."""

from __future__ import annotations

import re
import sys
import warnings
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ._run import Run


class Message(NamedTuple):
    """One message of the library: a note, a warning or an error, with its place in the model."""

    level: str
    """``"note"``, ``"warning"`` or ``"error"``"""
    text: str
    """what it says, without its place"""
    file: str | None
    line: int | None
    column: int | None
    excerpt: str
    """the line of the model and the caret below it; ``""`` where it has no place"""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"{place}{self.level}: {self.text}" + (f"\n{self.excerpt}" if self.excerpt else "")


class ZwangError(Exception):
    """What the library refuses or cannot do; the base of all errors of this package."""

    def __init__(self, text: str, messages: tuple[Message, ...] = ()) -> None:
        super().__init__(text)
        self.messages = messages
        """everything that was said, notes too"""


class ModelError(ZwangError):
    """The model or a setting is wrong.

    ``str()`` shows the line of the model and a caret, as the program does.
    """

    def __init__(self, text: str, messages: tuple[Message, ...] = ()) -> None:
        super().__init__(text, messages)
        first = next((m for m in messages if m.level == "error"), None)
        self.message: str = first.text if first else text
        """what is wrong, in words"""
        self.file: str | None = first.file if first else None
        self.line: int | None = first.line if first else None
        """where: the line, from 1"""
        self.column: int | None = first.column if first else None
        """where: the column, from 1"""
        self.caret: str = first.excerpt if first else ""
        """the line of the model, and a caret below what is wrong"""


class RunStopped(ZwangError):
    """A run ended before its time: ``run`` holds what was reached, the message says why."""

    def __init__(self, text: str, messages: tuple[Message, ...] = (), run: Run | None = None) -> None:
        super().__init__(text, messages)
        self.run = run
        """the rows and events that were reached; None of a simulation that is stepped"""


class ZwangWarning(UserWarning):
    """A warning of the library: the result stands, but something about it should be known."""


_HEAD = re.compile(r"(?:(?P<file>[^\n]*?):(?P<line>\d+):(?P<column>\d+): )?(?P<level>note|warning|error): ")


def parse(text: str) -> tuple[Message, ...]:
    """The messages in a text of ``zw_messages``."""
    found: list[Message] = []
    for line in text.splitlines():
        head = _HEAD.match(line)
        if head:
            at, column = head["line"], head["column"]
            found.append(
                Message(
                    head["level"],
                    line[head.end() :],
                    head["file"],
                    int(at) if at else None,
                    int(column) if column else None,
                    "",
                )
            )
        elif found:
            last = found[-1]
            found[-1] = last._replace(excerpt=f"{last.excerpt}\n{line}" if last.excerpt else line)
    return tuple(found)


def warn(messages: tuple[Message, ...]) -> None:
    """Passes warnings on to Python, at the line that called this package; notes stay with the result."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("zwang."):
        level, frame = level + 1, frame.f_back
    for message in messages:
        if message.level == "warning":
            warnings.warn(str(message), ZwangWarning, stacklevel=level)


def join(messages: tuple[Message, ...]) -> str:
    """The errors as one text, or all there is."""
    errors = [str(m) for m in messages if m.level == "error"]
    return "\n".join(errors or [str(m) for m in messages])
