"""What the report says of the weights in a sum of kernels: which columns, widths or measures matter."""

from __future__ import annotations

from mercer.estimators.common.explanations.model_explanation import Fact
from mercer.formatting import amount
from mercer.kernels import Encoded, Kernel, MultipleKernel

_MOST = 10


def weight_facts(kernel: Kernel) -> list[Fact]:
    """The largest weights of a `MultipleKernel`, and how many are 0; none of another kernel."""
    inner = kernel.kernel_ if isinstance(kernel, Encoded) else kernel
    if not isinstance(inner, MultipleKernel):
        return []
    weights = inner.largest_weights()
    facts = [Fact(f"Weight of {name}", amount(weight)) for name, weight in list(weights.items())[:_MOST]]
    others, none = len(weights) - len(facts), len(inner.names_) - len(weights)
    if others:
        rest = sum(list(weights.values())[_MOST:])
        facts.append(Fact("Weight of others", amount(rest), f"of {others:,} more kernels"))
    if none:
        facts.append(Fact("Kernels without weight", f"{none:,}", f"of {len(inner.names_):,}"))
    return facts
