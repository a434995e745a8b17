"""The main jobs as functions: what Python calls and `mercer.cli` shows in the terminal."""
