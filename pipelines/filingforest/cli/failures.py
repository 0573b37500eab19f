"""`filingforest failures`: what was set aside and why, and what to do about it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from filingforest.cli.common import add_index, complain, index_store, only_for, settings_of, table
from filingforest.errors import ConfigError, Corrupt

if TYPE_CHECKING:
    from filingforest.failures import Failure
    from filingforest.store import Store

ABOUT = """A document that cannot be used is set aside with its reason, and the night goes on. One that failed for good is not
tried again before its bytes, the code or the bounds change, or `retry` says so; a transient failure is tried every night.
Documents that were taken down are listed too: a run sets them aside until `publications takedown DOC --lift`."""
EXAMPLES = """  filingforest failures list --index work/filings
  filingforest failures retry 0001234567-24-000001 --index work/filings      now, then publish
  filingforest failures retry --code document_too_large --set parse.memory_mb=8000 --index work/filings
  filingforest failures retry --all --mark-only --index work/filings         the next run tries them
  filingforest failures ignore folder:scan-2019 --index work/filings         off the list, not tried any more"""

TAKEDOWN = "takedown"
FLAGS = {"ignored": ("list",), "json": ("list",), "mark_only": ("retry",), "user_agent": ("retry",), "base_url": ("retry",)}


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "retry", "ignore"))
    parser.add_argument("documents", nargs="*", metavar="DOC", help="doc_ids; none: those that --code or --all names")
    parser.add_argument("--code", help="only failures with this code, document_empty for one")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--ignored", action="store_true", help="list: those that are ignored too")
    parser.add_argument("--mark-only", action="store_true", help="retry: leave the work to the next run")
    parser.add_argument("--user-agent", metavar='"NAME MAIL"', help="retry: who asks EDGAR")
    parser.add_argument("--base-url", metavar="URL", help="retry: another address for EDGAR, a replay server")
    parser.add_argument("--json", action="store_true", help="list: one line of JSON a failure")
    add_index(parser)


def run(arguments: argparse.Namespace) -> int:
    only_for(arguments, arguments.action, FLAGS)
    store = index_store(arguments)
    chosen = _chosen(arguments, store)
    if arguments.action == "list":
        return _list(sorted([*chosen, *_wanted(arguments, _taken(store))], key=lambda f: f.doc_id), arguments.json)
    if not chosen:
        complain("no such failure; `failures list` shows what there is")
        for f in _wanted(arguments, _taken(store)) if arguments.documents else ():
            complain(f"{f.doc_id}: {_why(f)}")
        return 1
    from filingforest import failures

    if arguments.action == "ignore":
        failures.ignore(store, chosen)
        print(f"{len(chosen)} ignored; `failures retry` takes them up again")
        return 0
    return _retry(arguments, store, chosen)


def _chosen(arguments: argparse.Namespace, store: Store) -> list[Failure]:
    from filingforest import failures

    if arguments.action != "list" and not (arguments.documents or arguments.code or arguments.all):
        raise ConfigError("which ones?", remedy="name doc_ids, --code CODE or --all")
    hidden = arguments.ignored or arguments.action == "retry"
    return _wanted(arguments, failures.each(store, hidden))


def _wanted(arguments: argparse.Namespace, found: Iterable[Failure]) -> list[Failure]:
    named = [f for f in found if not arguments.documents or f.doc_id in arguments.documents]
    return [f for f in named if not arguments.code or f.code == arguments.code]


def _taken(store: Store) -> list[Failure]:
    """Documents that are taken down, as what they are to a run: set aside, with the reason."""
    from filingforest import takedowns
    from filingforest.failures import Failure

    remedy = "`filingforest publications takedown {} --lift` ends it"
    found = takedowns.active(store).values()
    return [
        Failure(t.doc_id, TAKEDOWN, "", "taken_down", takedowns.says(t), remedy.format(t.doc_id), first_at=t.at, last_at=t.at, attempts=0)
        for t in found
    ]


def _list(chosen: list[Failure], as_json: bool) -> int:
    if as_json:
        for f in chosen:
            print(json.dumps(asdict(f), ensure_ascii=False))
        return 0
    if not chosen:
        print("nothing is set aside")
        return 0
    rows = [[f.doc_id, f.stage, f.code, _again(f), str(f.attempts or ""), _why(f)] for f in chosen]
    print(table(rows, ["document", "stage", "code", "tried again", "tries", "why"]))
    return 0


def _again(f: Failure) -> str:
    if f.stage == TAKEDOWN:
        return "when lifted"
    return "ignored" if f.ignored else "when told to" if f.final else "every night"


def _why(f: Failure) -> str:
    return f.message + (f" -> {f.remedy}" if f.remedy else "")


def _retry(arguments: argparse.Namespace, store: Store, chosen: list[Failure]) -> int:
    """Takes the marks away, and what is damaged; then, unless told otherwise, repeats the runs that met these failures."""
    from filingforest import failures
    from filingforest.repair import repair

    settings = settings_of(arguments, edgar__user_agent=arguments.user_agent, edgar__base_url=arguments.base_url)
    failures.retry(store, chosen)
    for damaged in (key for f in chosen if f.code == Corrupt.code for key in repair(store, f.doc_id)):
        complain(f"{damaged} was damaged and is made again")
    if arguments.mark_only:
        print(f"{len(chosen)} will be tried again by the next run")
        return 0
    from filingforest.cli.run import do, report

    requests = {json.dumps(f.request, sort_keys=True): f.request for f in chosen if f.request}
    return report(do(store, settings, list(requests.values())), strict=True)
