"""The form in which documents are kept: immutable tuples that share the caller's strings and none of its containers.

>>> stored = freeze({"title": "Belt", "tags": ["new"], "meta": {"year": 2020}})
>>> thaw(stored)
{'title': 'Belt', 'tags': ['new'], 'meta': {'year': 2020}}
>>> text_of(stored, ("tags",))
['new']
"""
from __future__ import annotations

from narsilpy._documents import freeze, pick, reach, text_of, thaw

__all__ = ["freeze", "pick", "reach", "text_of", "thaw"]
