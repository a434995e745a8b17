"""Any model assessed: `predictions` of any estimator or given ones, an `Evaluation` of them, two side by side."""
