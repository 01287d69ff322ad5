"""The page of a run: one HTML text that needs nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathlib


class Page:
    """A page that shows a run. In a notebook it stands in the cell; elsewhere :meth:`open` it."""

    def __init__(self, text: str, title: str, height: int) -> None:
        self.html = text
        """the page, whole"""
        self._title, self._height = title, height

    def save(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """Writes the page to a file."""
        import pathlib

        file = pathlib.Path(path)
        file.write_text(self.html, encoding="utf-8")
        return file

    def open(self) -> pathlib.Path:
        """Shows the page in the browser; returns the file, which is left in the temporary folder."""
        import tempfile
        import webbrowser

        handle, name = tempfile.mkstemp(prefix="zwang-", suffix=".html")
        os.close(handle)
        file = self.save(name)
        webbrowser.open(file.as_uri())
        return file

    def _repr_html_(self) -> str:
        import html

        return (
            f'<iframe srcdoc="{html.escape(self.html, quote=True)}" title="{html.escape(self._title, quote=True)}" '
            f'style="width: 100%; height: {self._height}px; border: 0" allow="fullscreen"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Page: {self._title}, {len(self.html) // 1000} kB; .open() shows it, .save(FILE) writes it>"
