"""Descriptions of parameters, attributes and results that docstrings share, by subject; see `mercer.docstrings`."""
