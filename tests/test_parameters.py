"""Declared parameters: what is accepted, how a refusal reads, and what comes back from a file."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from mercer.errors import BadFile, BadParameter
from mercer.parameters import (
    Choice,
    Either,
    ListOf,
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
