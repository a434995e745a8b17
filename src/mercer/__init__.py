"""mercer: supervised learning on mixed tables."""

__version__ = "0.1.0"
