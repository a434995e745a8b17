"""How far are the scores of an ensemble from the truth: its own, and those of the whole procedure cross-validated?

    python benchmarks/ensemble_bias.py --seeds 40 --rows 300

Each seed draws rows and fits `EnsembleSelection`; the truth is its area under the ROC curve on 20,000 fresh rows.
Against it stand `score_`, by which the ensemble was selected, and the mean of three folds in each of which library,
selection and members are trained anew. The procedure of a fold sees two thirds of the rows, so its bias is expected a
little below zero; that of `score_` above. Two standard errors stand beside each mean.
"""

from __future__ import annotations

import argparse

import numpy as np
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


def main() -> None:
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("--seeds", type=int, default=40)
    read.add_argument("--rows", type=int, default=300)
    given = read.parse_args()
    print("| target | bias of score_ | bias of the cross-validated procedure |\n|---|---|---|")
    for name, signal in (("learnable", 1.0), ("pure noise", 0.0)):
        found = np.array([biases(seed, given.rows, signal) for seed in range(given.seeds)])
        mean, error = found.mean(axis=0), 2 * found.std(axis=0, ddof=1) / np.sqrt(len(found))
        cells = [f"{m:+.4f} +- {e:.4f}" for m, e in zip(mean, error, strict=True)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
