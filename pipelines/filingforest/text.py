"""One normalisation for all text, so that character ranges, hashes and comparisons mean the same everywhere."""

from __future__ import annotations

import re
import unicodedata

# zero-width and directional marks, soft hyphen, byte-order mark, C0 controls that are not white space
INVISIBLE = dict.fromkeys(
    [*range(0x00, 0x09), *range(0x0E, 0x1C), 0x7F, 0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x202A, 0x202F)]
)
HIDDEN = re.compile("[" + re.escape("".join(map(chr, INVISIBLE))) + "]")
CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f]")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])")
ABBREVIATIONS = (
    "mr",
    "mrs",
    "ms",
    "dr",
    "no",
    "nos",
    "inc",
    "corp",
    "co",
    "ltd",
    "u.s",
    "u.k",
    "e.g",
    "i.e",
    "vs",
    "jr",
    "sr",
    "st",
    "art",
    "sec",
)


def visible(s: str) -> str:
    """`s` without zero-width and control characters, in NFC; white space is left alone."""
    if s.isascii():
        return CONTROL.sub("", s) if CONTROL.search(s) else s
    if HIDDEN.search(s):
        s = s.translate(INVISIBLE)
    return s if unicodedata.is_normalized("NFC", s) else unicodedata.normalize("NFC", s)


def normalise(s: str) -> str:
    """NFC, every Unicode space as ' ', runs collapsed, zero-width removed, stripped. Quotes and dashes stay as they are."""
    return " ".join(visible(s).split())


def sentences(s: str) -> list[tuple[int, int]]:
    """Ranges of the sentences of a paragraph; together they cover it but for the spaces between them."""
    out, start = [], 0
    for m in SENTENCE_END.finditer(s):
        words = s[start : m.start()].rsplit(None, 1)
        last = words[-1].rstrip(".").lower().lstrip("(“\"'") if words else ""
        if last in ABBREVIATIONS or (len(last) == 1 and last.isalpha()):
            continue
        cut = m.start() + len(m.group().rstrip())
        out.append((start, cut))
        start = m.end()
    if start < len(s):
        out.append((start, len(s)))
    return out
