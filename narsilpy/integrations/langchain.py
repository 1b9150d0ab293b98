"""A LangChain retriever: `NarsilRetriever(narsil=..., index="rules", field="body", k=4)`.

Each `Document` holds the field's text; its metadata the id, the score, the coverage, the sentence round the best match
with its exact offsets, and the other fields of the stored document. Needs `narsilpy[langchain]`.
"""
from __future__ import annotations

from typing import Any

from narsilpy.errors import ErrorCode, InvalidConfig
from narsilpy.integrations import needed
from narsilpy.query.parse import parse_query
from narsilpy.schema import freeze, text_of

needed("langchain_core", "langchain")

from langchain_core.callbacks import CallbackManagerForRetrieverRun  # noqa: E402  # after the check for the extra
from langchain_core.documents import Document  # noqa: E402
from langchain_core.retrievers import BaseRetriever  # noqa: E402
from pydantic import ConfigDict, Field  # noqa: E402


class NarsilRetriever(BaseRetriever):
    """Documents of one index by words.

    Attributes:
        narsil: the engine (`narsilpy.Narsil`).
        index: the name of the index.
        field: the text field that becomes `page_content`.
        k: how many documents; `invoke(query, k=...)` asks for others.
        options: more options of `query`, such as `filters` or `prefix`.
        parse: whether quotes, -word and field:word work as in a search box; otherwise all is plain text.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    narsil: Any
    index: str
    field: str
    k: int = 4
    options: dict[str, Any] = Field(default_factory=dict)
    parse: bool = False

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun,
                                k: int | None = None, **options: Any) -> list[Document]:
        wanted = self.k if k is None else k
        if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 1:
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"k is a whole number of at least 1, not {wanted!r}", {})
        term = parse_query(query) if self.parse else query
        found = []
        for hit in self.narsil.query(self.index, term, limit=wanted, **{**self.options, **options}):
            text = text_of(freeze(hit.document), tuple(self.field.split(".")))
            quote = hit.quote(self.field)
            metadata = {key: value for key, value in hit.document.items() if key != self.field}
            metadata |= {"id": hit.id, "score": hit.score, "coverage": hit.coverage, "index": self.index,
                         "field": self.field, "quote": None if quote is None else quote.to_dict()}
            content = text if isinstance(text, str) else "\n".join(text or ())
            found.append(Document(page_content=content, metadata=metadata, id=hit.id))
        return found
