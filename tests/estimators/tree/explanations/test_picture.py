"""Tests in the boxes of a drawn tree are cut so that the two sides of a split can be told apart."""

import pytest

from mercer.estimators.tree.explanations.picture import condition

LEVELS = "a very long level of this column, a level that is long, a third"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("age <= 40", "age <= 40"),
        ("days since the first purchase <= 24.5", "days since the fi… <= 24.5"),
        ("the kind of contract = a very long level of it", "the k… = a very long leve…"),
        ("job = a very long level of this column", "job = a very long level o…"),
        ("the kind of contract in {" + LEVELS + "}", "the k… in {a very long le…"),
    ],
)
def test_what_is_asked_stays_when_a_test_is_cut(words, shown):
    assert condition(words, 26) == shown
    assert len(condition(words, 26)) <= 26
