"""Pictures with matplotlib: one function each, which returns the axes it drew on."""
