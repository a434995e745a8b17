"""A model is asked about two rows before it is handed out: a plain one, and one whose cells are all missing.

Values that each pass their check can still contradict each other. A model that answers these rows with numbers that are
not finite, with shares that are no probabilities, or with an exception that is not mercer's, does so because of the
file. An error of mercer's own is an answer: a kernel that takes no missing cells says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier

from mercer.combine.adapted.outputs import outputs_of
from mercer.combine.adapted.several import SEVERAL
from mercer.errors import BadFile, MercerError
from mercer.table import CATEGORICAL, Kind, Schema, Table
from mercer.table.blocks import MISSING, Codes, Numbers, SparseNumbers, Texts

_MOST_DENSE = 1 << 20  # columns; a row of more is sparse, so that a file cannot ask for memory by naming columns
_ROUNDING = 1e-6


def expect_sound_answers(model: Any) -> None:
    """Raise BadFile unless the model answers both rows soundly, or says in mercer's words what it cannot take."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if isinstance(model, SEVERAL):
            for member in model.estimators_:
                _ask(_expect_one_target, member, one_row(member.schema_, missing=False))
        for one, missing in product(outputs_of(model), (False, True)):
            _ask(_expect_sound, one, one_row(model.schema_, missing=missing))


def _ask(question: Callable[[Any, Table], None], model: Any, row: Table) -> None:
    try:
        question(model, row)
    except BadFile:
        raise
    except MercerError:  # an answer
        return


def _expect_one_target(model: Any, row: Table) -> None:
    if np.asarray(model.predict(row)).ndim != 1:
        raise BadFile("A model of one of several targets predicts several itself.")


def one_row(schema: Schema, *, missing: bool) -> Table:
    """A row of ones, first levels and one word, or of missing cells, under a schema."""
    n_numbers, n_texts = len(schema.numeric_names), len(schema.of_kind(Kind.TEXT))
    numbers: Numbers | SparseNumbers
    if n_numbers > _MOST_DENSE:
        numbers = SparseNumbers(sp.csr_array((1, n_numbers)))
    else:
        numbers = Numbers(np.full((1, n_numbers), np.nan if missing else 1.0))
    codes = [MISSING if missing or not schema[n].levels else 0 for n in schema.of_kind(*CATEGORICAL)]
    texts = np.full((1, n_texts), None if missing else "word", dtype=object)
    return Table(schema, 1, numbers, Codes(np.array([codes], dtype=np.int32).reshape(1, -1)), Texts(texts))


def _expect_sound(model: Any, row: Table) -> None:
    predicted = np.asarray(model.predict(row))
    if len(predicted) != 1:
        raise BadFile(f"The model answers one row with {len(predicted)}.")
    if not is_classifier(model):
        if not np.isfinite(predicted.astype(np.float64)).all():
            raise BadFile("The model predicts a number that is not finite.")
        return
    if not hasattr(model, "predict_proba") or predicted.ravel()[0] is None:  # None: a rote learner that abstains
        return
    shares = model.predict_proba(row)
    sound = shares.shape == (1, len(model.classes_)) and bool((shares >= 0).all())
    if not sound or not abs(float(shares.sum()) - 1) <= _ROUNDING:
        raise BadFile("The probabilities that the model gives do not sum to 1.")
