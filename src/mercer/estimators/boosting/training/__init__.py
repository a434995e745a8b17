"""What a fit of boosted trees is given: rows in bins, constraints on columns, scores and progress of its rounds."""
