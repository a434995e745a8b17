"""scikit-learn's tests of its decision trees, with ours in their place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.tree.tests.test_tree",
    exceptions={
        "numbers of a column may be as close as they like: its unit changes no tree (theirs joins those within 1e-7)": [
            "test_almost_constant_feature[DecisionTree*"
        ],
        "numbers beyond the range of float32 are compared as float64, not refused": ["test_big_input"],
        "sparse rows may have missing cells too": ["test_missing_value_errors[tree0-*"],
        "max_leaf_nodes reserves no memory ahead, so that none is lacking": ["test_huge_allocations"],
        "a function of Cython that takes Cython's tree alone": [
            "test_build_pruned_tree_py",
            "test_build_pruned_tree_infinite_loop",
        ],
    },
    others={
        "extremely randomized trees, which stay theirs": [
            "*ExtraTree*",
            "test_missing_value_errors[tree1-*",
            "test_missing_values_random_splitter_on_equal_nodes_no_missing",
            "test_regression_extra_tree_missing_values_toy",
            "test_random_splitter_missing_values_uses_non_missing_min_max",
        ],
        "their criteria, splitters and arrays in Cython": [
            "test_realloc",
            "test_criterion_copy",
            "test_check_n_classes",
            "test_check_value_ndarray",
            "test_check_node_ndarray",
            "test_splitter_serializable",
            "test_absolute_errors_precomputation_function",
        ],
    },
)
globals().update(SUBSTITUTED.tests())
