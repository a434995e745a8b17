"""Ensemble selection for classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer.combine.ensemble.base import (
    SHARED_DOCS,
    SHARED_PARAMETERS,
    BaseEnsemble,
    Combiner,
    LibraryLike,
    Member,
    Metric,
)
from mercer.combine.ensemble.forward import Selection
from mercer.combine.ensemble.training import TrainingData, class_lists
from mercer.combine.members import storable
from mercer.docstrings import shares_docs
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.tree.target import most_probable, shares_by_output
from mercer.parameters import Either, Parameters, Text, Unstored
from mercer.select.costs import CostMatrix, Costs
from mercer.state import Reader, State
from mercer.table import Table, Task


@storable
@shares_docs(**SHARED_DOCS)
class EnsembleSelection(TableClassifier, BaseEnsemble):
    """P(c | x) = sum_m w_m P_m(c | x) over models chosen from a library, with weights by any metric.

    Every model of the library predicts the rows of folds that it was not fitted to; from these predictions models are
    added to the ensemble as long as its score gains (Caruana et al. 2004; Yao, Algorithm 3.1), and the chosen ones are
    fitted to all rows. On the out-of-fold predictions the ensemble is never worse than its best member.

    Several targets have one ensemble: a model that takes but one is fitted to each, the metric is the mean over the
    targets, and a member has one weight for all. MultiOutputClassifier around it gives each target its own.

    Parameters
    ----------
    {library}
    metric : str, callable or None, default None
        "roc_auc", "average_precision", "accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "f1", "precision",
        "recall", "mcc", "log_loss", "brier", "cost", the name of a scorer of scikit-learn, or a function of (class
        codes, probabilities) whose larger values are better; None for the area under the ROC curve of two classes, and
        the accuracy of several.
    {combiner}
    costs : str, dict, array or None, default None
        What errors cost, for the metric "cost": "fn=20,fp=1", or an amount for each pair of classes.
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
    classes_ : ndarray of shape (n_classes,), or list of these
        The classes in increasing order; a list has those of each target.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> penguins = mercer.load_penguins()
    >>> penguins = penguins.take(~penguins.missing("Sex"))
    >>> X = penguins.select(["Species", "Culmen Length (mm)", "Body Mass (g)"])
    >>> model = mercer.EnsembleSelection(metric="log_loss").fit(X, penguins.column("Sex"))
    >>> min(member.score for member in model.members_) >= model.score_
    True
    """

    classes_: Any
    parameters: ClassVar[Parameters] = {
        **SHARED_PARAMETERS,
        "costs": Either(Text(optional=True), Unstored("costs", lambda c: isinstance(c, Mapping | list | np.ndarray))),
    }

    def __init__(
        self,
        library: LibraryLike = "small",
        *,
        metric: Metric = None,
        combiner: Combiner | None = None,
        costs: Any = None,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.library = library
        self.metric = metric
        self.combiner = combiner
        self.costs = costs
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
            The class of each row, of one target or of each of several.
        {sample_weight}

        Returns
        -------
        {self}
        """
        self._check()
        table = self._fit_table(X)
        data = TrainingData.read(table, y, self._weights(sample_weight, len(table)), Task.CLASSIFICATION)
        self.classes_ = data.classes
        self._fit_ensemble(data, self._cost_matrix())
        return self

    def assemble(self, table: Table, classes: NDArray[Any], members: Sequence[Member], selection: Selection) -> Self:
        """The ensemble of members that are fitted already, in place of `fit`.

        Parameters
        ----------
        table : Table
            The rows that they were fitted to.
        classes : ndarray of shape (n_classes,)
            The classes in increasing order.
        members : sequence of Member
            Models with their weights.
        selection : Selection
            How the weights were found.

        Returns
        -------
        self : EnsembleSelection
            The same object, fitted.
        """
        self.classes_ = classes
        self._assemble(table, members, selection)
        return self

    def _cost_matrix(self) -> CostMatrix | None:
        found = Costs.read(self.costs)
        if found is None or isinstance(self.classes_, list):  # of several targets the metric refuses costs
            return None
        return found.matrix([str(c) for c in self.classes_], positive=1)

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row, of each target.

        Parameters
        ----------
        {X}

        Returns
        -------
        classes : ndarray of shape (n_rows,) or (n_rows, n_targets)
            The class predicted for each row, of the type of the labels.
        """
        return most_probable(self.predict_proba(X), class_lists(self.classes_))

    @shares_docs()
    def predict_proba(self, X: Any) -> Any:
        """The weighted mean of the members' probabilities.

        Parameters
        ----------
        {X}

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes), or list of these
            The probability of each class, columns in the order of `classes_`; a list has those of each target.
        """
        mean = self._mean(self._predict_table(X), self.classes_)
        return shares_by_output(mean, self.classes_) if isinstance(self.classes_, list) else mean

    def _fitted_state(self) -> State:
        labels = [labels_state(known) for known in class_lists(self.classes_)]
        found: State = {"targets": labels} if isinstance(self.classes_, list) else {"classes": labels[0]}
        return {**found, **super()._fitted_state()}

    def _restore_fitted(self, state: Reader) -> None:
        if state.has("targets"):
            self.classes_ = [labels_from_state(known) for known in state.children("targets")]
            if len(self.classes_) < 2:
                raise state.refuse("targets", "the classes of two targets or more")
        else:
            self.classes_ = labels_from_state(state.child("classes"))
        self._restore_members(state, self.classes_)
