"""scikit-learn's tests of tests of nodes against every one that is possible, with our trees in place of its own."""

from __future__ import annotations

import sklearn.tree.tests.test_split  # noqa: F401  its dataclass looks its own module up

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.tree.tests.test_split", others={"extremely randomized trees, which stay theirs": ["*ExtraTree*"]}
)
globals().update(SUBSTITUTED.tests())
