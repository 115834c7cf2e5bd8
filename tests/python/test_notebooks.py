# SPDX-License-Identifier: MIT
"""The notebooks of docs/notebooks run to their end, and say what their readers are told.

With TACIT_WRITE_NOTEBOOKS=1 they are written back with their outputs.
"""
import os
import pathlib

import pytest

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("matplotlib")
FOLDER = pathlib.Path(__file__).parents[2] / "docs/notebooks"
SAID = {"hospital": ["Guarantee: epsilon = 1", "would pass the ceiling", "page.html: ", "postgresql: ", "<meter"],
        "coming-from": ["4 fits and one score", "fits were paid for, then:", "PrivacyLeakError", "epsilon = "]}


def said_by(book):
    """The texts of all outputs."""
    for cell in book.cells:
        for output in cell.get("outputs", []):
            yield output.get("text", "")
            yield from (text for kind, text in output.get("data", {}).items() if kind.startswith("text/"))


def test_every_notebook_is_tried():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_notebooks_run(name, tmp_path):
    import nbformat

    book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    client = nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": tmp_path}},
                                     record_timing=False)
    client.execute()
    shown = "\n".join(said_by(book))
    assert not [words for words in SAID[name] if words not in shown]
    assert str(tmp_path) not in shown and "Warning" not in shown
    if os.environ.get("TACIT_WRITE_NOTEBOOKS"):
        nbformat.write(book, FOLDER / f"{name}.ipynb")
