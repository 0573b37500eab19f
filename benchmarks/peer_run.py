"""Runs one parser over files and prints a line of JSON each; runs in that parser's own environment, so it imports nothing else of ours.

    python benchmarks/peer_run.py NAME FILE...           NAME: filingforest, edgartools, edgar-itemize, sec-parser
    python benchmarks/peer_run.py --replay LINES FILE... prints what an earlier run printed, whatever the files

A line: {"items": [{"item", "text"}], "cpu": seconds of the parse alone, "peak": MiB of the process so far, "error": null or why not}.
"""

from __future__ import annotations

import gzip
import json
import re
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

ITEM = re.compile(r"item\s*(\d{1,2}[a-c]?)\b", re.IGNORECASE)
Items = list[dict[str, object]]
UNITS: list[str] = []  # of the last document; ours only


def filingforest(path: Path, html: str) -> Items:
    from filingforest.parse import parse_document
    from filingforest.parse.model import DocumentHint

    parsed = parse_document(html.encode(), DocumentHint(f"bench:{path.stem}", name="bench.htm", form="10-K"))
    UNITS[:] = [n.text for n in parsed.nodes if n.kind in ("text", "table")]
    return [{"item": i.item, "text": i.text, "covers": i.covers} for i in parsed.items]


def edgartools(path: Path, html: str) -> Items:
    from edgar.documents import parse_html
    from edgar.documents.config import ParserConfig

    sections = parse_html(html, ParserConfig(form="10-K")).sections
    out: Items = []
    for name, section in sections.items():
        code = getattr(section, "item", None) or (m[1] if (m := re.search(r"item[_ ](\d{1,2}[a-c]?)", name, re.IGNORECASE)) else None)
        if code:
            out.append({"item": str(code).upper(), "text": section.text()})
    return out


def edgar_itemize(path: Path, html: str) -> Items:
    from edgar_itemize.pipeline import parse_document
    from edgar_itemize.sgml import Submission, header_text, split_documents

    text = f"<SEC-DOCUMENT>x\n<DOCUMENT>\n<TYPE>10-K\n<SEQUENCE>1\n<FILENAME>x.htm\n<TEXT>\n{html}\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n"
    submission = Submission(path=Path("0000000000-00-000000.txt"), text=text, header=header_text(text), documents=split_documents(text))
    found = parse_document(submission, submission.documents[0], "0", headings=False)
    items = [n for n in found.nodes if n.level_kind == "item" and ITEM.search(n.label_canon or "")]
    return [{"item": ITEM.search(n.label_canon)[1].upper(), "text": found.normalized_text[n.norm_start : n.norm_end]} for n in items]


def sec_parser(path: Path, html: str) -> Items:
    import warnings

    import sec_parser as sp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        elements = sp.Edgar10QParser().parse(html)
    out: Items = []
    for element in elements:
        title = isinstance(element, sp.TitleElement | sp.TopSectionTitle) and ITEM.match(element.text.strip())
        if title:
            out.append({"item": title[1].upper(), "text": element.text})
        elif out and not isinstance(element, sp.PageHeaderElement | sp.PageNumberElement):
            out[-1]["text"] = f"{out[-1]['text']}\n{element.text}"
    return list({str(i["item"]): i for i in out}.values())  # the last of each: the first stands in the table of contents


PARSERS: dict[str, Callable[[Path, str], Items]] = {
    "filingforest": filingforest, "edgartools": edgartools, "edgar-itemize": edgar_itemize, "sec-parser": sec_parser,
}  # fmt: skip


def read(path: Path) -> str:
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    return data.decode("utf-8", "replace")


def warm(name: str) -> None:
    """Imports and one-time tables are not a filing's."""
    PARSERS[name](Path("0000000000-00-000000.htm"), "<html><body><p>Item 1. Business</p><p>Nothing.</p></body></html>")


def main(arguments: list[str]) -> int:
    if arguments[0] == "--replay":
        sys.stdout.write(Path(arguments[1]).read_text())
        return 0
    name, *files = arguments
    try:
        warm(name)
    except Exception as error:
        print(f"{name} on an almost empty page: {error!r}", file=sys.stderr)
    for file in map(Path, files):
        html = read(file)
        start, items, failed = time.process_time(), [], None
        try:
            items = PARSERS[name](file, html)
        except Exception as error:  # a peer's failure is its result
            failed = repr(error)[:300]
        cpu = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        line = {"items": items, "units": UNITS, "cpu": round(cpu, 3), "peak": round(peak), "error": failed, "bytes": len(html)}
        print(json.dumps(line), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
