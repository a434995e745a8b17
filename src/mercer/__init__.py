"""mercer: supervised learning on mixed tables."""

from mercer.estimators.baseline import MajorityClass, MeanTarget
from mercer.estimators.bayes_rule import posterior
from mercer.estimators.naive_bayes import NaiveBayes
from mercer.estimators.naive_bayes_regression import NaiveBayesRegressor
from mercer.table import Table, read_table

__version__ = "0.1.0"

__all__ = [
    "MajorityClass",
    "MeanTarget",
    "NaiveBayes",
    "NaiveBayesRegressor",
    "Table",
    "posterior",
    "read_table",
]
