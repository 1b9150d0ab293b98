"""Schemas: what an index's documents look like, how they are read, and the form in which they are kept."""
from __future__ import annotations

from narsilpy.schema.fields import Field, Schema, validate_doc_id, validate_index_name
from narsilpy.schema.projection import Projection, compile_projection
from narsilpy.schema.stored import freeze, reach, text_of, thaw

__all__ = [
    "Field",
    "Projection",
    "Schema",
    "compile_projection",
    "freeze",
    "reach",
    "text_of",
    "thaw",
    "validate_doc_id",
    "validate_index_name",
]
