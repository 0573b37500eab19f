"""What an EDGAR submission's SGML header says of its filing: for the filings of the 1990s the only account of who filed what for when.

Source: EDGAR Filer Manual, "conformed" header tags, as they stand before the first <DOCUMENT> of a full-submission text file.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from filingforest.parse.model import DocumentHint

TAG = re.compile(r"^[ \t]*([A-Z][A-Z /-]{3,60}):[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
TYPE = re.compile(r"^<TYPE>[ \t]*(\S+)", re.MULTILINE)
FILER = re.compile(r"^(?:FILER|REPORTING-OWNER|SUBJECT COMPANY|FILED BY):[ \t]*$", re.MULTILINE)
CODE = re.compile(r"\[?(\d{4})\]?\s*$")
LONGEST = 200_000  # characters of a header


def header_hint(header: str, hint: DocumentHint) -> DocumentHint:
    """`hint`, with what it did not know taken from the header."""
    if not header:
        return hint
    header = header[:LONGEST].replace("\r\n", "\n")
    tags = _tags(header)
    filers = [_tags(part) for part in FILER.split(header)[1:]] or [tags]
    entities = [_entity(filer) for filer in filers if "COMPANY CONFORMED NAME" in filer]
    typed = TYPE.search(header)
    sic = CODE.search(filers[0].get("STANDARD INDUSTRIAL CLASSIFICATION", ""))
    known: dict[str, Any] = {
        "form": tags.get("CONFORMED SUBMISSION TYPE") or (typed[1] if typed else None),
        "company": filers[0].get("COMPANY CONFORMED NAME"),
        "cik": filers[0].get("CENTRAL INDEX KEY"),
        "sic": sic[1] if sic else None,
        "industry": re.sub(r"\s*\[?\d{4}\]?\s*$", "", filers[0].get("STANDARD INDUSTRIAL CLASSIFICATION", "")).title() or None,
        "entities": entities,
        "filed_at": _date(tags.get("FILED AS OF DATE")),
        "period_end": _date(tags.get("CONFORMED PERIOD OF REPORT")),
        "fiscal_year_end": filers[0].get("FISCAL YEAR END"),
    }
    return replace(hint, **{name: value for name, value in known.items() if value and not getattr(hint, name)})


def _tags(text: str) -> dict[str, str]:
    """The first value of each tag."""
    out: dict[str, str] = {}
    for name, value in TAG.findall(text):
        out.setdefault(name, value)
    return out


def _entity(filer: dict[str, str]) -> dict[str, str | None]:
    sic = CODE.search(filer.get("STANDARD INDUSTRIAL CLASSIFICATION", ""))
    return {"cik": filer.get("CENTRAL INDEX KEY"), "name": filer["COMPANY CONFORMED NAME"], "ticker": None, "sic": sic[1] if sic else None}


def _date(text: str | None) -> str | None:
    """ "19970328" -> "1997-03-28"."""
    return f"{text[:4]}-{text[4:6]}-{text[6:8]}" if text and re.fullmatch(r"(?:19|20)\d{6}", text) else None
