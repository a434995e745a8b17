"""The code of docs/plots.md runs, and has an example of every picture."""

import re
import warnings
from pathlib import Path

from matplotlib import pyplot as plt

from mercer import plot

PAGE = Path(__file__).parents[2] / "docs" / "plots.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


def test_the_page_runs():
    names: dict[str, object] = {}
    for block in BLOCKS:
        with warnings.catch_warnings():
            warnings.filterwarnings("error")
            exec(compile(block, str(PAGE), "exec"), names)
        plt.close("all")


def test_every_picture_has_an_example():
    assert set(re.findall(r"plot\.(\w+)\(", "".join(BLOCKS))) == set(plot.__all__)
