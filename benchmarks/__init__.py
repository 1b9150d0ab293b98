"""Measurements: one file a question. See README.md beside this file."""
