"""Growing and pruning decision trees."""
