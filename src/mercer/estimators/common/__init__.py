"""What families of estimators share: targets, weights, labels, explanations, input that is no table.

`base.py` reads targets as class codes or numbers; `class_weight.py` and `sample_weight.py` say what weights mean;
`labels.py` stores labels. `explanation.py` is what a learner says of single rows, `model_explanation.py` what the
report says of a fitted model. `pairwise_input.py` reads matrices of distances or kernel values, `baseline.py` has the
learners that ignore every column.
"""
