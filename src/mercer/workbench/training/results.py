"""What training for several targets found: a result for each, one report and one model file for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.atomic import write_file
from mercer.estimators.common.labels import stack_labels
from mercer.report.several import SEVERAL_FORMAT, render_several
from mercer.store.model import save_parts
from mercer.workbench.training.result import TrainResult
from mercer.workbench.training.run_folder import RunResult


class TrainResults(RunResult, Mapping[str, TrainResult]):
    """The result of `mercer.train` for several targets: a `TrainResult` under the name of each.

    Parameters
    ----------
    results : mapping of str to TrainResult
        By the names of the targets, in their order.
    command : str, default ""
        That repeats the run.

    Examples
    --------
    >>> import mercer
    >>> rows = {"x": [1, 2, 3, 4] * 9, "y": [2, 4, 6, 8] * 9, "z": ["a", "a", "b", "b"] * 9}
    >>> found = mercer.train(rows, ["y", "z"], task=None, learners=["linear", "naive_bayes"], kinds={"x": "numeric"})
    >>> list(found), found["z"].best.title
    (['y', 'z'], 'Naive Bayes')
    """

    def __init__(self, results: Mapping[str, TrainResult], command: str = "") -> None:
        self.results = dict(results)
        self.command = command

    def __getitem__(self, target: str) -> TrainResult:
        return self.results[target]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def notices(self) -> list[str]:
        """What a reader should know of the data and of the learners, target by target."""
        return [f"{name}: {notice}" for name, one in self.items() for notice in one.notices]

    def predict(self, data: Any) -> NDArray[Any]:
        """The class or number predicted of every target.

        Parameters
        ----------
        data : str, Path, data frame, mapping, ndarray or Table
            New rows. Columns are found by name, in any order; the targets may be among them.

        Returns
        -------
        predicted : ndarray of shape (n_rows, n_targets)
            Columns in the order of the targets; objects where classes stand beside numbers.
        """
        return stack_labels([np.asarray(one.predict(data)) for one in self.values()])

    def report(self, path: str | Path) -> Path:
        """Write the report: one self-contained HTML page with a part for each target.

        Parameters
        ----------
        path : str or Path
            The file; an existing one is replaced.

        Returns
        -------
        path : Path
            The file written.
        """
        write_file(Path(path), [render_several(self.to_dict()).encode()])
        return Path(path)

    def save(self, path: str | Path) -> Path:
        """Write the models of all targets to one file, for `mercer.load` and `mercer predict`.

        Parameters
        ----------
        path : str or Path
            Ends in ".mercer"; an existing file is replaced.

        Returns
        -------
        path : Path
            The file written.
        """
        save_parts([one.stored() for one in self.values()], path)
        return Path(path)

    def to_dict(self) -> dict[str, Any]:
        """Everything found as plain data, ready for JSON.

        Returns
        -------
        result : dict
            What result.json holds: the results of the targets, in their order.
        """
        return {
            "format": SEVERAL_FORMAT,
            "command": self.command,
            "targets": [{**one.to_dict(), "command": self.command} for one in self.values()],
        }

    def __repr__(self) -> str:
        return "\n\n".join(repr(one) for one in self.values())

    def _repr_html_(self) -> str:
        return "".join(one._repr_html_() for one in self.values())
