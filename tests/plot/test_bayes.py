"""Naive Bayes: bars are relative frequencies, curves normal densities, the product is that of the textbook."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from tests.plot.tennis import PLAY, TENNIS

import mercer
from mercer import plot
from mercer.errors import BadColumn, BadTable, MercerError
from mercer.estimators.bayes.product import bayes_product

X, Y = load_iris(return_X_y=True)
DAYS = {name: TENNIS[name] for name in ("outlook", "wind")}
EXACT = mercer.CategoricalNB(alpha=1e-12, kinds={"wind": "category"}).fit(DAYS, PLAY)


def test_bars_are_relative_frequencies_and_say_how_many():
    ax = plot.likelihood_table(EXACT, "wind")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["strong", "weak"]
    assert_allclose([bar.get_height() for bar in ax.patches], [3 / 5, 2 / 5, 3 / 9, 6 / 9], atol=1e-9)
    assert [t.get_text() for t in ax.texts] == ["3", "2", "3", "6"]
    assert len({bar.get_hatch() for bar in ax.patches}) == 2


def test_curves_are_normal_densities():
    ax = plot.likelihood_table(mercer.GaussianNB().fit(X, Y), 2)
    theirs = GaussianNB().fit(X, Y)
    for k, line in enumerate(ax.lines):
        x, density = line.get_data()
        assert_allclose(density, stats.norm.pdf(x, theirs.theta_[k, 2], np.sqrt(theirs.var_[k, 2])), rtol=1e-6)


def test_curves_of_kernel_densities():
    model = mercer.NaiveBayes(likelihoods="density").fit(X, Y)
    ax = plot.likelihood_table(model, "x0")
    for line in ax.lines:
        x, density = line.get_data()
        assert np.trapezoid(density, x) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("likelihood", ["gaussian", "density"])
def test_dates_are_written_as_dates(likelihood):
    days = {"day": [str(np.datetime64("2020-01-01") + 17 * i) for i in range(40)]}
    ax = plot.likelihood_table(mercer.NaiveBayes(likelihoods={"day": likelihood}).fit(days, ["a", "b"] * 20), "day")
    assert [np.datetime64(t.get_text(), "D").astype(float) for t in ax.get_xticklabels()] == list(ax.get_xticks())
    if likelihood == "gaussian":
        assert [t.get_text()[:13] for t in ax.get_legend().get_texts()] == ["a: 2020-11-19", "b: 2020-12-06"]


def test_many_levels_are_shortened_to_the_telling_ones():
    rows = {"letter": list("abcdefghijklmnopqrst") * 4}
    y = ["vowel" if c in "aeio" else "no" for c in rows["letter"]]
    ax = plot.likelihood_table(mercer.NaiveBayes().fit(rows, y), "letter")
    shown = {t.get_text() for t in ax.get_xticklabels()}
    assert len(shown) == 12 and set("aeio") <= shown
    assert "12 of 20" in ax.get_title(loc="left")


def test_the_product_of_the_textbook():
    """P(yes) p(sunny | yes) p(strong | yes) = 9/14 2/9 3/9, and of no 5/14 3/5 3/5."""
    row = {"outlook": ["sunny"], "wind": ["strong"]}
    found = bayes_product(EXACT, row)
    assert_allclose(found.factors, [[5 / 14, 9 / 14], [3 / 5, 2 / 9], [3 / 5, 3 / 9]], atol=1e-9)
    assert_allclose(found.products[-1], [9 / 70, 1 / 21], atol=1e-9)
    assert_allclose(found.posteriors[-1], EXACT.predict_proba(row)[0])
    assert found.steps == ("prior", "outlook = sunny", "wind = strong")


def test_the_table_holds_factors_products_and_posterior():
    row = {"outlook": ["sunny"], "wind": ["strong"]}
    ax = plot.bayes_product(EXACT, row)
    cells = ax.tables[0].get_celld()
    found = bayes_product(EXACT, row)
    for i in range(3):
        for c in range(2):
            assert cells[i + 1, c].get_text().get_text() == f"{found.factors[i, c]:.3g}   ({found.products[i, c]:.3g})"
    assert cells[4, 0].get_text().get_text() == f"{found.posteriors[-1, 0]:.4g}"
    assert ax.get_title(loc="left").splitlines()[-1] == "0.357 × 0.6 × 0.6 = 0.129"


def test_many_columns_are_joined_without_changing_the_answer():
    model = mercer.GaussianNB().fit(X, Y)
    ax = plot.bayes_product(model, X, 70, most=2)
    cells = ax.tables[0].get_celld()
    shown = [float(cells[5, c].get_text().get_text()) for c in range(3)]
    assert_allclose(shown, model.predict_proba(X)[70], rtol=1e-3, atol=1e-6)
    assert cells[4, -1].get_text().get_text() == "2 other columns"


def test_bad_input():
    with pytest.raises(BadColumn, match="Did you mean 'wind'"):
        plot.likelihood_table(EXACT, "wnd")
    with pytest.raises(MercerError, match="no naive Bayes"):
        plot.likelihood_table(GaussianNB().fit(X, Y), 0)
    with pytest.raises(MercerError, match="no naive Bayes"):
        plot.bayes_product(GaussianNB().fit(X, Y), X)
    with pytest.raises(NotFittedError):
        plot.likelihood_table(mercer.NaiveBayes(), "wind")
    with pytest.raises(BadTable, match="no row 14"):
        plot.bayes_product(EXACT, DAYS, 14)
    with pytest.raises(MercerError, match="needs a row"):
        plot.bayes_product(EXACT)
