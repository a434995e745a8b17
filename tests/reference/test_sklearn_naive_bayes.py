"""scikit-learn's tests of its naive Bayes classifiers, with ours in their place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.tests.test_naive_bayes",
    exceptions={
        "ours take columns of categories beside the numbers, and the tag says so": [
            "test_categorical_input_tag[BernoulliNB]",
            "test_categorical_input_tag[ComplementNB]",
            "test_categorical_input_tag[GaussianNB]",
            "test_categorical_input_tag[MultinomialNB]",
        ],
    },
    others={
        "arrays of libraries that are not installed, and skipped": ["test_gnb_array_api_compliance"],
        "a private function of the class": ["test_gnb_check_update_with_no_data"],
    },
)
globals().update(SUBSTITUTED.tests())
