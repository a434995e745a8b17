"""How often do the 95 % intervals of held-out scores cover the truth? Nominal: 93 to 97 % at 30, 300 and 3,000 rows.

Scores of two classes are normal, with mean 0 and `shift`; probabilities are the true ones, so that the truth of every
metric is its value on 400,000 rows. Numbers have normal or long-tailed (Laplace) errors.

    python benchmarks/coverage.py [repetitions]
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


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
