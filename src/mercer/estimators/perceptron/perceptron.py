"""Rosenblatt's perceptron on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.encode.design import Design
from mercer.estimators.common.class_weight import ClassWeight
from mercer.estimators.common.explanation import Explanation
from mercer.estimators.common.text_table import shown_cells
from mercer.estimators.linear.explain import by_column
from mercer.estimators.perceptron.base import PASS_PARAMETERS, PERCEPTRON_DOCS, PerceptronBase
from mercer.estimators.perceptron.hyperplanes import Average, Hyperplanes, HyperplaneTrainer
from mercer.estimators.perceptron.passes import Examples, class_scores, compared_classes
from mercer.estimators.perceptron.sparse_hyperplanes import SparseTrainer
from mercer.parameters import Choice, Flag, Parameters
from mercer.solvers.linear.moments import means_variances
from mercer.state import Reader, State
from mercer.table import Table


@shares_docs(**PERCEPTRON_DOCS)
class Perceptron(PerceptronBase):
    """f(x) = sign(w'x + b);  at each mistake, y (w'x + b) <= margin:  w <- w + eta0 y x,  b <- b + eta0 y R^2.

    R = max |x|. Rows are shown pass after pass, each in a random order, until a pass is without mistakes (Rosenblatt
    1958). On rows that no hyperplane separates that never happens: the fit stops with a warning, `separated_` is False,
    and w is that after the pass which left the fewest training rows misclassified (the pocket algorithm, Gallant 1990).
    More than two classes: each against the rest. Levels, words and missing cells become numbers as in LinearRegression.

    Parameters
    ----------
    {eta0}
    {margin}
    average : {False, True, "voted"}, default False
        False takes the last w, or that after the best pass; True the mean of w over all rows shown
        (Freund & Schapire 1999); with "voted" each w votes with the number of rows it classified before it moved.
    scale : bool, default True
        Whether columns are standardised: centred and divided by their standard deviation.
    {max_iter}
    {n_iter_no_change}
    {shuffle}
    {random_state}
    {class_weight}
    {kinds}

    Attributes
    ----------
    {classes_}
    coef_ : ndarray of shape (1 or n_classes, n_terms)
        w, in the units of the columns; with "voted" that of the mean.
    intercept_ : ndarray of shape (1 or n_classes,)
        b.
    term_names_ : list of str
        The term that each column of `coef_` belongs to.
    {separated_}
    {n_iter_}
    {mistakes_}
    {link_}
    design_ : Design
        How columns become terms.
    mean_ : ndarray of shape (n_terms,)
        What is subtracted from each term.
    scale_ : ndarray of shape (n_terms,)
        What each term is divided by.
    planes_ : Hyperplanes
        The hyperplanes of standardised terms.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = [[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 2.0]]
    >>> model = mercer.Perceptron().fit(rows, ["left", "left", "right", "right"])
    >>> model.separated_, model.predict([[5.0, 0.0]]).tolist()
    (True, ['right'])
    """

    parameters: ClassVar[Parameters] = {
        **PASS_PARAMETERS,
        "average": Choice(Average),
        "scale": Flag(),
    }
    _advice = "Use average=True, LogisticRegression or KernelPerceptron,"

    def __init__(
        self,
        eta0: float = 1.0,
        *,
        margin: float = 0.0,
        average: Average = False,
        scale: bool = True,
        max_iter: int = 1000,
        n_iter_no_change: int = 50,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 0,
        class_weight: ClassWeight = None,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        self.eta0 = eta0
        self.margin = margin
        self.average = average
        self.scale = scale
        self.max_iter = max_iter
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.kinds = kinds

    def _begin(self, examples: Examples) -> None:
        self.design_ = Design.learn(examples.table, examples.repeats)
        size = len(self.design_.names)
        self.mean_, self.scale_ = np.zeros(size), np.ones(size)
        if self.scale:
            matrix = self.design_.matrix(examples.table)
            mean, variance = means_variances(matrix, examples.repeats)
            deviation = np.sqrt(variance)
            self.mean_, self.scale_ = mean, np.where(deviation <= 1e-13 * np.abs(mean), 1.0, deviation)
        self.planes_ = Hyperplanes.zero(self._n_planes, size, self.average)

    def _trainer(self, examples: Examples) -> HyperplaneTrainer | SparseTrainer:
        matrix, options = self.design_.matrix(examples.table), (examples, self.eta0, self.margin)
        if sp.issparse(matrix) and self.average != "voted":
            return SparseTrainer(self.planes_, sp.csr_array(matrix), (self.mean_, self.scale_), *options)
        return HyperplaneTrainer(self.planes_, self._terms(matrix), *options)

    def _terms(self, matrix: Any) -> Floats:
        """The rows standardised when `scale`, (n_rows, n_terms) dense."""
        dense = matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix, dtype=np.float64)
        return (dense - self.mean_) / self.scale_ if self.scale else dense

    def _scores(self, table: Table) -> Floats:
        matrix = self.design_.matrix(table)
        if sp.issparse(matrix) and self.average != "voted":
            return np.asarray(matrix @ self.coef_.T) + self.intercept_
        return self.planes_.scores(self._terms(matrix))

    @property
    def coef_(self) -> Floats:
        return self.planes_.final()[:, 1:] / self.scale_

    @property
    def intercept_(self) -> Floats:
        return self.planes_.final()[:, 0] - self.coef_ @ self.mean_

    @property
    def term_names_(self) -> list[str]:
        """The term that each column of `coef_` belongs to."""
        return list(self.design_.names)

    @shares_docs()
    def explain(self, X: Any) -> Explanation:
        """What each column adds to the score of each row, compared with an average row.

        Parameters
        ----------
        {X}

        Returns
        -------
        explanation : Explanation
            Of two classes, for the second against the first; of several, for the best against the runner-up.
        """
        table = self._predict_table(X)
        chosen, other = compared_classes(self._scores(table))
        coef, b = class_scores(self.coef_.T).T, class_scores(self.intercept_[None])[0]
        difference, base = coef[chosen] - coef[other], b[chosen] - b[other]
        names, values = by_column(self.design_, table, difference, self.mean_)
        cells, baseline = shown_cells(table, names), base + difference @ self.mean_
        return Explanation(names, values, baseline, self.classes_[chosen], self.classes_[other], cells)

    def _fitted_state(self) -> State:
        return super()._fitted_state() | {
            "design": self.design_.to_state(), "mean": self.mean_, "scale": self.scale_,
            "planes": self.planes_.to_state(),
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        super()._restore_fitted(state)
        self.design_ = Design.from_state(state.child("design"), self.schema_)
        size = len(self.design_.names)
        self.mean_ = state.array("mean", "float64", (size,))
        self.scale_ = state.array("scale", "float64", (size,), low=np.nextafter(0.0, 1.0))
        self.planes_ = Hyperplanes.from_state(state.child("planes"), self._n_planes, size, self.average)
