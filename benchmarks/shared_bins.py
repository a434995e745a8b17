"""How much less time do models take that share the bins, or the design, of their rows, as in a library of models?

Boosted trees of six settings of 100 rounds and 4 to 31 leaves, and logistic regressions of six costs, fitted to four
fifths of the rows and predicting the last fifth: in one group, and one by one. Time is that of the processor, one
thread.
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
_COSTS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)


def rows(data: Path) -> Iterator[Row]:
    for name in _TABLES:
        frame, _ = read(data, name, 0)
        table = mercer.read_table(frame.drop(columns="target"))
        for kind in _KINDS:
            yield _row(name, kind, table, frame["target"])
    texts = pd.read_csv(data / "sms_spam" / "SMSSpamCollection", sep="\t", header=None, quoting=3)
    table = mercer.read_table(texts[[1]], kinds={"1": "text"})
    for kind in _KINDS:
        yield _row("sms_spam, text", kind, table, texts[0])


def _boosted() -> list[Any]:
    fixed = {"early_stopping": False, "n_jobs": 1}
    return [
        mercer.HistGradientBoostingClassifier(max_leaf_nodes=leaves, learning_rate=rate, random_state=place, **fixed)
        for place, (leaves, rate) in enumerate(_SETTINGS)
    ]


def _linear() -> list[Any]:
    return [mercer.LogisticRegression(C=cost) for cost in _COSTS]


_KINDS = {"boosted trees": _boosted, "logistic regressions": _linear}


def _row(name: str, kind: str, table: Table, labels: Any) -> Row:
    data = TrainingData.read(table, np.asarray(labels), None, Task.CLASSIFICATION)
    cut = len(table) * 4 // 5
    train, test = np.arange(cut), np.arange(cut, len(table))
    models = dict(enumerate(_KINDS[kind]()))

    def apart() -> None:
        for place, model in models.items():
            ModelGroup({place: model}, data, 10**9).predictions(train, [test])

    together, alone = (_least(w) for w in (lambda: ModelGroup(models, data, 10**9).predictions(train, [test]), apart))
    return Row(f"{kind}, {name}, {len(table):,} rows", together, alone, "one by one", "none")


def _least(work: Callable[[], Any]) -> float:
    found = []
    for _ in range(5):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)
