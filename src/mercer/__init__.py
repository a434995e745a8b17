"""mercer: supervised learning on mixed tables."""

from mercer.estimators.baseline import MajorityClass, MeanTarget
from mercer.estimators.bayes_rule import posterior
from mercer.estimators.naive_bayes import NaiveBayes
from mercer.table import Table, read_table

__version__ = "0.1.0"

__all__ = ["MajorityClass", "MeanTarget", "NaiveBayes", "Table", "posterior", "read_table"]
