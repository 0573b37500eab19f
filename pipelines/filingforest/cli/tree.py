"""`filingforest tree`: an Item's summary tree or question tree, drawn in the terminal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from filingforest.cli.common import add_index, indexes

if TYPE_CHECKING:
    from filingforest.query.forest import Grown

ABOUT = """Both trees of an Item share their nodes: leaves are chunks, a node above has a summary and sub-questions of what is below.
A percentage is how much of a child belongs to the node above it; one that belongs to several is drawn under each, its own children once."""
EXAMPLES = """  filingforest tree 0001234567-24-000001 7 --index work/filings
  filingforest tree 0001234567-24-000001 10-K:II.7 --tree question --index work/filings
  filingforest tree 0001234567-24-000001 1A --no-leaves --width 120 --index work/filings"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("doc", metavar="DOC", help="doc_id, or its beginning or end")
    parser.add_argument("item", metavar="ITEM", help="7, 1A, 10-K:II.7; '' for what stands outside any")
    parser.add_argument("--tree", choices=("summary", "question"), default="summary")
    parser.add_argument("--no-leaves", action="store_true", help="chunks are counted, not drawn")
    parser.add_argument("--width", type=int, default=None, metavar="N", help="columns (default: the terminal's)")
    parser.add_argument("--at", metavar="ID", help="this publication instead of the current one")
    add_index(parser, many=True)


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from filingforest import query
    from filingforest.query.forest import find_tree

    reader = query.open(*indexes(arguments), at=arguments.at)
    grown = find_tree(reader.opened, arguments.doc, arguments.item)
    Console(width=arguments.width, highlight=False).print(drawn(grown, arguments.tree, not arguments.no_leaves))
    return 0


def drawn(grown: Grown, which: str, leaves: bool = True) -> Any:
    """A `rich.tree.Tree`."""
    from rich.text import Text
    from rich.tree import Tree

    tree, done = grown.tree, set[int]()
    head = f"{grown.doc_id} {tree.item_key or '(outside any item)'}: {len(tree.leaves)} chunks, {len(tree) - len(tree.leaves)} nodes above"
    top = Tree(Text(f"{head}, {which} tree by {grown.generators[tree.root]}", style="bold"))

    def draw(parent: Tree, node: int, share: float | None) -> None:
        again = node in done and int(tree.levels[node]) > 0
        done.add(node)
        branch = parent.add(_label(grown, node, which, share, again))
        below = zip(tree.children(node).tolist(), tree.weights(node).tolist(), strict=True)
        for child, weight in () if again else below:
            if leaves or tree.levels[child]:
                draw(branch, child, weight)

    draw(top, tree.root, None)
    return top


def _label(grown: Grown, node: int, which: str, share: float | None, again: bool) -> Any:
    from rich.text import Text

    tree = grown.tree
    mark = "chunk" if not tree.levels[node] else f"level {tree.levels[node]}, {len(tree.children(node))} below"
    label = Text(f"[{mark}] ", style="cyan")
    if share is not None:
        label.append(f"{share:.0%} ", style="magenta")
    if again:
        return label.append("(drawn above)", style="dim")
    if which == "question" and tree.levels[node]:
        return label.append("\n".join(grown.questions[node]))
    return label.append(_cut(grown.summaries[node], 160 if not tree.levels[node] else 320))


def _cut(text: str, limit: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[:limit].rsplit(" ", 1)[0] + " …"
