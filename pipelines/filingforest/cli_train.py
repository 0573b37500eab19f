"""`filingforest train`: teaches a reranker or an encoder, and says before and after on companies that it did not learn from."""

from __future__ import annotations

import argparse
import hashlib
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filingforest.cli_common import add_index, complain, indexes, settings_of
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
    parser.add_argument("--seconds", type=float, default=300.0, metavar="S", help="CPU seconds of training at most")
    parser.add_argument("--finqa", type=Path, metavar="FILE", help="reranker: FinQA's train.json")
    parser.add_argument("--terms", type=Path, metavar="FILE", help="embedder: CSV with columns term, definition")
    add_index(parser, many=True)


def run(arguments: argparse.Namespace) -> int:
    settings_of(arguments)
    if arguments.what == "embedder":
        return _embedder(arguments)
    from filingforest.train.examples import examples, questions_of, split

    learn, judge = [], []
    for publication in _publications(arguments):
        mine, theirs = split(questions_of(publication, arguments.most))
        complain(f"{publication.id}: {len(mine)} questions to learn from, {len(theirs)} of held-out companies")
        learn += list(examples(publication, mine))
        judge += list(examples(publication, theirs))
    if not learn or not judge:
        remedy = "give an index with tagged filings of several companies"
        raise ConfigError("too few questions to learn from or to judge by", stage="train", remedy=remedy)
    return _light(arguments, learn, judge) if arguments.tier == "light" else _full(arguments, learn, judge)


def _light(arguments: argparse.Namespace, learn: list[Example], judge: list[Example]) -> int:
    from filingforest.train import light

    weights = light.learn(learn)
    light.save(weights, f"learned from {len(learn)} questions", arguments.out)
    _say("before (plain hybrid)", [e.columns @ light.start() for e in judge], judge)
    _say("after", [e.columns @ weights for e in judge], judge)
    print(f"wrote {arguments.out}")
    return 0


def _full(arguments: argparse.Namespace, learn: list[Example], judge: list[Example]) -> int:
    from filingforest.models.rerank import CrossEncoder
    from filingforest.query.rerank import light_weights
    from filingforest.train import cross

    chosen = cross.CrossSettings(base=arguments.base, layers=arguments.layers, seconds=arguments.seconds)
    trainer = cross.Trainer(chosen)
    lists = cross.lists_of(learn, chosen.negatives) + cross.lists_of_finqa(arguments.finqa, chosen.negatives)
    seen = trainer.train(lists)
    print(f"learned from {seen} lists ({len(lists)} different ones)")
    revision = hashlib.sha256(repr((chosen, len(lists), seen)).encode()).hexdigest()[:16]
    trainer.save(arguments.out, 1.0, revision)
    light = [e.columns @ light_weights() for e in learn[:_TUNED]]
    read = cross.read(CrossEncoder(arguments.out), learn[:_TUNED], light)
    blend = max(_BLENDS, key=lambda b: _mean("ndcg@10", [a + b * c for a, c in zip(light, read, strict=True)], learn[:_TUNED]))
    trainer.save(arguments.out, blend, revision)
    light = [e.columns @ light_weights() for e in judge]
    read = cross.read(CrossEncoder(arguments.out), judge, light)
    _say("before (light)", light, judge)
    _say("cross-encoder alone", [c + 1e-6 * a for a, c in zip(light, read, strict=True)], judge)
    _say(f"after (light + {blend:g} x cross-encoder)", [a + blend * c for a, c in zip(light, read, strict=True)], judge)
    print(f"wrote {arguments.out}; set rerank.model to it and publish")
    return 0


_BLENDS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5)
_TUNED = 150  # questions on which the blend is chosen; of companies that were learned from


def _embedder(arguments: argparse.Namespace) -> int:
    from filingforest.train.embedder import EmbedderTrainer
    from filingforest.train.pairs import correlation, read_definitions, split_pairs, tree_pairs

    pairs = read_definitions(arguments.terms) if arguments.terms else []
    learn, judge = split_pairs(pairs)
    if len(judge) < 2:
        raise ConfigError("an encoder is judged by terms with definitions", stage="train", remedy="give a CSV with --terms")
    trainer = EmbedderTrainer(arguments.base, arguments.seconds)
    trees = [pair for publication in _publications(arguments) for pair in tree_pairs(publication)] if arguments.index else []
    terms, definitions = [term for term, _ in judge], [text for _, text in judge]
    before = correlation(trainer.encode(terms), trainer.encode(definitions))
    seen = trainer.train([*learn, *trees])
    after = correlation(trainer.encode(terms), trainer.encode(definitions))
    trainer.save(arguments.out)
    print(f"learned from {seen} pairs ({len(learn)} definitions, {len(trees)} questions of trees); judged on {len(judge)} held-out terms")
    for name in before:
        print(f"{name:<9} before {before[name]:.3f}  after {after[name]:.3f}")
    print(f"wrote {arguments.out}; set embed.model to it, embed and publish again")
    return 0


def _publications(arguments: argparse.Namespace) -> tuple[Any, ...]:
    from filingforest.query.reader import Reader

    return Reader(indexes(arguments)).opened


def _say(what: str, order: list[Any], examples: list[Example]) -> None:
    named = {name: _mean(name, order, examples) for name in ("mrr", "ndcg@10", "recall@5", "recall@10")}
    print(f"{what:<40} " + "  ".join(f"{name} {value:.3f}" for name, value in named.items()) + f"  ({len(examples)} questions)")


def _mean(metric: str, order: list[Any], examples: list[Example]) -> float:
    from filingforest.train.light import judge

    return statistics.fmean(row[metric] for row in judge(examples, order))
