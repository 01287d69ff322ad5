"""Fits: parameters and start values from data."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _arguments
from ._handle import Texts
from ._results import Answer
from ._zwang import ffi, lib

if TYPE_CHECKING:
    from ._handle import Settings
    from ._model import Model

Data = Union[str, "os.PathLike[str]", Mapping[str, npt.ArrayLike]]


class Fit(Answer):
    """What a fit has found: ``f.values["m"]``, ``f.sd["m"]``, ``f.covariance``; ``str()`` its report."""

    @property
    def values(self) -> dict[str, float]:  # type: ignore[override]
        """The values found."""
        return {each["name"]: each["value"] for each in self._data["parameters"]}

    @property
    def sd(self) -> dict[str, float | None]:
        """Standard deviations; None where the data do not determine them."""
        return {each["name"]: each["sd"] for each in self._data["parameters"]}

    @property
    def covariance(self) -> npt.NDArray[np.float64] | None:
        """The covariance of the values, in their order; None where the data do not determine it."""
        found = self._data["covariance"]
        return None if found is None else np.array(found)

    @property
    def converged(self) -> bool:
        """Whether the search came to its end."""
        return bool(self._data["converged"])

    @property
    def undetermined(self) -> list[str]:
        """What the data cannot tell apart, in words."""
        return list(self._data["undetermined"])


def _file(data: Data, folder: str, number: int) -> str:
    if not isinstance(data, Mapping):
        return os.fspath(data)
    path = os.path.join(folder, f"data{number}.csv")
    columns = {name: np.asarray(column, dtype=float) for name, column in data.items()}
    if len({column.shape for column in columns.values()}) > 1 or any(c.ndim != 1 for c in columns.values()):
        raise ValueError("the columns of the data have one length")
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*columns.values()):
            writer.writerow("" if np.isnan(cell) else repr(float(cell)) for cell in row)
    return path


def fit(
    model: Model,
    data: Data | Sequence[Data],
    texts_given: Mapping[str, Optional[str]],
    tolerance: Mapping[str, Any],
    settings: Settings,
) -> Fit:
    several = [data] if isinstance(data, (str, os.PathLike, Mapping)) else list(data)
    with tempfile.TemporaryDirectory() as folder:
        files = [_file(each, folder, i) for i, each in enumerate(several)]

        def ask(form: int) -> Any:
            def call(at: Any, texts: Texts, result: Any) -> int:
                paths, count = texts.many(files)
                options = ffi.new(
                    "zw_fit_options *",
                    {
                        **{name: texts.one(value) for name, value in texts_given.items()},
                        **tolerance,
                        "data": paths,
                        "data_count": count,
                        "as": form,
                    },
                )
                return int(lib.zw_fit(at, options, result))

            return model._handle.ask(settings, call)

        text, found = ask(lib.ZW_TEXT).text, ask(lib.ZW_JSON).json
    return Fit(lambda: text, lambda: found)
