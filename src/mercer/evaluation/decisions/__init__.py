"""Which class a row is called, and what that costs: `scores` of every learner, the `decision` of the best."""
