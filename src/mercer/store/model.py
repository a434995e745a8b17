"""Fitted estimators to files and back."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, Self, get_args

from sklearn.base import is_classifier, is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from mercer import __version__
from mercer.atomic import write_file
from mercer.combine.adapted.outputs import SeveralTargets, n_outputs, outputs_of
from mercer.errors import BadColumn, BadFile, BadOutput, BadParameter, MercerError, MercerWarning, did_you_mean
from mercer.select.decisions import DecisionRule
from mercer.state import Budget, Reader, State
from mercer.store.envelope import MAX_BYTES, SUFFIX, seal, unseal
from mercer.store.manifest import pack, unpack
from mercer.store.registry import class_named, model_state, name_of
from mercer.store.sanity_check import expect_sound_answers
from mercer.store.summary import TrainingSummary
from mercer.table.formats.notation import NOTATIONS
from mercer.table.kinds.parts import DateUnit

TASKS = ("classification", "regression", "outliers")
SEVERAL = "several targets"


@dataclass(frozen=True, slots=True)
class Card:
    """What is stored beside a model: task, target, number of training rows, when and by which mercer it was written.

    `missing` are the cells declared to mean "missing" in the training table; `holds_training_rows`: whether the file
    contains rows of the training table, which may be personal data. `decision`: which class `mercer predict` calls a
    row; None for the most probable one. `targets`: the names of the targets where there are several. `date_unit`: where
    the model predicts numbers of days that are dates, whether `mercer predict` writes these as days or as moments.
    `positive_class`: which of two classes scores and explanations are about; '' where that is not known.
    `notation`: how the numbers of the target were written; None where that is not known.
    """

    task: str = ""
    target: str = ""
    training_rows: int = 0
    missing: tuple[str, ...] = ()
    holds_training_rows: bool = False
    decision: DecisionRule | None = None
    created: str = ""
    mercer: str = ""
    targets: tuple[str, ...] = ()
    date_unit: DateUnit = ""
    positive_class: str = ""
    notation: str | None = None

    @property
    def threshold(self) -> float | None:
        """From which probability of `positive` a row is called so; None without a threshold."""
        return None if self.decision is None else self.decision.threshold

    @property
    def positive(self) -> str:
        """The class that the threshold is about; without one, that of the scores."""
        rule = self.decision
        return self.positive_class if rule is None or rule.positive is None else rule.classes[rule.positive]

    def to_state(self) -> State:
        found = {name: getattr(self, name) for name in self.__slots__}
        return {**found, "decision": None if self.decision is None else self.decision.to_state()}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        created = state.text("created")
        try:
            datetime.fromisoformat(created)
        except ValueError:
            raise BadFile(f"{state.where}.created: expected a date, found {created[:40]!r}.") from None
        return cls(
            task=state.text("task", TASKS),
            target=state.text("target"),
            training_rows=state.integer("training_rows"),
            missing=state.texts("missing"),
            holds_training_rows=state.flag("holds_training_rows"),
            decision=DecisionRule.from_state(state.child("decision")) if state.has("decision") else None,
            created=created,
            mercer=state.text("mercer"),
            targets=state.texts("targets") if state.has("targets") else (),
            date_unit=_date_unit(state),
            positive_class=state.text("positive_class") if state.has("positive_class") else "",
            notation=state.text("notation", ("", *NOTATIONS)) if state.has("notation") else None,
        )


def _date_unit(state: Reader) -> DateUnit:
    """Of dates; "" in files that do not say, of earlier versions."""
    found = state.text("date_unit", get_args(DateUnit)) if state.has("date_unit") else ""
    return next(unit for unit in get_args(DateUnit) if unit == found)


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model, its card, and what its training rows held: None in files that were written without.

    `parts` are the models of several targets that were trained each by itself.
    """

    model: Any
    card: Card
    summary: TrainingSummary | None = None
    parts: tuple[StoredModel, ...] = ()

    @property
    def outputs(self) -> tuple[StoredModel, ...]:
        """A model for each target whose name is known; the model itself where there is one target."""
        if self.parts or not self.card.targets:
            return self.parts or (self,)
        cards = (replace(self.card, target=name, targets=()) for name in self.card.targets)
        return tuple(StoredModel(m, card, self.summary) for m, card in zip(outputs_of(self.model), cards, strict=True))

    def columns_of(self, one: StoredModel, columns: Mapping[str, Any]) -> dict[str, Any]:
        """The columns without the other targets, which no model of one of them has learned from."""
        others = {other.card.target for other in self.outputs} - {one.card.target, *one.model.schema_.input_names}
        return {name: cells for name, cells in columns.items() if name not in others}

    def output(self, target: str) -> StoredModel:
        """The model of one of several targets, by its name."""
        names = [one.card.target for one in self.outputs]
        if target not in names:
            raise BadColumn(f"The model predicts {', '.join(map(repr, names))}. {did_you_mean(target, names)}")
        return self.outputs[names.index(target)]

    def only(self) -> StoredModel:
        """The model itself where it has one target; an error that says how to take one of several."""
        if len(self.outputs) > 1:
            raise MercerError(
                f"The model predicts several targets ({self.card.target}). Take one: "
                f"mercer.store.open_model(path).output({self.card.targets[0]!r})."
            )
        return self


def save(
    model: Any,
    path: str | Path,
    *,
    target: str | Sequence[str] = "",
    training_rows: int = 0,
    missing: tuple[str, ...] = (),
    holds_training_rows: bool = False,
    decision: DecisionRule | None = None,
    summary: TrainingSummary | None = None,
    date_unit: DateUnit = "",
) -> None:
    """Write a fitted estimator to a model file; an existing file is replaced once the new one is complete.

    Parameters
    ----------
    model : estimator
        A fitted mercer estimator, or scikit-learn's CalibratedClassifierCV, MultiOutputClassifier,
        MultiOutputRegressor, ClassifierChain or RegressorChain around one.
    path : str or Path
        Ends in ".mercer".
    target : str or sequence of str, default=""
        Name of the column that it predicts, or of each of them.
    training_rows : int, default=0
        How many rows it was fitted to.
    missing : tuple of str, default=()
        Further cells that mean "missing" in tables like the training table.
    holds_training_rows : bool, default=False
        Whether the model keeps rows that it was fitted to, which may be personal data.
    decision : DecisionRule or None, default=None
        Which class `mercer predict` calls a row (see `mercer.select.decisions`); None for the most probable one.
    summary : TrainingSummary or None, default=None
        What the training rows held, by which `mercer predict` finds unusual rows and drift.
    date_unit : {"", "D", "s"}, default=""
        Where it predicts dates as numbers of days since 1970-01-01: "D" if `mercer predict` shall write them as dates,
        "s" as moments.

    Raises
    ------
    MercerError
        If the estimator is none of these, holds values that cannot be stored, or has other targets than are named.
    BadOutput
        If the file cannot be written.

    Examples
    --------
    >>> import mercer, tempfile, pathlib
    >>> model = mercer.NaiveBayes().fit({"size": [1.0, 2.0, 8.0, 9.0]}, ["small", "small", "large", "large"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "size.mercer"
    ...     mercer.save(model, path, target="size class")
    ...     print(mercer.load(path).predict({"size": [1.5, 8.5]}))
    ['small' 'large']
    """
    path = _named(path)
    name_of(model)  # refused before it is asked whether it is fitted
    check_is_fitted(model)
    targets = () if isinstance(target, str) else tuple(map(str, target))
    if targets and len(targets) != n_outputs(model):
        raise MercerError(f"target names {len(targets)} columns; the model predicts {n_outputs(model)}.")
    card = Card(
        task=_task(model),
        target=target if isinstance(target, str) else ", ".join(targets),
        training_rows=training_rows,
        missing=missing,
        holds_training_rows=holds_training_rows,
        decision=decision,
        targets=targets if len(targets) > 1 else (),
        date_unit=date_unit,
        **_now(),
    )
    _write(path, _state(card, model, summary))


def save_stored(stored: StoredModel, path: str | Path) -> None:
    """Write a model with its card and summary to a model file."""
    _write(_named(path), _dated(stored, _now()))


def save_parts(parts: Sequence[StoredModel], path: str | Path) -> None:
    """Write the models of several targets to one model file; each card names its target."""
    now = _now()
    _write(_named(path), {"outputs": [_dated(part, now) for part in parts]})


def _dated(stored: StoredModel, now: Mapping[str, Any]) -> State:
    return _state(replace(stored.card, task=_task(stored.model), **now), stored.model, stored.summary)


def _named(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix.lower() != SUFFIX:
        raise BadOutput(f"{path} is not named as a model: give it a name that ends in {SUFFIX}.")
    return path


def _now() -> dict[str, Any]:
    return {"created": datetime.now(UTC).isoformat(timespec="seconds"), "mercer": __version__}


def _state(card: Card, model: Any, summary: TrainingSummary | None) -> State:
    return {"card": card.to_state(), **model_state(model)} | (
        {} if summary is None else {"summary": summary.to_state()}
    )


def _write(path: Path, state: State) -> None:
    manifest, arrays = pack(state)
    _build(manifest, memoryview(arrays))  # what could not be read back is not written
    write_file(path, seal(manifest, arrays))


def load(path: str | Path, *, limit: int = MAX_BYTES) -> Any:
    """Read a fitted estimator from a model file. Its predictions are bit for bit those of the saved one.

    No code is ever run or looked up from the file: it is safe to open, whoever sent it.

    Parameters
    ----------
    path : str or Path
        A file that `mercer.save` or `mercer train` wrote.
    limit : int, default=4294967296
        Largest size of the file in bytes.

    Returns
    -------
    model : estimator
        Fitted, with the parameters that it was made with. Its `predict` takes the most probable class, also where
        `mercer train` was given costs or a threshold, which `mercer predict` follows: a warning says so.

    Raises
    ------
    BadFile
        If the file is truncated, altered, edited by hand, or larger than `limit`.

    Examples
    --------
    >>> import mercer, tempfile, pathlib
    >>> model = mercer.MeanTarget().fit({"size": [1.0, 2.0]}, [10.0, 30.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.save(model, pathlib.Path(folder) / "mean.mercer")
    ...     print(mercer.load(pathlib.Path(folder) / "mean.mercer").predict({"size": [5.0]}))
    [20.]
    """
    stored = open_model(path, limit=limit)
    if stored.card.decision is not None and (
        stored.card.decision.costs is not None or stored.card.threshold is not None
    ):
        warnings.warn(f"{Path(path).name}: {_decision_notice(stored)}", MercerWarning, stacklevel=2)
    return stored.model


def _decision_notice(stored: StoredModel) -> str:
    """What `mercer predict` does with the model that its own `predict` does not, and how to do the same in Python."""
    rule, positive = stored.card.decision, stored.card.positive
    assert rule is not None
    most_probable = "predict of the loaded model takes the most probable class"
    if rule.costs is not None or rule.threshold is None or rule.top is not None:
        how = f"flags the {rule.top} most probable rows" if rule.top else "takes the class of least expected cost"
        return f"mercer predict {how}; {most_probable}. For the same from Python, use open_model(path).card.decision."
    label = next((c for c in stored.model.classes_.tolist() if str(c) == positive), positive)
    return (
        f"mercer predict calls a row {positive!r} from a probability of {rule.threshold:.4g}; {most_probable}. "
        f"For the same from Python, wrap it in scikit-learn's FixedThresholdClassifier(FrozenEstimator(model), "
        f"threshold={rule.own_threshold!r}, pos_label={label!r})."
    )


def open_model(path: str | Path, *, limit: int = MAX_BYTES) -> StoredModel:
    """The estimator in a model file, or in that of a folder that `mercer train` wrote, with what is known about it."""
    if not isinstance(path, str | PathLike):
        raise BadParameter(
            f"A model file is expected, not a {type(path).__name__}. What is fitted or loaded predicts by itself: "
            "model.predict(rows)."
        )
    path = Path(path)
    path = path / f"model{SUFFIX}" if path.is_dir() and path.suffix.lower() != SUFFIX else path
    manifest, arrays = unseal(path, limit)
    try:
        return _build(manifest, arrays)
    except BadFile as error:
        raise BadFile(f"{path} is not a sound model file. {error}") from error.__cause__


def _build(manifest: bytes, arrays: memoryview) -> StoredModel:
    reader = Reader(unpack(manifest, arrays), budget=Budget(len(manifest) + len(arrays)))
    if not reader.has("outputs"):
        return _build_one(reader)
    parts = tuple(_build_one(part) for part in reader.children("outputs"))
    reader.finish()
    names = tuple(part.card.target for part in parts)
    if len(parts) < 2 or len(set(names)) < len(names) or any(part.card.targets for part in parts):
        raise BadFile("model.outputs: two or more models are expected, each of another target.")
    card = replace(
        parts[0].card,
        task=SEVERAL,
        target=", ".join(names),
        targets=names,
        decision=None,
        positive_class="",
        training_rows=max(part.card.training_rows for part in parts),
        holds_training_rows=any(part.card.holds_training_rows for part in parts),
    )
    return StoredModel(SeveralTargets({p.card.target: p.model for p in parts}), card, None, parts)


def _build_one(reader: Reader) -> StoredModel:
    card = Card.from_state(reader.child("card"))
    name = reader.text("class")
    cls = class_named(name)
    try:
        model = cls.from_state(reader.child("state"))
        expect_sound_answers(model)
    except BadFile:
        raise
    except MercerError as error:
        raise BadFile(f"The values of {name} do not fit together. {error}") from None
    except Exception as error:  # the values come from the file: whatever they break, the file is at fault
        raise BadFile(f"The values of {name} do not fit together ({error!r}).") from error
    summary, schema = None, getattr(model, "schema_", None)
    if reader.has("summary"):
        if schema is None:
            raise BadFile(f"model.summary: a {name} has no columns to tell of.")
        summary = TrainingSummary.from_state(reader.child("summary"), schema)
    reader.finish()
    if card.task != _task(model):
        raise BadFile(f"model.card.task: a {name} is not for {card.task}.")
    if card.decision is not None and card.decision.classes != _class_names(model):
        raise BadFile("model.card.decision: its classes are not those of the model.")
    if card.positive_class and card.positive_class not in _class_names(model):
        raise BadFile("model.card.positive_class: it is not a class of the model.")
    if card.targets and len(card.targets) != n_outputs(model):
        raise BadFile(f"model.card.targets: the model predicts {n_outputs(model)}.")
    return StoredModel(model, card, summary)


def _class_names(model: Any) -> tuple[str, ...]:
    """The classes as texts, in the order of the probabilities; none of a model without."""
    classes = getattr(model, "classes_", ())
    return () if isinstance(classes, list) else tuple(str(label) for label in classes)


def _task(model: Any) -> str:
    """What a model predicts: classes, numbers, or which rows are unlike the others."""
    if is_outlier_detector(model):
        return "outliers"
    return "classification" if is_classifier(model) else "regression"
