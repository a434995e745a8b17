"""Examples that do not exist, tables that are not there or of another version, no matplotlib, no display."""

import os
import subprocess
import sys

import pytest

import mercer
from mercer.errors import BadEnvironment, BadFile, BadTable, MercerError
from mercer.gallery.reproduction import data_folder
from mercer.gallery.tables import DataTable

TABLE = DataTable("three flowers", "flowers/three.csv", 3, 2, "the meadow")


@pytest.mark.parametrize("name", ["lim/bayes_rul", "bayes_rule", "dm/bayes_rule"])
def test_unknown_examples_are_suggested(name):
    with pytest.raises(MercerError, match=r"There is no example '.*'\. Did you mean 'lim/bayes_rule'"):
        mercer.gallery.reproduce(name)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(BadFile, match="There is no folder"):
        data_folder(tmp_path / "nowhere")


def test_a_table_that_is_not_there_is_told_with_its_place(tmp_path):
    with pytest.raises(BadFile, match=r"three\.csv is not there: .*3 rows and 2 columns.*usually found at the meadow"):
        TABLE.read(tmp_path)
    with pytest.raises(BadFile, match="name the folder with --data"):
        TABLE.read(None)


def test_a_table_of_another_version_is_told_with_its_size(tmp_path):
    (tmp_path / "flowers").mkdir()
    file = tmp_path / "flowers" / "three.csv"
    file.write_text("size,colour\n1,red\n2,blue\n3,red\n")
    assert TABLE.read(tmp_path).shape == (3, 2)
    file.write_text("size,colour,smell\n1,red,a\n2,blue,b\n3,red,a\n4,red,b\n")
    with pytest.raises(BadTable, match=r"another version of three flowers: it has 4 rows and 3 columns.*for 3 rows"):
        TABLE.read(tmp_path)


def test_matplotlib_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BadEnvironment, match=r"pip install mercer\[plot\]"):
        mercer.gallery.reproduce("nbk/meningitis")


def test_no_display_is_needed(tmp_path):
    """Even where the user asks for windows."""
    surroundings = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    code = "import mercer; print(len(mercer.gallery.reproduce('nbk/mammals').pictures))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**surroundings, "MPLBACKEND": "TkAgg"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == ("2", "")
