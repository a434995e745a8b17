"""How much less time do boosted trees take that share the bins of their rows, as in a library of models?

Six settings of 100 rounds and 4 to 31 leaves, fitted to four fifths of the rows and predicting the last fifth: in one
group, and one by one. Time is that of the processor, one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from automl import read
from harness import Row

import mercer
from mercer.combine.ensemble.group import ModelGroup
from mercer.combine.ensemble.training import TrainingData
from mercer.table import Table, Task

_TABLES = ("german", "telco", "adult", "census")
_SETTINGS = ((4, 0.1), (8, 0.05), (15, 0.05), (31, 0.05), (8, 0.1), (4, 0.05))  # leaves, rate


def rows(data: Path) -> Iterator[Row]:
    for name in _TABLES:
        frame, _ = read(data, name, 0)
        yield _row(name, mercer.read_table(frame.drop(columns="target")), frame["target"])
    texts = pd.read_csv(data / "sms_spam" / "SMSSpamCollection", sep="\t", header=None, quoting=3)
    yield _row("sms_spam, text", mercer.read_table(texts[[1]], kinds={"1": "text"}), texts[0])


def _row(name: str, table: Table, labels: Any) -> Row:
    data = TrainingData.read(table, np.asarray(labels), None, Task.CLASSIFICATION)
    cut = len(table) * 4 // 5
    train, test = np.arange(cut), np.arange(cut, len(table))
    models = {
        place: mercer.HistGradientBoostingClassifier(
            max_leaf_nodes=leaves, learning_rate=rate, early_stopping=False, random_state=place, n_jobs=1
        )
        for place, (leaves, rate) in enumerate(_SETTINGS)
    }

    def apart() -> None:
        for place, model in models.items():
            ModelGroup({place: model}, data, 10**9).predictions(train, [test])

    together, alone = (_least(w) for w in (lambda: ModelGroup(models, data, 10**9).predictions(train, [test]), apart))
    return Row(f"{name}, {len(table):,} rows", together, alone, "one by one", "none")


def _least(work: Callable[[], Any]) -> float:
    found = []
    for _ in range(5):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)
