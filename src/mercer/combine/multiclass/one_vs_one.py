"""Several classes pair by pair."""

from __future__ import annotations

from typing import Any, ClassVar

from mercer.combine.members import CLASSIFIER, storable
from mercer.combine.multiclass.base import SHARED_DOCS, BinaryReduction
from mercer.docstrings import shares_docs
from mercer.estimators.multiclass.codes import Code
from mercer.estimators.multiclass.strategy import Multiclass
from mercer.parameters import Parameters


@storable
@shares_docs(**SHARED_DOCS)
class OneVsOne(BinaryReduction):
    """argmax_i #{j: f_ij(x) > 0}, where f_ij tells class i from class j; of equal votes the larger sum_j f_ij(x).

    K (K - 1) / 2 models, each of the rows of two classes. Probabilities minimise
    sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2 with sum p = 1, r_ij = P(i | i or j) (Wu, Lin and Weng 2004, method 2).

    Parameters
    ----------
    {estimator}

    Attributes
    ----------
    {classes_}
    {estimators_}
    {code_book_}
    {separations_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"length": [1.0, 1.2, 3.0, 3.3, 5.0, 5.4], "colour": ["blue", "blue", "red", None, "red", "blue"]}
    >>> model = mercer.OneVsOne(mercer.SVC()).fit(rows, ["a", "a", "b", "b", "c", "c"])
    >>> model.predict({"length": [1.1, 3.1], "colour": ["blue", None]})
    array(['a', 'b'], dtype='<U1')
    """

    parameters: ClassVar[Parameters] = {"estimator": CLASSIFIER}

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def _design(self, n_classes: int) -> Code:
        return Multiclass(n_classes, "ovo").code

    @property
    def _multiclass(self) -> Multiclass:
        return Multiclass(len(self.classes_), "ovo")
