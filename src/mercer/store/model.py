"""Fitted estimators to files and back."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from sklearn.base import is_classifier, is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from mercer import __version__
from mercer.atomic import write_file
from mercer.errors import BadFile, BadOutput, MercerError, MercerWarning
from mercer.select.decisions import DecisionRule
from mercer.state import Budget, Reader, State
from mercer.store.envelope import MAX_BYTES, SUFFIX, seal, unseal
from mercer.store.manifest import pack, unpack
from mercer.store.registry import class_named, name_of
from mercer.store.summary import TrainingSummary
from mercer.store.trial import expect_sound_answers

TASKS = ("classification", "regression", "outliers")


@dataclass(frozen=True, slots=True)
class Card:
    """What is stored beside a model: task, target, number of training rows, when and by which mercer it was written.

    `missing` are the cells declared to mean "missing" in the training table; `holds_training_rows`: whether the file
    contains rows of the training table, which may be personal data. `decision`: which class `mercer predict` calls a
    row; None for the most probable one.
    """

    task: str = ""
    target: str = ""
    training_rows: int = 0
    missing: tuple[str, ...] = ()
    holds_training_rows: bool = False
    decision: DecisionRule | None = None
    created: str = ""
    mercer: str = ""

    @property
    def threshold(self) -> float | None:
        """From which probability of `positive` a row is called so; None without a threshold."""
        return None if self.decision is None else self.decision.threshold

    @property
    def positive(self) -> str:
        """The class that the threshold is about; '' without one."""
        rule = self.decision
        return "" if rule is None or rule.positive is None else rule.classes[rule.positive]

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
        )


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model, its card, and what its training rows held: None in files that were written without."""

    model: Any
    card: Card
    summary: TrainingSummary | None = None


def save(
    model: Any,
    path: str | Path,
    *,
    target: str = "",
    training_rows: int = 0,
    missing: tuple[str, ...] = (),
    holds_training_rows: bool = False,
    decision: DecisionRule | None = None,
    summary: TrainingSummary | None = None,
) -> None:
    """Write a fitted estimator to a model file; an existing file is replaced once the new one is complete.

    Parameters
    ----------
    model : estimator
        A fitted mercer estimator.
    path : str or Path
        Ends in ".mercer".
    target : str, default=""
        Name of the column that it predicts.
    training_rows : int, default=0
        How many rows it was fitted to.
    missing : tuple of str, default=()
        Further cells that mean "missing" in tables like the training table.
    holds_training_rows : bool, default=False
        Whether the model keeps rows that it was fitted to, which may be personal data.
    decision : DecisionRule or None, default=None
        Which class `mercer predict` calls a row (see `mercer.select.decisions`); None for the most probable one.
    summary : TrainingSummary or None, default=None
        What the training rows held, by which `mercer predict` tells strange rows and drift.

    Raises
    ------
    MercerError
        If the estimator is not one of mercer's, or holds values that cannot be stored.
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
    path = Path(path)
    if path.suffix.lower() != SUFFIX:
        raise BadOutput(f"{path} is not named as a model: give it a name that ends in {SUFFIX}.")
    name = name_of(model)
    check_is_fitted(model)
    card = Card(
        task=_task(model),
        target=target,
        training_rows=training_rows,
        missing=missing,
        holds_training_rows=holds_training_rows,
        decision=decision,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        mercer=__version__,
    )
    state = {"card": card.to_state(), "class": name, "state": model.to_state()}
    if summary is not None:
        state["summary"] = summary.to_state()
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
    """The estimator in a model file, with what is known about it."""
    path = Path(path)
    manifest, arrays = unseal(path, limit)
    try:
        return _build(manifest, arrays)
    except BadFile as error:
        raise BadFile(f"{path} is not a sound model file. {error}") from error.__cause__


def _build(manifest: bytes, arrays: memoryview) -> StoredModel:
    reader = Reader(unpack(manifest, arrays), budget=Budget(len(manifest) + len(arrays)))
    card = Card.from_state(reader.child("card"))
    cls = class_named(reader.text("class"))
    try:
        model = cls.from_state(reader.child("state"))
        expect_sound_answers(model)
    except BadFile:
        raise
    except MercerError as error:
        raise BadFile(f"The values of {cls.__name__} do not fit together. {error}") from None
    except Exception as error:  # the values come from the file: whatever they break, the file is at fault
        raise BadFile(f"The values of {cls.__name__} do not fit together ({error!r}).") from error
    summary, schema = None, getattr(model, "schema_", None)
    if reader.has("summary"):
        if schema is None:
            raise BadFile(f"model.summary: a {cls.__name__} has no columns to tell of.")
        summary = TrainingSummary.from_state(reader.child("summary"), schema)
    reader.finish()
    if card.task != _task(model):
        raise BadFile(f"model.card.task: a {cls.__name__} is not for {card.task}.")
    if card.decision is not None and card.decision.classes != _class_names(model):
        raise BadFile("model.card.decision: its classes are not those of the model.")
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
