"""From compared learners to the model that is kept.

`further` lists other settings of the learners -> `weighing` weighs all of them on their out-of-fold predictions ->
`ensemble` makes a run of the weighted mean, scored as a learner is -> `preference` says which run is kept.
"""
