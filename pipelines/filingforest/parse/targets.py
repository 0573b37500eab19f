"""Where an item that is only a pointer points to: the node inside the filing that holds the matter ("See Note 13": that section)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from filingforest.parse.labels import words_of
from filingforest.parse.model import ItemView, Node
from filingforest.parse.status import targets_of

MOST = 5  # targets of one pointer


class Targets:
    """What can be pointed to in one document, by what it is called."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.named: dict[tuple[str, str], str] = {}
        self.own: dict[str, list[str]] = {}  # item -> its nodes that hold the matter itself
        for node in nodes:
            if node.kind == "item" and node.item:
                self._add("item", node.item.rpartition(".")[2] if node.item[:1] in "IV" else node.item, node)
                if node.status == "full":
                    self.own.setdefault(node.item, []).append(node.node_id)
            elif node.kind == "section" and node.heading:
                if node.label and node.label.lower().startswith("note "):
                    self._add("note", node.label[5:], node)
                self._add("heading", " ".join(words_of(node.heading)), node)
            if node.page_label and node.kind in ("item", "section", "text", "table"):
                self._add("page", node.page_label, node)

    def _add(self, kind: str, name: str, node: Node) -> None:
        self.named.setdefault((kind, name.upper()), node.node_id)

    def of(self, view: ItemView) -> list[str]:
        """Node ids: where the item's own matter lies elsewhere, then what the pointer's words name, in order."""
        found = [self._find(kind, name) for kind, name in targets_of(view.text)]
        return list(dict.fromkeys(x for x in [*self.own.get(view.item, []), *found] if x))[:MOST]

    def _find(self, kind: str, name: str) -> str | None:
        if kind == "heading":
            name = " ".join(words_of(re.sub(r"^note \d+\W+", "", name, flags=re.IGNORECASE)))
        return self.named.get((kind, name.upper()))


def resolve(views: Iterable[ItemView], nodes: Sequence[Node]) -> None:
    """Sets `targets` of all pointers."""
    pointers = [view for view in views if view.status == "pointer"]
    if pointers:
        targets = Targets(nodes)
        for view in pointers:
            view.targets = targets.of(view)
