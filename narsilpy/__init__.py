"""Embedded full-text search with exact character offsets."""

__version__ = "0.1.0"
