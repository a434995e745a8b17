"""Several classes by binary problems: codes of classes, and how the answers to them become one.

`designs` makes a code (`bch` those with known distances), `codes` checks it and names its binary problems, `decoding`
and `coupling` turn the answers into a class and into probabilities. `strategy.Multiclass` is what kernel machines ask
for both, `decisions` what a search and a calibration ask; `state` reads classes, code and calibrators from a file.
"""
