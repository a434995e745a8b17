"""A stored model on new rows: predictions, unusual cells, drift, and scores where labels are known."""
