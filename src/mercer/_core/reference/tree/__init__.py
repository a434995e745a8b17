"""Trees: growing, checking, answering rows, pruning, sharing an answer among columns."""
