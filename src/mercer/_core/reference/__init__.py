"""A NumPy twin of every native function, of the same name and arguments.

It is the specification of the function, the oracle of its tests, and what runs where nothing is compiled.
"""
