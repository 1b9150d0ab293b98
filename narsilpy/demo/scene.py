"""The scene: a passenger asks, a model answers, and the airline publishes only what its rules say."""
from __future__ import annotations

from narsilpy import Narsil
from narsilpy.demo.model import Model, ScriptedModel, Source
from narsilpy.demo.publish import Outcome, publish
from narsilpy.demo.rules import INDEX, QUESTION, RULES, SCHEMA

__all__ = ["play_scene"]

MAX_DRAFTS = 3


def search(engine: Narsil, words: str) -> list[Source]:
    """The two best rules for `words`, each with the sentence round its best match."""
    result = engine.query(INDEX, term=words, highlight={"fields": ["body"]}, limit=2)
    sources = []
    for hit in result.hits:
        quote = hit.quote("body")
        if quote is not None:
            sources.append(Source(hit.id, hit.document["title"], quote.text))
    return sources


def play_scene(model: Model | None = None, question: str = QUESTION) -> Outcome:
    """Play the scene with `model` (default: the scripted one) and return what was refused and what was published."""
    model = model or ScriptedModel()
    outcome = Outcome(question)
    say = outcome.transcript.append
    with Narsil() as engine:
        engine.create_index(INDEX, schema=SCHEMA, language="english")
        engine.insert_batch(INDEX, RULES)
        say(f"Passenger: {question}")
        say(f"Model, with no source: {model.answer(question, (), ()).text}")
        sources = search(engine, model.search_words(question))
        for source in sources:
            say(f"Search: {source.doc_id}, {source.title}: {source.sentence}")
        for _ in range(MAX_DRAFTS):
            draft = model.answer(question, sources, [refusal["reason"] for refusal in outcome.refused])
            say(f"Model: {draft.text}")
            published, refused = publish(engine, INDEX, draft.claims)
            outcome.refused += refused
            for refusal in refused:
                say(f"Refused: {refusal['reason']}.")
            if published and not refused:
                outcome.answer, outcome.published = draft.text, published
                outcome.texts = [(engine.get(INDEX, item["doc_id"]) or {})[item["field"]] for item in published]
                say("Published.")
                break
    return outcome
