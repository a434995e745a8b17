"""The command that repeats a run."""

import numpy as np

from mercer.workbench.training.command import command
from mercer.workbench.training.options import TrainOptions


def test_numbers_of_numpy_are_written_as_numbers() -> None:
    options = TrainOptions(test_size=np.float64(0.25), folds=np.int64(3))
    assert command(None, "y", options) == "mercer train --target y --folds 3 --test-size 0.25 --seed 0"
    assert command({"x": [1.0]}, "y", options) == "mercer.train(data, 'y', folds=3, test_size=0.25, seed=0)"
