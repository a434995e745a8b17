"""The likelihoods by name: a constructor parameter that names or holds one, and reading one from a model file."""

from __future__ import annotations

from typing import Literal, TypeAlias

from mercer.errors import BadFile
from mercer.likelihoods.base import Likelihood
from mercer.likelihoods.bernoulli import Bernoulli
from mercer.likelihoods.binned import Binned
from mercer.likelihoods.categorical import Categorical
from mercer.likelihoods.codes import Codes
from mercer.likelihoods.complement import Complement
from mercer.likelihoods.density import Density
from mercer.likelihoods.gaussian import Gaussian
from mercer.likelihoods.multinomial import Multinomial
from mercer.likelihoods.words import Words
from mercer.parameters import Choice, Either, Part, read_parameters
from mercer.state import Reader
from mercer.table import Schema

LikelihoodName = Literal[
    "gaussian", "density", "binned", "categorical", "codes", "bernoulli", "multinomial", "complement", "words"
]
LikelihoodChoice: TypeAlias = LikelihoodName | Likelihood

LIKELIHOODS: dict[str, type[Likelihood]] = {
    kind.key: kind
    for kind in (Gaussian, Density, Binned, Categorical, Codes, Bernoulli, Multinomial, Complement, Words)
}


def read_unfitted(state: Reader) -> Likelihood:
    """The likelihood that `parameters_state` wrote, every parameter checked."""
    kind = LIKELIHOODS[state.text("likelihood", tuple(LIKELIHOODS))]
    return kind(**read_parameters(state.child("parameters"), kind.parameters))


def read_fitted(state: Reader, schema: Schema, n_classes: int) -> Likelihood:
    """The fitted likelihood that `to_state` wrote, every value checked."""
    likelihood = read_unfitted(state)
    names = state.texts("columns")
    for name in names:
        if name not in schema:
            raise BadFile(f"{state.where}.columns: {name!r} is not a column of the schema.")
    likelihood.reset(schema.select(names).columns, n_classes)
    likelihood._restore_statistics(state.child("statistics"))
    state.finish()
    return likelihood


LIKELIHOOD = Either(
    Choice(LikelihoodName),
    Part("a Likelihood", Likelihood, lambda likelihood: likelihood.parameters_state(), read_unfitted),
)
