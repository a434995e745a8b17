"""Pictures ask for matplotlib by name, import it late, and can be told apart without colour."""

import subprocess
import sys
from inspect import Parameter, signature
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from mercer import plot
from mercer.errors import BadEnvironment
from mercer.plot.style import colours, labels

SOURCE = Path(plot.__file__).parent


def test_matplotlib_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BadEnvironment, match=r"pip install mercer\[plot\]"):
        plot.residuals([1.0, 2.0], y=[1.0, 2.5])


def test_importing_mercer_and_its_pictures_does_not_import_matplotlib():
    code = "import sys, mercer; mercer.plot.tree; mercer.plot.roc_curve; assert 'matplotlib' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_neither_global_settings_nor_show():
    for module in SOURCE.rglob("*.py"):
        text = module.read_text()
        assert "rcParams" not in text, module
        assert ".show(" not in text, module


def test_neighbouring_colours_differ_in_lightness():
    """Relative luminance of the first two, and of the first three, at least an eighth apart."""
    grey = [float(np.dot(to_rgb(c), [0.2126, 0.7152, 0.0722])) for c in colours.COLOURS[:3]]
    assert min(abs(a - b) for i, a in enumerate(grey) for b in grey[:i]) > 0.08
    assert abs(grey[0] - grey[1]) > 0.25


def test_sixteen_classes_differ_in_colour_or_mark():
    assert len({(colours.colour(k), colours.marker(k)) for k in range(16)}) == 16
    assert len({(colours.colour(k), colours.line(k)) for k in range(16)}) == 16
    assert len({(colours.colour(k), colours.hatch(k)) for k in range(16)}) == 16


def test_long_titles_are_wrapped():
    ax = plt.figure(figsize=(3, 3)).subplots()
    labels.words(ax, "a title that is much longer than the axes are wide, by far")
    assert "\n" in ax.get_title(loc="left")


def test_every_picture_takes_axes_and_returns_them():
    for name in plot.__all__:
        assert signature(getattr(plot, name)).parameters["ax"].kind is Parameter.KEYWORD_ONLY, name
