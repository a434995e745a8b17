"""The model file: a manifest and arrays, checked before anything is built from them, and never code."""

from mercer.store.model import Card, StoredModel, load, open_model, save

__all__ = ["Card", "StoredModel", "load", "open_model", "save"]
