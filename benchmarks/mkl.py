"""Does EasyMKL of 20 kernels take a fifth of MKLpy's time, and SimpleMKL at most five SVCs on their mean kernel?

3,000 rows of covtype (class 2 against the rest): RBFs of ten widths on all columns, and one on each of the ten numeric
columns, every one divided by its variance in feature space. EasyMKL first from matrices that are there, weights only,
as MKLpy takes them (MERCER_RIVALS names the interpreter that has it), then with the matrices: scikit-learn's for MKLpy.
The weights of both agree to 1e-3. SimpleMKL is a whole SVC on the kernel, against a whole SVC on the sum with equal
weights.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, best
from svm_tables import covtype

import mercer
from mercer.kernels import RBF, Kernel, MultipleKernel
from mercer.kernels.multiple.target import Target
from mercer.kernels.multiple.weights import Recipe, learn_weights
from mercer.solvers.mkl.grams import Grams

RIVAL = """
import json, sys, time
import numpy as np, torch
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from MKLpy.algorithms import EasyMKL
given = np.load(sys.argv[1])
x, y, gammas, columns = given["x"], given["y"].astype(int), given["gammas"], given["columns"]
start = time.perf_counter()
kernels = []
for gamma, column in zip(gammas, columns):
    gram = rbf_kernel(x if column < 0 else x[:, [column]], gamma=gamma)
    kernels.append(torch.tensor(gram / (gram.diagonal().mean() - gram.mean())))
made = time.perf_counter() - start
seconds = []
for _ in range(2):
    start = time.perf_counter()
    weights = EasyMKL(lam=0.1, learner=SVC()).combine_kernels(kernels, torch.tensor(y)).weights
    seconds.append(time.perf_counter() - start)
print(json.dumps({"made": made, "seconds": min(seconds), "weights": weights.tolist()}))
"""
N_ROWS, N_NUMERIC = 3_000, 10


def rows(data: Path) -> Iterator[Row]:
    x, y, _, _ = covtype(data, N_ROWS, 1)
    x = x.astype(np.float64)
    gammas = np.concatenate([4.0 ** np.arange(-4, 6), np.full(N_NUMERIC, 8.0)])
    columns = np.concatenate([np.full(10, -1), np.arange(N_NUMERIC)])
    kernels: list[Kernel] = [RBF(g) if c < 0 else RBF(g, on=[f"x{c}"]) for g, c in zip(gammas, columns, strict=True)]
    stack = np.stack([kernel.fit(x).gram(x) for kernel in kernels])
    names = [repr(kernel) for kernel in kernels]

    def weights(method: Any) -> Callable[[], Any]:
        return lambda: learn_weights(
            Grams.held(stack), Target.of(y.astype(int), N_ROWS), np.ones(N_ROWS), Recipe(method), names
        )

    theirs = ask_mklpy(x, y, gammas, columns)
    found, _ = weights("easy")()
    assert np.allclose(found.weights, theirs["weights"], atol=1e-3), (found.weights, theirs["weights"])
    yield Row("EasyMKL, weights of 20 matrices", best(weights("easy"), 2), theirs["seconds"], "MKLpy", "5x")
    whole = best(lambda: MultipleKernel(kernels, method="easy").fit(x, y=y.astype(int)), 2)
    yield Row("EasyMKL with the matrices", whole, theirs["seconds"] + theirs["made"], "MKLpy", "5x")
    sizes = [float(k.diagonal().mean() - k.mean()) for k in stack]
    yield from simple_mkl(x, y, kernels, sizes)


def simple_mkl(x: np.ndarray, y: np.ndarray, kernels: list[Kernel], sizes: list[float]) -> Iterator[Row]:
    """Beside an SVC on the mean, at three costs; the bar is at most 5 times its time, a ratio of 0.2."""
    mean = reduce(add, [1 / (len(kernels) * size) * kernel for kernel, size in zip(kernels, sizes, strict=True)])
    for cost in (0.1, 1.0, 10.0):
        learned = mercer.SVC(C=cost, kernel=MultipleKernel(kernels, method="simple", C=cost))
        ours, plain = (best(partial(model.fit, x, y), 2) for model in (learned, mercer.SVC(C=cost, kernel=mean)))
        found = learned.kernel_
        kept = np.count_nonzero(found.weights_)
        question = f"SimpleMKL, C = {cost:g}: {found.n_iter_} machines, {kept} kernels kept, gap {found.gap_:.1e}"
        yield Row(question, ours, plain, "SVC on the mean", "0.2")


def ask_mklpy(x: np.ndarray, y: np.ndarray, gammas: np.ndarray, columns: np.ndarray) -> dict[str, Any]:
    interpreter = os.environ.get("MERCER_RIVALS")
    if not interpreter:
        raise SystemExit("Set MERCER_RIVALS to the interpreter of an environment with MKLpy and torch.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "given.npz"
        np.savez(path, x=x, y=y, gammas=gammas, columns=columns)
        found = subprocess.run([interpreter, "-c", RIVAL, str(path)], capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(found.stdout)
    return answer
