"""How good and how sure: splits, metrics, intervals, curves, and the contest of all learners."""
