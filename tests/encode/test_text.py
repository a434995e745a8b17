import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer

import mercer
from mercer.encode import BagOfWords
from mercer.errors import BadColumn

NOTES = ["Tea, no milk", "milk in tea and MILK", None, "schwarzer Kaffee ist gut", "x"]


@pytest.fixture
def table():
    return mercer.read_table({"note": NOTES, "price": [1.0, 2.0, None, 4.0, 5.0]}, kinds={"note": "text"})


@pytest.mark.parametrize("options", [{}, {"size": 3}, {"min_rows": 2}, {"binary": True}])
def test_counts_are_count_vectorizer(table, options):
    theirs = CountVectorizer(
        token_pattern=r"\w+", max_features=options.get("size"), min_df=options.get("min_rows", 1),
        binary=options.get("binary", False),
    )  # fmt: skip
    expected = theirs.fit_transform([n or "" for n in NOTES]).toarray()
    out = BagOfWords(**options).fit_transform(table)
    assert out.is_sparse
    names = [f"note:{w}" for w in theirs.get_feature_names_out()]
    assert out.columns == (*names, "price")
    assert_array_equal(out.numbers(names), expected)
    assert_array_equal(out.numbers("price"), table.numbers("price"))


def test_unknown_words_are_ignored(table):
    encoder = BagOfWords(on=["note"]).fit(table)
    assert encoder.transform({"note": ["nothing known here"], "price": [1]}).numbers("note:tea").sum() == 0


def test_hashed_words_keep_their_number(table):
    out = BagOfWords(16, hashed=True).fit_transform(table)
    assert out.columns == (*(f"note#{k}" for k in range(16)), "price")
    lengths = [len((n or "").split()) for n in NOTES]
    assert_array_equal(out.numbers([f"note#{k}" for k in range(16)]).sum(axis=1), lengths)


def test_words_of_two_columns_are_kept_apart():
    notes = {"title": ["tea time now", "tea"], "body": ["tea", "milk now please"]}
    table = mercer.read_table(notes, kinds=dict.fromkeys(notes, "text"))
    out = BagOfWords().fit_transform(table)
    assert out.numbers("title:tea").ravel().tolist() == [1, 1]
    assert out.numbers("body:tea").ravel().tolist() == [1, 0]


def test_no_word_at_all_is_an_error():
    table = mercer.read_table({"note": ["!!", "...", "--"]}, kinds={"note": "text"})
    with pytest.raises(BadColumn, match="'note': no word"):
        BagOfWords().fit(table)
    with pytest.raises(BadColumn, match="min_rows"):
        BagOfWords(min_rows=9).fit(mercer.read_table({"note": ["tea", "milk"]}, kinds={"note": "text"}))


def test_levels_are_not_text():
    with pytest.raises(BadColumn, match="'job' is binary"):
        BagOfWords(on=["job"]).fit(mercer.read_table({"job": ["a", "b", "a"], "z": [1, 2, 3]}))


def test_counts_are_float(table):
    assert BagOfWords().fit_transform(table).numbers().dtype == np.float64
