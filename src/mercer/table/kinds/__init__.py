"""What the texts of a column mean: words and ranges in an order, and the parts of dates."""
