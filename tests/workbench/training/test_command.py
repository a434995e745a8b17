"""The command that repeats a run."""

from __future__ import annotations

import shlex

from mercer.select.costs import Costs
from mercer.select.thresholds import Threshold
from mercer.workbench.training.command import command
from mercer.workbench.training.options import TrainOptions


def test_no_digit_of_a_number_is_lost() -> None:
    options = TrainOptions(cost={"fn": 1234567.89, "fp": 0.1}, threshold=Threshold("given", 0.123456789), test_size=0.3)
    words = shlex.split(command("t.csv", "y", options))
    assert words[words.index("--cost") + 1] == "fn=1234567.89,fp=0.1"
    assert Costs.read(words[words.index("--cost") + 1]) == Costs.read(options.cost)
    assert Threshold.read(words[words.index("--threshold") + 1]) == options.threshold
    assert words[words.index("--test-size") + 1] == "0.3"
    assert str(Threshold("top", 1_000_000.0)) == "top=1000000"
