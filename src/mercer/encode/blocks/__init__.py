"""The one place where columns become numbers: numbers filled and scaled, levels as dummies, texts as counts of words.

A block learns from training rows and their weights, names the columns it makes, says which column of the table owns
each, and computes them for other rows: `NumberBlock` (`numbers.py`, by the means and widths of `scaling.py`),
`LevelBlock` (`levels.py`) and `WordBlock` (`words.py`). `Design` (linear models) and `NumericEncoding` (kernels and
linear SVMs) are lists of blocks; the encoders `OneHot` and `BagOfWords` use the same ones. `weight` is (n_rows,) or
None; a row of weight 2 counts as two rows.
"""

from mercer.encode.blocks.levels import MAX_LEVELS, Baseline, LevelBlock, dummies, level_counts, level_matrix
from mercer.encode.blocks.numbers import NumberBlock
from mercer.encode.blocks.scaling import Missing, Scaling, Weight, column_widths, robust_scale
from mercer.encode.blocks.words import WordBlock

__all__ = [
    "MAX_LEVELS",
    "Baseline",
    "LevelBlock",
    "Missing",
    "NumberBlock",
    "Scaling",
    "Weight",
    "WordBlock",
    "column_widths",
    "dummies",
    "level_counts",
    "level_matrix",
    "robust_scale",
]
