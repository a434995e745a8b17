"""Several classes by an error-correcting code."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from mercer.arrays import Floats, Ints
from mercer.combine.members import CLASSIFIER, storable
from mercer.combine.multiclass.base import SHARED_DOCS, BinaryReduction
from mercer.combine.multiclass.binary import margins, positive_probability
from mercer.combine.multiclass.code_parameter import CODE
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter
from mercer.estimators.multiclass.codes import Code
from mercer.estimators.multiclass.coupling import code_coupling
from mercer.estimators.multiclass.decoding import Decoding, bit_weights, hamming_scores, loss_scores, weighted_scores
from mercer.estimators.multiclass.designs import Design, design_code
from mercer.estimators.multiclass.strategy import Multiclass
from mercer.parameters import RANDOM_STATE, Choice, Number, Parameters
from mercer.state import Reader, State


@storable
@shares_docs(**SHARED_DOCS)
class OutputCode(BinaryReduction):
    """argmin_c d(m_c, f(x)): the class whose row m_c of +1, -1 and 0 is nearest to the answers f_l of the problems.

    d is sum_l (1 - m_cl sign f_l) / 2 ("hamming", equal ones by sum_l m_cl f_l), the same with weights w_cl, the share
    of the training rows of class c that problem l gets right ("weighted"), or sum_l L(m_cl f_l) with L(z) =
    max(0, 1 - z) ("hinge"), exp(-z) ("exponential") or (1 - z)^2 ("squared"). "probabilistic" takes the largest of the
    class probabilities p whose P_l / (P_l + N_l) are closest, by Kullback-Leibler, to those of the problems, with P_l
    and N_l the sums of p over the classes of +1 and -1. Wrong answers of some problems are put right by the others.

    Parameters
    ----------
    {estimator}
    code : str or array-like of shape (n_classes, n_problems), default "dense"
        "dense" and "sparse": the best of many random codes by the distance of their closest rows, of +1 and -1 or half
        of zeros; "exhaustive": all 2^(k-1) - 1 ways to part k classes in two; "bch": words of a
        Bose-Chaudhuri-Hocquenghem code; "one_vs_one"; "one_vs_rest"; or the code itself, rows in the order of
        `classes_`.
    length : int or None, default None
        Columns of a random code, or of a BCH code (7, 15, 31, ...; those that are the same for all classes are left
        out); None chooses 10 log2(k), for "sparse" 15 log2(k), up to the number of different columns. Beyond that
        number columns are repeated, which share a model.
    decoding : str, default "hamming"
        "hamming", "weighted", "hinge", "exponential", "squared" or "probabilistic".
    {random_state}

    Attributes
    ----------
    {classes_}
    {estimators_}
    {code_book_}
    {separations_}
    bit_weights_ : ndarray of shape (n_classes, n_problems)
        With decoding="weighted", the weight of each problem for each class; rows sum to 1.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"length": [1.0, 1.2, 3.0, 3.3, 5.0, 5.4], "colour": ["blue", "blue", "red", None, "red", "blue"]}
    >>> model = mercer.OutputCode(mercer.SVC(), code="exhaustive").fit(rows, ["a", "a", "b", "b", "c", "c"])
    >>> model.code_book_
    array([[ 1,  1,  1],
           [ 1, -1, -1],
           [-1,  1, -1]], dtype=int8)
    >>> model.row_separation_
    2.0
    >>> model.predict({"length": [1.1, 5.2], "colour": ["blue", None]})
    array(['a', 'c'], dtype='<U1')
    """

    parameters: ClassVar[Parameters] = {
        "estimator": CLASSIFIER,
        "code": CODE,
        "length": Number(1, 10_000, whole=True, optional=True),
        "decoding": Choice(Decoding),
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        code: Design | Any = "dense",
        length: int | None = None,
        decoding: Decoding = "hamming",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.code: Any = code
        self.length = length
        self.decoding = decoding
        self.random_state = random_state

    def _design(self, n_classes: int) -> Code:
        self._expect_answers_for_decoding()
        design: Any = self.code
        if not isinstance(self.code, str):
            if self.length not in (None, np.shape(self.code)[1]):
                raise BadParameter(
                    f"The code given has {np.shape(self.code)[1]} columns: leave length={self.length} out."
                )
            return np.asarray(self.code)
        return design_code(design, n_classes, self.length, check_random_state(self.random_state))

    def _expect_answers_for_decoding(self) -> None:
        model, name = self._binary, type(self._binary).__name__
        has_probability = hasattr(model, "predict_proba")
        if self.decoding == "probabilistic" and not has_probability:
            raise BadParameter(
                f"decoding='probabilistic' needs predict_proba, which {name} has not: use an estimator that has, such "
                "as SVC(probability='sigmoid'), or decoding='hinge'."
            )
        graded = has_probability or hasattr(model, "decision_function")
        if self.decoding in ("hinge", "exponential", "squared") and not graded:
            raise BadParameter(
                f"decoding={self.decoding!r} needs decision_function or predict_proba, and {name} has neither: use "
                "decoding='hamming'."
            )

    @property
    def _multiclass(self) -> Multiclass:
        return Multiclass(len(self.classes_), "ecoc", self.code_book_)

    def _after_fit(self, rows: Any, codes: Ints, weight: Floats | None) -> None:
        if self.decoding == "weighted":
            self.bit_weights_ = bit_weights(self._answers(rows, margins), self.code_book_, codes, weight)

    def _decisions(self, rows: Any) -> Floats:
        code = self.code_book_
        if self.decoding == "probabilistic":
            single = self._answers(rows, positive_probability)
            return np.asarray(2 * single[:, 0] - 1 if len(code) == 2 else code_coupling(single, code))
        answers = self._answers(rows, margins)
        if len(code) == 2 and code.shape[1] == 1:
            return answers[:, 0]
        if self.decoding == "weighted":
            found = weighted_scores(answers, code, self._found("bit_weights_"))
        elif self.decoding == "hamming":
            found = hamming_scores(answers, code)
        else:
            found = loss_scores(answers, code, self.decoding)
        return found[:, 1] - found[:, 0] if len(code) == 2 else found

    def _fitted_state(self) -> State:
        weights = {"bit_weights": self.bit_weights_} if self.decoding == "weighted" else {}
        return super()._fitted_state() | weights

    def _restore_fitted(self, state: Reader) -> None:
        super()._restore_fitted(state)
        if self.decoding == "weighted":
            self.bit_weights_ = state.probabilities("bit_weights", self.code_book_.shape)
