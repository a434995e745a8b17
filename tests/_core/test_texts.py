"""Native functions of texts against their twins, and the twins against plain enumeration."""

from itertools import combinations, product

import numpy as np
import pytest

from mercer._core import texts as core
from mercer._core.reference import texts as twin
from mercer._core.texts import TextSpec, as_texts, gram_counts, subsequence_squares, text_gram

SPECS = [*(TextSpec("subsequence", p, d) for p, d in ((1, 0.5), (3, 0.5), (5, 1.0), (7, 0.9))), TextSpec("edit")]
LETTERS = list("abcä漢😀")


def _draw(n, longest, seed=0):
    draw = np.random.default_rng(seed)
    return as_texts(["".join(draw.choice(LETTERS, draw.integers(0, longest))) for _ in range(n)])


def test_texts_are_code_points_also_beyond_the_first_plane_and_lone_surrogates():
    found = as_texts(["", "a😀", "\ud800", ""])
    assert found.chars.tolist() == [97, 0x1F600, 0xD800]
    assert found.starts.tolist() == [0, 0, 2, 3, 3]
    assert len(found) == 4
    assert core.joined(found, found).lines() == [*found.lines(), *found.lines()]


@pytest.mark.parametrize(("length", "gaps"), [(1, 0), (3, 0), (3, 1), (4, 2), (2, 2), (30, 0), (30, 1)])
def test_gapped_grams_are_those_of_the_twin(length, gaps):
    texts = _draw(21, 90)
    for found, expected in zip(
        core.gapped_grams(texts, length, gaps), twin.gapped_grams(texts, length, gaps), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_texts_too_short_have_no_grams():
    counts = gram_counts(as_texts(["", "a", "ab"]), 3)
    assert counts.shape == (3, 1)
    assert counts.nnz == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spec", SPECS)
def test_pairs_are_those_of_the_twin(spec, dtype):
    a, b = _draw(11, 20, 1), _draw(13, 25, 2)
    close = {"rtol": 1e-4, "atol": 1e-6} if dtype is np.float32 else {"rtol": 1e-12, "atol": 1e-14}
    expected = twin.text_kernel(a, b, spec, False).values(slice(None))
    np.testing.assert_allclose(text_gram(a, b, spec, dtype, 2), expected, **close)
    own = text_gram(a, a, spec, dtype)
    np.testing.assert_array_equal(own, own.T)
    if spec.kind == "subsequence":
        np.testing.assert_allclose(subsequence_squares(a, spec.length, spec.decay), own.diagonal(), **close)
        alone = twin.subsequence_squares(a, spec.length, spec.decay, 1)
        np.testing.assert_allclose(subsequence_squares(a, spec.length, spec.decay), alone, rtol=1e-12)


def test_many_texts_are_put_back_in_their_order():
    a, b = _draw(3, 9, 3), _draw(1100, 30, 4)  # more than two tiles, each ordered by length
    spec = TextSpec("subsequence", 2, 0.7)
    expected = twin.text_kernel(a, b, spec, False).values(slice(None))
    np.testing.assert_allclose(text_gram(a, b, spec, np.float64), expected, rtol=1e-12)


def test_edit_distances_of_texts_longer_than_a_word_of_64_bits():
    a, b = _draw(6, 400, 5), _draw(5, 300, 6)
    expected = twin.text_kernel(a, b, TextSpec("edit"), False).values(slice(None))
    np.testing.assert_array_equal(text_gram(a, b, TextSpec("edit"), np.float64), expected)


def _brute_subsequences(s, t, length, decay):
    """Every choice of places in both."""
    return sum(
        decay ** (i[-1] - i[0] + 1 + j[-1] - j[0] + 1)
        for i in combinations(range(len(s)), length)
        for j in combinations(range(len(t)), length)
        if [s[k] for k in i] == [t[k] for k in j]
    )


@pytest.mark.parametrize("length", [1, 2, 3])
def test_the_recursion_is_the_enumeration(length):
    for s, t in product(["", "a", "abca", "bacab"], ["aab", "cabba"]):
        found = text_gram(as_texts([s]), as_texts([t]), TextSpec("subsequence", length, 0.6), np.float64)[0, 0]
        np.testing.assert_allclose(found, _brute_subsequences(s, t, length, 0.6), rtol=1e-12)


def test_refusals():
    texts = as_texts(["abc"])
    for wrong in (lambda: core.gapped_grams(texts, 0, 0), lambda: core.gapped_grams(texts, 3, 4)):
        if core.gapped_grams is not twin.gapped_grams:
            with pytest.raises(ValueError, match=r"p-grams have|gaps must be"):
                wrong()
