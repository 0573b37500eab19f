"""What each element of a page does to the text in it, worked out once a distinct look: filings repeat few of them ten thousand times."""

from __future__ import annotations

from filingforest.parse.styles import Effect, Look, declarations, effect_of

Key = tuple[str, str | None, str | None, str | None]


class Looks:
    """The effects of a document's elements."""

    def __init__(self) -> None:
        self._inside: dict[Look, dict[Key, Effect]] = {}

    def inside(self, look: Look) -> dict[Key, Effect]:
        """The effects known so far inside this look."""
        return self._inside.setdefault(look, {})

    def effect(self, key: Key, parent: Look) -> Effect:
        """What an element of this tag, style, align and size does inside `parent`."""
        tag, style, align, size = key
        css = declarations(style) if style else {}
        attributes = {k: v for k, v in (("align", align), ("size", size)) if v}
        found = effect_of(tag, css, attributes, parent)
        found.below = self.inside(found.look)
        return found
