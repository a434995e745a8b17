"""What class shares that were changed on purpose do to probabilities, undone."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats
from mercer.errors import MercerError


def correct_priors(probabilities: Floats, fitted: Floats, actual: Floats) -> Floats:
    """p'(c | x) = p(c | x) a_c / f_c / sum_k p(k | x) a_k / f_k, for class shares f in fitting and a in truth.

    Saerens, Latinne and Decaestecker (2002), Adjusting the outputs of a classifier to new a priori probabilities,
    eq. 2.4; Elkan (2001), The foundations of cost-sensitive learning, theorem 2. Exact where rows were drawn by their
    class alone, as in under- and over-sampling.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows, n_classes)
        What a model says that was fitted to rows of the shares `fitted`.
    fitted : ndarray of shape (n_classes,)
        Share or number of rows of each class in fitting, above 0.
    actual : ndarray of shape (n_classes,)
        The same where the model is used.

    Returns
    -------
    corrected : ndarray of shape (n_rows, n_classes)
        Probabilities; a row whose classes all had probability 0 or share 0 has the shares `actual`.

    Raises
    ------
    MercerError
        If a share is not as said, or the lengths differ.

    Examples
    --------
    >>> import mercer, numpy as np
    >>> mercer.correct_priors(np.array([[0.5, 0.5], [0.1, 0.9]]), fitted=[50, 50], actual=[90, 10])
    array([[0.9, 0.1],
           [0.5, 0.5]])
    """
    probabilities, fitted, actual = (np.asarray(v, dtype=np.float64) for v in (probabilities, fitted, actual))
    if probabilities.ndim != 2 or not fitted.shape == actual.shape == probabilities.shape[1:]:
        raise MercerError(
            f"correct_priors: shares of {fitted.shape} and {actual.shape} do not go with probabilities of "
            f"{probabilities.shape}. Give one share for each column."
        )
    if not (fitted > 0).all() or not (actual >= 0).all() or not actual.any() or not np.isfinite(actual).all():
        raise MercerError("correct_priors: shares in fitting must be above 0, and those in truth at least 0.")
    scaled = probabilities * ((actual / actual.sum()) / (fitted / fitted.sum()))
    total = scaled.sum(axis=1, keepdims=True)
    known = np.where(total > 0, total, 1.0)
    return np.where(total > 0, scaled / known, actual / actual.sum())
