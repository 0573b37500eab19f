"""`filingforest run`: what a DAG run does, in one process, for those without Airflow."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from filingforest.cli import DONE, INCOMPLETE, LATER
from filingforest.cli.common import add_index, carried, complain, index_store, only_for, settings_of, table
from filingforest.errors import SourceForbidden, SourceUnavailable
from filingforest.progress import ASIDE, Tally, for_terminal

if TYPE_CHECKING:
    from filingforest.config import Settings
    from filingforest.models.base import Embedder
    from filingforest.pipeline import Night
    from filingforest.request import Request
    from filingforest.runner import Entry
    from filingforest.store import Store

ABOUT = """Lists what the source has, fetches, parses and embeds what is new, and publishes. Every step is kept as soon as it is done:
after a kill the same command goes on where it stopped, and a second run over the same days writes nothing."""
EXAMPLES = """  filingforest run --source folder --input reports/ notes.md --index work/mine
  filingforest run --source edgar --date 2024-01-31 --forms 10-K --index work/filings --user-agent "Ann Doe ann@example.org"
  filingforest run --source edgar --date 2024-01-29..2024-02-29 --index s3://bucket/filings     one receipt a business day
  filingforest run --source edgar --tickers ABC,XYZ --forms 10-K --date 2020-01-01..2024-12-31 --index work/filings
  filingforest run --source edgar --date 2024-01-31 --dry-run --index work/filings              what would be fetched"""

FLAGS = {"input": ("folder",), "date": ("edgar",), "tickers": ("edgar",), "forms": ("edgar",), "lookback": ("edgar",)}


@dataclass
class Done:
    """What came of a run."""

    tally: Tally
    listed: int = 0
    through: int = 0
    receipts: list[str] = field(default_factory=list)
    publication: dict[str, Any] = field(default_factory=dict)
    late: list[str] = field(default_factory=list)


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--source", choices=("edgar", "folder"), required=True)
    parser.add_argument("--input", nargs="+", default=[], metavar="PATH", help="folder: files, and folders searched to the bottom")
    parser.add_argument("--date", metavar="DAY[..DAY]", help="edgar: filing date, or a span with both ends")
    parser.add_argument("--tickers", metavar="A,B", help="edgar: only these; with a span or no date, their histories")
    parser.add_argument("--forms", metavar="F,F", help="edgar: forms with their amendments (default: night.forms)")
    parser.add_argument("--lookback", type=int, metavar="N", help="edgar: N business days before each date too, for late filings")
    parser.add_argument("--user-agent", metavar='"NAME MAIL"', help="edgar: who asks; SEC demands it (edgar.user_agent)")
    parser.add_argument("--base-url", metavar="URL", help="edgar: another address, a replay server (edgar.base_url)")
    parser.add_argument("--dry-run", action="store_true", help="list what would be fetched; write nothing")
    parser.add_argument("--no-publish", action="store_true", help="leave publishing to a later run")
    parser.add_argument("--strict", action="store_true", help="exit code 1 when anything was set aside")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="the summary as JSON")
    add_index(parser)


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments, edgar__user_agent=arguments.user_agent, edgar__base_url=arguments.base_url)
    only_for(arguments, arguments.source, FLAGS)
    request = _request(arguments)
    store = index_store(arguments)
    if arguments.dry_run:
        return _dry_run(store, settings, request)
    done = do(store, settings, [r.to_dict() for r in request.nights()], not arguments.no_publish, for_terminal(arguments.quiet))
    if request.source == "folder" and not done.listed:
        from filingforest.sources.folder import ENDINGS

        complain(f"no document is in {', '.join(arguments.input)}: of folders, files ending in {' '.join(sorted(ENDINGS))} are taken")
    return report(done, arguments.strict, arguments.json)


def do(
    store: Store,
    settings: Settings,
    requests: Sequence[Mapping[str, Any]],
    publish: bool = True,
    tally: Tally | None = None,
    embedder: Embedder | None = None,
) -> Done:
    """Takes each request through a night, then publishes once."""
    from filingforest.account import account
    from filingforest.pipeline import Night

    with tally or for_terminal() as progress, Night(store, settings, progress, embedder) as night:
        done = Done(progress)
        for request, refs in [(r, refs) for r in requests if (refs := _listed(night, r, done)) is not None]:
            entries = [e for batch in night.batches(refs) for e in _through(night, request, batch)]
            account(store, refs, entries)
            done.receipts.append(night.write_receipt(request, entries, len(refs)))
            done.listed, done.through = done.listed + len(refs), done.through + len(entries)
        if publish:
            progress.note("publishing")
            done.publication = night.publish()
    return done


def _through(night: Night, request: Mapping[str, Any], batch: list[dict[str, Any]]) -> list[Entry]:
    return night.grow(request, night.embed(request, night.parse(request, night.crawl(request, batch))))


def _listed(night: Night, request: Mapping[str, Any], done: Done) -> list[dict[str, Any]] | None:
    """The references of a request; None, with a remark, where the source cannot tell today. Raises SourceForbidden."""
    try:
        return night.discover(request)
    except SourceForbidden:
        raise
    except SourceUnavailable as error:
        done.late.append(str(error))
        return None


def report(done: Done, strict: bool = False, as_json: bool = False) -> int:
    """The summary on standard output; the exit code."""
    aside = sum(c[ASIDE] for c in done.tally.counts.values())
    if as_json:
        counts = {stage: dict(c) for stage, c in done.tally.counts.items()}
        found = {"listed": done.listed, "through": done.through, "stages": counts, "receipts": done.receipts, "late": done.late}
        print(json.dumps({**found, "publication": done.publication}))
    else:
        print(f"{done.listed} documents listed, {done.through} through, {aside} set aside")
        print("\n".join([*("  " + done.tally.line(stage) for stage in done.tally.counts), _published(done.publication)]))
    if aside:
        complain("`filingforest failures list` says why documents were set aside")
    for late in done.late:
        complain(late)
    if done.late:
        return LATER
    return INCOMPLETE if (strict and aside) or (done.listed and not done.through) else DONE


def _published(publication: Mapping[str, Any]) -> str:
    if not publication.get("publication"):
        return "nothing is published"
    counts = ", ".join(f"{v:,} {k}" for k, v in publication["counts"].items())
    state = f"publication {publication['publication']} is {'new' if publication['changed'] else 'unchanged'}: {counts}"
    also = [f"  also in {line}" for line in carried(publication.get("targets", {}))]
    return "\n".join([state, *also, *(f"  warning: {w}" for w in publication["warnings"])])


def _request(arguments: argparse.Namespace) -> Request:
    from filingforest.request import Request, parse_dates
    from filingforest.sources.base import absolute

    since, until = parse_dates(arguments.date) if arguments.date else (None, None)
    inputs = tuple(str(absolute(path)) if path else path for path in arguments.input)  # `failures retry` may be typed elsewhere
    return Request(arguments.source, since, until, _names(arguments.tickers), _names(arguments.forms), arguments.lookback or 0, inputs)


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(x.strip() for x in (text or "").split(",") if x.strip())


def _dry_run(store: Store, settings: Settings, request: Request) -> int:
    from filingforest import raw
    from filingforest.request import Documents, open_source

    rows, source = [], open_source(request, settings)
    for night in request.nights():
        for ref in Documents(night, settings, source).listed():
            state = "kept" if raw.versions(store, ref.doc_id) else "to fetch"
            rows.append([ref.doc_id, ref.filed_at or "", ref.form or "", ref.company or "", state, ref.url])
    print(table(rows, ["document", "filed", "form", "company", "state", "address"]) or "nothing is listed")
    print(f"{sum(r[4] == 'to fetch' for r in rows)} to fetch, {sum(r[4] == 'kept' for r in rows)} kept; nothing was written")
    return 0
