"""Solvers of the duals of support vector machines: what `mercer.solvers.svm` asks of the compiled half."""

from __future__ import annotations

from mercer._core.reference import path as reference_path
from mercer._core.reference import svm as reference_svm
from mercer._core.select import compiled

smo_solve = compiled(reference_svm.smo_solve)
coordinate_descent = compiled(reference_svm.coordinate_descent)
crammer_singer = compiled(reference_svm.crammer_singer)
path_solve = compiled(reference_path.path_solve)
