"""A run that is really killed goes on with the same answer."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import mercer

SLOW = """
import sys, time, numpy as np, mercer

class Slow(mercer.NaiveBayes):
    def fit(self, X, y, sample_weight=None):
        time.sleep(60)

X = np.random.default_rng(0).normal(size=(60, 2))
models = [("a", mercer.NaiveBayes()), ("share", mercer.MajorityClass()), ("slow", Slow("density"))]
mercer.ModelLibrary(models, folder=sys.argv[1], n_jobs=1, cv=3).fit(X, (X[:, 0] > 0).astype(int))
"""


def test_a_process_killed_amid_a_model_leaves_what_was_done(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    child = subprocess.Popen([sys.executable, "-c", SLOW, str(folder)])
    try:
        for _ in range(600):
            manifest = folder / "manifest.json"
            if manifest.exists() and len(json.loads(manifest.read_text())["models"]) == 2:
                break
            assert child.poll() is None
            time.sleep(0.1)
    finally:
        child.send_signal(signal.SIGKILL)
        assert child.wait(60) == -signal.SIGKILL
    X = np.random.default_rng(0).normal(size=(60, 2))
    models = [("a", mercer.NaiveBayes()), ("share", mercer.MajorityClass()), ("new", mercer.NaiveBayes("density"))]
    resumed = mercer.ModelLibrary(models, folder=folder, cv=3).fit(X, (X[:, 0] > 0).astype(int))
    assert [record.is_resumed for record in resumed.records_] == [True, True, False]
    whole = mercer.ModelLibrary(models, cv=3).fit(X, (X[:, 0] > 0).astype(int))
    np.testing.assert_array_equal(resumed.predictions_, whole.predictions_)
