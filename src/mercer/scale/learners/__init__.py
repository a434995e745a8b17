"""How each learner is fitted by passes over chunks: one function each, from the model and `Rows` to a fitted model."""
