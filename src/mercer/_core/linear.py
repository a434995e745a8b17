"""Linear models: what `mercer.solvers.linear` asks of the compiled half."""

from __future__ import annotations

from mercer._core.reference import lasso as twin
from mercer._core.reference import products as reference_products
from mercer._core.select import compiled

lasso_columns = compiled(twin.lasso_columns)
lasso_sweeps = compiled(twin.lasso_sweeps)
weighted_products = compiled(reference_products.weighted_products)
