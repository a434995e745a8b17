"""p(column | class): interchangeable likelihoods for naive Bayes."""

from mercer.likelihoods.base import ColumnTable, Likelihood
from mercer.likelihoods.bernoulli import Bernoulli
from mercer.likelihoods.binned import Binned
from mercer.likelihoods.categorical import Categorical
from mercer.likelihoods.complement import Complement
from mercer.likelihoods.density import Density
from mercer.likelihoods.gaussian import Gaussian
from mercer.likelihoods.multinomial import Multinomial
from mercer.likelihoods.smoothing import Alpha, MEstimate
from mercer.likelihoods.words import Words

LIKELIHOODS: dict[str, type[Likelihood]] = {
    part.key: part for part in (Gaussian, Density, Binned, Categorical, Bernoulli, Multinomial, Complement, Words)
}

__all__ = [
    "LIKELIHOODS",
    "Alpha",
    "Bernoulli",
    "Binned",
    "Categorical",
    "ColumnTable",
    "Complement",
    "Density",
    "Gaussian",
    "Likelihood",
    "MEstimate",
    "Multinomial",
    "Words",
]
