"""scikit-learn's tests of its text and pictures of trees, with our trees in the place of its own."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted("sklearn.tree.tests.test_export", others={"a private class": ["test_rgb_to_hexstring"]})
globals().update(SUBSTITUTED.tests())
