"""`filingforest parse`: looks at documents without any index: items, passages, tables, tagged facts, and why each is what it is."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from filingforest.cli_common import complain, settings_of, table
from filingforest.errors import FilingForestError

ABOUT = """Reads HTML with or without inline XBRL, PDF, plain text and Markdown, each also gzipped; what a file is shows in its bytes,
not in its name. A file that cannot be read is named on standard error with the reason, and the others are printed."""
EXAMPLES = """  filingforest parse report.htm                 what is in it
  filingforest parse --json *.htm.gz > out.jsonl one line of JSON a file, in order
  filingforest parse --markdown report.pdf      the text as Markdown
  filingforest parse --explain report.htm       why each heading, item and table was taken for one"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="document, items, nodes, facts as one line of JSON a file")
    form.add_argument("--markdown", action="store_true", help="the text as Markdown, tables too")
    form.add_argument("--explain", action="store_true", help="the reasons for each label, by place in the text")


def run(arguments: argparse.Namespace) -> int:
    from filingforest.parse_stage import open_pool, render_many

    settings = settings_of(arguments)
    how = next((x for x in ("json", "markdown", "explain") if getattr(arguments, x)), "summary")
    failed = 0
    with open_pool(settings.parse, len(arguments.files)) as pool:
        for path, shown in render_many(pool, arguments.files, how):
            if isinstance(shown, Exception):
                failed += 1
                complain(str(shown) if isinstance(shown, FilingForestError) else f"[internal] {path}: {type(shown).__name__}: {shown}")
                if arguments.debug and not isinstance(shown, FilingForestError):
                    raise shown
            else:
                sys.stdout.write(shown)
                sys.stdout.flush()
    return 1 if failed else 0


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


def explained(reasons: list[dict[str, Any]]) -> str:
    """One line a reason, in the text's order."""
    return "".join(f"{r['place']:>9}  {r['what']}: {r['why']}\n" for r in sorted(reasons, key=lambda r: int(r["place"])))


def line_of(parsed: dict[str, Any]) -> str:
    return json.dumps(parsed, ensure_ascii=False) + "\n"
