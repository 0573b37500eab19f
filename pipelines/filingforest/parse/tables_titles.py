"""What a table is called, what scale it is in and which statement it is: from its own top rows, else from the blocks just above."""

from __future__ import annotations

import re
from collections.abc import Sequence

from filingforest.parse.tables_header import SCALE, has_scale, is_scale_note
from filingforest.text import sentences

MAX_TITLE = 200
MAX_LEAD_IN = 300
_BRACKETS = re.compile(r"\([^()]{0,300}\)")
_NO_TITLE = re.compile("[☐☒☑□■þ]|^[•●▪◦·*–—-]")  # boxes of a cover page, entries of a list
_CONTINUED = re.compile(r"\s*[-–—(]?\s*\bcont(?:inued|['’]d|d\.?)\b\s*\)?\s*$", re.IGNORECASE)
_OF = r"statements?\s+of\s+(?:consolidated\s+)?"
_HOLDERS = r"(?:(?:share|stock)?(?:holders|owners|members)?['’]?s?['’]?\s*)"
STATEMENTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(  # by title; the first that fits
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("comprehensive_income", _OF + r"(?:other\s+)?comprehensive\s+(?:income|loss|earnings|\(loss\))"),
        ("equity", _OF + r"(?:changes\s+in\s+)?(?:total\s+)?" + _HOLDERS + r"(?:equity|deficit|\(deficit\)|investment)"),
        ("cash_flow", _OF + r"cash\s+flows?|cash\s+flows?\s+statements?"),
        ("balance_sheet", r"balance\s+sheets?|" + _OF + r"(?:financial\s+(?:position|condition)|condition)"),
        ("income", _OF + r"(?:income|operations|earnings|profit|net\s+income|loss|losses)\b|income\s+statements?"),
    )
)
_CASH = "NetCashProvidedByUsedIn{}Activities"
CONCEPTS: tuple[tuple[str, frozenset[str]], ...] = (  # two of these tags make the statement sure
    ("cash_flow", frozenset(_CASH.format(x) for x in ("Operating", "Investing", "Financing"))),
    ("balance_sheet", frozenset({"Assets", "LiabilitiesAndStockholdersEquity", "Liabilities", "StockholdersEquity", "AssetsCurrent"})),
)
_INCOME = (
    r"net (?:income|earnings|loss)|(?:income|earnings|loss).{0,20} per (?:common )?share|(?:provision for|income) tax"
    r"|operating (?:income|expenses)|revenues?|net sales|diluted"
)
LABELS: tuple[tuple[str, re.Pattern[str], int], ...] = tuple(  # so many rows like this confirm a title
    (name, re.compile(pattern, re.IGNORECASE), need)
    for name, pattern, need in (
        (
            "cash_flow",
            r"net cash.{0,40}(?:operating|investing|financing) activities|cash.{0,40}(?:beginning|end) of (?:the )?(?:year|period)",
            3,
        ),
        ("balance_sheet", r"total assets|total liabilities and|total current (?:assets|liabilities)|total liabilities$", 2),
        (
            "comprehensive_income",
            r"(?:total )?(?:other )?comprehensive (?:income|loss)|foreign currency translation|net (?:income|earnings)$",
            3,
        ),
        ("income", _INCOME, 4),
    )
)


def scale_note(own: Sequence[str], before: Sequence[str]) -> str | None:
    """The scale note among the table's own titles and stub headers, else in the nearest blocks above."""
    for text in own:
        found = _note_in(text)
        if found:
            return found
    for text in list(reversed(before))[:3]:
        if len(text) < 400:
            found = _note_in(text)
            if found:
                return found
    return None


def _note_in(text: str) -> str | None:
    if not has_scale(text):
        return None
    bracket: str | None = next((m for m in _BRACKETS.findall(text) if SCALE.search(m)), None)
    if bracket:
        return bracket
    return text if is_scale_note(text) else None


def title(own: Sequence[str], before: Sequence[str]) -> str | None:
    """The table's own title, else the nearest heading or lead-in sentence above."""
    found = next((t for t in own if not is_scale_note(t) and len(t) <= MAX_TITLE), None)
    if found is None:
        above = [t for t in reversed(before) if " | " not in t]  # not a table
        found = next((t for t in map(_title_in, above[:3]) if t), None)
    return _CONTINUED.sub("", found).rstrip(" -–—") or None if found else None


def _title_in(text: str) -> str | None:
    """What a block above a table says of it: a heading, or the sentence that ends in a colon."""
    text = text.strip()
    if not text or _NO_TITLE.search(text):
        return None
    if is_scale_note(text):
        bare = _BRACKETS.sub("", text).strip()
        return bare if 3 < len(bare) <= MAX_TITLE and not SCALE.search(bare) else None
    if len(text) <= MAX_TITLE and text[-1] not in ".;,:":
        return text
    start, end = sentences(text)[-1]
    last = text[start:end]
    return last if last.endswith(":") and 10 <= len(last) <= MAX_LEAD_IN else None


def statement(name: str | None, before: Sequence[str], labels: Sequence[str], concepts: Sequence[str]) -> str | None:
    """income, balance_sheet, cash_flow, equity or comprehensive_income, or None: by title, confirmed by what its rows are."""
    if len(labels) < 5:
        return None
    short = [t for t in (name, *reversed(list(before)[-3:])) if t and len(t) <= MAX_TITLE and not t.endswith((".", ":"))]
    titled = next((kind for text in short for kind, pattern in STATEMENTS if pattern.search(text)), None)
    bare = {c.partition(":")[2] for c in concepts}
    tagged = next((kind for kind, wanted in CONCEPTS if len(bare & wanted) >= 2), None)
    if tagged and (titled in (None, tagged) or tagged == "cash_flow"):
        return tagged if titled == tagged or len(labels) >= 15 else None
    if titled is None or titled == "equity":
        return titled
    pattern, need = next((p, n) for kind, p, n in LABELS if kind == titled)
    return titled if sum(bool(pattern.search(x)) for x in labels) >= need else None
