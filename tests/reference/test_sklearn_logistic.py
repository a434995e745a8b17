"""scikit-learn's tests of its logistic regression, with ours in its place; LogisticRegressionCV stays theirs."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.linear_model.tests.test_logistic",
    exceptions={
        "missing cells are welcome": ["test_nan"],
        "nothing is drawn at random, so no seed gives another answer": ["test_liblinear_dual_random_state"],
        "at tol=1e-4 liblinear in LogisticRegressionCV stops 1.6e-5 short of the optimum; 6 decimals are asked for": [
            "test_logistic_cv"
        ],
        "hands get_params() to a private function, which knows no terms, baseline and kinds": [
            "test_logistic_cv_multinomial_score"
        ],
        "asks for the private method _predict_proba_lr": ["test_logreg_predict_proba_multinomial"],
        "a singular Hessian needs no other solver: nothing falls back to lbfgs": [
            "test_newton_cholesky_fallback_to_lbfgs"
        ],
        "callbacks are told of the steps of every solver": ["test_logistic_regression_callback_support_warning"],
    },
    others={
        "private functions": ["test_logistic_regression_path_*"],
        "LogisticRegressionCV alone": [
            "test_LogisticRegressionCV_elasticnet_attribute_shapes",
            "test_LogisticRegressionCV_no_refit",
            "test_*[LogisticRegressionCV*",
            "test_get_default_scorer",
            "test_logistic_cv_mock_scorer",
            "test_logistic_cv_refit_false_non_elasticnet",
            "test_logistic_cv_sparse",
            "test_logistic_regression_sample_weights[*-cv]",
            "test_logistic_regressioncv_class_weights",
            "test_logisticregressioncv_warns_with_use_legacy_attributes",
            "test_lr_cv_scores_*",
            "test_lr_scoring_warns",
            "test_passing_params_without_enabling_metadata_routing",
        ],
        "skip themselves: newton-cholesky may be done in time; the array API is not switched on in SciPy": [
            "test_max_iter[newton-cholesky-*-max_iter1]",
            "test_max_iter[newton-cholesky-*-max_iter2]",
            "test_max_iter[newton-cholesky-*-max_iter3]",
            "test_logistic_regression_array_api_*",
        ],
    },
)
globals().update(SUBSTITUTED.tests())
