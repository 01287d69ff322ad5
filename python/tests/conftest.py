"""What the tests share."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def models():
    return ROOT / "models"


@pytest.fixture
def program():
    """The program `zwang`, to compare with."""
    path = os.environ.get("ZWANG_PROGRAM", str(ROOT / "build" / "zwang"))
    if not os.access(path, os.X_OK):
        pytest.skip(f"there is no program {path}")
    return path
