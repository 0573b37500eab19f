"""`filingforest train`: teaches a reranker or an encoder, and says before and after on companies that it did not learn from."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filingforest.cli.common import add_index, complain, indexes, named_indexes, settings_of
from filingforest.errors import ConfigError

if TYPE_CHECKING:
    from filingforest.train.examples import Example

ABOUT = """reranker: pairs come from the index's tagged facts and headings (hard negatives: what plain hybrid ranks high), and from FinQA
files that you bring. embedder: from terms with definitions (FinRAD's form) and the index's question trees. Companies and terms are split
by hash; before and after are printed on those held out. What is learned from filings is yours to keep beside the index."""
EXAMPLES = """  filingforest train reranker --tier light --out weights.json --index work/filings
  filingforest train reranker --tier full --seconds 600 --out work/reranker --index work/filings --finqa train.json
  filingforest train embedder --terms finrad.csv --seconds 300 --out work/encoder --index work/filings

then: rerank.model = "work/reranker" or embed.model = "work/encoder" in filingforest.toml, and `filingforest run`"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("reranker", "embedder"))
    parser.add_argument("--tier", choices=("light", "full"), default="full", help="reranker: weights of features, or a cross-encoder")
    parser.add_argument("--out", type=Path, required=True, metavar="PATH", help="file (light) or folder for what was learned")
    parser.add_argument("--base", default="all-MiniLM-L6-v2", metavar="MODEL", help="weights to start from: a name or a folder")
    parser.add_argument("--layers", type=int, default=6, metavar="N", help="reranker: layers of it that are kept")
    parser.add_argument("--most", type=int, default=900, metavar="N", help="questions made from facts")
    parser.add_argument("--judge", type=int, default=150, metavar="N", help="questions of held-out companies that are judged by, at most")
    parser.add_argument("--seconds", type=float, default=300.0, metavar="S", help="CPU seconds of training at most")
    parser.add_argument("--finqa", type=Path, metavar="FILE", help="reranker: FinQA's train.json")
    parser.add_argument("--terms", type=Path, metavar="FILE", help="embedder: CSV with columns term, definition")
    add_index(parser, many=True)


def run(arguments: argparse.Namespace) -> int:
    settings_of(arguments)
    read = arguments.what == "reranker" or bool(named_indexes(arguments))  # terms alone will do for an embedder
    learn, judge = _examples(arguments) if read else ([], [])
    from filingforest.train import told

    if arguments.what == "embedder":
        trees = [pair for publication in _publications(arguments) for pair in told.tree_pairs(publication)] if read else []
        told.embedder(arguments.base, arguments.seconds, arguments.terms, trees, learn, judge, arguments.out)
        return 0
    if not learn or not judge:
        remedy = "give an index with tagged filings of several companies"
        raise ConfigError("too few questions to learn from or to judge by", stage="train", remedy=remedy)
    if arguments.tier == "light":
        told.light_weights(learn, judge, arguments.out)
        return 0
    chosen = told.CrossSettings(base=arguments.base, layers=arguments.layers, seconds=arguments.seconds)
    told.cross_encoder(chosen, learn, judge, arguments.finqa, arguments.out)
    return 0


def _examples(arguments: argparse.Namespace) -> tuple[list[Example], list[Example]]:
    """Questions with their candidates: to learn from, and of held-out companies."""
    from filingforest.train.examples import examples, questions_of, split

    learn, judge = [], []
    for publication in _publications(arguments):
        mine, theirs = split(questions_of(publication, arguments.most))
        theirs = theirs[: arguments.judge]
        complain(f"{publication.id}: {len(mine)} questions to learn from, {len(theirs)} of held-out companies")
        learn += list(examples(publication, mine))
        judge += list(examples(publication, theirs))
    return learn, judge


def _publications(arguments: argparse.Namespace) -> tuple[Any, ...]:
    from filingforest.query.reader import Reader

    return Reader(indexes(arguments)).opened
