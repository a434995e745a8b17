"""How far are the scores of an ensemble from the truth: its own, and those of the whole procedure cross-validated?

    python benchmarks/ensemble_bias.py --seeds 40 --rows 300

Each seed draws rows and fits `EnsembleSelection`; the truth is its area under the ROC curve on 20,000 fresh rows.
Against it stand `score_`, by which the ensemble was selected, and the mean of three folds in each of which library,
selection and members are trained anew. The procedure of a fold sees two thirds of the rows, so its bias is expected a
little below zero; that of `score_` above. Two standard errors stand beside each mean.

Then: why a choice on the other folds is not honest. Of 20 ridge regressions on columns drawn at random, one is chosen
for each of five folds of pure noise: by all folds, by the others, and by the others as models without both folds
predict them, which is what `mercer train` does on small tables. The mean area should be 0.5.
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

import mercer

MODELS = ["naive_bayes", "linear", "tree", "baseline"]


def draw(rng: np.random.Generator, rows: int, signal: float) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(rows, 6))
    return X, (signal * (X[:, 0] + X[:, 1] * X[:, 2]) + rng.normal(size=rows) > 0).astype(int)


def auc(model: mercer.EnsembleSelection, X: np.ndarray, y: np.ndarray) -> float:
    return float(roc_auc_score(y, model.predict_proba(X)[:, 1]))


def biases(seed: int, rows: int, signal: float) -> tuple[float, float]:
    """Of the score of the selection, and of the cross-validated procedure."""
    rng = np.random.default_rng(seed)
    X, y = draw(rng, rows, signal)
    model = mercer.EnsembleSelection(MODELS, metric="roc_auc", random_state=seed).fit(X, y)
    truth = auc(model, *draw(rng, 20_000, signal))
    folds = StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y)
    nested = [auc(clone(model).fit(X[a], y[a]), X[b], y[b]) for a, b in folds]
    return model.score_ - truth, float(np.mean(nested)) - truth


def chosen_areas(rng: np.random.Generator, n: int = 160, p: int = 12, n_models: int = 20, k: int = 5) -> list[float]:
    """Mean area of the model chosen for each fold, by all folds, by the others, and by models without both."""
    X, y = rng.normal(size=(n, p)), rng.permutation(np.arange(n) % 2)
    columns = [rng.choice(p, rng.integers(1, 7), replace=False) for _ in range(n_models)]
    folds = [test for _, test in StratifiedKFold(k, shuffle=True, random_state=0).split(X, y)]

    def predictions(left_out: tuple[int, ...], asked: int) -> list[np.ndarray]:
        train = np.setdiff1d(np.arange(n), np.concatenate([folds[i] for i in left_out]))
        found = []
        for own in columns:
            A, t = X[train][:, own], y[train] - y[train].mean()
            found.append(X[folds[asked]][:, own] @ np.linalg.solve(A.T @ A + 5 * np.eye(len(own)), A.T @ t))
        return found

    def areas(left_out: tuple[int, ...], asked: int) -> np.ndarray:
        ranks = rankdata(predictions(left_out, asked), axis=1)
        positive = y[folds[asked]] == 1
        m = positive.sum()
        return (ranks[:, positive].sum(axis=1) - m * (m + 1) / 2) / (m * (~positive).sum())

    own = np.array([areas((i,), i) for i in range(k)])  # [fold, model]
    inner = np.zeros((k, k, n_models))  # [fold that is left out too, fold, model]
    for i, j in combinations(range(k), 2):
        inner[i, j], inner[j, i] = areas((i, j), j), areas((i, j), i)
    others = [np.delete(np.arange(k), i) for i in range(k)]
    by_others = np.mean([own[i, own[others[i]].mean(axis=0).argmax()] for i in range(k)])
    by_inner = np.mean([own[i, inner[i, others[i]].mean(axis=0).argmax()] for i in range(k)])
    return [float(own.mean(axis=0).max()), float(by_others), float(by_inner)]


def main() -> None:
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("--seeds", type=int, default=40)
    read.add_argument("--rows", type=int, default=300)
    read.add_argument("--draws", type=int, default=400, help="tables of noise")
    given = read.parse_args()
    print("| target | bias of score_ | bias of the cross-validated procedure |\n|---|---|---|")
    for name, signal in (("learnable", 1.0), ("pure noise", 0.0)):
        found = np.array([biases(seed, given.rows, signal) for seed in range(given.seeds)])
        mean, error = found.mean(axis=0), 2 * found.std(axis=0, ddof=1) / np.sqrt(len(found))
        cells = [f"{m:+.4f} +- {e:.4f}" for m, e in zip(mean, error, strict=True)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    drawn = np.random.default_rng(0)
    areas = np.array([chosen_areas(drawn) for _ in range(given.draws)])
    error = 2 * areas.std(axis=0, ddof=1) / np.sqrt(len(areas))
    print("\n| noise, chosen by all folds | by the others | by models without both |\n|---|---|---|")
    print("|" + "|".join(f" {m:.4f} +- {e:.4f} " for m, e in zip(areas.mean(axis=0), error, strict=True)) + "|")


if __name__ == "__main__":
    main()
