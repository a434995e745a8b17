"""Several classes by binary problems: codes of classes, and how the answers to them become one.

`designs` makes a code, `codes` checks it and names its problems, `decoding` and `coupling` read the answers;
`strategy` is what kernel machines ask.
"""
