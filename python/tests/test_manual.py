"""docs/python.md says what really happens; the notebooks run."""

import doctest
import json
import pathlib
import re
import warnings

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_the_session_of_the_page(tmp_path, monkeypatch):
    for module in ("sympy", "scipy", "pandas"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctest, "ELLIPSIS_MARKER", "\\u2026")  # as doctest spells …
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", page, re.M | re.S)
    lines = sum(block.count("\n>>> ") + 1 for block in blocks)
    assert len(blocks) > 5
    # One session: the blocks follow each other, at the places that they have in the page.
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", "docs/python.md", 0)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        failed, tried = runner.run(session, out=said.append)
    assert tried >= lines - 2 and not failed, "".join(said)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    """Every cell runs; what a cell asserts holds. Notebooks are kept without outputs."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    for module in ("ipykernel", "matplotlib", "scipy", "pandas"):
        pytest.importorskip(module)
    raw = json.loads(path.read_text())
    assert all(not cell.get("outputs") for cell in raw["cells"])
    book = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = {kind for cell in book.cells if cell.cell_type == "code" for out in cell.outputs for kind in out.get("data", {})}
    assert "text/html" in shown and "image/png" in shown
    errors = [out.get("text") for cell in book.cells for out in cell.get("outputs", []) if out.get("name") == "stderr"]
    assert not errors, errors


def test_there_are_three_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["engineer", "researcher", "student"]


def test_ctrl_c_in_a_notebook_returns_what_was_reached(tmp_path):
    """The button that interrupts the kernel is SIGINT; the bar was shown meanwhile."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = [
        "import os, signal, threading, zwang as zw\n"
        "m = zw.Model('''coord x, y\nmass 1 at [x, y, 0]\npotential -1/sqrt(x^2 + y^2)\n"
        "initial x = 1, y' = 0.7\nrun to 1e7 every 1''')",
        "threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()\nr = m.run()",
        "assert not r.complete and len(r.rows) > 1 and m.last_run is r\nr",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    assert "%" in "".join(out.get("text", "") for out in book.cells[1].outputs)
    assert "stopped early" in book.cells[2].outputs[0]["data"]["text/plain"]
