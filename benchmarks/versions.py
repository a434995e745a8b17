"""Two versions of mercer side by side, on generated tables and through public names only.

    python benchmarks/versions.py BEFORE AFTER [WORD ...]

BEFORE and AFTER are folders that hold a package `mercer`, such as the src of two checkouts. Each round starts a process
of either version, in turn; the best of the rounds counts. Words choose workloads by name. No data needed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import best
from sklearn.datasets import load_iris, make_classification, make_regression

import mercer
from mercer.kernels import RBF, Lin

ROUNDS = 4


def workloads() -> dict[str, Callable[[], Any]]:
    """What is timed; tables are made before the clock starts."""
    big, big_y = make_classification(200_000, 20, n_informative=10, random_state=0)
    X, y = make_classification(4_000, 20, n_informative=10, flip_y=0.1, random_state=0)
    many, many_y = make_classification(3_000, 16, n_informative=12, n_classes=10, random_state=0)
    R, r = make_regression(3_000, 10, noise=10.0, random_state=0)
    iris = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    frame = {f"n{j}": big[:20_000, j] for j in range(5)}
    frame |= {f"c{j}": rng.choice(list("abcdefgh"), 20_000) for j in range(5)}
    mixed, mixed_y = mercer.read_table(frame), big_y[:20_000]
    few, few_y = mixed.take(slice(0, 2_000)), mixed_y[:2_000]
    svc = mercer.SVC().fit(X, y)
    knn = mercer.KNeighborsClassifier().fit(big[:20_000], big_y[:20_000])
    found: dict[str, Callable[[], Any]] = {
        "NaiveBayes.fit": lambda: mercer.NaiveBayes().fit(big, big_y),
        "NaiveBayes.fit mixed": lambda: mercer.NaiveBayes().fit(mixed, mixed_y),
        "SVC.fit": lambda: mercer.SVC().fit(X, y),
        "SVC.fit small": lambda: [mercer.SVC().fit(*iris) for _ in range(20)],
        "SVC.fit ten classes": lambda: mercer.SVC().fit(many, many_y),
        "SVC.fit RBF + Lin": lambda: mercer.SVC(kernel=RBF() + Lin()).fit(few, few_y),
        "SVC.fit cv": lambda: mercer.SVC(C="cv", gamma="cv").fit(*iris),
        "SVC.predict": lambda: svc.predict(X),
        "NuSVC.fit": lambda: mercer.NuSVC(nu=0.3).fit(X, y),
        "SVR.fit": lambda: mercer.SVR(C=10).fit(R, r),
        "OneClassSVM.fit": lambda: mercer.OneClassSVM(nu=0.1).fit(X),
        "LinearSVC.fit": lambda: mercer.LinearSVC().fit(big, big_y),
        "DecisionTree.fit": lambda: mercer.DecisionTreeClassifier(max_depth=10).fit(big[:50_000], big_y[:50_000]),
        "DecisionTree.fit mixed": lambda: mercer.DecisionTreeClassifier(max_depth=10).fit(mixed, mixed_y),
        "KNeighbors.predict": lambda: knn.predict(big[20_000:22_000]),
        "KNeighbors cv mixed": lambda: mercer.KNeighborsClassifier("cv").fit(few, few_y),
        "LinearRegression.fit": lambda: mercer.LinearRegression().fit(big, big[:, 0] + big_y),
        "LogisticRegression.fit": lambda: mercer.LogisticRegression().fit(big[:50_000], big_y[:50_000]),
        "LogisticRegression.fit mixed": lambda: mercer.LogisticRegression().fit(mixed, mixed_y),
        "Perceptron.fit": lambda: mercer.Perceptron(max_iter=5).fit(X, y),
        "read_table": lambda: mercer.read_table(frame),
        "Lin gram": lambda: Lin().fit(few).gram(few),
    }
    return found


def measure(words: list[str]) -> None:
    """Print the best time of each workload of the version that is imported here."""
    for name, action in workloads().items():
        if not words or any(w in name for w in words):
            with warnings.catch_warnings(action="ignore"):
                action()
                seconds = best(action, 3)
            print(f"{name}\t{seconds}", flush=True)


def main(before: str, after: str, words: list[str]) -> None:
    times: dict[str, dict[str, float]] = {}
    for _ in range(ROUNDS):
        for version in (before, after):
            environment = os.environ | {"PYTHONPATH": os.path.abspath(version)}
            printed = subprocess.run(
                [sys.executable, __file__, *words], env=environment, check=True, capture_output=True, text=True
            ).stdout
            for line in printed.splitlines():
                name, seconds = line.split("\t")
                known = times.setdefault(name, {})
                known[version] = min(float(seconds), known.get(version, float("inf")))
    print("| workload | before | after | after / before |\n|---|---|---|---|")
    for name, known in times.items():
        old, new = known[before], known[after]
        print(f"| {name} | {old:.3g} s | {new:.3g} s | {new / old:.2f} |")


if __name__ == "__main__":
    if len(sys.argv) > 2 and os.path.isdir(sys.argv[2]):
        main(sys.argv[1], sys.argv[2], sys.argv[3:])
    else:
        measure(sys.argv[1:])
