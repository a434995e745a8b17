"""Ensemble selection for numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from mercer.arrays import Floats
from mercer.combine.ensemble.base import SHARED_DOCS, BaseEnsemble, Combiner, LibraryLike, Member, Metric
from mercer.combine.ensemble.forward import Selection
from mercer.combine.ensemble.training import TrainingData
from mercer.combine.members import storable
from mercer.docstrings import shares_docs
from mercer.estimators.common.base import TableRegressor
from mercer.state import Reader
from mercer.table import Table, Task


@storable
@shares_docs(**SHARED_DOCS)
class EnsembleSelectionRegressor(TableRegressor, BaseEnsemble):
    """f(x) = sum_m w_m f_m(x) over models chosen from a library, with weights by any metric.

    Every model of the library predicts the rows of folds that it was not fitted to; from these predictions models are
    added to the ensemble as long as its score gains (Caruana et al. 2004; Yao, Algorithm 3.1), and the chosen ones are
    fitted to all rows. On the out-of-fold predictions the ensemble is never worse than its best member.

    Several targets have one ensemble: a model that takes but one is fitted to each, the metric is the mean over the
    targets, and a member has one weight for all. MultiOutputRegressor around it gives each target its own.

    Parameters
    ----------
    {library}
    metric : str, callable or None, default None
        "r2", "mse", "rmse", "mae", the name of a scorer of scikit-learn, or a function of (y, predictions) whose larger
        values are better; None for R^2.
    {combiner}
    {kinds}
    {n_jobs}
    {ensemble_seed}

    Attributes
    ----------
    {members_}
    {weights_}
    {trajectory_}
    {score_}
    {metric_}
    {library_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> penguins = mercer.load_penguins()
    >>> penguins = penguins.take(~penguins.missing("Body Mass (g)"))
    >>> X = penguins.select(["Species", "Culmen Length (mm)", "Flipper Length (mm)"])
    >>> model = mercer.EnsembleSelectionRegressor().fit(X, penguins.column("Body Mass (g)"))
    >>> model.metric_, max(member.score for member in model.members_) <= model.score_
    ('r2', True)
    """

    def __init__(
        self,
        library: LibraryLike = "small",
        *,
        metric: Metric = None,
        combiner: Combiner | None = None,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.library = library
        self.metric = metric
        self.combiner = combiner
        self.kinds = kinds
        self.n_jobs = n_jobs
        self.random_state = random_state

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the library, choose and weigh its models, and fit the members to all rows.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The number of each row, of one target or of each of several.
        {sample_weight}

        Returns
        -------
        {self}
        """
        self._check()
        table = self._fit_table(X)
        self._fit_ensemble(TrainingData.read(table, y, self._weights(sample_weight, len(table)), Task.REGRESSION))
        return self

    def assemble(self, table: Table, members: Sequence[Member], selection: Selection) -> Self:
        """The ensemble of members that are fitted already, in place of `fit`.

        Parameters
        ----------
        table : Table
            The rows that they were fitted to.
        members : sequence of Member
            Models with their weights.
        selection : Selection
            How the weights were found.

        Returns
        -------
        self : EnsembleSelectionRegressor
            The same object, fitted.
        """
        self._assemble(table, members, selection)
        return self

    @shares_docs()
    def predict(self, X: Any) -> Floats:
        """The weighted mean of the members' numbers.

        Parameters
        ----------
        {X}

        Returns
        -------
        numbers : ndarray of shape (n_rows,) or (n_rows, n_targets)
            The number predicted for each row, of each target.
        """
        mean = self._mean(self._predict_table(X), None)
        return mean[:, 0] if mean.shape[1] == 1 else mean

    def _restore_fitted(self, state: Reader) -> None:
        self._restore_members(state, None)
