"""How many threads native code may use."""

from __future__ import annotations

import os


def effective_jobs(n_jobs: int | None) -> int:
    """None: every processor this process may use; negative: all but (-n - 1), as in joblib."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    if n_jobs is None:
        return available
    if n_jobs == 0:
        raise ValueError("n_jobs=0 asks for no thread at all. Use 1 for one, None for all.")
    return n_jobs if n_jobs > 0 else max(1, available + 1 + n_jobs)
