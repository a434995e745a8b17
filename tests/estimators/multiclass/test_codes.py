"""Codes of classes: distances against brute force, designs against their known parameters, refusals."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from mercer.errors import BadParameter
from mercer.estimators.multiclass.codes import checked_code, code_problems, column_separation, row_separation
from mercer.estimators.multiclass.designs import design_code, exhaustive, one_vs_one, one_vs_rest


def random(seed: int = 0) -> np.random.RandomState:
    return np.random.RandomState(seed)


def brute_rows(code: np.ndarray) -> float:
    return min(sum((1 - a * b) / 2 for a, b in zip(r, s, strict=True)) for r, s in combinations(code.tolist(), 2))


def brute_columns(code: np.ndarray) -> int:
    return min(
        min(sum(a != b for a, b in zip(c, d, strict=True)), sum(a != -b for a, b in zip(c, d, strict=True)))
        for c, d in combinations(code.T.tolist(), 2)
    )


@pytest.mark.parametrize("design", ["dense", "sparse", "bch", "one_vs_one", "one_vs_rest", "exhaustive"])
@pytest.mark.parametrize("n_classes", [3, 4, 5, 7])
def test_every_design_is_sound_and_its_separations_are_those_of_brute_force(design: str, n_classes: int) -> None:
    code = checked_code(design_code(design, n_classes, None, random()), n_classes)
    assert row_separation(code) == brute_rows(code) > 0
    assert column_separation(code) == brute_columns(code)


@pytest.mark.parametrize("n_classes", [3, 4, 5, 6, 7])
def test_rows_of_an_exhaustive_code_differ_in_two_to_the_k_less_2(n_classes: int) -> None:
    code = exhaustive(n_classes)
    assert code.shape == (n_classes, 2 ** (n_classes - 1) - 1)
    distances = {int((a != b).sum()) for a, b in combinations(code, 2)}
    assert distances == {2 ** (n_classes - 2)}


def test_pairs_and_rest_as_codes() -> None:
    np.testing.assert_array_equal(one_vs_one(3), [[1, 1, 0], [-1, 0, 1], [0, -1, -1]])
    np.testing.assert_array_equal(one_vs_rest(3), [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])


def test_a_dense_code_is_as_far_apart_as_any_of_its_size() -> None:
    columns = exhaustive(4).T
    best = max(brute_rows(np.array(chosen).T) for chosen in combinations(columns, 4))
    assert row_separation(design_code("dense", 4, 4, random())) == best


def test_a_designed_code_beats_the_mean_of_random_ones() -> None:
    designed = design_code("dense", 10, 20, random())
    drawn = [row_separation(random(s).choice([-1, 1], (10, 20))) for s in range(50)]
    assert row_separation(designed) >= max(drawn) > np.mean(drawn)


@pytest.mark.parametrize(("length", "n_classes", "distance"), [(7, 9, 3), (15, 20, 7), (31, 26, 15), (63, 26, 31)])
def test_bch_words_differ_in_the_designed_number_of_bits(length: int, n_classes: int, distance: int) -> None:
    code = design_code("bch", n_classes, length, random())
    assert code.shape[1] <= length
    assert row_separation(code) >= distance


def test_length_9_of_three_classes_repeats_the_three_columns_there_are() -> None:
    code = design_code("dense", 3, 9, random())
    assert code.shape == (3, 9) and len(np.unique(code, axis=1).T) == 3
    assert row_separation(code) == 6 and column_separation(code) == 0


def test_two_classes_are_one_problem() -> None:
    for design in ("dense", "sparse", "bch", "exhaustive", "one_vs_one", "one_vs_rest"):
        np.testing.assert_array_equal(design_code(design, 2, None, random()), [[-1], [1]])


def test_problems_have_the_rows_and_signs_of_their_column() -> None:
    classes = np.array([0, 2, 1, 1, 0], dtype=np.int32)
    first = code_problems(one_vs_one(3), classes)[0]
    assert first.rows.tolist() == [0, 2, 3, 4] and first.y.tolist() == [1, -1, -1, 1]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ([[1, 1], [1, 1], [-1, -1]], "Rows 0 and 1 of the code are equal"),
        ([[1, 1], [1, -1], [1, 1]], "Column 0 of the code has not both signs"),
        ([[1, 0], [0, 1], [0, 0]], "Column 0 of the code has not both signs"),
        ([[1, -1], [-1, 1]], "has 2 rows, but there are 3 classes"),
        ([[1, 2], [-1, 1], [1, 1]], r"table of \+1, -1 and 0"),
        (np.zeros((3, 0)), "no columns"),
    ],
)
def test_codes_that_cannot_tell_classes_apart_are_refused(code: object, words: str) -> None:
    with pytest.raises(BadParameter, match=words):
        checked_code(code, 3)


@pytest.mark.parametrize(
    ("design", "n_classes", "length", "words"),
    [
        ("exhaustive", 20, None, "up to 11 classes"),
        ("one_vs_one", 4, 5, "has 6 columns, not 5"),
        ("bch", 4, 9, "not 9"),
        ("bch", 30, 7, "too few words"),
        ("dense", 10, 3, "at least 4 columns"),
    ],
)
def test_lengths_that_cannot_be(design: str, n_classes: int, length: int | None, words: str) -> None:
    with pytest.raises(BadParameter, match=words):
        design_code(design, n_classes, length, random())


def test_every_sparse_column_of_three_classes() -> None:
    code = design_code("sparse", 3, None, random())
    both = [c for c in product((1, 0, -1), repeat=3) if 1 in c and -1 in c]
    assert code.shape[1] == len(both) // 2 == 6
