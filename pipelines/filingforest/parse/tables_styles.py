"""The few things a table needs from inline CSS, read once a distinct style: filings repeat a hundred styles ten thousand times."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from filingforest.parse.styles import declarations, length


class StyleInfo(NamedTuple):
    bold: bool = False
    hidden: bool = False
    raised: bool = False
    indent: float = 0.0  # points


PLAIN = StyleInfo()


@lru_cache(maxsize=20_000)
def style_info(style: str) -> StyleInfo:
    """Bold, hidden, raised (superscript), left indent in points."""
    css = declarations(style[:2000])
    weight = css.get("font-weight", css.get("font", ""))
    bold = "bold" in weight or (weight.isdigit() and int(weight) >= 600)
    raised = css.get("vertical-align") == "super" or css.get("top", "").startswith("-")
    return StyleInfo(bold, css.get("display") == "none", raised, _indent(css))


def _indent(css: dict[str, str]) -> float:
    """Left padding, margin and first-line indent together, each from its own property or the shorthand (top right bottom left)."""
    total = length(css.get("text-indent", ""))
    for name in ("padding", "margin"):
        left = css.get(f"{name}-left")
        if left is None:
            parts = css.get(name, "").split()
            left = parts[3] if len(parts) == 4 else parts[1] if len(parts) > 1 else parts[0] if parts else ""
        total += length(left)
    return total
