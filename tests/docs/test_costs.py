"""The forms of the tables of docs/costs.md are read."""

import re

import pytest
from tests.docs.pages import page

from mercer.select.costs import Costs
from mercer.select.thresholds import Threshold

PAGE = page("costs.md")


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
