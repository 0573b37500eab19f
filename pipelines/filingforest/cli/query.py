"""`filingforest query`: one question for a person, or a file of questions for a program."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from filingforest.cli.common import bold, complain, dim, wrapped
from filingforest.cli.reading import add_reading, open_reader, reading_settings
from filingforest.errors import QueryError

ABOUT = """Finds passages, tables and tagged numbers, with where they stand. Companies, tickers, fiscal years and forms are recognised
in the question; a flag goes over what was recognised. A company that the publication does not have is said, not guessed."""
EXAMPLES = """  filingforest query "What were total net sales in fiscal 2024?" --company XYZ --index work/filings
  filingforest query "What does the lease say about early termination?" --index work/contracts work/filings -k 5
  filingforest query "How did backlog change?" --year 2024 --form 10-K --item 7 --json --index s3://bucket/filings
  filingforest query --batch questions.jsonl --own-document -k 15 --json --index work/pdfs

a line of questions.jsonl: {"id": "q1", "question": "...", "doc": "NAME", "company": "NAME"}; doc and company may be left out,
other keys are not used; one that is nearly one of these is an error"""

FILTERS = {
    "company": "name, ticker or CIK",
    "year": "fiscal year",
    "form": "10-K takes its amendments along",
    "item": "7, 1A, or 10-Q:I.2",
    "kind": "text, table or clause",
    "language": "en, zh, vi",
    "since": "filed on this day or later, ISO date",
    "until": "filed on this day or earlier",
    "as-of": "what was known on this day",
    "doc": "doc_id, or part of one",
}
KEYS = ("id", "question", "doc", "company")  # of a line of a batch
_MISSPELT = 0.81
DATES = ("since", "until", "as_of")
SHOWN = ("company", "year", "quarter", "form")  # of what was recognised; the notes say the rest


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", nargs="?", metavar="QUESTION")
    parser.add_argument("-k", type=int, metavar="N", help="hits (default: query.k)")
    parser.add_argument("--batch", type=Path, metavar="FILE", help="questions, one line of JSON each; '-' is standard input")
    parser.add_argument("--own-document", action="store_true", help="batch: search only the document that the line's doc names")
    parser.add_argument("--full", action="store_true", help="whole passages, not their beginnings")
    parser.add_argument("--json", action="store_true", help="one line of JSON a question")
    group = parser.add_argument_group("filters, each may be given several times")
    for name, what in FILTERS.items():
        group.add_argument(f"--{name}", action="append", metavar=name.upper(), help=what)
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    if bool(arguments.question) == bool(arguments.batch):
        raise QueryError("one question or --batch FILE is needed", remedy='filingforest query "..." --index ROOT/CORPUS')
    if arguments.own_document and not arguments.batch:
        raise QueryError("--own-document is for a batch, whose lines name their documents", remedy="use --doc DOC")
    settings = reading_settings(arguments)
    reader = open_reader(arguments, settings)
    k = settings.query.k if arguments.k is None else arguments.k

    def ask(line: Mapping[str, Any]) -> None:
        answer = reader.query(line["question"], k, _filters(arguments, line), id=line.get("id")).to_dict()
        print(json.dumps(answer, ensure_ascii=False) if arguments.json else pretty(answer, arguments.full))

    if arguments.batch:
        return _ask_all(arguments.batch, ask)
    ask({"question": arguments.question})
    return 0


def _ask_all(batch: Path, ask: Callable[[Mapping[str, Any]], None]) -> int:
    """Every line is answered that can be; the others are named. 1 where there were such."""
    refused, unused = 0, set[str]()
    for number, text in enumerate(sys.stdin if str(batch) == "-" else _open(batch), 1):
        try:
            if text.strip():
                line = _question(text, number)
                if not unused and (unused := set(line) - set(KEYS)):
                    complain(f"line {number}: not used: {', '.join(sorted(unused))} (a line's keys are {', '.join(KEYS)})")
                ask(line)
        except QueryError as error:
            refused += 1
            print(f"filingforest: line {number}: {error}", file=sys.stderr)
    return min(1, refused)


def _open(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
            yield from file
    except OSError as e:
        raise QueryError(f"cannot read {path}: {e.strerror}", remedy="name a readable file with --batch") from e


def _question(text: str, number: int) -> Mapping[str, Any]:
    try:
        line = json.loads(text)
    except ValueError:
        line = None
    if not isinstance(line, dict):
        raise QueryError(f"line {number} is not a question", remedy='write {"id": "q1", "question": "..."}')
    for key in sorted(set(line) - set(KEYS)):  # answers and notes of one's own may stand there, slips of the pen may not
        if near := difflib.get_close_matches(key.lower(), KEYS, 1, _MISSPELT):
            raise QueryError(f"line {number} has the unknown key '{key}'", remedy=f"did you mean '{near[0]}'?")
    if not isinstance(line.get("question"), str):
        raise QueryError(f"line {number} is not a question", remedy='write {"id": "q1", "question": "..."}')
    return line


def _filters(arguments: argparse.Namespace, line: Mapping[str, Any]) -> dict[str, Any]:
    """The flags; a line's own document or company where no flag says otherwise."""
    named = {name.replace("-", "_") for name in FILTERS}
    given = {name: value for name in named if (value := getattr(arguments, name))}
    given |= {name: given[name][-1] for name in DATES if name in given}
    if arguments.own_document and line.get("doc"):
        given.setdefault("doc", line["doc"])
    elif line.get("company"):
        given.setdefault("company", line["company"])
    return given


def pretty(answer: Mapping[str, Any], full: bool = False) -> str:
    """An answer as a person reads it: hits with their place, then tagged facts, then notes."""
    scope = ", ".join(f"{k} {_plain(v)}" for k, v in (answer["scope"].get("recognised") or {}).items() if v and k in SHOWN)
    lines = [
        dim(f"{answer['publication']} · {answer['intent']} question{' · ' + scope if scope else ''} · {answer['milliseconds']:.0f} ms"),
        "",
    ]
    for hit in answer["hits"]:
        lines += [
            f"{bold(str(hit['rank']).rjust(2))}  {bold(place(hit))}",
            wrapped(hit["text"], 0 if full else 700),
            dim(f"    {_citation(hit)}"),
            "",
        ]
    if answer["facts"]:
        lines += [bold("tagged facts"), *(f"    {_fact(f)}" for f in answer["facts"]), ""]
    lines += [f"note: {note['message']}" for note in answer["notes"]]
    return "\n".join(lines if answer["hits"] or answer["notes"] else [*lines, "nothing was found"]).rstrip()


def place(hit: Mapping[str, Any]) -> str:
    """Company · form · fiscal year · heading path · page."""
    year = f"FY{hit['fiscal_year']}" if hit.get("fiscal_year") else None
    page = f"p. {hit['page'] + 1}" if hit.get("page") is not None else None
    path = " > ".join(hit.get("heading_path") or [])
    return " · ".join(x for x in (hit.get("company") or hit["doc_id"], hit.get("form"), year, path, page) if x)


def _citation(hit: Mapping[str, Any]) -> str:
    return " ".join(x for x in (hit["citation"], hit.get("source_url")) if x)


def _fact(fact: Mapping[str, Any]) -> str:
    period = " to ".join(x for x in (fact.get("period_start"), fact.get("period_end")) if x)
    what = f"{fact.get('label') or fact.get('concept')}: {fact.get('value_decimal') or fact.get('value')} {fact.get('unit') or ''}"
    return f"{what} ({period})  {fact.get('node_id') or fact.get('doc_id') or ''}"


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
