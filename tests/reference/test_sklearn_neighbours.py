"""scikit-learn's tests of its nearest neighbours, with ours in their place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.neighbors.tests.test_neighbors",
    exceptions={
        "rows are fitted, not a tree or another estimator that holds rows (undocumented)": [
            "test_unsupervised_inputs[KNeighborsClassifier]",
            "test_unsupervised_inputs[KNeighborsRegressor]",
        ],
        "sparse rows are welcome where dense ones were learned from, whatever the algorithm": [
            "test_predict_sparse_ball_kd_tree"
        ],
    },
    others={
        "neighbours within a radius": [
            "*Radius*",
            "test_radius_neighbors_*",
            "test_precomputed_sparse_radius",
            "test_same_radius_neighbors_parallel",
            "*-nn_model1]",
        ],
        "a search without a target (NearestNeighbors)": [
            "test_unsupervised_kneighbors",
            "test_unsupervised_inputs[NearestNeighbors]",
            "test_not_fitted_error_gets_raised",
            "test_unsupervised_radius_neighbors",
            "test_query_equidistant_kth_nn",
            "test_kneighbors_graph",
            "test_kneighbors_graph_sparse",
            "test_nearest_neighbors_validate_params",
            "test_neighbors_metrics",
            "test_kneighbors_brute_backend",
            "test_callable_metric",
            "test_valid_brute_metric_for_auto_algorithm",
            "test_non_euclidean_kneighbors",
            "test_k_and_radius_neighbors_*",
            "test_include_self_neighbors_graph",
            "test_sparse_metric_callable",
            "test_pairwise_boolean_distance",
            "test_auto_algorithm",
            "test_nearest_neighbours_works_with_p_less_than_1",
            "test_precomputed_sparse_invalid",
        ],
        "graphs of neighbours and outliers as estimators of their own": [
            "*[KNeighborsTransformer*",
            "*[LocalOutlierFactor*",
        ],
        "skipped there too: an object of its own as metric": ["*[KNeighborsClassifier-*DM_euclidean*"],
        "private functions and lists of names": [
            "test_is_sorted_by_data",
            "test_sort_graph_by_row_values*",
            "test_valid_metrics_has_no_duplicate",
        ],
    },
)
globals().update(SUBSTITUTED.tests())
