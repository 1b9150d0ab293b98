"""`list_documents`: every document, page by page."""
from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from narsilpy.query.arrange import Arrangement
from narsilpy.query.cursors import fingerprint
from narsilpy.query.options import DEFAULT_LIMIT, QueryOptions, count_option, window
from narsilpy.query.search import HitMaker
from narsilpy.results import Entry, Page

if TYPE_CHECKING:
    from narsilpy.index import IndexCore


def list_page(core: IndexCore, limit: Any, cursor: Any, filters: Any, sort: Any, document: Any) -> Page:
    """One page of a listing."""
    options = QueryOptions(filters=filters, sort=sort, document=document, search_after=cursor,
                           limit=max(1, count_option("limit", limit, DEFAULT_LIMIT)))
    size, _ = window(options)
    arrangement = Arrangement(core, None, options, fingerprint("list", core.name, filters, sort), browse=True,
                              cursor_option="cursor")
    maker = HitMaker(core, options)
    with core.reading:
        result = arrangement.answer(maker, size, 0, perf_counter())
    return Page(tuple([Entry(hit.id, hit.document) for hit in result.hits]), result.cursor, result.count,
                core.analysis_stale)
