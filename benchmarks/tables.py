"""Markdown tables and SVG bar charts from plain numbers."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

__all__ = ["Cell", "bars", "markdown", "number"]

Cell = str | float | int | None


def number(value: Cell) -> str:
    """Three significant digits, thousands apart; a dash for nothing.

    >>> [number(v) for v in (0.01234, 5.678, 43210.9, None, "text")]
    ['0.0123', '5.68', '43,211', '–', 'text']
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, str):
        return value
    if value == 0:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[Cell]], *, best: str = "") -> str:
    """A table; `best` = "low" or "high" sets the best number of each column in bold.

    >>> print(markdown(["", "p50"], [["a", 2.0], ["b", 1.0]], best="low"))
    |  | p50 |
    |---|--:|
    | a | 2 |
    | b | **1** |
    """
    winners = {}
    for column in range(1, len(head)):
        numbers = [row[column] for row in rows if isinstance(row[column], (int, float))]
        if best and len(numbers) > 1:
            winners[column] = (min if best == "low" else max)(numbers)  # type: ignore[type-var]  # numbers alone
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    for row in rows:
        cells = [
            f"**{number(cell)}**" if column in winners and cell == winners[column] else number(cell)
            for column, cell in enumerate(row)
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


COLOURS = ("#0b6e4f", "#7a8b99", "#b5a268", "#8c6f9e", "#5f8fb0", "#b07a5f", "#9aa58a", "#777777")
GROUP_GAP, BAR, LEFT, WIDTH = 14, 13, 120, 820


def bars(title: str, groups: Mapping[str, Mapping[str, float | None]], unit: str) -> str:
    """A chart of horizontal bars on a logarithmic axis: one group a question, one bar an engine, lower is left."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    values = [value for group in groups.values() for value in group.values() if value]
    if not values:
        return ""
    low = 10 ** math.floor(math.log10(min(values)))
    high = 10 ** math.ceil(math.log10(max(values) * 1.0001))
    scale = (WIDTH - LEFT - 70) / math.log10(high / low)

    def x(value: float) -> float:
        return LEFT + scale * math.log10(value / low)

    parts, y = [], 64
    for group, entries in groups.items():
        parts.append(f'<text x="{LEFT - 8}" y="{y + 10}" text-anchor="end" font-weight="bold">{escape(group)}</text>')
        for name, value in entries.items():
            if value:
                colour = COLOURS[names.index(name) % len(COLOURS)]
                width = max(1.5, x(value) - LEFT)
                parts.append(f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{colour}"/>')
                parts.append(f'<text x="{LEFT + width + 5:.1f}" y="{y + 10}">{number(value)}</text>')
                y += BAR
        y += GROUP_GAP
    frame = _axis(low, high, x, y) + _legend(names)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 30}" '
        f'font-family="sans-serif" font-size="11">'
        f'<rect width="100%" height="100%" fill="#ffffff"/>'
        f'<text x="10" y="18" font-size="14" font-weight="bold">{escape(title)} ({escape(unit)}, logarithmic)</text>'
        + frame + "".join(parts) + "</svg>\n"
    )


def _axis(low: float, high: float, x: object, bottom: int) -> str:
    assert callable(x)
    lines, value = [], low
    while value <= high * 1.0001:
        at = x(value)
        lines.append(f'<line x1="{at:.1f}" y1="56" x2="{at:.1f}" y2="{bottom}" stroke="#dddddd"/>')
        lines.append(f'<text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle" fill="#555555">{number(value)}</text>')
        value *= 10
    return "".join(lines)


def _legend(names: Sequence[str]) -> str:
    parts, at = [], 10
    for index, name in enumerate(names):
        parts.append(f'<rect x="{at}" y="30" width="11" height="11" fill="{COLOURS[index % len(COLOURS)]}"/>')
        parts.append(f'<text x="{at + 15}" y="40">{escape(name)}</text>')
        at += 30 + 7 * len(name)
    return "".join(parts)
