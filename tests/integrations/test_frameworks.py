"""LangChain, LlamaIndex and Haystack: each framework's own conformance tests, and offsets that are true."""
from __future__ import annotations

from typing import Any

import pytest

from tests.integrations.engine import rules_engine

SENTENCE = "A violin or a guitar in a soft case counts as the cabin bag."

langchain_tests = pytest.importorskip("langchain_tests", reason="the extra `integrations` is not installed")
pytest.importorskip("llama_index.core")
pytest.importorskip("haystack")

from haystack.testing.document_store import DocumentStoreBaseTests  # noqa: E402  # after the checks
from langchain_tests.integration_tests import RetrieversIntegrationTests  # noqa: E402

from narsilpy.integrations.haystack import NarsilDocumentStore  # noqa: E402
from narsilpy.integrations.langchain import NarsilRetriever  # noqa: E402


class TestLangChain(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[NarsilRetriever]:
        return NarsilRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"narsil": rules_engine(), "index": "rules", "field": "body"}

    @property
    def retriever_query_example(self) -> str:
        return "free charge seat bag cabin child travels counts"


def test_langchain_documents_cite() -> None:
    (found,) = NarsilRetriever(narsil=rules_engine(), index="rules", field="body", k=1).invoke("violins")
    assert found.id == found.metadata["id"] == "CB-09"
    quote = found.metadata["quote"]
    assert found.page_content[quote["start"]:quote["end"]] == quote["text"] == SENTENCE
    assert found.metadata["title"] == "Musical instruments"


@pytest.mark.parametrize("passage", ["sentence", "document"])
def test_llamaindex_nodes_have_true_offsets(passage: str) -> None:
    from llama_index.core.retrievers import BaseRetriever

    from narsilpy.integrations.llamaindex import NarsilRetriever as LlamaRetriever

    narsil = rules_engine()
    retriever = LlamaRetriever(narsil, "rules", "body", passage=passage, similarity_top_k=2)  # type: ignore[arg-type]  # of two
    assert isinstance(retriever, BaseRetriever)
    nodes = retriever.retrieve("violins")
    assert nodes
    for found in nodes:
        stored = narsil.get("rules", found.node.metadata["doc_id"])
        assert stored is not None
        assert stored["body"][found.node.start_char_idx:found.node.end_char_idx] == found.node.text
    assert (nodes[0].node.text == SENTENCE) == (passage == "sentence")


class TestHaystackStore(DocumentStoreBaseTests):
    @pytest.fixture
    def document_store(self) -> NarsilDocumentStore:
        return NarsilDocumentStore()

    def test_write_documents(self, document_store: NarsilDocumentStore) -> None:
        from haystack import Document
        from haystack.document_stores.errors import DuplicateDocumentError

        documents = [Document(id="1", content="a violin")]
        assert document_store.write_documents(documents) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents(documents)


def test_haystack_pipelines_find_and_cite(tmp_path: Any) -> None:
    from haystack import Document, Pipeline

    from narsilpy.integrations.haystack import NarsilRetriever as HaystackRetriever

    store = NarsilDocumentStore(str(tmp_path / "engine"))
    store.write_documents([Document(id="a", content=f"Intro. {SENTENCE}", meta={"year": 2020}),
                           Document(id="b", content="A violin.", meta={"year": 2010})])
    pipeline = Pipeline()
    pipeline.add_component("retriever", HaystackRetriever(store, top_k=3))
    wanted = {"field": "meta.year", "operator": ">=", "value": 2015}
    (found,) = pipeline.run({"retriever": {"query": "violins", "filters": wanted}})["retriever"]["documents"]
    quote = found.meta["quote"]
    assert found.id == "a"
    assert found.content[quote["start"]:quote["end"]] == SENTENCE
    assert found.score > 0
    again = HaystackRetriever.from_dict(HaystackRetriever(NarsilDocumentStore(), top_k=2).to_dict())
    assert again.top_k == 2


def test_llamaindex_nodes_of_chunks_name_the_document_of_their_offsets() -> None:
    from narsilpy import Narsil
    from narsilpy.integrations.llamaindex import NarsilRetriever as LlamaRetriever

    text = "".join(f"Sentence number {number} says little. " for number in range(60)) + "A violin is here."
    narsil = Narsil()
    narsil.create_index("docs", schema={"body": "string"})
    narsil.insert_chunks("docs", {"id": "S", "body": text}, field="body", max_chars=300)
    (found,) = LlamaRetriever(narsil, "docs", "body").retrieve("violin")
    assert found.node.metadata["doc_id"] == "S"
    assert text[found.node.start_char_idx:found.node.end_char_idx] == found.node.text == "A violin is here."
