"""How often do the 95 % intervals of differences over folds cover the truth, and how often is a learner called better?

Two learners of one kind see two halves of the columns that are as good as each other, so that a difference beyond its
interval is a false call; or one of them sees half of its columns, or they are of two kinds, and it is a find. The truth
of a difference is then its mean over all samples. Beside it: the plain corrected t of Nadeau and Bengio (2003).

    python benchmarks/difference_coverage.py [repetitions]
    python benchmarks/difference_coverage.py 1000 rows    of two models on the same rows, in every metric
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from mercer.evaluation.assessment.predictions import Predictions
from mercer.evaluation.intervals import corrected_t
from mercer.evaluation.uncertainty.difference import row_differences
from mercer.evaluation.uncertainty.influence import contributions, score_variance
from mercer.evaluation.uncertainty.paired import moderated_difference
from mercer.select.weighted import ClassScores
from mercer.table import Task

LEVEL = 0.95
HALF = 4  # columns
METRICS = ("roc_auc", "accuracy", "log_loss")
LEARNERS = {
    "linear": LinearDiscriminantAnalysis,
    "tree of depth 3": lambda: DecisionTreeClassifier(max_depth=3, min_samples_leaf=3),
    "whole tree": DecisionTreeClassifier,
    "15 neighbours": lambda: KNeighborsClassifier(15),
}
SAME = [(name, name) for name in LEARNERS]
PAIRS = [(*pair, equal) for pair in SAME for equal in (True, False)]
PAIRS += [("linear", "tree of depth 3", False), ("15 neighbours", "whole tree", False)]
TABLES = [(60, 0.5), (150, 0.5), (150, 0.1), (400, 0.5), (400, 0.1), (1000, 0.1)]
SPLITS = [(3, 1), (5, 1), (5, 3)]  # folds, and how often they are dealt


def draw(rng, n, share):
    while True:
        X = rng.normal(size=(n, 2 * HALF))
        signal = 0.8 * X.sum(axis=1)
        y = (rng.random(n) < 1 / (1 + np.exp(np.quantile(signal, 1 - share) - signal))).astype(np.int64)
        if 10 <= y.sum() <= n - 10:
            return X, y


def differences(X, y, pair, seed, split):
    """Of each metric: the difference of each fold, and the variance that its rows show."""
    *names, equal = pair
    columns = [np.arange(HALF), np.arange(HALF, 2 * HALF) if equal else np.arange(HALF // 2)]
    if names[0] != names[1]:
        columns[1] = columns[0]
    found = {key: ([], []) for key in METRICS}
    for teach, test in RepeatedStratifiedKFold(n_splits=split[0], n_repeats=split[1], random_state=seed).split(X, y):
        ones, scores, parts = np.ones(len(test)), [], []
        for name, seen in zip(names, columns, strict=True):
            proba = LEARNERS[name]().fit(X[np.ix_(teach, seen)], y[teach]).predict_proba(X[np.ix_(test, seen)])
            of = ClassScores(y[test], proba, 1)
            scores.append(of(ones))
            parts.append(contributions(of, y[test], ones))
        for key, (gaps, expected) in found.items():
            gaps.append(scores[0][key] - scores[1][key])
            positive = y[test] == 1 if key == "roc_auc" else None
            expected.append(score_variance(parts[0][key] - parts[1][key], 1.0, positive))
    return found


def judged(samples, key, truth, share):
    """Share of samples covered, and share in which one of the two is called better: moderated, then plain."""
    line = []
    for way in (moderated_difference, corrected_t):
        found = []
        for sample in samples:
            gaps, expected = np.array(sample[key][0]), sample[key][1]
            one = way(gaps, expected, share, LEVEL) if way is moderated_difference else way(gaps, share, LEVEL)
            found.append((one.low <= truth <= one.high, not one.low <= 0 <= one.high))
        line += list(np.mean(found, axis=0))
    return line


ROWS = [(n, share) for n in (30, 300, 3000) for share in (0.5, 0.1)]
MODELS = [(1.5, 1.5), (2.5, 1.0)]  # separation of the classes by the scores of each model
ALIKE = (0.3, 0.9)  # correlation of the scores of a row
MANY = 400_000


def called(rng, n, share, shifts, alike):
    """Predictions of two models for the same rows, by true probabilities."""
    truth = np.zeros(n, dtype=np.int64)
    while not 2 <= truth.sum() <= n - 2:
        truth = (rng.random(n) < share).astype(np.int64)
    noise = rng.normal(size=(3, n))
    found = []
    for own, shift in zip(noise[1:], shifts, strict=True):
        score = np.sqrt(alike) * noise[0] + np.sqrt(1 - alike) * own + shift * truth
        odds = share / (1 - share) * np.exp(shift * score - shift**2 / 2)
        p = odds / (1 + odds)
        proba, guess = np.column_stack([1 - p, p]), (p > 0.5).astype(np.int64)
        found.append(Predictions(Task.CLASSIFICATION, truth, proba, guess, ("0", "1"), 1))
    return found


def rows(repetitions: int) -> None:
    """Coverage of each metric, and how often each p-value is below 0.05 where the models are as good as each other."""
    rng = np.random.default_rng(0)
    for shifts in MODELS:
        every, false = {}, {}
        for n, share in ROWS:
            for alike in ALIKE:
                one, two = (model.scores() for model in called(rng, MANY, share, shifts, alike))
                truth = {key: 0.0 if shifts[0] == shifts[1] else one[key] - two[key] for key in one}
                hits, calls = dict.fromkeys(truth, 0.0), dict.fromkeys(truth, 0.0)
                for _ in range(repetitions):
                    for found in row_differences(*called(rng, n, share, shifts, alike), LEVEL):
                        hits[found.metric] += (found.low <= truth[found.metric] <= found.high) / repetitions
                        calls[found.metric] += (found.p_value < 0.05) / repetitions
                print(f"{n:5} rows, {share:.0%} positive, separations {shifts}, {alike:.0%} alike: ", end="")
                print("  ".join(f"{key} {hit:.3f}" for key, hit in hits.items()), flush=True)
                for key, hit in hits.items():
                    every.setdefault(key, []).append(hit)
                    false.setdefault(key, []).append(calls[key])
        for key, covered in every.items():
            line = f"separations {shifts}, {key}: {min(covered):.3f} to {max(covered):.3f}"
            print(line, f"called different {max(false[key]):.3f} at most" if shifts[0] == shifts[1] else "")


def main(repetitions: int) -> None:
    rng = np.random.default_rng(0)
    for split in SPLITS:
        found = []
        for n, share in TABLES:
            for pair in PAIRS:
                samples = [differences(*draw(rng, n, share), pair, seed, split) for seed in range(repetitions)]
                for key in METRICS:
                    truth = 0.0 if pair[2] else float(np.mean([np.mean(sample[key][0]) for sample in samples]))
                    line = judged(samples, key, truth, 1 / (split[0] - 1))
                    found.append((pair[2], *line))
                    what = "equal" if pair[2] else f"difference {truth:.3f}"
                    print(f"{n:5} rows, {share:.0%} positive, {pair[0]} and {pair[1]}, {key}, {what}: ", end="")
                    print("covered {:.3f}, called {:.3f}; plain t {:.3f}, {:.3f}".format(*line), flush=True)
        table = np.array(found)
        same = table[:, 0] == 1
        for title, at in (("moderated", 1), ("plain t", 3)):
            covered, called = table[:, at], table[:, at + 1]
            print(
                f"{split[0]} folds x {split[1]}, {title}: covered {covered.min():.3f} to {covered.max():.3f}, mean "
                f"{covered.mean():.3f}; equal ones called better {called[same].mean():.3f} (most "
                f"{called[same].max():.3f}), others {called[~same].mean():.3f}",
                flush=True,
            )


if __name__ == "__main__":
    run = rows if sys.argv[2:] == ["rows"] else main
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
