"""Counting, moments and log scores: what naive Bayes asks of the compiled half."""

from __future__ import annotations

from mercer._core.reference import scores as twin
from mercer._core.select import compiled

count_codes = compiled(twin.count_codes)
class_moments = compiled(twin.class_moments)
add_code_scores = compiled(twin.add_code_scores)
add_gaussian_scores = compiled(twin.add_gaussian_scores)
softmax_rows = compiled(twin.softmax_rows)
