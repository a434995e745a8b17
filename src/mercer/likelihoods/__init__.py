"""p(column | class): interchangeable likelihoods for naive Bayes.

A likelihood models a group of columns given the class. The way of the data through one of them (`base.Likelihood`):

1. `reset(columns, n_classes)` checks its declared parameters and the kinds of the columns, and sets its sufficient
   statistics to those of no rows.
2. `update(table, classes, weight)` adds rows to the statistics; `merge(other, classes)` adds the statistics of another
   sample, whose levels and classes may be fewer. Chunks in any order give what one pass over all rows gives.
3. `add_log_prob(table, out)` turns statistics into log probabilities and adds those of each row to `out`;
   `column_log_prob(table)` gives them cell by cell, for explanations. Missing cells add nothing.
4. `tables()` shows what was estimated, `to_state` writes parameters and statistics to a model file;
   `registry.read_fitted` reads them back.

============================  ============================================  =========================================
module                        statistics                                    columns
============================  ============================================  =========================================
gaussian.Gaussian             weight, mean, sum of squared deviations       numbers
empirical (density, binned)   distinct numbers with their weights           numbers: kernel density, or bins
categorical.Categorical       weight of each level                          levels
codes.Codes                   weight of each number 0, 1, 2, ...            numbers that stand for levels
bernoulli.Bernoulli           weight above and not above a threshold        numbers
multinomial, complement       sums of counts                                numbers: counts that share one total
words.Words                   counts of words                               text
============================  ============================================  =========================================

`smoothing` turns counts into probabilities. `target_grid` is the counterpart of all this for a numeric target. To add a
likelihood, copy one, give it a `key` of its own and add it to `registry`.
"""

from mercer.likelihoods.base import ColumnTable, Likelihood
from mercer.likelihoods.bernoulli import Bernoulli
from mercer.likelihoods.binned import Binned
from mercer.likelihoods.categorical import Categorical
from mercer.likelihoods.codes import Codes
from mercer.likelihoods.complement import Complement
from mercer.likelihoods.density import Density
from mercer.likelihoods.gaussian import Gaussian
from mercer.likelihoods.multinomial import Multinomial
from mercer.likelihoods.registry import LIKELIHOODS
from mercer.likelihoods.smoothing import Alpha, ColumnAlpha, MEstimate
from mercer.likelihoods.words import Words

__all__ = [
    "LIKELIHOODS",
    "Alpha",
    "Bernoulli",
    "Binned",
    "Categorical",
    "Codes",
    "ColumnAlpha",
    "ColumnTable",
    "Complement",
    "Density",
    "Gaussian",
    "Likelihood",
    "MEstimate",
    "Multinomial",
    "Words",
]
