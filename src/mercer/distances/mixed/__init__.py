"""Distances of mixed tables: numbers and levels together."""
