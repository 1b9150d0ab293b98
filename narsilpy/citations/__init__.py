"""Citations: the sentence behind a match, quotes checked against the stored text, places that can be carried away."""
from __future__ import annotations

from narsilpy.citations.model import Citation, Verification
from narsilpy.citations.quotes import sentence_at

__all__ = ["Citation", "Verification", "sentence_at"]
