"""A fitted tree as people read it.

`rules.py` writes it as indented text, as rules, and as the path of one row; `picture.py` draws its upper nodes;
`candidates.py` has the best test of each column at a node, and what it would gain; `contributions.py` says what each
column adds to the answer of a row.
"""
