"""The scene that `narsilpy demo` plays: an agent answers, cites, and only what the documents say is published.

    rules.py      the documents and the question
    model.py      what a model must do, and a scripted one to play the part
    publish.py    the check before publishing, and what came of it
    scene.py      the scene itself
    documents.py  search and cite over a file of the user's own
"""
from __future__ import annotations

from narsilpy.demo.documents import cite_documents
from narsilpy.demo.model import Claim, Draft, Model, ScriptedModel, Source
from narsilpy.demo.publish import Outcome, publish
from narsilpy.demo.scene import play_scene

__all__ = ["Claim", "Draft", "Model", "Outcome", "ScriptedModel", "Source", "cite_documents", "play_scene", "publish"]
