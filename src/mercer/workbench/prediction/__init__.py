"""A stored model on new rows: its answers, what is strange about the rows, and its scores where labels are known."""
