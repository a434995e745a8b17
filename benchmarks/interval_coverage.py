"""How often do the 95 % intervals of held-out scores cover the truth? Nominal: 93 to 97 % at 30, 300 and 3,000 rows.

Scores of two classes are normal, with mean 0 and `shift`; probabilities are the true ones, so that the truth of every
metric is its value on 400,000 rows. Numbers have normal or long-tailed (Laplace) errors. Rows in groups of 1 to 9 rows
of one class share a part of their score.

    python benchmarks/interval_coverage.py [repetitions]
"""

from __future__ import annotations

import sys

import numpy as np

from mercer.evaluation.metrics import score
from mercer.evaluation.uncertainty.held_out import score_intervals
from mercer.table import Task

LEVEL = 0.95
MANY = 400_000
SETTINGS = [(n, share, shift) for n in (30, 300, 3000) for share in (0.5, 0.1, 0.02) for shift in (0.7, 1.8, 3.0)]


def classes(rng, n, share, shift):
    truth = (rng.random(n) < share).astype(np.int64)
    while truth.sum() < 2:  # what a stratified split gives
        truth = (rng.random(n) < max(share, 2 / n)).astype(np.int64)
    x = rng.normal(0, 1, n) + shift * truth
    odds = share / (1 - share) * np.exp(shift * x - shift**2 / 2)
    p = odds / (1 + odds)
    return truth, np.column_stack([1 - p, p])


def grouped(rng, n_groups, share, shift, alike):
    """Rows whose score is `alike` the group's own and for the rest the row's; and the group of each row."""
    groups = np.repeat(np.arange(n_groups), rng.integers(1, 10, n_groups))
    positive = rng.random(n_groups) < share
    positive[:2] = True
    truth = positive[groups].astype(np.int64)
    noise = np.sqrt(alike) * rng.normal(size=n_groups)[groups] + np.sqrt(1 - alike) * rng.normal(size=len(groups))
    odds = share / (1 - share) * np.exp(shift * (noise + shift * truth) - shift**2 / 2)
    p = odds / (1 + odds)
    return truth, np.column_stack([1 - p, p]), groups


def group_coverage(n_groups, setting, repetitions, rng):
    """Of intervals over groups, and of the same taken over rows."""
    truth = score(Task.CLASSIFICATION, *grouped(rng, MANY // 5, *setting)[:2], 1)
    hits = {key: [0, 0] for key in truth}
    for seed in range(repetitions):
        *given, groups = grouped(rng, n_groups, *setting)
        for place, known in enumerate((groups, None)):
            found = score_intervals(Task.CLASSIFICATION, *given, 1, LEVEL, seed, groups=known)
            for key, one in found.items():
                hits[key][place] += one.low is not None and one.low <= truth[key] <= one.high
    return {key: [hit / repetitions for hit in pair] for key, pair in hits.items()}


def numbers(rng, n, tails, _):
    signal, noise = rng.normal(size=n), rng.laplace(size=n) if tails else rng.normal(size=n)
    return signal + noise, signal


def coverage(task, draw, n, setting, repetitions, rng):
    positive = 1 if task is Task.CLASSIFICATION else None
    truth = score(task, *draw(rng, MANY, *setting), positive)
    hits = dict.fromkeys(truth, 0)
    for seed in range(repetitions):
        for key, found in score_intervals(task, *draw(rng, n, *setting), positive, LEVEL, seed).items():
            hits[key] += found.low is not None and found.low <= truth[key] <= found.high
    return {key: hit / repetitions for key, hit in hits.items()}


def main(repetitions: int) -> None:
    rng = np.random.default_rng(0)
    for n, share, shift in SETTINGS:
        if n * share < 2:
            continue
        found = coverage(Task.CLASSIFICATION, classes, n, (share, shift), repetitions, rng)
        print(f"{n:5} rows, {share:4.0%} positive, shift {shift}: ", end="")
        print("  ".join(f"{key} {value:.3f}" for key, value in found.items()), flush=True)
    for n in (30, 300, 3000):
        for tails in (False, True):
            found = coverage(Task.REGRESSION, numbers, n, (tails, None), repetitions, rng)
            print(f"{n:5} numbers, {'Laplace' if tails else 'normal'} errors: ", end="")
            print("  ".join(f"{key} {value:.3f}" for key, value in found.items()), flush=True)
    for n_groups in (30, 300):
        for alike in (0.0, 0.5, 1.0):
            found = group_coverage(n_groups, (0.3, 1.8, alike), repetitions, rng)
            print(f"{n_groups:5} groups, {alike:.0%} of the score shared (over groups, over rows): ", end="")
            print("  ".join(f"{key} {ours:.3f} {theirs:.3f}" for key, (ours, theirs) in found.items()), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
