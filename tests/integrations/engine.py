"""The baggage rules in an engine."""
from __future__ import annotations

from narsilpy import Narsil
from narsilpy.demo.rules import RULES


def rules_engine() -> Narsil:
    narsil = Narsil()
    narsil.create_index("rules", schema={"title": "string", "body": "string"})
    assert not narsil.insert_batch("rules", RULES).failed
    return narsil
