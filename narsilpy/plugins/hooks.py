"""Calling plugins. An engine without any never comes here."""
from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from narsilpy.errors import ErrorCode, InvalidConfig
from narsilpy.writes import Batches

if TYPE_CHECKING:
    from narsilpy.index import IndexCore
    from narsilpy.results import BatchResult, QueryResult

EVENTS = tuple(f"{when}_{verb}" for when in ("before", "after") for verb in ("insert", "update", "remove", "search"))
_log = logging.getLogger("narsilpy.plugins")


class Hooks:
    """The methods of an engine's plugins, by event."""

    def __init__(self, plugins: Iterable[Any]) -> None:
        self.by_event: dict[str, list[Callable[..., Any]]] = {event: [] for event in EVENTS}
        for plugin in plugins:
            found = [event for event in EVENTS if callable(getattr(plugin, event, None))]
            if not found:
                raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"a plugin has some of the methods {', '.join(EVENTS)}; "
                                    f"{type(plugin).__name__} has none", {"option": "plugins"})
            for event in found:
                self.by_event[event].append(getattr(plugin, event))

    def before(self, event: str, index: str, subject: Any, given: Any) -> Any:
        """What a write or search is to take in place of `given`."""
        for hook in self.by_event[event]:
            changed = hook(index, subject, given)
            if changed is not None:
                given = changed
        return given

    def after(self, event: str, *arguments: Any) -> None:
        """Tell of a write that was done."""
        for hook in self.by_event[event]:
            try:
                hook(*arguments)
            except Exception:  # noqa: BLE001  # a write that was done is not made to look undone
                _log.exception("a plugin failed after a write that was done: %s", event)

    def search(self, index: str, term: Any, options: dict[str, Any],
               run: Callable[[dict[str, Any]], QueryResult]) -> QueryResult:
        """A query with its hooks."""
        changed = self.before("before_search", index, term, options)
        if not isinstance(changed, Mapping):
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, "before_search returns a mapping of options or None, not "
                                f"{type(changed).__name__}", {"option": "plugins"})
        options = dict(changed)
        result = run(dict(options))
        for hook in self.by_event["after_search"]:
            hook(index, term, options, result)
        return result


class HookedWriter(Batches):
    """An index whose writes go through plugins."""

    def __init__(self, core: IndexCore, hooks: Hooks) -> None:
        self.core = core
        self.hooks = hooks

    def insert(self, document: Any, doc_id: str | None = None) -> str:
        name, hooks = self.core.name, self.hooks
        document = hooks.before("before_insert", name, doc_id, document)
        key = self.core.insert(document, doc_id)
        hooks.after("after_insert", name, key, document)
        return key

    def update(self, doc_id: str, document: Any) -> None:
        name, hooks = self.core.name, self.hooks
        document = hooks.before("before_update", name, doc_id, document)
        self.core.update(doc_id, document)
        hooks.after("after_update", name, doc_id, document)

    def upsert(self, document: Any, doc_id: str | None = None) -> str:
        name, hooks = self.core.name, self.hooks
        known = doc_id if doc_id is not None else document.get("id") if isinstance(document, Mapping) else None
        verb = "update" if isinstance(known, str) and known in self.core.numbers else "insert"
        document = hooks.before(f"before_{verb}", name, doc_id if verb == "insert" else known, document)
        key = self.core.upsert(document, doc_id)
        hooks.after(f"after_{verb}", name, key, document)
        return key

    def remove(self, doc_id: str) -> None:
        name, hooks = self.core.name, self.hooks
        for hook in hooks.by_event["before_remove"]:
            hook(name, doc_id)
        self.core.remove(doc_id)
        hooks.after("after_remove", name, doc_id)

    def batch(self, items: Iterable[Any], apply: Callable[[Any], str], name: Callable[[Any], Any],
              on_progress: Callable[[int], object] | None = None) -> BatchResult:
        return self.core.batch(items, apply, name, on_progress)
