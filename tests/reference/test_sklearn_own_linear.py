"""scikit-learn's tests of its linear regression, with ours in its place."""

from __future__ import annotations

import mercer

from .borrowed import Borrowed, stand_in


def _book() -> Borrowed:
    return BORROWED


OURS = {"LinearRegression": stand_in(_book, mercer.LinearRegression, copy_X=True)}
EXCEPTIONS: dict[str, list[str]] = {
    "sparse rows are welcome with coefficients held above 0, too": ["test_raises_value_error_if_positive_and_sparse"],
    "X is never changed, whatever copy_X allows": [
        "test_inplace_data_preprocessing[True-None]",
        "test_inplace_data_preprocessing[False-None]",
    ],
}
OTHERS = {
    "private functions": [
        "test_preprocess_*",
        "test_sparse_preprocess_data_offsets",
        "test_csr_preprocess_data",
        "test_dtype_preprocess_data",
        "test_rescale_data",
        "test_fused_types_make_dataset",
    ],
    "another model": ["test_predict_proba_lr_large_values"],
}

BORROWED = Borrowed("sklearn.linear_model.tests.test_base", {"sklearn.linear_model": OURS}, EXCEPTIONS, OTHERS)
globals().update(BORROWED.tests())
