"""How a learner sees a table: the one place where columns become numbers, or other columns.

Two ways lead from a table to numbers, and both are made of the blocks in `blocks`, which say what a missing number is
filled with, how numbers are scaled, which level has which dummy, and which words are counted:

- inside estimators and kernels, an encoding learned from training rows and their weights. `design.Design` is the design
  matrix of linear models, perceptrons and local regression: numbers as they are with flags of missing cells, contrasts
  of levels with a baseline, words, further terms, each column with a name and an owner. `numeric.NumericEncoding` is
  what `kernels.Encoded` compares and linear SVMs multiply: numbers on one scale, a dummy for each level.
- in pipelines, encoders with scikit-learn's API. `base.Encoder` reads a table, changes the columns that `on` selects
  and passes the others through; a subclass says what it learns, what the schema becomes, and how cells change. They are
  `scale` (ZScore, MinMax, UnitLength), `missing` (Impute, DropMissing), `category` (OneHot, TopLevels), `bins` (Bins,
  with its edges in `bin_edges`), `terms` (Polynomial, Log) and `text` (BagOfWords); `mercer.SelectByForest` is one
  too, in the room of its forest. `chain.Chain` applies several in turn; `dense_recipe` and `categorical_recipe` are
  chains ready to use.

Every encoder is stored as an estimator is: declared parameters, expected input, fitted values.
"""

from mercer.encode.base import Encoder
from mercer.encode.bins import Bins
from mercer.encode.category import OneHot, TopLevels
from mercer.encode.chain import Chain, categorical_recipe, dense_recipe
from mercer.encode.missing import DropMissing, Impute
from mercer.encode.scale import MinMax, UnitLength, ZScore
from mercer.encode.terms import Log, Polynomial
from mercer.encode.text import BagOfWords

__all__ = [
    "BagOfWords",
    "Bins",
    "Chain",
    "DropMissing",
    "Encoder",
    "Impute",
    "Log",
    "MinMax",
    "OneHot",
    "Polynomial",
    "TopLevels",
    "UnitLength",
    "ZScore",
    "categorical_recipe",
    "dense_recipe",
]
