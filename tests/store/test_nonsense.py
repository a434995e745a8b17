"""Values that each pass their check, but make no sense together, are refused: naive Bayes and neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.states import changed

import mercer
from mercer.distances import HVDM, Chebyshev, Cosine, Euclidean, Minkowski
from mercer.errors import BadFile
from mercer.state import Reader

RNG = np.random.default_rng(0)
N = 40
X = {
    "age": RNG.normal(40, 9, N).round(2),
    "pay": np.exp(RNG.normal(size=N)).round(3),
    "job": RNG.choice(["clerk", "cook", "smith"], N),
}
LABELS = np.where((X["age"] > 40) ^ (X["job"] == "cook"), "yes", "no")
NUMBERS = X["age"] + 5 * (X["job"] == "cook")
NUMERIC = {"job": "skip"}


def state_of(model: Any, weight: Any = None) -> Any:
    target = NUMBERS if isinstance(model, mercer.KNeighborsRegressor | mercer.LocallyWeightedRegression) else LABELS
    target = NUMBERS if isinstance(model, mercer.NaiveBayesRegressor) else target
    return model.fit(X, target, sample_weight=weight).to_state()


def likelihood(key: str, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A statistic of the first likelihood that has it, changed."""

    def apply(state: Any) -> Any:
        parts = state["fitted"]["likelihoods"]
        place = next(i for i, part in enumerate(parts) if key.split(".", maxsplit=1)[0] in part["statistics"])
        bad = changed(parts[place], f"statistics.{key}", change(parts[place]["statistics"][key]))
        return changed(state, "fitted.likelihoods", [*parts[:place], bad, *parts[place + 1 :]])

    return apply


def sample(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return likelihood("samples", lambda samples: [change(samples[0]), *samples[1:]])


def at(path: str, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(state: Any) -> Any:
        value = state
        for key in path.split("."):
            value = value[key]
        return changed(state, path, change(value))

    return apply


def label(key: str, value: Any) -> Callable[[Any], Any]:
    return at("fitted.labels", lambda labels: [labels[0] | {key: value}])


SUM = "fitted.rows.distance.column_sum"
CASES: list[tuple[str, Any, Callable[[Any], Any], str]] = [
    ("density without points", mercer.NaiveBayes("density"),
     sample(lambda s: s | {"weights": np.zeros_like(s["weights"])}), "a weight above 0 for every number"),
    ("bins without weight", mercer.NaiveBayes("binned"),
     sample(lambda s: s | {"weights": s["weights"] * (np.arange(N) != 3)}), "a weight above 0 for every number"),
    ("numbers that fall", mercer.NaiveBayes("binned"), sample(lambda s: s | {"values": s["values"][::-1].copy()}),
     "must increase"),
    ("variance below 0", mercer.NaiveBayes(), likelihood("m2", lambda m2: -m2), "values from 0"),
    ("deviations of no cells", mercer.NaiveBayes(), likelihood("n", np.zeros_like), "no deviations"),
    ("unit of 0", mercer.NaiveBayes(), likelihood("unit", np.zeros_like), "values from 1"),
    ("counts below 0", mercer.NaiveBayes(), likelihood("counts", lambda counts: -counts), "values from 0"),
    ("classes out of order", mercer.NaiveBayes(), at("fitted.classes.values", lambda v: v[::-1]), "increasing order"),
    ("no rows at all", mercer.GaussianNB(), at("fitted.class_count", np.zeros_like), "a class with rows"),
    ("priors beyond 1", mercer.NaiveBayes(priors=[0.4, 0.6]),
     at("parameters.priors.value", lambda p: p + 0.2), "sum of the priors should be 1"),
    ("priors of other classes", mercer.MultinomialNB(class_prior=[0.4, 0.6]),
     at("parameters.class_prior", lambda p: np.append(p, 1.0)), "must match number of classes"),
    ("a grid without points", mercer.NaiveBayesRegressor("kernel"), at("fitted.grid.points", lambda p: p[:0]),
     "at least one"),
    ("a grid that falls", mercer.NaiveBayesRegressor("kernel"), at("fitted.grid.points", lambda p: p[::-1].copy()),
     "increasing order"),
    ("intervals that fall", mercer.NaiveBayesRegressor("intervals"), at("fitted.points", lambda p: p[::-1].copy()),
     "increasing order"),
    ("k above the rows", mercer.KNeighborsClassifier(), at("fitted.n_neighbors", lambda k: N + 1), "from 1 to 40"),
    ("k above the rows", mercer.LocallyWeightedRegression(), at("fitted.n_neighbors", lambda k: N + 1), "from 1 to 40"),
    ("row numbers that fall", mercer.KNeighborsRegressor(), at("fitted.rows.kept", lambda k: k[::-1].copy()),
     "row numbers that increase"),
    ("a level without costs", mercer.KNeighborsClassifier(metric=HVDM()),
     at("fitted.rows.codes", lambda c: np.full_like(c, 3)), "does not fit the columns"),
    ("factors of 0", mercer.KNeighborsClassifier(class_weight={"no": 1.0, "yes": 2.0}),
     label("factor", np.zeros(2)), "a factor above 0"),
    ("factors below 0", mercer.KNeighborsClassifier(class_weight={"no": 1.0, "yes": 2.0}),
     label("factor", np.array([1.0, -1.0])), "values from 0"),
    ("another power", mercer.KNeighborsClassifier(metric=Minkowski(3)), at(f"{SUM}.power", lambda p: p + 1),
     "the power of Minkowski"),
    ("a sum that is none", mercer.KNeighborsClassifier(metric=Euclidean()), at(f"{SUM}.cosine", lambda c: True),
     "the cosine of Euclidean"),
    ("columns without weight", mercer.KNeighborsClassifier(metric=Chebyshev()), at(f"{SUM}.weight", np.zeros_like),
     "the weight of Chebyshev"),
    ("levels that never differ", mercer.KNeighborsClassifier(metric="gower"), at(f"{SUM}.differ", np.zeros_like),
     "the differ of Gower"),
    ("no costs", mercer.KNeighborsClassifier(metric=HVDM()),
     at(SUM, lambda s: s | {"cost": s["cost"][:0], "cost_start": s["cost_start"] * 0}), "the costs of levels"),
    ("no cosine", mercer.KNeighborsClassifier(metric=Cosine(), kinds=NUMERIC), at(f"{SUM}.cosine", lambda c: False),
     "the cosine of Cosine"),
    ("more steps than are counted", mercer.LogisticRegression(), at("fitted.fit.n_iter", lambda n: 2**40), "n_iter"),
    ("a tree that goes back", mercer.HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5),
     at("fitted.forest.left", lambda left: np.where(left >= 0, 0, left)), "children after their parents"),
    ("edges that fall", mercer.HistGradientBoostingClassifier(max_iter=2),
     at("fitted.binning.edges", lambda e: e[::-1].copy()), "increasing numbers"),
    ("a level without a bin", mercer.HistGradientBoostingClassifier(max_iter=2),
     at("fitted.binning.levels", lambda t: np.full_like(t, 255)), "for each level"),
    ("trees of no output", mercer.HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5),
     at("fitted.forest.root", lambda r: r[::-1].copy()), "increasing places"),
    ("columns twice", mercer.LocallyWeightedRegression(), at("fitted.columns.taken", np.zeros_like), "that increase"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "change", "words"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_nonsense_is_refused_when_it_is_read(model: Any, change: Callable[[Any], Any], words: str) -> None:
    state = state_of(model)
    type(model).from_state(Reader(state))  # sound as it is
    with pytest.raises(BadFile, match=words):
        type(model).from_state(Reader(change(state)))


@pytest.mark.parametrize("model", [mercer.KNeighborsClassifier(), mercer.LocallyWeightedRegression()], ids=repr)
def test_rows_without_weight_and_more_neighbours_than_weight(model: Any) -> None:
    state = state_of(model, np.arange(N) % 3 + 1.0)
    type(model).from_state(Reader(state))
    for path, value, words in (
        ("fitted.rows.weight", state["fitted"]["rows"]["weight"] * 0, "weights above 0"),
        ("fitted.rows.weight", -state["fitted"]["rows"]["weight"], "values from 0"),
        ("fitted.n_neighbors", 80, "from 1 to 79"),
    ):
        with pytest.raises(BadFile, match=words):
            type(model).from_state(Reader(changed(state, path, value)))


def test_a_bandwidth_needs_no_number_of_neighbours() -> None:
    model = mercer.LocallyWeightedRegression(99, bandwidth=0.5).fit(X, NUMBERS)
    again = type(model).from_state(Reader(model.to_state()))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
