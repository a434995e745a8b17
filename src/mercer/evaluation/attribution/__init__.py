"""Why a model answers as it does for one row: contributions of columns, and what would change the answer.

`score` says what of a model is explained, as a function of rows. Models that are sums over columns or trees give exact
contributions themselves (`_explain_columns`); for others `shapley` measures how the score changes when cells of the row
take the place of those of background rows. `explain` puts both in one shape.
"""
