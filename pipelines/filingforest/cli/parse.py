"""`filingforest parse`: looks at documents without any index: items, passages, tables, tagged facts, and why each is what it is."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filingforest.cli import DONE, INCOMPLETE
from filingforest.cli.common import complain, settings_of, table
from filingforest.config import ParseSettings
from filingforest.errors import FilingForestError
from filingforest.parse.model import DocumentHint

if TYPE_CHECKING:
    from filingforest.parse.workers import ParsePool

ABOUT = """Reads HTML with or without inline XBRL, PDF, plain text and Markdown, each also gzipped. A file that cannot be used (empty, cut
off, not what its name says, beyond the bounds of the settings) is named on standard error with the reason; the others are printed."""
EXAMPLES = """  filingforest parse report.htm                 what is in it
  filingforest parse --json *.htm.gz > out.jsonl one line of JSON a file, in order
  filingforest parse --markdown report.pdf      the text as Markdown
  filingforest parse --explain report.htm       why each heading, item and table was taken for one"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="document, items, nodes, facts as one line of JSON a file")
    form.add_argument("--items", action="store_true", help="document and items alone as one line of JSON a file, in less time")
    form.add_argument("--markdown", action="store_true", help="the text as Markdown, tables too")
    form.add_argument("--explain", action="store_true", help="the reasons for each label, by place in the text")


def run(arguments: argparse.Namespace) -> int:
    from filingforest.parse.workers import ParsePool

    settings = settings_of(arguments)
    how = next((x for x in ("json", "items", "markdown", "explain") if getattr(arguments, x)), "summary")
    failed = 0
    with ParsePool(settings.parse, min(settings.parse.workers or len(os.sched_getaffinity(0)), len(arguments.files))) as pool:
        for shown in _shown(pool, arguments.files, how, settings.parse):
            if isinstance(shown, Exception):
                failed += 1
                complain(str(shown))
            else:
                sys.stdout.write(shown)
                sys.stdout.flush()
    return INCOMPLETE if failed else DONE


def _shown(pool: ParsePool, paths: Sequence[Path], how: str, bounds: ParseSettings) -> Iterator[str | FilingForestError]:
    """What to print for each file, in order, or why there is nothing."""
    from filingforest.parse.workers import Job
    from filingforest.sources.folder import doc_stem, read_file

    sent, unread = deque[int](), dict[int, FilingForestError]()

    def jobs() -> Iterator[Job]:
        for number, path in enumerate(paths):
            hint = DocumentHint(f"folder:{doc_stem(path.name)}", name=path.name)
            try:
                content = read_file(path, hint.doc_id, bounds.max_bytes)
            except FilingForestError as error:
                unread[number] = error
                continue
            sent.append(number)
            yield Job(render, content, hint, (how,))

    for made in pool.run(jobs()):
        number = sent.popleft()
        yield from [unread.pop(n) for n in sorted(unread) if n < number]
        yield made
    yield from [unread[n] for n in sorted(unread)]


def render(content: bytes, hint: DocumentHint, settings: ParseSettings, how: str) -> str:
    """What `parse` prints for one document; runs in a worker."""
    from filingforest.parse import parse_document
    from filingforest.parse.to_tables import parsed_json

    parsed = parse_document(content, hint, settings, explain=how == "explain", items_only=how == "items")
    if how == "explain":
        return "".join(f"{r.place:>9}  {r.what}: {r.why}\n" for r in sorted(parsed.reasons, key=lambda r: r.place))
    if how == "markdown":
        from filingforest.parse.to_markdown import to_markdown

        return to_markdown(parsed)
    found = parsed_json(parsed)
    if how == "items":
        found = {name: found[name] for name in ("document", "items", "warnings")}
    return summary(found) if how == "summary" else json.dumps(found, ensure_ascii=False, check_circular=False) + "\n"


def summary(parsed: dict[str, Any]) -> str:
    """For a person: what the document is, its items, and counts. `parsed` is what --json prints."""
    about, kinds = parsed["document"], Counter(n["kind"] for n in parsed["nodes"])
    year = f"FY{about['fiscal_year']}" if about.get("fiscal_year") else None
    head = " · ".join(str(x) for x in (about.get("company") or about["doc_id"], about.get("form"), year, about.get("language")) if x)
    rows = [
        [f"{i.get('part') or ''} {i['item']}".strip(), i["status"], f"{len(i['text']):,}", i.get("heading") or ""] for i in parsed["items"]
    ]
    counts = ", ".join(f"{n:,} {kind}" for kind, n in sorted(kinds.items()))
    lines = [head, table(rows, ["item", "status", "characters", "heading"]), f"{counts}; {len(parsed['facts']):,} tagged facts"]
    return "\n".join(x for x in lines if x) + "\n"
