"""What predicting found: a line for each row, flags, drift and scores."""

from __future__ import annotations

import io
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from mercer.atomic import write_file
from mercer.evaluation.assessment.evaluation import Evaluation
from mercer.workbench.prediction.answers import PREDICTION
from mercer.workbench.prediction.drift import DRIFT_LEVEL, ColumnDrift, Flags


@dataclass(frozen=True)
class Predicted:
    """What `mercer.predict` found.

    Parameters
    ----------
    frame : polars.DataFrame
        A line for each row: its number, the columns that identify it or were asked for, the prediction, the
        probability of each class, and `flags`, cells that are unlike those of the training rows.
    target : str
        The column predicted.
    flags : Flags
        Cells unlike any training row, counted by column.
    drift : list of ColumnDrift, default []
        How each column moved against the training rows; empty where the model file does not tell of these.
    evaluation : Evaluation or None, default None
        Every metric with its interval on the rows whose target is known; None where there are none.
    unknown_classes : int, default 0
        Rows of a class that the model does not know, which are not in `evaluation`.
    notes : list of str, default []
        What could not be done, and why.
    targets : dict of str to Predicted, default {}
        Of a model of several targets, what was found of each: its answers are the `frame`, its scores `evaluation`.

    Examples
    --------
    >>> import mercer, tempfile, pathlib
    >>> model = mercer.MeanTarget().fit({"size": [1.0, 2.0]}, [10.0, 30.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.save(model, pathlib.Path(folder) / "mean.mercer", target="price")
    ...     found = mercer.predict(pathlib.Path(folder) / "mean.mercer", {"size": [5.0], "price": [20.0]})
    >>> found.frame["prediction"].to_list(), found.evaluation["rmse"].value
    ([20.0], 0.0)
    """

    frame: pl.DataFrame
    target: str
    flags: Flags
    drift: list[ColumnDrift] = field(default_factory=list)
    evaluation: Evaluation | None = None
    unknown_classes: int = 0
    notes: list[str] = field(default_factory=list)
    targets: dict[str, Predicted] = field(default_factory=dict)

    @property
    def predicts_dates(self) -> bool:
        """Whether the predictions are dates or moments, and errors numbers of days."""
        return PREDICTION in self.frame.columns and self.frame[PREDICTION].dtype.is_temporal()

    @property
    def drifted(self) -> list[ColumnDrift]:
        """The columns that moved."""
        return [column for column in self.drift if column.drifted]

    def write(self, path: str | Path) -> Path:
        """Write the lines to a .csv or .parquet file.

        Parameters
        ----------
        path : str or Path
            The file; an existing one is replaced when the new one is complete.

        Returns
        -------
        path : Path
            The file written.
        """
        write_file(Path(path), [self.to_bytes(Path(path).suffix.lower())])
        return Path(path)

    def to_bytes(self, suffix: str = ".csv") -> bytes:
        """The lines as the contents of a file.

        Parameters
        ----------
        suffix : {".csv", ".parquet"}, default ".csv"
            The format.

        Returns
        -------
        contents : bytes
            CSV in UTF-8, or Parquet.
        """
        buffer = io.BytesIO()
        if suffix == ".parquet":
            self.frame.write_parquet(buffer)
        else:
            self.frame.write_csv(buffer)
        return buffer.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Everything but the lines, ready for JSON.

        Returns
        -------
        found : dict
            Flags, drift, scores with intervals.
        """
        flags = {"rows": self.flags.n_rows, "far": self.flags.far, "unseen": self.flags.unseen}
        found: dict[str, Any] = {"rows": self.frame.height, "columns": self.frame.columns, "flags": flags}
        if self.drift:
            found["drift"] = {"level": DRIFT_LEVEL, "columns": [asdict(column) for column in self.drift]}
        if self.targets:
            found["targets"] = {name: one._scores() for name, one in self.targets.items()}
        return found | self._scores()

    def _scores(self) -> dict[str, Any]:
        """The scores of one target, where it is known."""
        found: dict[str, Any] = {}
        if self.evaluation is not None:
            found["scored"] = self.evaluation.n_rows
            for key in ("accuracy", "rmse"):
                if key in self.evaluation.scores:
                    found[key] = self.evaluation[key].value
            found["evaluation"] = self.evaluation.to_dict()
        return found | ({"unknown_classes": self.unknown_classes} if self.unknown_classes else {})
