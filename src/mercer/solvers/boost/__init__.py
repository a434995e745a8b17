"""Boosted sums of histogram trees: `binning` makes bytes of cells, `tiles` lays them out, `boost` adds trees."""
