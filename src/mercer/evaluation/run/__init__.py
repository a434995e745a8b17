"""A learner in a comparison: `learner` runs it by `fitting` it to rows, and what was found is kept in `records`."""
