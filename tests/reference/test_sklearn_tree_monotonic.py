"""scikit-learn's tests of monotonic trees, with ours in their place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.tree.tests.test_monotonic_tree",
    others={"extremely randomized trees and forests, which stay theirs": ["*ExtraTree*", "*RandomForest*"]},
)
globals().update(SUBSTITUTED.tests())
