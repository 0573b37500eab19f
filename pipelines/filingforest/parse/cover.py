"""Reads a cover page that has no tags: the registrant's name where no line says so beside it, and the trading symbol."""

from __future__ import annotations

import re
from collections.abc import Sequence

FILE_NUMBER = re.compile(r"commission\s+file\s+(?:number|no)", re.IGNORECASE)
LEGAL = re.compile(
    r"\b(?:incorporated|inc|corporation|corp|company|co|companies|limited|ltd|llc|l\.l\.c|l\.?p|plc|n\.?v|s\.?a|ag|trust|holdings?|bancorp|bancshares"
    r"|partners|group|enterprises|international|industries)\b\.?\W*$",
    re.IGNORECASE,
)
NOT_NAMES = re.compile(
    r"commission|united states|washington|securities|exchange act|annual report|form\b|\bfor the\b|identification|telephone|address",
    re.IGNORECASE,
)
EXCHANGE = r"(?:the\s+)?(?:new\s+york\s+stock\s+exchange|nyse|nasdaq|chicago\s+stock|american\s+stock|cboe|long-term\s+stock)"
SYMBOL = re.compile(r"(?:^|[\s|])(?P<symbol>[A-Z]{1,5}(?:[.-][A-Z]{1,2})?)\s+" + r"(?=(?i:" + EXCHANGE + r"))")
HEADER = re.compile(r"trading\s+symbol", re.IGNORECASE)
COMMON = re.compile(r"common|ordinary|class\s+a|shares", re.IGNORECASE)
FIRST, LONGEST_NAME = 40, 90


def company_by_place(texts: Sequence[str]) -> str | None:
    """The name under the commission file number, known by its legal form; the first lines of a document only."""
    at = next((i for i, text in enumerate(texts[:FIRST]) if FILE_NUMBER.search(text)), None)
    if at is None:
        return None
    near = [text for text in texts[at + 1 : at + 5] if 2 < len(text) <= LONGEST_NAME and not NOT_NAMES.search(text)]
    return next((text for text in near if LEGAL.search(text)), None)


def ticker_in(texts: Sequence[str]) -> str | None:
    """The symbol of the common stock in the table of securities under section 12(b), else its first symbol."""
    at = next((i for i, text in enumerate(texts) if HEADER.search(text)), None)
    if at is None:
        return None
    near = texts[max(0, at - 6) : at + 15]  # the header may stand under its columns
    found = [(text, m["symbol"]) for text in near if (m := SYMBOL.search(text))]
    return next((symbol for text, symbol in found if COMMON.search(text)), found[0][1] if found else None)
