"""Trees in chunks: boosted ones, single ones and forests, on bins of a byte a cell."""
