"""Kernels on text against enumeration, scikit-learn and closed forms, and on texts that are odd."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import mercer
from mercer import read_table
from mercer.errors import BadFile, BadParameter, NotText, TooLarge
from mercer.kernels import EditDistance, Encoded, Kernel, Mismatch, Spectrum, Subsequence, Words, check
from mercer.kernels.text import base
from mercer.state import Reader
from mercer.table.blocks import Texts

NOTES = ["no tea", "Tea, no milk", "milk milk tea", "a", "", "naïve café", "cafe"]
STRINGS = [Spectrum(p=2), Mismatch(p=2, m=1), Subsequence(p=2), EditDistance(), Words()]


def _table(texts, **more):
    """Read from cells, an empty text would be a missing one."""
    cells = {"note": texts, **more}
    table = read_table({name: ["x"] * len(texts) for name in cells}, kinds=dict.fromkeys(cells, "text"))
    return replace(table, text_block=Texts(np.array(list(cells.values()), dtype=object).T))


def _gram(kernel, texts):
    table = _table(texts)
    return kernel.fit(table).gram(table)


def test_spectrum_is_scikit_learns_counts_of_characters():
    counts = CountVectorizer(analyzer="char", ngram_range=(3, 3), lowercase=False).fit_transform(NOTES)
    assert_allclose(_gram(Spectrum(p=3, normalised=False), NOTES), (counts @ counts.T).toarray())


@pytest.mark.parametrize("p", [2, 3])
def test_more_grams_than_are_held_dense(p, monkeypatch):
    dense = _gram(Spectrum(p), NOTES)
    monkeypatch.setattr("mercer.kernels.text.grams._DENSE", 3)
    assert_allclose(_gram(Spectrum(p), NOTES), dense, atol=1e-15)


def _brute_mismatch(texts, p, m):
    """Counts of every word of the alphabet and one further character within m of a run, by enumeration."""
    letters = [*sorted(set("".join(texts))), None]
    rows = []
    for text in texts:
        near = Counter()
        for start in range(len(text) - p + 1):
            for word in product(letters, repeat=p):
                near[word] += sum(u != v for u, v in zip(word, text[start : start + p], strict=True)) <= m
        rows.append(near)
    words = sorted(set().union(*rows), key=repr)
    counts = np.array([[row[w] for w in words] for row in rows], dtype=float)
    return counts @ counts.T


@pytest.mark.parametrize(("p", "m"), [(2, 0), (2, 1), (3, 1), (3, 2), (4, 1)])
def test_mismatch_is_the_enumeration(p, m):
    texts = ["acgt", "accta", "ttgc", "ac", ""]
    assert_allclose(_gram(Mismatch(p, m, normalised=False), texts), _brute_mismatch(texts, p, m), rtol=1e-12)


def test_characters_not_seen_in_fit_are_one_character_for_mismatch():
    kernel = Mismatch(p=2, m=1).fit(_table(["abab", "bb"]))
    assert kernel.alphabet_ == "ab"
    new = _table(["axab", "ayab", "azzb"])
    assert_allclose(kernel.gram(new)[0, 1], 1)
    assert np.linalg.eigvalsh(kernel.gram(new)).min() > -1e-12


def test_subsequences_are_lodhis_example():
    decay = 0.6  # their table of cat, car, bat, bar: ca, ct, at, ...
    found = _gram(Subsequence(2, decay, normalised=False), ["cat", "car", "bat", "bar"])
    own = 2 * decay**4 + decay**6
    assert_allclose(found[0], [own, decay**4, decay**4, 0])
    assert_allclose(_gram(Subsequence(2, decay), ["cat", "car"])[0, 1], 1 / (2 + decay**2))


def test_few_characters_are_summed_up_text_by_text(monkeypatch):
    texts = ["acgt", "gattaca", "", "a", "tttt", "acacacgt"]
    kernels = [Subsequence(p, decay, normalised=n) for p in (1, 2, 4) for decay in (0.3, 1.0) for n in (True, False)]
    summed = [_gram(kernel, texts) for kernel in kernels]
    monkeypatch.setattr("mercer.kernels.text.subsequence._FEW_SEQUENCES", 0)
    for kernel, found in zip(kernels, summed, strict=True):
        assert_allclose(found, _gram(kernel, texts), rtol=1e-12, atol=1e-15)


def test_edit_distances():
    found = _gram(EditDistance(0.5, relative=False), ["kitten", "sitting", ""])
    assert_allclose(-2 * np.log(found), [[0, 3, 6], [3, 0, 7], [6, 7, 0]], atol=1e-12)
    assert_allclose(_gram(EditDistance(1.0), ["ab", "ax"])[0, 1], np.exp(-0.5))


def test_edit_distance_is_checked_for_mercers_condition():
    words = ["".join(w) for n in range(1, 4) for w in product("ab", repeat=n)]
    found = check(EditDistance(0.1, relative=False), _table(words))
    assert not found.holds
    assert not found.promised
    assert "repair" in found.advice


def test_words_are_scikit_learns_tf_idf():
    texts = [t or "nothing" for t in NOTES]
    kernel = Words().fit(_table(texts[:4]))
    theirs = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b").fit(texts[:4])
    assert_allclose(kernel.idf_[0], theirs.idf_)
    assert kernel.words_[0] == tuple(theirs.get_feature_names_out())
    rows = theirs.transform(texts)
    known = np.asarray(rows.sum(axis=1)).ravel() > 0
    expected = (rows @ rows.T).toarray() + np.outer(~known, ~known)
    assert_allclose(kernel.gram(_table(texts)), expected, atol=1e-12)
    theirs = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b", sublinear_tf=True, norm=None, use_idf=False)
    rows = theirs.fit_transform(texts)
    assert_allclose(_gram(Words(idf=False, sublinear=True, normalised=False), texts), (rows @ rows.T).toarray())


def test_words_weigh_training_texts_and_keep_the_commonest():
    table = _table(["tea", "tea milk", "rum milk tea"])
    heavy = Words().fit(table, weight=[1.0, 0.0, 2.0])
    assert_allclose(heavy.idf_[0], Words().fit(_table(["tea", "rum milk tea", "rum milk tea"])).idf_[0])
    assert Words(size=2).fit(table).words_ == [("milk", "tea")]
    assert Words(min_rows=3).fit(table).words_ == [("tea",)]


@pytest.mark.parametrize("kernel", STRINGS, ids=repr)
def test_texts_with_nothing_to_compare_are_like_each_other_and_like_no_other(kernel):
    gram = _gram(kernel, ["", "", "tea", "?" if isinstance(kernel, Words) else "tea"])
    assert_allclose(gram.diagonal(), 1)
    assert_allclose(gram[0, 1], 1)
    if not isinstance(kernel, EditDistance):
        assert_allclose(gram[0, 2], 0)


@pytest.mark.parametrize("kernel", STRINGS, ids=repr)
def test_missing_texts(kernel):
    table = _table(["tea", None, None, ""])
    gram = kernel.fit(table).gram(table)
    assert_allclose(gram[1], [0, 1, 1, 0])
    ignoring = kernel.set_params(missing="ignore").fit(table)
    assert_allclose(ignoring.gram(table)[1], 0)
    assert_allclose(ignoring.diag(table), [1, 0, 0, 1])
    kernel.set_params(missing="level")
    gone = _table([None, None])
    assert_allclose(kernel.fit(gone).gram(gone), 1)


@pytest.mark.parametrize("kernel", STRINGS, ids=repr)
def test_several_columns_count_alike(kernel):
    table = _table(["tea", "milk"], more=["aet", "mkkli"])
    alone = [kernel.set_params(on=[n]).fit(table).gram(table) for n in ("note", "more")]
    assert_allclose(kernel.set_params(on=["note", "more"]).fit(table).gram(table), sum(alone) / 2)


def test_other_columns_are_refused_by_name():
    table = read_table({"age": [1.0, 2.0, 3.5], "note": ["a", "b", "c"]}, kinds={"note": "text"})
    with pytest.raises(NotText, match=r"column 'age' is numeric. Use RBF\(on='age'\)"):
        Spectrum(on=["age", "note"]).fit(table)


def test_bad_parameters():
    table = _table(["tea"])
    with pytest.raises(BadParameter, match="expected m below p"):
        Mismatch(p=2, m=2).fit(table)
    with pytest.raises(BadParameter, match="Lower m or p"):
        Mismatch(p=40, m=2).fit(table)
    for wrong in (Spectrum(p=0), Subsequence(decay=0.0), Subsequence(p=17), EditDistance(-1.0), Words(size=0)):
        with pytest.raises(BadParameter, match="must be"):
            wrong.fit(table)


def test_hours_of_work_are_refused(monkeypatch):
    monkeypatch.setattr(base, "_MOST_STEPS", 1e4)
    with pytest.raises(TooLarge, match=r"Use Spectrum or Words"):
        _gram(Subsequence(p=6), ["tea" * 30, "milk" * 30])
    assert _gram(Spectrum(), ["tea" * 30, "milk" * 30]).shape == (2, 2)


def test_more_subsequences_than_a_float_holds():
    table = _table(["a" * 400])
    with pytest.raises(TooLarge, match="use double precision"):
        Subsequence(p=16, decay=1.0).fit(table).gram(table, dtype=np.float32)
    assert_allclose(Subsequence(p=16, decay=1.0).fit(table).gram(table), 1)


def test_a_damaged_alphabet_or_vocabulary_is_refused():
    table = _table(["tea", "milk"])
    state = Mismatch(p=2).fit(table).to_state()
    state["learned"]["alphabet"] = [5, 4]
    with pytest.raises(BadFile, match="code points"):
        Kernel.from_state(Reader(state))
    state = Words().fit(table).to_state()
    state["learned"]["columns"][0]["words"] = ["tea", "milk"]
    with pytest.raises(BadFile, match="alphabetical"):
        Kernel.from_state(Reader(state))


def test_a_machine_compares_text_by_default_and_survives_its_file(tmp_path):
    draw = np.random.default_rng(0)
    spam = draw.random(60) < 0.5
    texts = [" ".join(draw.choice(["win", "cash", "now"] if s else ["see", "you", "now"], 4)) for s in spam]
    texts[3] = None
    cells = {"note": texts, "x": draw.normal(size=60), "c": draw.choice(list("pq"), 60)}
    table = read_table(cells, kinds={"note": "text"})
    new = {"note": ["win cash", None, "unseen", ""], "x": [0.0, None, 1.0, 2.0], "c": ["p", "q", None, "r"]}
    for kernel in ("rbf", "mixed", Spectrum() + Encoded(Words() * Subsequence(p=2), levels="keep")):
        model = mercer.SVC(kernel=kernel).fit(table, spam)
        assert model.score(table, spam) > 0.95
        mercer.save(model, tmp_path / "m.mercer")
        again = mercer.load(tmp_path / "m.mercer")
        assert_allclose(again.decision_function(table), model.decision_function(table))
        assert model.predict(new)[0]
    texts_only = mercer.SVC(gamma="cv").fit(table.select(["note"]), spam)
    assert texts_only.score(table, spam) > 0.95


def test_a_row_at_a_time_gives_the_model_of_the_whole_matrix():
    draw = np.random.default_rng(1)
    texts = ["".join(draw.choice(list("ab"), draw.integers(0, 9))) for _ in range(40)]
    y = np.array(["aa" in t for t in texts])
    table = _table(texts)
    for kernel in (Spectrum(p=2), Words(), Subsequence(p=2)):
        whole = mercer.SVC(kernel=kernel).fit(table, y)
        rows = mercer.SVC(kernel=kernel, cache_size=0.004).fit(table, y)
        assert_allclose(rows.decision_function(table), whole.decision_function(table), atol=2e-3)


def test_pairs_of_equal_texts_share_every_subsequence():
    for text in ("a", "abab", "漢字漢"):
        for p in (1, 2):
            own = Counter()
            for places in combinations(range(len(text)), p):
                own["".join(text[i] for i in places)] += 1
            expected = sum(n * n for n in own.values())
            assert_allclose(_gram(Subsequence(p, 1.0, normalised=False), [text])[0, 0], expected)
