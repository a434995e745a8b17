"""A table as people and other libraries see it: lines in a terminal, HTML in a notebook, a data frame."""
