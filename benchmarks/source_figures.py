"""Do iris and the up-selling table come out as printed: mercer and scikit-learn beside the figures, over many draws?

The other worked examples of the texts are in the gallery: `mercer reproduce`.

"Inside, at 40 %": between the 5 % and the 95 % quantile of mercer's draws, with 40 % of them below (ties count half).
scikit-learn has the same draws, or the first few of them.

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
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.svm import SVC

import mercer
from mercer.encode import Chain, OneHot, TopLevels, ZScore
from mercer.kernels import Lin

HEADER = (
    "| figure | source | mercer, 5, 50 and 95 % | scikit-learn | largest difference in a draw | the source is |\n"
    "|---|---|---|---|---|---|"
)
Draw = Callable[[int], dict[str, float]]  # seed -> name of a figure -> its value

IRIS = {"one against one, errors": 6, "one against the rest, errors": 6, "output codes of 9 bits, errors": 6}
UPSELLING = {"RBF, AUC": 0.7793, "Lin, AUC": 0.8169}
CODES, SHUFFLES = 20, 3


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
        ours = self.ours.round(4)  # as the source prints
        low, high = np.quantile(ours, (0.05, 0.95)).round(4)
        place = 100 * ((ours < self.source).mean() + (ours == self.source).mean() / 2)
        return f"{'inside' if low <= self.source <= high else '**outside**'}, at {place:.0f} %"


def _band(values: np.ndarray) -> str:
    if len(values) < 10:
        return f"{values.min():.4g} to {values.max():.4g} ({len(values)} draws)"
    return ", ".join(f"{v:.4g}" for v in np.quantile(values, (0.05, 0.5, 0.95))) + f" ({len(values)} draws)"


def rows(data: Path) -> Iterator[Figure]:
    yield from _iris()
    for figure in _figures("up-selling: ", UPSELLING, _upselling(data), range(SHUFFLES)):
        yield replace(figure, comparable=False)


def _figures(
    prefix: str,
    source: dict[str, float],
    draws: tuple[Draw, Draw],
    seeds: Any,
) -> Iterator[Figure]:
    ours, theirs = ([draw(seed) for seed in seeds] for draw in draws)
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
