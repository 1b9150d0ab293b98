"""Plugins: objects with methods that an engine calls before and after its verbs.

>>> from narsilpy import InvalidDocument, ErrorCode, Narsil
>>> class Manners:
...     def before_insert(self, index, doc_id, document):
...         if "damn" in document.get("body", ""):
...             raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED, "mind your language", {})
...         return {**document, "checked": True}        # taken in place of what the caller gave
>>> with Narsil(plugins=[Manners()]) as narsil:
...     narsil.create_index("rules", schema={"body": "string", "checked": "boolean"})
...     result = narsil.insert_batch("rules", [{"id": "a", "body": "A violin."}, {"id": "b", "body": "A damn violin."}])
...     result.succeeded, result.failed[0].error.message, narsil.get("rules", "a")["checked"]
(['a'], 'mind your language', True)

A plugin has any of these methods, each with the name of the index first:

    before_insert(index, doc_id, document)      after_insert(index, doc_id, document)
    before_update(index, doc_id, document)      after_update(index, doc_id, document)
    before_remove(index, doc_id)                after_remove(index, doc_id)
    before_search(index, term, options)         after_search(index, term, options, result)

`upsert` is an insert or an update, a batch the hooks of each of its documents; imported JSON lines are inserts.
`doc_id` is None before an insert that leaves the id to the document. Plugins are called in their order.

A *before* method may refuse: what it raises reaches the caller (a batch reports `NarsilError`s and goes on), and
nothing was done. It may return a document, or for a search a dict of options, to be taken in place of the caller's;
None keeps them.

An *after* method of a write cannot undo it, and must not make it look undone: what it raises is logged
(`logging.getLogger("narsilpy.plugins")`) and the verb returns. In a batch on disk it is called when the document is
in the index; the batch becomes durable as a whole afterwards. What `after_search` raises reaches the caller: an
answer that could not be recorded is not given.
"""
from __future__ import annotations

from narsilpy.plugins.audit import AuditJournal, read_journal

__all__ = ["AuditJournal", "read_journal"]
