"""The compiled half seen from Python. Every function has a NumPy twin in `reference`, which is its specification."""

from mercer._core.scores import (
    add_code_scores,
    add_gaussian_scores,
    class_moments,
    count_codes,
    softmax_rows,
)
from mercer._core.select import backend
from mercer._core.threads import effective_jobs

__all__ = [
    "add_code_scores",
    "add_gaussian_scores",
    "backend",
    "class_moments",
    "count_codes",
    "effective_jobs",
    "softmax_rows",
]
