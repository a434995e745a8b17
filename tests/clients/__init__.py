"""Libraries that work on scikit-learn's estimators, given ours: one small test each, on mixed frames where they can."""
