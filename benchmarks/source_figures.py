"""Do the worked examples on real tables come out as printed: mercer beside the figures, over many draws?

"Inside, at 40 %": between the 5 % and the 95 % quantile of mercer's draws, with 40 % of them below (ties count half).
scikit-learn has the same draws, or the first few of them.

- Fraud: 492 frauds and 492 legitimate rows, 29 columns standardised before the 80/20 split. The legitimate rows of
  the source are not to be had, so each draw takes others and another split.
- California: below 500,000 dollars and fewer than 10 people a household leaves the 19,615 rows printed. Columns
  scaled to [0, 1] before the split and seed 50 of the split make scikit-learn print the source's figures (rbf:
  all but the last four of 16 digits). So "its own split" needs no band; the band is over other splits.
- Up-selling: another table than the source's (5,032 rows, half of them positive, 45 columns of the 230), so its figures
  cannot be met: the order of the two kernels and the agreement with scikit-learn can. Both take the same Lin matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.datasets import load_iris
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, SVR

import mercer
from mercer.encode import Chain, OneHot, TopLevels, ZScore
from mercer.kernels import Lin

HEADER = (
    "| figure | source | mercer, 5, 50 and 95 % | scikit-learn | largest difference in a draw | the source is |\n"
    "|---|---|---|---|---|---|"
)
Draw = Callable[[int], dict[str, float]]  # seed -> name of a figure -> its value
Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # X to train, X to test, y to train, y to test

FRAUD = {
    "Gaussian naive Bayes accuracy": 0.9188,
    "Gaussian naive Bayes AUC": 0.9608,
    "3-NN accuracy": 0.9289,
    "3-NN AUC": 0.9704,
    "3-NN accuracy on its own rows": 0.9504,
    "5-NN accuracy": 0.9492,
    "5-NN AUC": 0.9771,
    "linear SVM accuracy": 0.9645,
    "linear SVM AUC": 0.9866,
}
CALIFORNIA = {
    "linear SVR R^2, train": 0.6197,
    "linear SVR R^2, test": 0.6214,
    "rbf SVR R^2, train": 0.7286,
    "rbf SVR R^2, test": 0.7357,
}
IRIS = {"one against one, errors": 6, "one against the rest, errors": 6, "output codes of 9 bits, errors": 6}
UPSELLING = {"RBF, AUC": 0.7793, "Lin, AUC": 0.8169}
FRAUD_DRAWS, CALIFORNIA_DRAWS, WITNESS_DRAWS, CODES, SHUFFLES = 300, 30, 3, 20, 3


@dataclass(frozen=True)
class Figure:
    """A printed figure, and what mercer and scikit-learn give in each draw."""

    name: str
    source: float
    ours: np.ndarray
    theirs: np.ndarray
    comparable: bool = True  # False: the source had another table

    def line(self) -> str:
        apart = np.abs(self.ours[: len(self.theirs)] - self.theirs)
        cells = (self.name, f"{self.source:g}", _band(self.ours), _band(self.theirs))
        return f"| {' | '.join(cells)} | {apart.max():.4f} | {self.verdict()} |"

    def verdict(self) -> str:
        if not self.comparable:
            return "of another table"
        if len(self.ours) == 1:
            same = abs(self.ours[0] - self.source) <= 0.00005 + 1e-9
            return "met, every digit" if same else f"missed by {self.ours[0] - self.source:+.4f}"
        ours = self.ours.round(4)  # as the source prints
        low, high = np.quantile(ours, (0.05, 0.95)).round(4)
        place = 100 * ((ours < self.source).mean() + (ours == self.source).mean() / 2)
        return f"{'inside' if low <= self.source <= high else '**outside**'}, at {place:.0f} %"


def _band(values: np.ndarray) -> str:
    if len(values) == 1:
        return f"{values[0]:.4g}"
    if len(values) < 10:
        return f"{values.min():.4g} to {values.max():.4g} ({len(values)} draws)"
    return ", ".join(f"{v:.4g}" for v in np.quantile(values, (0.05, 0.5, 0.95))) + f" ({len(values)} draws)"


def rows(data: Path) -> Iterator[Figure]:
    yield from _iris()
    yield from _figures("fraud: ", FRAUD, _fraud(data), range(FRAUD_DRAWS))
    california = _california(data)
    yield from _figures("California, its own split: ", CALIFORNIA, california, [50])
    yield from _figures("California: ", CALIFORNIA, california, range(CALIFORNIA_DRAWS), WITNESS_DRAWS)
    for figure in _figures("up-selling: ", UPSELLING, _upselling(data), range(SHUFFLES)):
        yield replace(figure, comparable=False)


def _figures(
    prefix: str,
    source: dict[str, float],
    draws: tuple[Draw, Draw],
    seeds: Any,
    witnessed: int | None = None,
) -> Iterator[Figure]:
    ours, theirs = ([draw(seed) for seed in kept] for draw, kept in zip(draws, (seeds, seeds[:witnessed]), strict=True))
    for name, value in source.items():
        yield Figure(prefix + name, value, *(np.array([found[name] for found in side]) for side in (ours, theirs)))


def _iris() -> Iterator[Figure]:
    X, y = load_iris(return_X_y=True)
    X = X[:, [0, 2]]

    def errors(svm: Any, rest: Any) -> Draw:
        def draw(seed: int) -> dict[str, float]:
            codes = OutputCodeClassifier(svm, code_size=3.0, random_state=seed)
            models = (OneVsOneClassifier(svm), rest, codes)
            return {k: float((m.fit(X, y).predict(X) != y).sum()) for k, m in zip(IRIS, models, strict=True)}

        return draw

    pair = errors(mercer.SVC(), mercer.SVC(multi_class="ovr")), errors(SVC(), OneVsRestClassifier(SVC()))
    yield from _figures("iris, two lengths: ", IRIS, pair, range(CODES))


def _fraud(data: Path) -> tuple[Draw, Draw]:
    cells = pl.read_csv(data / "creditcard_fraud" / "fraud492_plus_random5000.csv")
    X, fraud = cells.drop("Time", "Class").to_numpy(), cells["Class"].to_numpy() == 1
    frauds, legitimate, label = X[fraud], X[~fraud], np.repeat([0, 1], 492)

    def split(seed: int) -> Split:
        drawn = legitimate[np.random.default_rng(seed).permutation(len(legitimate))[:492]]
        chosen = np.vstack([drawn, frauds])
        scaled = (chosen - chosen.mean(axis=0)) / chosen.std(axis=0)
        return tuple(train_test_split(scaled, label, test_size=0.2, random_state=seed))

    ours = mercer.NaiveBayes(), mercer.KNeighborsClassifier, mercer.SVC(kernel="linear")
    theirs = GaussianNB(), KNeighborsClassifier, SVC(kernel="linear")
    return lambda seed: _fraud_scores(split(seed), *ours), lambda seed: _fraud_scores(split(seed), *theirs)


def _fraud_scores(parts: Split, bayes: Any, neighbours: Any, svm: Any) -> dict[str, float]:
    train, test, y, truth = parts
    found = {}
    for name, model in {"Gaussian naive Bayes": bayes, "3-NN": neighbours(3), "5-NN": neighbours(5)}.items():
        model.fit(train, y)
        found[f"{name} accuracy"] = float(model.score(test, truth))
        found[f"{name} AUC"] = float(roc_auc_score(truth, model.predict_proba(test)[:, 1]))
        found[f"{name} accuracy on its own rows"] = float(model.score(train, y))
    svm.fit(train, y)
    found["linear SVM accuracy"] = float(svm.score(test, truth))
    found["linear SVM AUC"] = float(roc_auc_score(truth, svm.decision_function(test)))
    return found


def _california(data: Path) -> tuple[Draw, Draw]:
    cells = pl.read_csv(data / "california_housing" / "cal_housing.data")
    homes, value = pl.col("households"), cells["median_house_value"].to_numpy() / 100_000
    X = cells.select(
        "median_income",
        "housing_median_age",
        pl.col("total_rooms") / homes,
        pl.col("total_bedrooms") / homes,
        "population",
        (pl.col("population") / homes).alias("people"),
        "latitude",
        "longitude",
    ).to_numpy()
    kept = (value < 5) & (X[:, 5] < 10)
    X, value = X[kept], value[kept]
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)

    def scores(machine: Any) -> Draw:
        def draw(seed: int) -> dict[str, float]:
            train, test, y, truth = train_test_split(X, value, test_size=0.2, random_state=seed)
            found = {}
            for kernel in ("linear", "rbf"):
                model = machine(kernel=kernel, epsilon=0.56, C=25).fit(train, y)
                found[f"{kernel} SVR R^2, train"] = float(r2_score(y, model.predict(train)))
                found[f"{kernel} SVR R^2, test"] = float(r2_score(truth, model.predict(test)))
            return found

        return draw

    return scores(mercer.SVR), scores(SVR)


def _upselling(data: Path) -> tuple[Draw, Draw]:
    """The best of a grid by AUC, a mean of three folds, as in the source; its steps: 20 top levels, dummies or Lin."""
    cells = pl.read_csv(data / "kddcup09_orange" / "KDDCup09_upselling_dataset.csv", has_header=False)
    table, label = mercer.read_table(cells[:, :-1]), cells[:, -1].to_numpy()
    chain = Chain([("top", TopLevels()), ("dummies", OneHot()), ("scale", ZScore())], output="matrix")
    dummies = np.asarray(chain.fit_transform(table))
    levels = TopLevels(on=table.schema.names).fit_transform(table)
    gram = Lin().fit(levels).gram(levels)  # frequencies of all rows, as the source takes them

    def scores(machine: Any) -> Draw:
        def draw(seed: int) -> dict[str, float]:
            folds = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(dummies, label))
            radial = [machine(gamma=2.0**power) for power in (-6, -8, -10)]
            frequent = [machine(C=C, kernel="precomputed") for C in (1.0, 10.0)]
            return {
                "RBF, AUC": max(_mean_auc(model, dummies, label, folds) for model in radial),
                "Lin, AUC": max(_mean_auc(model, gram, label, folds) for model in frequent),
            }

        return draw

    return scores(mercer.SVC), scores(SVC)


def _mean_auc(model: Any, X: np.ndarray, label: np.ndarray, folds: list[tuple[np.ndarray, np.ndarray]]) -> float:
    found = []
    for train, test in folds:
        columns = train if model.kernel == "precomputed" else slice(None)
        model.fit(X[train][:, columns], label[train])
        found.append(roc_auc_score(label[test], model.decision_function(X[test][:, columns])))
    return float(np.mean(found))
