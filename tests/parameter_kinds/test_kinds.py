"""Lists, mappings and choices as parameters: checked, stored, read back."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from mercer.errors import BadFile, BadParameter
from mercer.parameters import (
    Choice,
    Either,
    Flag,
    ListOf,
    Mapped,
    Number,
    Parameters,
    check_parameters,
    parameters_state,
    read_parameters,
)
from mercer.state import Reader

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
