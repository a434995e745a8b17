"""Several classes, each against the rest."""

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
class OneVsRest(BinaryReduction):
    """argmax_c f_c(x), where f_c tells class c from all others; P(c | x) = p_c(x) / sum_j p_j(x).

    K models, each of all rows; two classes need but one.

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
    >>> model = mercer.OneVsRest(mercer.NaiveBayes()).fit(rows, ["a", "a", "b", "b", "c", "c"])
    >>> model.predict({"length": [1.1, 3.1], "colour": ["blue", None]})
    array(['a', 'b'], dtype='<U1')
    """

    parameters: ClassVar[Parameters] = {"estimator": CLASSIFIER}

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def _design(self, n_classes: int) -> Code:
        return Multiclass(n_classes, "ovr").code

    @property
    def _multiclass(self) -> Multiclass:
        return Multiclass(len(self.classes_), "ovr")
