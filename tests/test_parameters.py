"""Declared parameters: what is accepted, how a refusal reads, and what comes back from a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

from mercer.errors import BadFile, BadParameter
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
    Parameters,
    Text,
    Texts,
    check_parameters,
    parameters_state,
    read_parameters,
)
from mercer.state import Reader
from tests.contracts.estimators import exported

FACTORS = Either(Choice(("balanced", None)), Number(0))


class Thing:
    parameters: ClassVar[Parameters] = {"factors": Either(FACTORS, ListOf(FACTORS))}

    def __init__(self, factors: Any) -> None:
        self.factors = factors


@pytest.mark.parametrize("factors", [None, "balanced", 2.5, ["balanced", None, 2.5], [None]])
def test_lists_come_back_from_a_file(factors: Any) -> None:
    check_parameters(Thing(factors))
    state = parameters_state(Thing(factors))
    assert read_parameters(Reader(state), Thing.parameters) == {"factors": factors}


@pytest.mark.parametrize("factors", [[], [-1.0], ["balance"], [[1.0]]])
def test_lists_of_other_things_are_refused(factors: Any) -> None:
    with pytest.raises(BadParameter, match=r"'factors' parameter of Thing must be .* a list, each of"):
        check_parameters(Thing(factors))


def test_a_list_in_a_file_is_checked() -> None:
    state = parameters_state(Thing([1.0, 2.0]))
    for items in ([{"item": {"case": 1, "value": -1.0}}], [{"item": {"case": 1, "value": 1.0}, "more": 1}], [{}]):
        with pytest.raises(BadFile):
            read_parameters(Reader({"factors": state["factors"] | {"value": items}}), Thing.parameters)


def test_a_word_misspelled_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadParameter, match=r"Got 'balance' instead. Did you mean 'balanced'\?"):
        check_parameters(Thing("balance"))


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


def test_numpy_scalars_come_back_as_plain_ones() -> None:
    for parameter, value in ((Number(), np.float64(0.5)), (Number(whole=True), np.int32(3)), (Flag(), np.True_)):
        found = parameter.read(Reader({"value": parameter.write(value)}), "value")
        assert found == value
        assert type(found) in (float, int, bool)


@pytest.mark.parametrize("stored", [{"keys": ["a"], "values": []}, {"keys": ["a", "a"], "values": [{}, {}]}])
def test_a_mapping_in_a_file_is_checked(stored: dict[str, Any]) -> None:
    with pytest.raises(BadFile, match="as many keys as values"):
        Mapped(Number()).read(Reader({"each": stored}), "each")


def test_a_mapping_holds_values_of_one_parameter() -> None:
    each = Mapped(Number(0, optional=True))
    assert each.accepts({"a": 1, "b": None})
    assert not each.accepts({"a": -1})
    assert not each.accepts({1: 1})
    assert not each.accepts([1])
    assert str(each) == "a dict of texts to a number of at least 0 or None"
