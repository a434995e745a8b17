"""Decision trees for classes, on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier as TheirDecisionTreeClassifier

from mercer.docstrings import shares_docs
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT, ClassWeight
from mercer.estimators.tree.base import BaseDecisionTree
from mercer.estimators.tree.parameters import (
    SHARED_DOCS,
    SHARED_PARAMETERS,
    Algorithm,
    Criterion,
    MaxFeatures,
    Missing,
    Nominal,
    Prune,
    RandomState,
    Splitter,
)
from mercer.estimators.tree.target import Labels, Weights, log_shares, most_probable, shares_by_output
from mercer.parameters import Choice, Either, ListOf, Number, Parameters, check_parameters
from mercer.state import Reader, State


@shares_docs(**SHARED_DOCS)
class DecisionTreeClassifier(TableClassifier, BaseDecisionTree):
    """P(c | x) = share of class c in the leaf of x; each test lowers the impurity of its node most (Hunt's algorithm).

    Categories are split as they are, ordinal columns respect their order, rows with a missing cell go where they lower
    impurity most, and being missing can be tested. Every threshold between two values is tried. Of several outputs,
    the mean impurity is lowered, and each has shares of its own.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "gain_ratio", "error"}, default "gini"
        Impurity that tests lower: Gini's index, entropy (information gain; "log_loss" is another name), entropy with
        the gain divided by the entropy of the branches (C4.5), or the share of misclassified rows.
    {splitter}
    {max_depth}
    {min_samples_split}
    {min_samples_leaf}
    {min_weight_fraction_leaf}
    {max_features}
    {random_state}
    {max_leaf_nodes}
    {min_impurity_decrease}
    class_weight : dict, "balanced", None, or list of these, default None
        Weight of each class, times that of the row; "balanced" makes the classes weigh alike in sum. A list has one for
        each output.
    {ccp_alpha}
    {monotonic_cst}
    algorithm : {"id3", "c4.5", "cart"} or None, default None
        A textbook algorithm, which sets `criterion`, `nominal`, `missing` and `prune` in place of their parameters.
    {nominal}
    {missing}
    {min_samples_level}
    {set_penalty}
    {oblique}
    prune : {"pessimistic", "cv"} or None, default None
        "pessimistic" replaces a subtree by a leaf, or by its largest branch (not with
        missing="surrogate"), where the upper
        confidence limit of its errors is not higher (C4.5); "cv" prunes by cost-complexity, with the penalty per leaf
        whose probabilities have the least squared error in five folds (CART).
    confidence : float, default 0.25
        Of pessimistic pruning, above 0 and up to 0.5; smaller prunes more.
    {max_bins}
    {words}
    {kinds}
    {n_jobs}

    Attributes
    ----------
    {tree_}
    {columns_}
    {combinations_}
    {alpha_}
    {missing_}
    {max_features_}
    {n_outputs_}
    {feature_importances_}
    {classes_of_outputs}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"refund": ["yes", "no", "no", "yes", "no", "yes"], "income": [60.0, 100.0, 70.0, 75.0, 80.0, 90.0]}
    >>> model = mercer.DecisionTreeClassifier().fit(rows, ["no", "no", "cheat", "no", "cheat", "no"])
    >>> print(model.to_text())
    all rows: no 67% (6 rows)
    |   refund = no: cheat 67% (3 rows)
    |   |   income <= 90: cheat 100% (2 rows)
    |   |   income > 90: no 100% (1 rows)
    |   refund = yes: no 100% (3 rows)
    """

    classes_: Any
    parameters: ClassVar[Parameters] = {
        "criterion": Choice(Criterion),
        "algorithm": Choice(Algorithm),
        "prune": Choice(Prune),
        "confidence": Number(0, 0.5, above=True),
        "class_weight": Either(CLASS_WEIGHT, ListOf(CLASS_WEIGHT)),
        **SHARED_PARAMETERS,
    }

    def __init__(
        self,
        *,
        criterion: Criterion = "gini",
        splitter: Splitter = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: MaxFeatures = None,
        random_state: RandomState = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: ClassWeight | Sequence[ClassWeight] = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Sequence[int] | NDArray[Any] | None = None,
        algorithm: Algorithm = None,
        nominal: Nominal = "subset",
        missing: Missing = "learned",
        min_samples_level: float | None = None,
        set_penalty: float = 1.0,
        oblique: bool = False,
        prune: Prune = None,
        confidence: float = 0.25,
        max_bins: int = 0,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.algorithm = algorithm
        self.nominal = nominal
        self.missing = missing
        self.min_samples_level = min_samples_level
        self.set_penalty = set_penalty
        self.oblique = oblique
        self.prune = prune
        self.confidence = confidence
        self.max_bins = max_bins
        self.words = words
        self.kinds = kinds
        self.n_jobs = n_jobs

    @shares_docs(**SHARED_DOCS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow a tree and prune it.

        Parameters
        ----------
        {X}
        {y_classes}
        {sample_weight_counts}
        {check_input}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._fit_table(X)
        labels = Labels.read(y, len(table))
        weights = Weights.by_class(self._weights(sample_weight, len(table)), labels, self.class_weight)
        self._keep_classes(labels.classes)
        self._fit_tree(table, labels.codes, weights, tuple(map(len, labels.classes)))
        return self

    def _keep_classes(self, classes: list[NDArray[Any]]) -> None:
        several = len(classes) > 1
        self.classes_ = classes if several else classes[0]
        self.n_classes_ = np.array([len(known) for known in classes]) if several else len(classes[0])

    def _class_lists(self) -> Sequence[NDArray[Any]]:
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    @shares_docs(**SHARED_DOCS)
    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Share of each class in the leaves that a row reaches.

        Parameters
        ----------
        {X}
        {check_input}

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes), or list of these
            The probability of each class, columns in the order of `classes_`; a list has those of each output.
        """
        return shares_by_output(self._values(X), self._class_lists())

    @shares_docs(**SHARED_DOCS)
    def predict(self, X: Any, check_input: bool = True) -> NDArray[Any]:
        """The class with the largest share in the leaves that a row reaches.

        Parameters
        ----------
        {X}
        {check_input}

        Returns
        -------
        classes : ndarray of shape (n_rows,) or (n_rows, n_outputs)
            The class predicted for each row, of the type of the labels.
        """
        return most_probable(self.predict_proba(X), self._class_lists())

    @shares_docs(**SHARED_DOCS)
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of the share of each class in the leaves that a row reaches.

        Parameters
        ----------
        {X}

        Returns
        -------
        log_probabilities : ndarray of shape (n_rows, n_classes), or list of these
            Minus infinity for a class that no training row of the leaf has; a list has those of each output.
        """
        return log_shares(self.predict_proba(X))

    def _fitted_state(self) -> State:
        return {"classes": [labels_state(known) for known in self._class_lists()], **super()._fitted_state()}

    def _restore_fitted(self, state: Reader) -> None:
        classes = [labels_from_state(known) for known in state.children("classes")]
        if not classes:
            raise state.refuse("classes", "those of one output or more")
        self._keep_classes(classes)
        self._restore_tree(state, [len(known) for known in classes])


TheirDecisionTreeClassifier.register(DecisionTreeClassifier)  # scikit-learn's readers of trees ask for its class
