"""How often do the 95 % intervals of held-out scores cover the truth? Nominal: 93 to 97 % at 30, 300 and 3,000 rows.

Scores of two classes are normal, with mean 0 and `shift`; probabilities are the true ones, so that the truth of every
metric is its value on 400,000 rows. Numbers have normal or long-tailed (Laplace) errors. Rows in groups of 1 to 9 rows
of one class share a part of their score.

    python benchmarks/interval_coverage.py [repetitions]
    python benchmarks/interval_coverage.py 4000 decisions    of the classes called, and what could be least
    python benchmarks/interval_coverage.py 1000 several      of the classes called, of three to twenty classes
    python benchmarks/interval_coverage.py 2000 losses       of losses, of wrong probabilities too
    python benchmarks/interval_coverage.py 2000 costs        of the mean cost of a row
    python benchmarks/interval_coverage.py 2000 areas        of the area under the ROC curve and average precision alone
"""

from __future__ import annotations

import math
import sys

import numpy as np
from scipy import stats

from mercer.evaluation.metrics import score
from mercer.evaluation.uncertainty.areas import area_interval, precision_interval
from mercer.evaluation.uncertainty.costs import cost_interval
from mercer.evaluation.uncertainty.held_out import score_intervals
from mercer.evaluation.uncertainty.losses import loss_intervals
from mercer.select.auc import Ranked
from mercer.select.costs import CostMatrix
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
    for _ in range(repetitions):
        *given, groups = grouped(rng, n_groups, *setting)
        for place, known in enumerate((groups, None)):
            found = score_intervals(Task.CLASSIFICATION, *given, 1, LEVEL, groups=known)
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
    for _ in range(repetitions):
        for key, found in score_intervals(task, *draw(rng, n, *setting), positive, LEVEL).items():
            hits[key] += found.low is not None and found.low <= truth[key] <= found.high
    return {key: hit / repetitions for key, hit in hits.items()}


# Other settings than those that constants were chosen on: rows, share of positive ones, separation.
OTHERS = [(40, 0.2, 1.4), (40, 0.2, 2.6), (80, 0.1, 1.2), (80, 0.1, 2.6), (120, 0.25, 1.0), (200, 0.05, 1.5)]
OTHERS += [(200, 0.3, 2.6), (500, 0.03, 1.4), (500, 0.1, 1.0), (2000, 0.03, 2.2), (2000, 0.01, 1.5)]
CALLED = ("balanced_accuracy", "f1_macro", "f1_weighted", "f1", "precision", "recall", "mcc")
LEAST = 0.93  # that an interval of nominally 95 % may cover
ODDS = (1.0, 2.0, 0.5)  # what log odds are multiplied by: right, too sure, too timid


def matrix_coverage(n, share, shift, repetitions, rng):
    """Of scores of the classes called, and their `limit`: a confusion matrix that comes again has the same interval."""
    cut = (shift**2 / 2 - np.log(share / (1 - share))) / shift  # from where on the positive class is more probable
    called = stats.norm.sf(cut), stats.norm.sf(cut - shift)
    cells = np.concatenate(
        [(1 - share) * np.array([1 - called[0], called[0]]), share * np.array([1 - called[1], called[1]])]
    )
    truth = score_of(np.round(cells * 1e6).astype(np.int64))
    drawn = rng.multinomial(n, cells, 2 * repetitions)
    drawn, times = np.unique(drawn[drawn[:, 2:].sum(axis=1) >= 2][:repetitions], axis=0, return_counts=True)
    hits, values = dict.fromkeys(CALLED, 0), {key: [] for key in CALLED}
    for counts, often in zip(drawn, times, strict=True):
        rows, guess, proba = rows_of(counts)
        found = score_intervals(Task.CLASSIFICATION, rows, proba, 1, LEVEL, guess=guess, scale="label")
        for key in CALLED:
            hits[key] += often * (found[key].low <= truth[key] <= found[key].high)
            values[key].append(found[key].value)
    limits = {key: limit(values[key], times) for key in CALLED}
    shares = truth | {"f1": truth["f1"] / (2 - truth["f1"])}  # of the rows that are positive or called so
    for key, places in (("f1", [1, 2, 3]), ("precision", [1, 3]), ("recall", [2, 3])):  # cells, row by row
        limits[key] = share_limit(drawn[:, places].sum(axis=1), times, shares[key])
    return {key: (hit / times.sum(), limits[key]) for key, hit in hits.items()}


def limit(values, times):
    """The least that an interval can cover which covers `LEAST` at all, answers the same to the same value of the score
    and has ends that do not fall where the value rises.

    The values that such an interval covers the truth of follow one another: the least chance of any run of values that
    has `LEAST` or more. Where one value has a chance of 0.99, as a recall of 0 of rows that are hardly ever called, it
    is 0.99, whatever the interval.
    """
    _, places = np.unique(np.round(values, 9), return_inverse=True)
    return shortest_run(np.bincount(places, times) / times.sum())


def share_limit(sizes, times, truth):
    """The same of a share, of an interval that does so whatever the number of rows is that the share is of.

    A share of 0.05 of 20 rows is covered in 0.736, 0.925 or 0.984 of samples, as one, two or three of them are the most
    that do not reject it; so 0.984 is the least here.
    """
    sizes, places = np.unique(sizes, return_inverse=True)
    of_size = [shortest_run(stats.binom.pmf(np.arange(size + 1), size, truth)) for size in sizes]
    return float(np.average(of_size, weights=np.bincount(places, times)))


def shortest_run(chances):
    cumulated = np.concatenate([[0.0], np.cumsum(chances)])
    ends = np.searchsorted(cumulated, cumulated + LEAST - 1e-9)
    inside = ends < len(cumulated)
    return float((cumulated[ends[inside]] - cumulated[inside]).min())


def rows_of(counts):
    """True class and class predicted of the rows of a confusion matrix, and scores of the labels."""
    size = math.isqrt(len(counts))
    truth, guess = (np.repeat(places.ravel(), counts) for places in np.indices((size, size)))
    return truth, guess, np.eye(size)[guess]


def score_of(counts):
    truth, _, proba = rows_of(counts)
    return score(Task.CLASSIFICATION, truth, proba, 1 if proba.shape[1] == 2 else None)


# Rows, shares of the classes and of the rows that are right; of a class with less than half its equal share half of it.
SEVERAL = [(60, (0.5, 0.4, 0.1), 0.8), (300, (0.6, 0.37, 0.03), 0.7), (60, (1 / 3,) * 3, 0.6), (40, (1 / 3,) * 3, 0.95)]
SEVERAL += [(100, (0.2,) * 5, 0.7), (300, (0.5, 0.3, 0.1, 0.07, 0.03), 0.75), (150, (0.1,) * 10, 0.7)]
SEVERAL += [(1000, (0.1,) * 10, 0.9), (600, tuple(np.arange(1, 11) / 55), 0.8), (1000, (0.05,) * 20, 0.8)]


def several_coverage(n, shares, right, repetitions, rng):
    """Of macro and weighted F1, balanced accuracy and Matthews correlation; rows are called wrongly by these shares."""
    shares, size = np.array(shares), len(shares)
    right = np.where(shares < 0.5 / size, right / 2, right)
    wrong = np.tile(shares, (size, 1)) * (1 - np.eye(size))
    wrong *= ((1 - right) / wrong.sum(axis=1))[:, None]
    cells = (shares[:, None] * (wrong + np.diag(right))).ravel()
    truth = score_of(np.round(cells * 1e6).astype(np.int64))
    hits = dict.fromkeys(("f1_macro", "f1_weighted", "balanced_accuracy", "mcc"), 0)
    for counts in rng.multinomial(n, cells, repetitions):
        rows, guess, proba = rows_of(counts)
        found = score_intervals(Task.CLASSIFICATION, rows, proba, None, LEVEL, guess=guess, scale="label")
        for key in hits:
            hits[key] += found[key].low <= truth[key] <= found[key].high
    return {key: hit / repetitions for key, hit in hits.items()}


def loss_coverage(n, share, shift, odds, repetitions, rng):
    """Of the losses of probabilities whose log odds are multiplied."""
    many = losses_of(*sharpened(*classes(rng, 5 * MANY, share, shift), odds))
    truth = {key: each.mean() for key, each in many.items()}
    hits = dict.fromkeys(truth, 0)
    for _ in range(repetitions):
        rows, proba = sharpened(*classes(rng, n, share, shift), odds)
        for key, found in loss_intervals(**losses_of(rows, proba), proba=proba, level=LEVEL).items():
            hits[key] += found.low <= truth[key] <= found.high
    return {key: hit / repetitions for key, hit in hits.items()}


def losses_of(rows, proba):
    own = proba[np.arange(len(rows)), rows]
    return {"log_loss": -np.log(np.maximum(own, np.finfo(np.float64).eps)), "brier": np.square(1 - own)}


def sharpened(rows, proba, odds):
    """With log odds times `odds`."""
    powers = np.power(np.maximum(proba, 1e-15), odds)
    return rows, powers / powers.sum(axis=1, keepdims=True)


def usual():
    """Settings with two positive rows or more."""
    return [setting for setting in SETTINGS if setting[0] * setting[1] >= 2]


def named(setting):
    return f"{setting[0]:5} rows, {setting[1]:4.0%} positive, shift {setting[2]}"


def decisions(repetitions: int) -> None:
    """Coverage of each score, in brackets its `limit`; then the range of all settings, and of those that have no limit
    above 0.97.
    """
    rng = np.random.default_rng(0)
    for settings in (usual(), OTHERS):
        every = {key: [] for key in CALLED}
        for setting in settings:
            found = matrix_coverage(*setting, repetitions, rng)
            text = "  ".join(f"{key} {covered:.3f} ({least:.3f})" for key, (covered, least) in found.items())
            print(f"{named(setting)}: {text}", flush=True)
            for key, pair in found.items():
                every[key].append(pair)
        for key, pairs in every.items():
            free = [covered for covered, least in pairs if least <= 0.97]
            print(f"{key} {min(pairs)[0]:.3f} to {max(pairs)[0]:.3f}, without a limit above 0.97 to {max(free):.3f}")


def several(repetitions: int) -> None:
    """Coverage of scores over several classes."""
    rng = np.random.default_rng(0)
    for n, shares, right in SEVERAL:
        text = "  ".join(f"{k} {v:.3f}" for k, v in several_coverage(n, shares, right, repetitions, rng).items())
        print(
            f"{n:5} rows, {len(shares):2} classes, {min(shares):.1%} the rarest, {right:.0%} right: {text}", flush=True
        )


def losses(repetitions: int) -> None:
    """Coverage of both losses where probabilities are right, too sure and too timid."""
    rng = np.random.default_rng(0)
    for settings in (usual(), OTHERS):
        every = {}
        for setting in settings:
            print(f"{named(setting)}:", end="")
            for odds in ODDS:
                for key, covered in loss_coverage(*setting, odds, repetitions, rng).items():
                    every.setdefault((key, odds), []).append(covered)
                    print(f"  {key} x{odds:g} {covered:.3f}", end="", flush=True)
            print()
        for (key, odds), covered in every.items():
            print(f"{key} x{odds:g} {min(covered):.3f} to {max(covered):.3f}", flush=True)


# Share of positive rows, of these missed, of the others called positive, cost of a missed row (None: log-normal).
COSTS = [(0.02, 0.5, 0.05, 20.0), (0.1, 0.3, 0.2, 20.0), (0.01, 0.2, 0.01, 20.0), (0.3, 0.3, 0.2, 5.0)]
COSTS += [(0.5, 0.2, 0.2, 1.0), (0.05, 0.5, 0.05, 1.5), (0.05, 0.4, 0.05, None), (0.05, 0.1, 0.05, None)]
COSTS += [(0.01, 0.3, 0.02, None), (0.2, 0.3, 0.1, None)]


def cost_coverage(n, positive, missed, alarms, cost, repetitions, rng):
    """Of the mean cost of a row; a false alarm costs 1. A missed row costs a mean of 5 where amounts differ."""
    columns = ((1, 0, "amount"),) if cost is None else ()
    matrix = CostMatrix(("no", "yes"), np.array([[0.0, 1.0], [cost or 5.0, 0.0]]), columns)
    expected = positive * missed * (cost or 5.0) + (1 - positive) * alarms
    sides = []
    for _ in range(repetitions):
        truth = (rng.random(n) < positive).astype(np.int64)
        called = np.where(truth == 1, rng.random(n) >= missed, rng.random(n) < alarms).astype(np.int64)
        amounts = {"amount": 5.0 * np.exp(rng.normal(-0.5, 1.0, n))}
        found = cost_interval(matrix, truth, called, amounts, LEVEL)
        sides.append((expected < found.low, expected > found.high))
    return np.mean(sides, axis=0)


def costs(repetitions: int) -> None:
    """The share of intervals that cover the truth, and of those that begin above it and end below it."""
    rng = np.random.default_rng(0)
    for setting in COSTS:
        positive, missed, alarms, cost = setting
        dear = "an amount" if cost is None else f"{cost:g}"
        print(f"{positive:.0%} positive, {missed:.0%} of them missed at {dear}, {alarms:.0%} alarms at 1:", end="")
        for n in (30, 100, 300, 1000, 3000):
            above, below = cost_coverage(n, *setting, repetitions, rng)
            print(f"  {n} {1 - above - below:.3f} (above {above:.3f}, below {below:.3f})", end="", flush=True)
        print()


def areas(repetitions: int) -> None:
    """The share of intervals that cover the truth, and of those that begin above it and end below it."""
    rng = np.random.default_rng(0)
    for n, share, shift in usual() + OTHERS:
        truth = score(Task.CLASSIFICATION, *classes(rng, 5 * MANY, share, shift), 1)
        sides = {"roc_auc": [], "average_precision": []}
        for _ in range(repetitions):
            positive, proba = classes(rng, n, share, shift)
            ranked = Ranked(positive > 0, proba[:, 1])
            found = {"roc_auc": area_interval(ranked), "average_precision": precision_interval(ranked)}
            for key, one in found.items():
                sides[key].append((truth[key] < one.low, truth[key] > one.high))
        print(f"{named((n, share, shift))}: ", end="")
        for key, missed in sides.items():
            above, below = np.mean(missed, axis=0)
            print(f" {key} {1 - above - below:.3f} (above {above:.3f}, below {below:.3f})", end="")
        print(flush=True)


def main(repetitions: int) -> None:
    rng = np.random.default_rng(0)
    for n, share, shift in usual():
        found = coverage(Task.CLASSIFICATION, classes, n, (share, shift), repetitions, rng)
        print(f"{named((n, share, shift))}: ", end="")
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
    run = {"decisions": decisions, "several": several, "losses": losses, "costs": costs, "areas": areas}.get(
        "".join(sys.argv[2:]), main
    )
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
