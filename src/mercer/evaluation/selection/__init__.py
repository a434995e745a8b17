"""From compared learners to the model that is kept.

`portfolio` lists other settings of the learners -> `further` runs some of them, in a time budget as many as `library`
has time for -> `nested` leaves pairs of folds out on small tables, so that scores have the choice inside -> `weighing`
weighs all models on their out-of-fold predictions -> `ensemble` makes a run of the weighted mean, scored as a learner
is -> `preference` says which run is kept.
"""
