"""Model files of every storable estimator with a value changed, sealed again with a right checksum."""

from __future__ import annotations

import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor, RegressorChain

import mercer
from mercer.distances import HEOM, HVDM, Gower
from mercer.errors import BadFile, MercerError
from mercer.kernels import (
    IOF,
    RBF,
    Centre,
    Encoded,
    Exp,
    Goodall3,
    Lin,
    Linear,
    Matern,
    Normalise,
    Overlap,
    Polynomial,
    PolynomialOf,
    Power,
    RationalQuadratic,
)
from mercer.store.envelope import seal
from mercer.store.manifest import pack, unpack
from mercer.store.model import TASKS, Card
from mercer.store.registry import STORABLE, model_state
from tests.attack.outcome import Outcome, Surprise, check_answers
from tests.attack.tables import LABELS, PROBES, ROWS, TARGET
from tests.contracts.estimators import VARIANTS

FRAME = pd.DataFrame(PROBES)  # some classes of scikit-learn ask for the length of the rows
NUMBERS = (0, -1, 1, 2, 3, 7, 0.5, -0.5, 1e-320, 1e308, -1e308, 1e155, 2**31, 2**53, -(2**31), 100_003)
TEXTS = ("", "x", "no", "inf", "nan", "number", "job", "x" * 5000, "\u2028", "a\0b", "1e400")
CELLS = (np.nan, np.inf, -np.inf, 0.0, -1.0, 1.0, 2.0, 0.5, 1e308, -1e308, 1e155, 5e-324)
DTYPES = ("float64", "float32", "int64", "int32", "uint8", "bool")


def estimators() -> list[Any]:
    """Every class of the registry at its defaults, and options that store other values."""
    composed: list[Any] = [
        mercer.SVC(kernel=Encoded(RBF()) + 2 * Overlap(), probability="sigmoid"),
        mercer.SVR(kernel=Encoded(Linear(), levels="keep") * Overlap()),
        mercer.SVC(kernel=Encoded(PolynomialOf(Matern(), [1.0, 0.5])) + Encoded(Centre(Exp(Linear())))),
        mercer.SVR(kernel=Encoded(Polynomial(degree=3)) + Power(Lin(), 2)),
        mercer.OneClassSVM(kernel=Encoded(RationalQuadratic()) * Goodall3()),
        mercer.SVC(kernel="poly"),
        mercer.SVR(kernel="sigmoid"),
        mercer.SVC(approximation="nystroem", rank=9, random_state=0),
        mercer.SVC(kernel=Encoded(RBF()) * Exp(Overlap()), approximation="features", rank=9, random_state=0),
        mercer.SVC(approximation="cells", rank=9, random_state=0),
        mercer.SVR(approximation="cells", rank=9),
        mercer.KernelRidge(kernel=Encoded(Matern()) + Overlap(), approximation="features", rank=9),
        mercer.KernelPerceptron(kernel=Encoded(Normalise(Polynomial())) + IOF()),
        mercer.KNeighborsClassifier(metric=HEOM()),
        mercer.KNeighborsClassifier(metric=HVDM()),
        mercer.KNeighborsClassifier(metric=Gower(), weights="distance"),
        mercer.NaiveBayes(priors=[0.2, 0.3, 0.5]),
        mercer.KNeighborsClassifier(weights="distance"),
        mercer.KNeighborsRegressor(weights="distance", n_neighbors="cv"),
        mercer.DecisionTreeClassifier(prune="cv"),
        mercer.LinearRegression(terms=["number^2", "number*job"]),
        mercer.HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2),
        mercer.HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=2, early_stopping=True, keep_best=True),
        mercer.HistGradientBoostingRegressor("absolute_error", max_iter=3, min_samples_leaf=2, max_bins=4),
    ]
    adapted = [
        CalibratedClassifierCV(mercer.NaiveBayes(), cv=2),
        CalibratedClassifierCV(mercer.LinearSVC(), method="isotonic", cv=2),
        mercer.OneVsRest(CalibratedClassifierCV(mercer.NaiveBayes(), ensemble=False, cv=2)),
        MultiOutputClassifier(mercer.DecisionTreeClassifier()),
        MultiOutputRegressor(mercer.LinearRegression()),
        ClassifierChain(mercer.NaiveBayes()),
        RegressorChain(mercer.DecisionTreeRegressor()),
    ]
    variants = [e for e in VARIANTS if getattr(e, "tol", None) != 1e-10]  # a tight tolerance stores nothing else
    return [*(cls() for cls in STORABLE.values()), *variants, *composed, *adapted]


CHAINS = (ClassifierChain, RegressorChain)  # which take numbers alone
SEVERAL = (*CHAINS, MultiOutputClassifier, MultiOutputRegressor)


def _rows(model: Any, rows: Any) -> Any:
    """The rows as this model takes them."""
    if isinstance(model, CHAINS):
        numbers = np.nan_to_num(np.asarray(rows["number"], dtype=np.float64))
        return np.column_stack([numbers, np.arange(len(numbers)) % 5])
    return rows


def _target(model: Any, target: Any) -> Any:
    """The target, and whether it is its first value beside it where the model has several outputs."""
    if not isinstance(model, SEVERAL):
        return target
    first = (target == target[0]).astype(np.int64)
    return np.column_stack([1 - first if isinstance(model, CHAINS) else target, first])


@cache
def sealed_state(index: int) -> tuple[bytes, bytes]:
    """Manifest and arrays of a fitted estimator."""
    model = clone(estimators()[index])
    kind = TASKS[0 if is_classifier(model) else 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(_rows(model, ROWS), _target(model, LABELS if kind == TASKS[0] else TARGET))
    card = Card(task=kind, created="2020-01-01")
    return pack({"card": card.to_state(), **model_state(model)})


def attempt(seed: int) -> Outcome:
    """Change one to three values of a file, load it and predict."""
    rng = np.random.default_rng(seed)
    manifest, arrays = sealed_state(seed % len(estimators()))
    state = unpack(manifest, memoryview(arrays))
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        mutate(state, rng)
    try:
        pieces = pack(state)
    except MercerError:  # the writer itself refuses, e.g. a name that starts with "$"
        return Outcome.REFUSED
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "m.mercer"
        path.write_bytes(b"".join(seal(*pieces)))
        try:
            model = mercer.load(path)
        except BadFile as error:
            if error.__cause__ is None:
                return Outcome.REFUSED
            raise Surprise(error.__cause__) from None
    return offered(model)


def offered(model: Any) -> Outcome:
    """A model that was loaded either answers soundly, or says what is wrong with the rows for it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            check_answers(model, _rows(model, FRAME))
        except MercerError:  # its columns, say, are no longer those of the rows
            return Outcome.REFUSED
    return Outcome.ANSWERED


def mutate(state: dict[str, Any], rng: np.random.Generator) -> None:
    """Change one value somewhere in the state, in place."""
    model = state.get("state")
    fitted = model.get("fitted") if isinstance(model, dict) else None
    parts = [part for part in (state, model, fitted, fitted) if isinstance(part, dict) and part]
    places = list(_places(_pick(rng, *parts)))
    arrays = [(holder, key) for holder, key in places if isinstance(holder[key], np.ndarray)]
    places = arrays if arrays and rng.random() < 0.4 else places
    holder, key = places[rng.integers(len(places))]
    value = holder[key]
    if isinstance(holder, dict) and rng.random() < 0.08:
        return _change_keys(holder, key, rng)
    if rng.random() < 0.04:
        holder[key] = _any_value(rng)
    elif isinstance(value, np.ndarray):
        holder[key] = _changed_array(value, rng)
    elif isinstance(value, list):
        holder[key] = _changed_list(value, rng)
    elif isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int | float):
        holder[key] = _pick(rng, *NUMBERS, value + 1, -value, value * 10, float(value) / 3)
    elif isinstance(value, str):
        holder[key] = _pick(rng, *TEXTS, value + "x", value[:-1])
    else:
        holder[key] = _any_value(rng)
    return None


def _places(node: Any) -> Any:
    """(holder, key) of every value below a node; a long list of texts counts as a few."""
    items = node.items() if isinstance(node, dict) else enumerate(node[:5])
    for key, value in items:
        yield node, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _pick(rng: np.random.Generator, *choices: Any) -> Any:
    return choices[rng.integers(len(choices))]


def _any_value(rng: np.random.Generator) -> Any:
    cells = rng.normal(size=(2, 3))
    return _pick(rng, None, True, {}, [], [[]], {"a": {}}, ["a", "a"], cells, cells[0], *NUMBERS, *TEXTS)


def _change_keys(holder: dict[str, Any], key: str, rng: np.random.Generator) -> None:
    action = rng.integers(3)
    if action == 0:
        holder["more"] = _any_value(rng)
    else:
        value = holder.pop(key)
        if action == 1:
            holder[key + "x"] = value


def _changed_list(value: list[Any], rng: np.random.Generator) -> Any:
    end = value[-1] if value else "x"
    return _pick(rng, value[:-1], [*value, end], [], value[::-1], [value], [*value, "x"], value[1:], [end] * len(value))


def _changed_array(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    action = rng.integers(6) if value.size else 5
    if action == 5:
        return _reshaped(value, rng)
    changed = value.copy()
    if action == 4:
        with np.errstate(invalid="ignore"):  # numbers beyond the integers
            return (
                changed.astype(_pick(rng, *DTYPES)) if value.dtype.kind != "f" or np.isfinite(value).all() else changed
            )
    if action == 3:
        return changed[::-1] if value.ndim else changed
    where = rng.integers(value.size) if action else slice(None)
    cells = CELLS if value.dtype.kind == "f" else [0, 1, 2, 3, np.iinfo(np.uint8).max]
    if value.dtype.kind == "i":
        cells = [*cells, -1, -2, np.iinfo(value.dtype).max, np.iinfo(value.dtype).min, 1000]
    with np.errstate(all="ignore"):
        cell = _pick(rng, *cells, -changed.flat[0] if value.dtype.kind in "if" else 1)
        changed.flat[where] = np.asarray(cell).astype(value.dtype)  # which may wrap around: bytes hold no 1000
    return changed


def _reshaped(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    shapes = [value.ravel(), value.T, value[..., None], value[:0], value[1:], value[None]] if value.ndim else [value]
    longer = np.concatenate([value, value[-1:]]) if value.ndim and len(value) else value
    huge = np.zeros((_pick(rng, 1 << 29, 5000, 7), 0), dtype=value.dtype)
    return np.ascontiguousarray(_pick(rng, *shapes, longer, huge))
