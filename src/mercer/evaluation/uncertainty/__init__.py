"""How sure a score of test rows is, and a difference of scores: `areas`, `held_out` intervals, `paired` differences."""
