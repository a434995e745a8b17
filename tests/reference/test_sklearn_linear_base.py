"""scikit-learn's tests of its linear regression, with ours in its place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.linear_model.tests.test_base",
    exceptions={
        "sparse rows are welcome with coefficients held above 0, too": [
            "test_raises_value_error_if_positive_and_sparse"
        ],
    },
    others={
        "private functions": [
            "test_preprocess_*",
            "test_sparse_preprocess_data_offsets",
            "test_csr_preprocess_data",
            "test_dtype_preprocess_data",
            "test_rescale_data",
            "test_fused_types_make_dataset",
        ],
        "a class of its own, made for the test": ["test_predict_proba_lr_large_values"],
    },
)
globals().update(SUBSTITUTED.tests())
