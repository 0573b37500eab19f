"""`filingforest evaluate`: what retrieval finds of known evidence, and what each part of it is worth."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filingforest.cli_common import add_index, complain, indexes, settings_of
from filingforest.cli_common import table as columns
from filingforest.config.retrieval import RetrievalSettings
from filingforest.errors import ConfigError

if TYPE_CHECKING:
    from filingforest.evaluate.measure import Run
    from filingforest.evaluate.questions import Question
    from filingforest.query.reader import Reader

ABOUT = """Precision, recall, F1, MRR and NDCG with bootstrap intervals, differences with paired randomisation tests, and milliseconds a
question. `facts` makes questions from the index's own tagged facts: measure, company and year, gold is every unit that holds the fact."""
EXAMPLES = """  filingforest evaluate --questions facts --most 300 --index work/filings
  filingforest evaluate --questions questions.jsonl --own-document --index work/pdfs --arm soft --rerank light
  filingforest evaluate --questions facts --ablate --markdown --index work/filings work/filings-500 work/filings-1000
  filingforest evaluate --questions facts --companies held-out --json --index work/filings

a line of questions.jsonl: {"id": "q1", "question": "...", "doc": "NAME", "company": "NAME", "gold_pages": [59]}, pages from 0;
or "gold_units": unit keys. Other indexes after the first (other chunk sizes) are compared with it."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--questions", required=True, metavar="FILE|facts")
    parser.add_argument("--most", type=int, default=300, metavar="N", help="questions made from facts (default: 300)")
    parser.add_argument("--companies", choices=("all", "held-out", "tuned-on"), default="all", help="the split that training keeps to")
    parser.add_argument("--own-document", action="store_true", help="search only the document that a question names")
    parser.add_argument("--k", default="5,10,15", metavar="K,K", help="sizes of the context set (default: 5,10,15)")
    parser.add_argument("--ablate", action="store_true", help="every part off, every setting, controls; else the settings as they are")
    parser.add_argument("--arm", help="none, walk, beam, joint or soft")
    parser.add_argument("--rerank", help="none, light or full")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    add_index(parser, many=True)


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments, retrieval__arm=arguments.arm, retrieval__rerank=arguments.rerank)
    from filingforest.evaluate import report

    ks = _ks(arguments.k)
    runs: dict[str, tuple[Run, str]] = {}
    questions: list[Question] = []
    for place, url in enumerate(indexes(arguments)):
        reader = _reader(url, settings.rerank)
        questions = questions or _questions(arguments, reader)
        label = "" if not place else f"{url.rstrip('/').rpartition('/')[2]}: "
        for variant in _variants(arguments.ablate, settings.retrieval):
            complain(f"{label}{variant.name}: {len(questions)} questions")
            runs[label + variant.name] = _run(label + variant.name, reader, questions, variant, ks), _against(label, variant.against)
    rows = report.rows_of(runs, ks)
    if arguments.json:
        print(report.as_json(rows, {"questions": arguments.questions, "companies": arguments.companies, "index": indexes(arguments)}))
    elif arguments.markdown:
        print(report.markdown(rows, ks))
    else:
        head, *body = report.table(rows, ks)
        print(columns(body, head))
    return 0


def _against(label: str, name: str) -> str:
    """Other indexes' plain hybrid is compared with the first one's; their other runs with their own."""
    return name if name == "plain hybrid" else label + name


def _reader(url: str, rerank: Any) -> Reader:
    from filingforest.query.reader import Reader
    from filingforest.query.retrieve import Retriever

    return Reader([url], retriever=Retriever(rerank=rerank))


def _variants(ablate: bool, chosen: RetrievalSettings) -> list[Any]:
    from filingforest.evaluate.ablations import Variant, variants

    if ablate:
        return variants("light" if chosen.rerank == "none" else chosen.rerank)
    plain = RetrievalSettings(arm="none", rerank="none")
    return [Variant("plain hybrid", plain), *([Variant("settings", chosen)] if chosen != plain else [])]


def _run(name: str, reader: Reader, questions: list[Question], variant: Any, ks: tuple[int, ...]) -> Run:
    from filingforest.evaluate.measure import run as measured

    reader.retriever = replace(reader.retriever, control=variant.control)
    return measured(name, reader, questions, variant.settings, ks)


def _questions(arguments: argparse.Namespace, reader: Reader) -> list[Question]:
    from filingforest.evaluate.fact_questions import fact_questions
    from filingforest.evaluate.questions import held_out, read_questions

    facts = arguments.questions == "facts"
    found = (
        [q for p in reader.opened for q in fact_questions(p)]
        if facts
        else read_questions(Path(arguments.questions), arguments.own_document)
    )
    if arguments.companies != "all":
        found = [q for q in found if held_out(q.company) == (arguments.companies == "held-out")]
    found = found[: arguments.most] if facts else found
    if not found:
        raise ConfigError("there are no such questions", stage="evaluate", remedy="`facts` needs filings with tagged facts in the index")
    return found


def _ks(text: str) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in text.split(","))
        if min(found) > 0:
            return found
    except ValueError:
        pass
    raise ConfigError(f"--k {text} is no list of numbers", stage="evaluate", remedy="write --k 5,10,15")
