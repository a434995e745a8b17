"""How a learner wants to see a table: scale, categories, missing cells, bins, text, chosen columns, chains of these."""

from mercer.encode.base import Encoder
from mercer.encode.bins import Bins
from mercer.encode.category import OneHot, TopLevels
from mercer.encode.missing import DropMissing, Impute
from mercer.encode.recipe import Chain, coded_recipe, dense_recipe
from mercer.encode.scale import MinMax, UnitLength, ZScore
from mercer.encode.selection import FeatureSelection, SelectByForest, select_features
from mercer.encode.terms import Log, Polynomial
from mercer.encode.text import BagOfWords

__all__ = [
    "BagOfWords",
    "Bins",
    "Chain",
    "DropMissing",
    "Encoder",
    "FeatureSelection",
    "Impute",
    "Log",
    "MinMax",
    "OneHot",
    "Polynomial",
    "SelectByForest",
    "TopLevels",
    "UnitLength",
    "ZScore",
    "coded_recipe",
    "dense_recipe",
    "select_features",
]
