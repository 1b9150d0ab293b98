"""Citations: the sentence behind a match, quotes checked against the stored text, places that can be carried away."""
from __future__ import annotations

from narsilpy.citations.model import Citation, Verification

__all__ = ["Citation", "Verification"]
