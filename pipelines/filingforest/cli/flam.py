"""`filingforest flam`: what the lexicon map says of a question, or of the Items of an index, as a heat map."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filingforest.cli.common import add_index, bold, indexes, settings_of, table
from filingforest.errors import ConfigError, QueryError

if TYPE_CHECKING:
    from filingforest.query.flam_view import HeatMap
    from filingforest.query.publication import Publication

ABOUT = """With a QUESTION: its finance terms, the clusters they are expanded to, each Item's weight (w_i) and its share of k hits (k_i).
Without one: how often terms stand in each Item, as a table, a picture (--png, needs matplotlib) or a page (--html)."""
EXAMPLES = """  filingforest flam "How did net sales and backlog change?" -k 10 --index work/filings
  filingforest flam --index work/filings --company "Quince Inc." --html flam.html
  filingforest flam --index work/filings --terms revenue,backlog,goodwill --rates --png flam.png"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", metavar="QUESTION", nargs="?")
    parser.add_argument("-k", type=int, default=10, metavar="N", help="hits to split over Items")
    parser.add_argument("--company", metavar="NAME", help="only these documents: name, ticker or CIK")
    parser.add_argument("--year", type=int, metavar="YEAR")
    parser.add_argument("--form", metavar="FORM")
    parser.add_argument("--terms", metavar="A,B", help="columns of the heat map (default: the commonest)")
    parser.add_argument("--most", type=int, default=30, metavar="N", help="so many of the commonest terms")
    parser.add_argument("--rates", action="store_true", help="for each 1,000 tokens of the Item, instead of counts")
    parser.add_argument("--png", type=Path, metavar="FILE")
    parser.add_argument("--html", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")
    parser.add_argument("--at", metavar="ID", help="this publication instead of the current one")
    add_index(parser, many=True)


def run(arguments: argparse.Namespace) -> int:
    from filingforest import query
    from filingforest.query.filters import Filters

    settings = settings_of(arguments)
    publications = query.open(*indexes(arguments), at=arguments.at).opened
    named = {name: getattr(arguments, name) for name in ("company", "year", "form") if getattr(arguments, name) is not None}
    filters = Filters.of(named)
    if arguments.question:
        found = [_asked(p, arguments.question, filters, arguments.k, settings.retrieval) for p in publications]
        print(json.dumps(found, ensure_ascii=False) if arguments.json else "\n\n".join(_told(f) for f in found))
        return 0
    from filingforest.query.flam_view import heat_map

    terms = [term.strip() for term in (arguments.terms or "").split(",") if term.strip()]
    found_map = heat_map(publications, filters, terms, arguments.most)
    if not found_map.items:
        remedy = "grow trees (`trees.enabled`), or ask for other documents or terms"
        raise QueryError("no finance term was counted in these documents", stage="flam", remedy=remedy)
    _show(found_map, arguments)
    return 0


def _show(found: HeatMap, arguments: argparse.Namespace) -> None:
    from filingforest.flam import picture

    values = found.rates if arguments.rates else found.counts
    what = "occurrences for each 1,000 tokens" if arguments.rates else "occurrences"
    if arguments.html:
        _write(arguments.html, picture.html(found.items, found.columns, values, what).encode())
    if arguments.png:
        _write(arguments.png, picture.png(found.items, found.columns, values, what))
    if arguments.json:
        print(json.dumps({"items": list(found.items), "terms": list(found.columns), "counts": found.counts.tolist()}))
    elif not (arguments.html or arguments.png):
        cells = [[f"{value:.1f}" if arguments.rates else str(int(value)) for value in column] for column in values.T]
        print(table([[term, *column] for term, column in zip(found.columns, cells, strict=True)], ["term", *found.items]))


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}", stage="flam", remedy="name a file in a folder that is there") from error
    print(path)


def _asked(publication: Publication, question: str, filters: Any, k: int, retrieval: Any) -> dict[str, Any]:
    """Terms, clusters, weights and budget of a question over the documents that pass the filters."""
    from filingforest.query.arms.guide import guide
    from filingforest.query.scope import demanded

    flags = demanded(filters, publication.corpus)
    found = guide(publication, question, flags, retrieval, {}, publication.terms)
    leaves: Counter[str] = Counter()
    for segment, mine in zip(publication.segments, publication.split(flags), strict=True):
        for place in mine.nonzero()[0].tolist() if segment.trees else ():
            leaves.update({tree.item_key: len(tree.leaves) for tree in segment.trees.of(place)} if segment.trees else {})
    budget = found.budget(k, leaves)
    items = [
        {"item_key": item, "w_i": weight, "k_i": budget.get(item, 0), "chunks": leaves[item]}
        for item, weight in sorted(found.weights.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    return {
        "publication": publication.id,
        "lexicon": publication.terms is not None,
        "terms": list(found.terms),
        "clusters": found.clusters,
        "items": items,
    }


def _told(found: dict[str, Any]) -> str:
    if not found["lexicon"]:
        return f"{found['publication']}: it carries no lexicon: its documents were taken in without trees (`trees.enabled`)"
    if not found["terms"]:
        return f"{found['publication']}: no finance term of the lexicon is in the question; Items are weighed by their best dense scores"
    lines = [bold(found["publication"]), *(f"  {term}: {', '.join(found['clusters'].get(term, [term]))}" for term in found["terms"])]
    rows = [[item["item_key"] or "''", f"{item['w_i']:.3f}", str(item["k_i"]), str(item["chunks"])] for item in found["items"]]
    return "\n".join([*lines, table(rows, ["item", "w_i", "k_i", "chunks"])])
