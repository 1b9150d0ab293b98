"""The slow, obvious twin of filters: every document asked on its own."""
from __future__ import annotations

from typing import Any


def holds(expression: dict[str, Any], document: dict[str, Any], types: dict[str, str]) -> bool:
    """Whether a document satisfies an expression."""
    return (all(condition(document.get(path), operators, types[path])
                for path, operators in expression.get("fields", {}).items())
            and all(holds(part, document, types) for part in expression.get("and", []))
            and (not expression.get("or") or any(holds(part, document, types) for part in expression["or"]))
            and ("not" not in expression or not holds(expression["not"], document, types)))


def condition(value: Any, operators: dict[str, Any], kind: str) -> bool:
    return all(operator(value, name, operand, kind) for name, operand in operators.items())


def fits(operand: Any, kind: str) -> bool:
    base = kind.removesuffix("[]")
    if base == "number":
        return isinstance(operand, (int, float)) and not isinstance(operand, bool)
    return isinstance(operand, bool if base == "boolean" else str)


def operator(value: Any, name: str, operand: Any, kind: str) -> bool:
    is_array = kind.endswith("[]")
    if name in ("exists", "not_exists"):
        return (value is not None) == ((name == "exists") == operand)
    if name in ("is_empty", "is_not_empty"):
        return (value is None or value in ("", [])) == ((name == "is_empty") == operand)
    if value is None:
        return False
    elements = value if is_array else [value]
    if name == "size":
        return is_array and len(value) == operand
    if name == "contains_all":
        return is_array and all(fits(item, kind) and item in elements for item in operand)
    if name in ("in", "matches_any"):
        return any(fits(item, kind) and item in elements for item in operand)
    if name == "nin":
        return elements != [] and not any(fits(item, kind) and item in elements for item in operand)
    if name == "eq":
        return fits(operand, kind) and operand in elements
    if name == "ne":
        if kind.startswith("boolean"):
            return any(element is not operand for element in elements)
        return elements != [] and not (fits(operand, kind) and operand in elements)
    if name in ("starts_with", "ends_with"):
        return isinstance(operand, str) and kind.removesuffix("[]") in ("string", "enum") and any(
            getattr(element, name.replace("_", ""))(operand) for element in elements)
    if not kind.startswith("number"):
        return False
    if name == "between":
        return all(fits(item, kind) for item in operand) and any(operand[0] <= item <= operand[1] for item in elements)
    return fits(operand, kind) and any(
        {"gt": item > operand, "lt": item < operand, "gte": item >= operand, "lte": item <= operand}[name]
        for item in elements)
