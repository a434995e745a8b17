"""Novelty detection by the smallest ball that holds most rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadFile, MercerError
from mercer.estimators.kernel.rows import kernel_dtype
from mercer.estimators.svm.novelty.one_class import NoveltyMachine
from mercer.kernels import Precomputed
from mercer.solvers.svm import duals
from mercer.state import LARGEST_SQUARE, Reader, State


@shares_docs()
class SVDD(NoveltyMachine):
    """min R^2 + 1/(nu n) sum_i weight_i xi_i, with |f(x_i) - c|^2 <= R^2 + xi_i: the smallest ball around most rows.

    Support vector data description (Tax and Duin 2004), in the feature space f of the kernel. Where k(x, x) is the same
    for all rows, as with "rbf", it finds the outliers of OneClassSVM; elsewhere rows far from the centre in any
    direction are outliers, also those on the far side of OneClassSVM's plane.

    Parameters
    ----------
    {kernel}
    {degree}
    {gamma}
    {coef0}
    {svm_tol}
    nu : float, default 0.5
        At most this share of the training rows lie outside, at least this share are support vectors; above 0, up to 1.
    {shrinking}
    {cache_size}
    {verbose}
    {svm_max_iter}
    {time_limit}
    {warm_start}
    {precision}
    {kinds}
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    radius_ : float
        R.
    offset_ : float
        -R^2; decision_function(x) = score_samples(x) - offset_.
    {svm_attributes}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> model = mercer.SVDD(kernel="linear", nu=0.2).fit([[0.0], [1.0], [2.0], [3.0], [4.0]])
    >>> model.predict([[2.0], [9.0], [-5.0]])
    array([ 1, -1, -1])
    """

    @shares_docs()
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the smallest ball around most rows.

        Parameters
        ----------
        {X}
        y : object, default None
            Not used, as in every estimator without a target.
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of each row; None weighs all alike. A row of weight 2 is two rows, one of weight 0 or less is left
            out, and a factor on all weights changes nothing.

        Returns
        -------
        {self}
        """
        if self._choice.precomputed:
            raise MercerError(
                "SVDD compares a new row with itself, which a precomputed kernel matrix does not hold. Give the kernel "
                "as an object or a function, or use OneClassSVM, which is the same where k(x, x) is the same for all."
            )
        data, counts = self._read(X, sample_weight)
        rows = self._fit_kernel(data, self.gamma)
        dtype = kernel_dtype(self.precision, len(data.table))
        diagonal = np.asarray(self.kernel_.diag(data.table, dtype=dtype), dtype=np.float64)
        trained = self._solve(data, duals.enclosing_ball(counts, self.nu, diagonal), rows)
        total = self.nu * float(counts.sum())
        support, coef = np.flatnonzero(trained.coef), trained.coef / total
        centre = float(coef @ trained.solution.f) / total  # |c|^2
        self.radius_ = float(np.sqrt(max(2 * trained.bias / total + centre, 0.0)))
        self._keep_support(data, support, coef[None, support], [-centre])
        return self

    @property
    def offset_(self) -> float:
        """-R^2."""
        return -(self.radius_**2)

    @property
    def coef_(self) -> Any:
        """The centre, (1, n_columns), for a linear kernel."""
        return self._linear_coef(self._coef_rows)

    @shares_docs()
    def score_samples(self, X: Any) -> Floats:
        """How near the centre each row is.

        Parameters
        ----------
        {X}

        Returns
        -------
        scores : ndarray of shape (n_rows,)
            -|f(x) - c|^2; larger is nearer.
        """
        table = self._predict_table(X)
        own = np.asarray(self.kernel_.diag(table, dtype=np.float64))
        return 2 * self._products(table, self._coef_rows.T)[:, 0] + self.intercept_[0] - own

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """Squared radius less squared distance from the centre.

        Parameters
        ----------
        {X}

        Returns
        -------
        decisions : ndarray of shape (n_rows,)
            Positive inside, negative outside.
        """
        return self.score_samples(X) - self.offset_

    def _fitted_state(self) -> State:
        return super()._fitted_state() | {"radius": float(self.radius_)}

    def _restore_fitted(self, state: Reader) -> None:
        super()._restore_fitted(state)
        self.radius_ = state.number("radius", 0.0, LARGEST_SQUARE)
        if isinstance(self.kernel_, Precomputed):
            raise BadFile(f"{state.where}.kernel: a ball has no precomputed kernel.")
