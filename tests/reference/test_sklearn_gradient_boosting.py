"""scikit-learn's tests of histogram gradient boosting, with ours in their place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.ensemble._hist_gradient_boosting.tests.test_gradient_boosting",
    exceptions={
        "a category of more levels than bins is learned from, its rarest levels sharing a bin, not refused": [
            "test_categorical_bad_encoding_errors",
            "test_dataframe_categorical_errors",
        ],
        "the levels are in schema_, not in a private OrdinalEncoder, at which the test looks before it compares": [
            "test_dataframe_categorical_results_same_as_ndarray"
        ],
        "a loss is named, not one of their private objects": ["test_custom_loss"],
        "their private module and method are replaced by mocks": [
            "test_early_stopping_with_sample_weights",
            "test_raw_predict_is_called_with_custom_scorer",
        ],
        "30 rows that are certain are not split further, and their score still gains a little after 200 rounds": [
            "test_early_stopping_classification[loss-0.1-True-5-1e-07-data0]"
        ],
        "of tests that gain alike, rounding may choose another one when rows are repeated": [
            "test_sample_weight_effect"
        ],
    },
    others={
        "private methods and histograms, alone": [
            "test_should_stop",
            "test_check_interaction_cst",
            "test_small_trainset",
            "test_binning_train_validation_are_separated",
            "test_sum_hessians_are_sample_weight",
        ],
    },
)
globals().update(SUBSTITUTED.tests())
