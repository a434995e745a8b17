"""Chapter 4 of the thesis on a table with two classes: Tables 4.3 to 4.6 and the curves.

    Table 4.3   RBF on dummies, costs times widths             two thirds of the rows train, one tests; rotated
    Table 4.4   Lin on levels, costs                           the same
    Table 4.5   ensembles of eight similarities times costs    a third trains, a third selects, a third tests; rotated
    Table 4.6   the best value of each column, and a random forest

Every row is tested once, so that each method is one column of probabilities, scored fold by fold.
As in the thesis, the forest that chooses columns has seen all rows, and settings are compared on the rows that test;
unlike there, levels are counted in training rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

import mercer
from mercer.combine.ensemble.thirds import TrainedThirds, train_thirds
from mercer.encode import Chain, DropMissing, Encoder, Impute, OneHot, TopLevels, ZScore
from mercer.gallery import Comparison, FigureTable, Picture, label, panels
from mercer.gallery.yao.ensemble_selection import KINDS
from mercer.kernels import RBF, Lin

COSTS = [2.0**-power for power in np.arange(7, 12.5, 0.5)]
RBF_COSTS, WIDTHS = (1.0, 0.1, 0.01), [2.0**-power for power in (0, 2, 4, 6, 8, 9, 10, 11)]
NAMES = ("AUC", "TotalAccuracy", "PosAccuracy", "AP", "Total*", "Pos*")
NOTE = ("Means of three folds. PosAccuracy is the share of positive rows that are called so. TotalAccuracy and "
        "PosAccuracy are at a probability of one half, Total* and Pos* at the share of positive rows.")  # fmt: skip
PRINTED = {"RBF kernel": (0.7793, 0.9338, 0.2293, 0.3571), "Lin kernel": (0.8169, 0.9405, 0.4021, 0.4222),
           "EnsembleAUC": (0.8281, 0.7987, 0.6563, 0.4235), "EnsembleAP": (0.8218, 0.6951, 0.7433, 0.44402),
           "RandomForest": (0.8380, 0.8272, 0.6022, 0.4303)}  # Table 4.6  # fmt: skip
ENSEMBLES = {"EnsembleAUC": "roc_auc", "EnsembleAP": "average_precision"}
FEWER_ROWS = "machines of the ensemble learn from a third of the rows, those of Tables 4.3 and 4.4 from two thirds"
FORWARD = mercer.Forward(best_of_trajectory=False, start=3)  # Algorithm 3.1, from the three best models


@dataclass(frozen=True)
class Prepared:
    """The rows after sections 4.1 and 4.2."""

    levels: Any  # every selected column as levels, for similarities
    numbers: Any  # numbers and dummies, for the RBF kernel and the forest
    filled: Any  # all columns that have enough cells, missing ones filled
    selection: mercer.FeatureSelection


def prepared(table: Any, y: Any, cut: Encoder | None = None) -> Prepared:
    """Columns with more than 95 % missing cells go, medians, the commonest levels, the columns that a forest chooses.

    cut : how numbers become levels; None as the thesis has it: the 20 commonest values, and one for all others
    """
    filled = Chain([("drop", DropMissing(0.95)), ("fill", Impute("median", "level"))]).fit_transform(table)
    if cut is None:
        levels = TopLevels(20, on=list(filled.schema.names)).fit_transform(filled)
    else:
        levels = Chain([("top", TopLevels(20)), ("cut", cut)]).fit_transform(filled)
    selection = mercer.SelectByForest(40).fit(levels, y).selection_
    kept = list(selection.selected)
    dummies = Chain([("top", TopLevels(20)), ("dummies", OneHot()), ("scale", ZScore())])
    return Prepared(levels.select(kept), dummies.fit_transform(filled.select(kept)), filled, selection)


def machine(kernel: Any, cost: float, jobs: int | None = 1) -> Any:
    """An SVM with probabilities."""
    return mercer.SVC(kernel=kernel, C=cost, probability="sigmoid", n_jobs=jobs)


def power(value: float) -> str:
    """How the thesis writes a cost or width: 2^-8.5."""
    return f"2^{np.log2(value):.4g}"


def library(times: float = 1.0, jobs: int | None = 1) -> list[tuple[str, Any]]:
    """The 88 machines of Table 4.5; `times` multiplies their costs."""
    return [(f"{kind.__name__}, {power(times * c)}", machine(kind(), times * c, jobs)) for kind in KINDS for c in COSTS]


@dataclass(frozen=True)
class Tested:
    """Probabilities of each method for every row, by a model that did not see it."""

    y: Any  # (n_rows,) whether positive
    folds: list[Any]  # the rows of each test
    methods: dict[str, Any]  # name: (n_rows,)

    def scores(self, name: str) -> Any:
        """(n_folds, 6) in the order of NAMES."""
        return np.array([_scores(self.y[rows], self.methods[name][rows]) for rows in self.folds])

    def means(self) -> dict[str, list[float]]:
        """Of each method, over the folds."""
        return {name: self.scores(name).mean(axis=0).tolist() for name in self.methods}

    def best(self) -> list[float]:
        """The best value of each column, as Table 4.6 has it."""
        return np.max([*self.means().values()], axis=0).tolist()

    def by_auc(self) -> str:
        """The method with the largest AUC."""
        means = self.means()
        return max(means, key=lambda name: means[name][0])


def _scores(y: Any, p: Any) -> list[float]:
    half, share = p > 0.5, p > y.mean()
    return [roc_auc_score(y, p), (half == y).mean(), half[y].mean(), average_precision_score(y, p),
            (share == y).mean(), share[y].mean()]  # fmt: skip


def cross_validated(models: Sequence[tuple[str, Any]], X: Any, y: Any) -> Tested:
    """Each model by 3-fold cross-validation."""
    found = mercer.ModelLibrary(list(models), cv=3).fit(X, y)
    predicted = {name: p[:, 1] for name, p in zip(found.names_, found.predictions_, strict=True)}
    return Tested(y, found.folds_, predicted)


def selected(trained: TrainedThirds, y: Any) -> tuple[Tested, dict[str, list[int]]]:
    """The ensembles, and each similarity at the cost that is best on the rows that select; models in each ensemble."""
    tests = [trained.parts[(r + 2) % 3] for r in range(3)]
    names = (*ENSEMBLES, *(kind.__name__ for kind in KINDS))
    methods, sizes = {name: np.empty(len(y)) for name in names}, {}
    for name, metric in ENSEMBLES.items():
        found = trained.select(metric, forward=FORWARD)
        sizes[name] = [len(chosen.members) for chosen in found.selections]
        for rows, tested, chosen in zip(tests, trained.tested, found.selections, strict=True):
            methods[name][rows] = chosen.weights @ tested[:, :, 1]
    for r, rows in enumerate(tests):
        chooses = trained.parts[(r + 1) % 3]
        areas = [roc_auc_score(y[chooses], p[:, 1]) for p in trained.chosen[r]]
        for k, kind in enumerate(KINDS):
            own = slice(k * len(COSTS), (k + 1) * len(COSTS))
            methods[kind.__name__][rows] = trained.tested[r][own.start + int(np.argmax(areas[own]))][:, 1]
    return Tested(y, tests, methods), sizes


@dataclass(frozen=True)
class Chapter4:
    """What each method gives on one table."""

    rbf: Tested
    lin: Tested
    thirds: Tested
    sizes: dict[str, list[int]]  # models in each ensemble
    forest: Tested

    def table_46(self) -> dict[str, list[float]]:
        """Methods and their scores: the best of each column of Tables 4.3 and 4.4, means of Table 4.5."""
        means = self.thirds.means()
        return {"RBF kernel": self.rbf.best(), "Lin kernel": self.lin.best(),
                **{name: means[name] for name in ENSEMBLES}, "RandomForest": self.forest.best()}  # fmt: skip

    def tables(self) -> Iterator[FigureTable]:
        """In the layout of the thesis."""
        yield FigureTable("Table 4.3: RBF kernel, cost C and width γ", NAMES, self.rbf.means(), NOTE)
        yield FigureTable("Table 4.4: Lin similarity, cost C", NAMES, self.lin.means())
        means, columns = self.thirds.means(), (*NAMES, "#model")
        for name, on in (("EnsembleAUC", "AUC"), ("EnsembleAP", "Precision")):
            scores, sizes = self.thirds.scores(name), self.sizes[name]
            rows = {f"Fold{r + 1}": [*scores[r], str(sizes[r])] for r in range(3)}
            rows["Avg"] = [*means[name], f"{np.mean(sizes):.1f}"]
            yield FigureTable(f"Table 4.5: ensemble selection on {on}", columns, rows)
        alone = {kind.__name__: means[kind.__name__] for kind in KINDS}
        yield FigureTable("Each similarity by itself, as in Table 4.5", NAMES, alone,
                          "A third of the rows trains, the next chooses the cost by AUC, the last tests.")  # fmt: skip
        printed: dict[str, Sequence[str | float]] = {
            f"{name}, thesis": [*values, "", ""] for name, values in PRINTED.items()
        }
        yield FigureTable("Table 4.6: best of each column, and the figures of the thesis", NAMES,
                          {**self.table_46(), **printed})  # fmt: skip

    def orders(self, why: Mapping[str, str]) -> Iterator[Comparison]:
        """What the thesis finds of its methods, and whether it is so here; `why` not, by what is compared."""
        best, auc, ap = self.table_46(), 0, 3
        claims = [("Lin kernel", "RBF kernel", auc), ("Lin kernel", "RBF kernel", ap),
                  ("EnsembleAUC", "Lin kernel", auc), ("EnsembleAP", "Lin kernel", ap),
                  ("RandomForest", "EnsembleAUC", auc), ("EnsembleAP", "RandomForest", ap)]  # fmt: skip
        for better, worse, k in claims:
            what = f"{better} above {worse} by {NAMES[k]}"
            yield explained(Comparison(what, "yes", best[better][k] > best[worse][k]), why.get(what, ""))
        means = self.thirds.means()
        for name, k in (("EnsembleAUC", auc), ("EnsembleAP", ap)):
            what = f"{name} above each similarity by itself, by {NAMES[k]}"
            above = means[name][k] > max(means[kind.__name__][k] for kind in KINDS)
            yield explained(Comparison(what, "yes", above), why.get(what, ""))

    def beside(self, why: str) -> Iterator[Comparison]:
        """Figures of Table 4.6 and ours; they agree within two standard errors of the mean of the folds."""
        ours = {"RBF kernel": self.rbf.scores(self.rbf.by_auc()), "Lin kernel": self.lin.scores(self.lin.by_auc()),
                **{name: self.thirds.scores(name) for name in ENSEMBLES},
                "RandomForest": self.forest.scores("forest")}  # fmt: skip
        for name, printed in PRINTED.items():
            for k, column in ((0, "AUC"), (3, "AP")):
                mean, error = ours[name][:, k].mean(), ours[name][:, k].std(ddof=1) / np.sqrt(3)
                found = Comparison(f"{name}: {column}", f"{printed[k]:.4f}", mean, tolerance=round(2 * error, 4))
                yield explained(found, why)

    def curves(self, caption: str) -> Picture:
        """ROC and precision-recall curves of five methods, fold by fold (Figures 4.1 to 4.3)."""
        shown = {"RBF kernel": (self.rbf, self.rbf.by_auc(), ":"), "Lin kernel": (self.lin, self.lin.by_auc(), "--"),
                 **{name: (self.thirds, name, "-") for name in ENSEMBLES},
                 "RandomForest": (self.forest, "forest", "-.")}  # fmt: skip
        figure, axes = panels(2, 3, (14, 8.4))
        for r, (above, below) in enumerate(axes.T):
            for name, (tested, method, line) in shown.items():
                y, p = tested.y[tested.folds[r]], tested.methods[method][tested.folds[r]]
                false, true, _ = roc_curve(y, p)
                above.plot(false, true, line, label=f"{name}: {roc_auc_score(y, p):.3f}")
                precision, recall, _ = precision_recall_curve(y, p)
                below.plot(recall, precision, line, label=f"{name}: {average_precision_score(y, p):.3f}")
            label(above, f"ROC, fold {r + 1}", "false positive rate", "true positive rate", legend="AUC")
            label(below, f"Precision and recall, fold {r + 1}", "recall", "precision", legend="AP")
        return Picture("curves", figure, caption)


def chapter_4(rows: Prepared, y: Any, times: float = 1.0, trained: TrainedThirds | None = None) -> Chapter4:
    """Every method.

    times : multiplies the costs of the similarities
    trained : the library, where it is trained already
    """
    radial = [(f"{c:g}, {power(g)}", machine(RBF(gamma=g), c)) for c in RBF_COSTS for g in WIDTHS]
    lin = [(power(times * c), machine(Lin(), times * c)) for c in COSTS]
    forest = [("forest", mercer.RandomForestClassifier(200, random_state=0))]
    thirds, sizes = selected(train_thirds(library(times), rows.levels, y) if trained is None else trained, y)
    return Chapter4(cross_validated(radial, rows.numbers, y), cross_validated(lin, rows.levels, y), thirds, sizes,
                    cross_validated(forest, rows.numbers, y))  # fmt: skip


def explained(found: Comparison, why: str) -> Comparison:
    """The comparison, with the reason if it does not agree: for figures of a sample, which may or may not."""
    return found if found.agrees else replace(found, differs=why)
