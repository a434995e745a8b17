"""Are string kernels on DNA 10 times faster than MKLpy's, and 50 times faster than plain Python?

splice: 3,190 sequences of 60 bases. MKLpy (MERCER_RIVALS names the interpreter that has it) and plain Python run on the
first MERCER_STRINGS of them (default 400, since they take time with the square of it), mercer on the same rows; then
mercer on all. "Plain Python" is the definition by loops: dictionaries of counts for p-grams, the recursion for
subsequences (on a tenth of the rows), the table of Wagner and Fischer for edit distances (on a tenth).
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, best

from mercer import read_table
from mercer._core.reference.texts import edit_distance
from mercer.kernels import EditDistance, Kernel, Mismatch, Spectrum, Subsequence

RIVAL = """
import json, sys, time
from MKLpy.metrics import pairwise
texts = json.load(sys.stdin)
start = time.perf_counter()
gram = getattr(pairwise, sys.argv[1])(texts, p=int(sys.argv[2]))
print(json.dumps({"seconds": time.perf_counter() - start, "sum": float(gram.double().sum())}))
"""


def rows(data: Path) -> Iterator[Row]:
    texts, few = sequences(data), int(os.environ.get("MERCER_STRINGS", "400"))
    rivals = [
        ("spectrum, p = 5", Spectrum(5, normalised=False), "spectrum_kernel", 5),
        ("subsequences, p = 2", Subsequence(2, 1.0, normalised=False), "fixed_length_subsequences_kernel", 2),
    ]
    for question, kernel, name, p in rivals:
        theirs = ask_mklpy(name, p, texts[:few])
        ours, total = measure(kernel, texts[:few])
        assert np.isclose(total, theirs["sum"], rtol=1e-4), (question, total, theirs["sum"])
        yield Row(f"{question}, {few} rows", ours, theirs["seconds"], "MKLpy", "10x")
    plain: list[tuple[str, Kernel, Callable[[str, str], float], int]] = [
        ("spectrum, p = 5", Spectrum(5, normalised=False), spectrum, few),
        ("subsequences, p = 3", Subsequence(3, 0.5, normalised=False), subsequences, few // 10),
        ("edit distance", EditDistance(), edit, few // 10),
    ]
    for question, kernel, function, n in plain:
        start = time.perf_counter()
        total = sum(function(s, t) for s in texts[:n] for t in texts[:n])
        seconds = time.perf_counter() - start
        ours, found = measure(kernel, texts[:n])
        assert np.isclose(total, found, rtol=1e-6), (question, total, found)
        yield Row(f"{question}, {n} rows", ours, seconds, "plain Python", "50x")
    for kernel in (Spectrum(5), Mismatch(5, 1), Subsequence(3, 0.5), EditDistance()):
        seconds, _ = measure(kernel, texts)
        yield Row(f"{kernel!r}, all {len(texts):,} rows", seconds, seconds, "itself", "seconds")


def sequences(data: Path) -> list[str]:
    """The 60 bases of each row."""
    lines = (data / "splice/splice.arff").read_text().splitlines()
    cells = [line.split(",") for line in lines if line.strip() and line[0] not in "%@"]
    return ["".join(c.strip().strip("'") for c in row[1:61]) for row in cells]


def measure(kernel: Kernel, texts: list[str]) -> tuple[float, float]:
    """Seconds of the Gram matrix, and its sum."""
    table = read_table({"dna": texts}, kinds={"dna": "text"})
    kernel.fit(table)
    total = float(kernel.gram(table).sum())
    return best(lambda: kernel.gram(table), 2), total


def ask_mklpy(name: str, p: int, texts: list[str]) -> dict[str, Any]:
    interpreter = os.environ.get("MERCER_RIVALS")
    if not interpreter:
        raise SystemExit("Set MERCER_RIVALS to the interpreter of an environment with MKLpy and torch.")
    found = subprocess.run(
        [interpreter, "-c", RIVAL, name, str(p)], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(found.stdout)
    return answer


def spectrum(s: str, t: str, p: int = 5) -> float:
    mine, theirs = (Counter(x[i : i + p] for i in range(len(x) - p + 1)) for x in (s, t))
    return float(sum(count * theirs[gram] for gram, count in mine.items()))


def subsequences(s: str, t: str, p: int = 3, decay: float = 0.5) -> float:
    before = [[1.0] * (len(t) + 1) for _ in range(len(s) + 1)]
    for _ in range(p - 1):
        after = [[0.0] * (len(t) + 1) for _ in range(len(s) + 1)]
        for i, a in enumerate(s):
            across = 0.0
            for j, b in enumerate(t):
                across = decay * across + (decay**2 * before[i][j] if a == b else 0.0)
                after[i + 1][j + 1] = decay * after[i][j + 1] + across
        before = after
    return sum(decay**2 * before[i][j] for i, a in enumerate(s) for j, b in enumerate(t) if a == b)


def edit(s: str, t: str) -> float:
    distance = edit_distance(tuple(map(ord, s)), tuple(map(ord, t)))
    return float(np.exp(-distance / max(len(s), len(t), 1)))
