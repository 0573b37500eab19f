"""`filingforest evaluate`: what retrieval finds of known evidence, and what each part of it is worth."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filingforest.cli.common import add_index, complain, indexes, settings_of
from filingforest.cli.common import table as columns
from filingforest.errors import ConfigError

if TYPE_CHECKING:
    from filingforest.evaluate.questions import Question
    from filingforest.evaluate.session import Done
    from filingforest.query.publication import Publication
    from filingforest.query.reader import Reader

ABOUT = """Precision, recall, F1, MRR and NDCG with bootstrap intervals, differences with paired randomisation tests, and CPU milliseconds a
question. `facts` makes questions from the index's own tagged facts: measure, company and year, gold is every unit that holds the fact.
`headings` asks for what stands under a heading. Each way of asking is told and kept as soon as it is measured."""
EXAMPLES = """  filingforest evaluate --questions facts --most 300 --index work/filings
  filingforest evaluate --questions questions.jsonl --own-document --index work/pdfs --arm soft --rerank light
  filingforest evaluate --questions facts headings --ablate --markdown --index work/filings work/filings-500 work/filings-1000
  filingforest evaluate --questions facts --ablate --only walk "soft without FLAM" --index work/filings
  filingforest evaluate --questions facts --companies held-out --json --index work/filings

a line of questions.jsonl: {"id": "q1", "question": "...", "doc": "NAME", "company": "NAME", "gold_pages": [59]}, pages from 0;
or "gold_units": unit keys. Other indexes after the first (other chunk sizes) are compared with it. The same command after a kill goes on
where it stopped (--out); figures of another publication, other questions, settings or code are never taken over."""
MADE = ("facts", "headings")


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--questions", nargs="+", required=True, metavar="FILE|facts|headings", help="one or several sets")
    parser.add_argument("--most", type=int, default=300, metavar="N", help="questions of a set made from the index (default: 300)")
    parser.add_argument("--companies", choices=("all", "held-out", "tuned-on"), default="all", help="the split that training keeps to")
    parser.add_argument("--own-document", action="store_true", help="search only the document that a question names")
    parser.add_argument("--k", default="5,10,15", metavar="K,K", help="sizes of the context set (default: 5,10,15)")
    parser.add_argument("--ablate", action="store_true", help="every part off, every setting, controls; else the settings as they are")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[], help="of the ablation only these, and what they are compared with")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where results are kept (default: in the user's cache folder)")
    parser.add_argument("--arm", help="none, walk, beam, joint or soft")
    parser.add_argument("--rerank", help="none, light or full")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    add_index(parser, many=True)


def run(arguments: argparse.Namespace) -> int:
    if arguments.only and not arguments.ablate:
        raise ConfigError("--only chooses among the ways of an ablation", stage="evaluate", remedy="add --ablate")
    settings = settings_of(arguments, retrieval__arm=arguments.arm, retrieval__rerank=arguments.rerank)
    from filingforest.evaluate import report
    from filingforest.evaluate.ablations import chosen_variants
    from filingforest.evaluate.kept import KeptRuns
    from filingforest.evaluate.session import Session
    from filingforest.models.export import default_cache

    variants, ks = chosen_variants(arguments.ablate, settings.retrieval, arguments.only), _ks(arguments.k)
    readers = [(_label(place, url), _reader(url, settings.rerank)) for place, url in enumerate(indexes(arguments))]
    questions = _questions(arguments, readers[0][1])
    complain(f"{len(questions)} questions, {len(variants)} ways of asking")
    kept = KeptRuns(arguments.out or default_cache().parent / "evaluate.jsonl")
    rows = report.rows_of(Session(questions, kept, ks, _tell).go(readers, variants), ks)
    if arguments.json:
        print(report.as_json(rows, {"questions": arguments.questions, "companies": arguments.companies, "index": indexes(arguments)}))
    elif arguments.markdown:
        print(report.markdown(rows, ks))
    else:
        head, *body = report.table(rows, ks)
        print(columns(body, head))
    return 0


def _label(place: int, url: str) -> str:
    """Before the names of another index's runs; the first has none."""
    return f"{url.rstrip('/').rpartition('/')[2]}: " if place else ""


def _tell(done: Done) -> None:
    """One line as soon as a way of asking is measured, with how many are left."""
    run = done.run
    figures = f"NDCG@10 {run.mean('ndcg@10'):.3f}, recall@10 {run.mean('recall@10'):.3f}" + (f", {run.cost:.0f} ms" if run.cost else "")
    how = f"{done.seconds:.0f} s of CPU" if done.seconds else "kept"
    if without := run.notes.get("no_trees"):
        how += f"; {without} questions fell on documents without trees, where it is plain hybrid"
    complain(f"{done.place} of {done.of}: {run.name}: {figures} ({how}; {done.of - done.place} left)")


def _reader(url: str, rerank: Any) -> Reader:
    from filingforest.query.reader import Reader
    from filingforest.query.retrieve import Retriever

    return Reader([url], retriever=Retriever(rerank=rerank))


def _questions(arguments: argparse.Namespace, reader: Reader) -> list[Question]:
    from filingforest.evaluate.questions import held_out, read_questions

    out: list[Question] = []
    for what in arguments.questions:
        found = _made(what, reader.opened[0]) if what in MADE else read_questions(Path(what), arguments.own_document)
        if arguments.companies != "all":
            found = [q for q in found if held_out(q.company) == (arguments.companies == "held-out")]
        out += found[: arguments.most] if what in MADE else found
    if not out:
        raise ConfigError("there are no such questions", stage="evaluate", remedy="`facts` needs filings with tagged facts in the index")
    return out


def _made(what: str, publication: Publication) -> list[Question]:
    from filingforest.evaluate.fact_questions import fact_questions
    from filingforest.evaluate.heading_questions import heading_questions

    return fact_questions(publication) if what == "facts" else heading_questions(publication)


def _ks(text: str) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in text.split(","))
        if min(found) > 0:
            return found
    except ValueError:
        pass
    raise ConfigError(f"--k {text} is no list of numbers", stage="evaluate", remedy="write --k 5,10,15")
