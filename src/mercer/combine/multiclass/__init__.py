"""Several classes by binary problems around any classifier: OneVsOne, OneVsRest, OutputCode.

`estimators/multiclass` designs the codes and reads their answers, which kernel machines use as well.
"""
