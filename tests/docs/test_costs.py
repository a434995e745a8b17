"""The code of docs/costs.md runs and prints what the page says; the forms of its tables are read."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from mercer.select.costs import Costs
from mercer.select.thresholds import Threshold

PAGE = (Path(__file__).parents[2] / "docs" / "costs.md").read_text()


def test_the_page_runs_as_printed():
    names: dict[str, object] = {}
    printed = ""
    for language, block in re.findall(r"```(python|text)\n(.*?)```", PAGE, flags=re.DOTALL):
        if language == "text":
            assert printed.strip() == block.strip()
            printed = ""
            continue
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(block, "docs/costs.md", "exec"), names)
        printed += out.getvalue()
    assert not printed


def test_both_columns_of_the_table_mean_the_same():
    lines = re.findall(r"^\| `--cost (.*?)` \| `cost=(\{.*\})` \|", PAGE, flags=re.MULTILINE)
    assert len(lines) == 3
    for terminal, python in lines:
        assert Costs.read(terminal.strip('"')) == Costs.read(eval(python))


@pytest.mark.parametrize(
    "rule", re.findall(r"`([a-z0-9=.]+)`", PAGE.split("`--threshold` takes")[1].split("A precision")[0])
)
def test_every_rule_is_one(rule):
    assert str(Threshold.read(rule)) == rule
