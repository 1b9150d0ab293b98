"""A LlamaIndex retriever: `NarsilRetriever(narsil, "rules", "body", similarity_top_k=4)`.

Each node is a passage of the field (a sentence, or the whole text), with `start_char_idx` and `end_char_idx` in the
stored text. Needs `narsilpy[llamaindex]`.
"""
from __future__ import annotations

from typing import Any, Literal

from narsilpy.engine import Narsil
from narsilpy.errors import ErrorCode, InvalidConfig
from narsilpy.integrations import needed
from narsilpy.query.parse import parse_query
from narsilpy.schema import freeze, text_of

needed("llama_index.core", "llamaindex")

from llama_index.core.retrievers import BaseRetriever  # noqa: E402  # after the check for the extra
from llama_index.core.schema import (  # noqa: E402
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)


class NarsilRetriever(BaseRetriever):
    """Passages of one index by words.

    Args:
        narsil, index: where to search.
        field: the text field that nodes are made of.
        similarity_top_k: how many documents.
        passage: "sentence" for the sentence round the best match, "document" for the whole text.
        parse: whether quotes, -word and field:word work as in a search box; otherwise all is plain text.
        options: more options of `query`, such as `filters` or `prefix`.
    """

    def __init__(self, narsil: Narsil, index: str, field: str, *, similarity_top_k: int = 4,
                 passage: Literal["sentence", "document"] = "sentence", parse: bool = False, **options: Any) -> None:
        if isinstance(similarity_top_k, bool) or not isinstance(similarity_top_k, int) or similarity_top_k < 1:
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, "similarity_top_k is a whole number of at least 1, not "
                                f"{similarity_top_k!r}", {})
        if passage not in ("sentence", "document"):
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, f'passage is "sentence" or "document", not {passage!r}', {})
        self._narsil, self._index, self._field = narsil, index, field
        self._top_k, self._passage, self._parse, self._options = similarity_top_k, passage, parse, options
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        term: Any = parse_query(query_bundle.query_str) if self._parse else query_bundle.query_str
        found = []
        for hit in self._narsil.query(self._index, term, limit=self._top_k, **self._options):
            text = text_of(freeze(hit.document), tuple(self._field.split(".")))
            quote = hit.quote(self._field)
            whole = text if isinstance(text, str) else ""
            source = hit.id
            if self._passage == "sentence" and quote is not None:
                content, start, end = quote.text, quote.start, quote.end
                source = quote.source or source
            else:
                content, start, end = whole, 0, len(whole)
            metadata = {key: value for key, value in hit.document.items() if key != self._field}
            metadata |= {"index": self._index, "doc_id": source, "field": self._field, "coverage": hit.coverage}
            node = TextNode(id_=f"{hit.id}:{start}-{end}", text=content, start_char_idx=start, end_char_idx=end,
                            metadata=metadata,
                            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=source)})
            found.append(NodeWithScore(node=node, score=hit.score))
        return found
