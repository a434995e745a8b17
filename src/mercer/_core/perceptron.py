"""Passes of the perceptron: what `mercer.solvers.perceptron` asks of the compiled half."""

from __future__ import annotations

from mercer._core.reference import perceptron as twin
from mercer._core.select import compiled

perceptron_pass = compiled(twin.perceptron_pass)
shuffle_rows = compiled(twin.shuffle_rows)
