"""Out-of-fold predictions on disk: an array per model and a manifest, so that a run that was ended goes on."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.atomic import write_file, writing
from mercer.combine.ensemble.training import TrainingData, class_lists
from mercer.errors import BadFile
from mercer.table.state import cell_blocks

MANIFEST = "manifest.json"


class LibraryFolder:
    """What is kept of a library in a folder.

    Each model's predictions are written whole (to a temporary file that is renamed), then the manifest that names
    them with their checksum: whatever moment a run ends at, the folder holds nothing but complete predictions.

    Parameters
    ----------
    path : Path
        The folder; made if there is none.
    rows : str
        Fingerprint of the rows and folds (see `fingerprint`).

    Raises
    ------
    BadFile
        The folder holds predictions for other rows or folds, or no manifest of a library.
    BadOutput
        It cannot be made.
    """

    def __init__(self, path: Path, rows: str) -> None:
        self.path, self.rows = path, rows
        self.files: dict[str, dict[str, Any]] = {}
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
        if (path / MANIFEST).exists():
            self._open()

    def _open(self) -> None:
        try:
            manifest = json.loads((self.path / MANIFEST).read_bytes())
            kept, rows = manifest["models"], manifest["rows"]
            self.files = {str(key): dict(one) for key, one in kept.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise BadFile(f"{self.path / MANIFEST} is no manifest of a model library. Name another folder.") from None
        if rows != self.rows:
            raise BadFile(
                f"{self.path} holds a model library of other rows, weights or folds. Name another folder, or remove it."
            )

    def read(self, key: str, shape: tuple[int, ...]) -> tuple[Floats, float] | None:
        """Predictions and seconds of a model; None where they are not there, or damaged."""
        kept = self.files.get(key)
        if kept is None:
            return None
        try:
            data = (self.path / f"{key}.npy").read_bytes()
            if hashlib.sha256(data).hexdigest() != kept["sha256"]:
                return None
            found = np.load(io.BytesIO(data), allow_pickle=False)
            seconds = float(kept["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return (found, seconds) if found.shape == shape and found.dtype == np.float64 else None

    def write(self, key: str, name: str, predictions: Floats, seconds: float) -> None:
        """Keep the predictions of a model; BadOutput where they cannot be written."""
        buffer = io.BytesIO()
        np.save(buffer, predictions, allow_pickle=False)
        data = buffer.getvalue()
        write_file(self.path / f"{key}.npy", [data])
        self.files[key] = {"name": name, "seconds": seconds, "sha256": hashlib.sha256(data).hexdigest()}
        manifest = {"rows": self.rows, "models": self.files}
        write_file(self.path / MANIFEST, [json.dumps(manifest, indent=1).encode()])


def fingerprint(data: TrainingData, folds: Sequence[Longs]) -> str:
    """A digest of cells, target, weights and folds, the same in every process."""
    digest, table = hashlib.sha256(), data.table
    digest.update(repr([(c.name, str(c.kind), c.levels) for c in table.schema]).encode())
    weight = np.empty(0) if data.weight is None else data.weight
    for array in (*cell_blocks(table), data.codes, weight, *folds):
        digest.update(repr((array.shape, str(array.dtype))).encode() + np.ascontiguousarray(array).tobytes())
    labels = [repr(label) for classes in class_lists(data.classes) for label in classes.tolist()]
    digest.update(json.dumps([table.texts().tolist(), labels]).encode())
    return digest.hexdigest()


def model_key(model: Any) -> str:
    """A digest of a model's class and parameters; two models of one key have the same predictions."""
    with np.printoptions(threshold=sys.maxsize):
        parameters = repr(sorted(model.get_params(deep=True).items()))
    return hashlib.sha256(f"{type(model).__module__}.{type(model).__qualname__} {parameters}".encode()).hexdigest()[:24]
