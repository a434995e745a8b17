"""A result as one page that stands by itself."""
