"""A NumPy twin of every native function, of the same name and arguments: its specification, the oracle of its tests, and what
runs where nothing is compiled."""
