"""Declared parameters: what is accepted, how a refusal reads, and what comes back from a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mercer.parameters import (
    Choice,
    Dictionary,
    Either,
    Flag,
    ListOf,
    Mapped,
    Number,
    Numbers,
    Parameter,
    Text,
    Texts,
    check_parameters,
)
from mercer.state import Reader
from tests.contracts.estimators import exported

DECLARED = [(owner, name) for owner in exported() for name in owner.parameters]


@pytest.mark.parametrize("owner", exported(), ids=lambda owner: owner.__name__)
def test_every_constructor_parameter_is_declared_and_accepts_its_default(owner: Any) -> None:
    assert set(owner.parameters) == set(owner().get_params(deep=False))
    check_parameters(owner())


@pytest.mark.parametrize(("owner", "name"), DECLARED, ids=lambda v: v if isinstance(v, str) else v.__name__)
def test_every_declared_parameter_comes_back_from_a_file(owner: Any, name: str) -> None:
    parameter = owner.parameters[name]
    for value in [getattr(owner(), name), *_examples(parameter)]:
        assert parameter.accepts(value), value
        written = parameter.write(value)
        reader = Reader({} if written is None else {name: written})
        assert parameter.read(reader, name) == value
        reader.finish()


def _examples(parameter: Parameter) -> Iterator[Any]:
    """Values that a declared parameter accepts and a file can hold."""
    match parameter:
        case Number():
            yield from parameter.words
            step = 1 if parameter.whole else 0.5
            low, high = max(parameter.low, -10.0), min(parameter.high, 10.0)
            numbers = (int(v) if parameter.whole else float(v) for v in (low, low + step, (low + high) / 2, high))
            yield from (v for v in numbers if parameter.accepts(v))
        case Choice():
            yield from parameter.values()
        case Flag():
            yield from (True, False)
        case Text():
            yield "text"
        case Texts():
            yield ["one", "two"]
        case Numbers():
            yield from (v for v in ((1.0,), (0.25, 0.5)) if parameter.accepts(v))
        case Dictionary():
            yield from ({"a": 2.0, "b": 1}, {1: 0.5, 2: "word"}, {"a": ["low", "high"]}, {})
        case Either():
            for each in parameter.cases:
                yield from (v for v in _examples(each) if _first_case(parameter, v) is each)
        case ListOf():
            yield from ([v] for v in _examples(parameter.item))
        case Mapped():
            yield {f"key {i}": v for i, v in enumerate(_examples(parameter.value))}


def _first_case(parameter: Either, value: Any) -> Parameter:
    return next(case for case in parameter.cases if case.accepts(value))
