"""Fitted estimators to files and back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from mercer import __version__
from mercer.errors import BadFile, BadOutput
from mercer.state import Reader, State
from mercer.store.atomic import write_file
from mercer.store.envelope import MAX_BYTES, SUFFIX, seal, unseal
from mercer.store.manifest import pack, unpack
from mercer.store.registry import class_named, name_of

TASKS = ("classification", "regression")


@dataclass(frozen=True, slots=True)
class Card:
    """What is known about a model beside the model itself.

    `missing` are the cells that the training table's owner declared to mean "missing"; `holds_training_rows`
    says that the file contains rows of the training table, which may be personal data.
    """

    task: str = ""
    target: str = ""
    training_rows: int = 0
    missing: tuple[str, ...] = ()
    holds_training_rows: bool = False
    created: str = ""
    mercer: str = ""

    def to_state(self) -> State:
        return {name: getattr(self, name) for name in self.__slots__}

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
            created=created,
            mercer=state.text("mercer"),
        )


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model and its card."""

    model: Any
    card: Card


def save(
    model: Any,
    path: str | Path,
    *,
    target: str = "",
    training_rows: int = 0,
    missing: tuple[str, ...] = (),
    holds_training_rows: bool = False,
) -> None:
    """Write a fitted estimator to a model file; a file that is there is replaced once the new one is whole.

    Parameters
    ----------
    model : a fitted mercer estimator
    path : ends in ".mercer"
    target : name of the column that it predicts
    training_rows : how many rows it was fitted on
    missing : further cells that mean "missing" in tables like the training table
    holds_training_rows : whether the model keeps rows that it was fitted on, which may be personal data

    Examples
    --------
    >>> import mercer
    >>> mercer.save(model, "churn.mercer", target="Churn")  # doctest: +SKIP
    >>> mercer.load("churn.mercer").predict(table)          # doctest: +SKIP
    """
    path = Path(path)
    if path.suffix.lower() != SUFFIX:
        raise BadOutput(f"{path} is not named as a model: give it a name that ends in {SUFFIX}.")
    name = name_of(model)
    check_is_fitted(model)
    card = Card(
        task=TASKS[0] if is_classifier(model) else TASKS[1],
        target=target,
        training_rows=training_rows,
        missing=missing,
        holds_training_rows=holds_training_rows,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        mercer=__version__,
    )
    state = {"card": card.to_state(), "class": name, "state": model.to_state()}
    manifest, arrays = pack(state)
    _build(unpack(manifest, memoryview(arrays)))  # what could not be read back is not written
    write_file(path, seal(manifest, arrays))


def load(path: str | Path, *, limit: int = MAX_BYTES) -> Any:
    """The fitted estimator in a model file. It predicts bit for bit what the saved one did.

    No code is ever run or looked up from the file: it may be opened whoever sent it. A file that is cut
    short, altered or edited by hand raises BadFile, and so does one larger than `limit` bytes.
    """
    return open_model(path, limit=limit).model


def open_model(path: str | Path, *, limit: int = MAX_BYTES) -> StoredModel:
    """The estimator in a model file, with what is known about it."""
    path = Path(path)
    manifest, arrays = unseal(path, limit)
    try:
        return _build(unpack(manifest, arrays))
    except BadFile as error:
        raise BadFile(f"{path} is not a sound model file. {error}") from None


def _build(state: State) -> StoredModel:
    reader = Reader(state)
    card = Card.from_state(reader.child("card"))
    cls = class_named(reader.text("class"))
    try:
        model = cls.from_state(reader.child("state"))
    except BadFile:
        raise
    except Exception as error:  # the values are a stranger's: whatever they upset, the file is at fault
        raise BadFile(f"The values of {cls.__name__} do not fit together ({error!r}).") from error
    reader.finish()
    if card.task != TASKS[0 if is_classifier(model) else 1]:
        raise BadFile(f"model.card.task: a {cls.__name__} is not for {card.task}.")
    return StoredModel(model, card)
