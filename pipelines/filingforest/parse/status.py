"""What an item's text amounts to: the matter itself, a pointer to another place, a reference to another document, reserved, or nothing."""

from __future__ import annotations

import re

from filingforest.text import sentences

RESERVED = re.compile(r"^\W*(?:\(?removed and\)?\s*)?(?:intentionally\s+)?(?:reserved|omitted)\W*(?:by the sec\w*)?\W*$", re.IGNORECASE)
NONE = re.compile(
    r"^\W*(?:none|not\s+applicable|n/?a|no(?:ne)?\s+(?:changes?|events?|matters?|such)\b.{0,120}|nothing\s+to\s+report|not\s+required.{0,120}|omitted.{0,60}"
    r"|(?:this|the) item is not applicable.{0,60}|there (?:were|are|is|was) no(?:ne)?\b.{0,160}"
    r"|(?:the company|we|registrant) (?:has|have) no\b.{0,80}"
    r"|smaller reporting compan(?:y|ies).{0,160}not required.{0,60}|.{0,40}not applicable)\W*$",
    re.IGNORECASE | re.DOTALL,
)
BY_REFERENCE = re.compile(
    r"incorporat\w+\W+(?:\w+\W+){0,12}?by\s+(?:this\s+)?reference|by\s+reference\s+(?:in)?to\b|hereby\s+incorporated"
    r"|(?:will\s+be|is|are)\s+(?:set\s+forth|included|contained|found|provided|disclosed)\s+(?:\w+\W+){0,12}?proxy\s+statement",
    re.IGNORECASE,
)
OTHER_DOCUMENT = re.compile(
    r"(?:definitive\s+)?proxy\s+statement|information\s+statement|annual\s+report\s+to\s+(?:share|stock)(?:holders|owners)"
    r"|exhibit\s+\(?13|exhibit\s+99|form\s+8-k|registration\s+statement|annual\s+meeting",
    re.IGNORECASE,
)
POINTER = re.compile(
    r"\b(?:see|refer(?:ence)?\s+(?:is\s+made\s+)?to|(?:is|are|was|were|appears?|been|be)\s+(?:\w+\s+){0,3}(?:set\s+forth|included|contained|presented|described|discussed|found|provided|disclosed|submitted|listed|filed|incorporated)"
    r"|appears?|begin(?:s|ning)?\s+on|may\s+be\s+found|as\s+discussed|information\s+(?:required|with\s+respect))\b",
    re.IGNORECASE,
)
TARGETS = {
    "note": re.compile(r"\bnotes?\s+(\d{1,2}[A-Z]?)\b", re.IGNORECASE),
    "item": re.compile(r"\bitems?\s+(\d{1,2}[ABC]?)\b", re.IGNORECASE),
    "page": re.compile(r"\bpages?\s+((?:F-)?\d{1,3})\b", re.IGNORECASE),
    "heading": re.compile(r"[“\"]([^”\"]{4,120})[”\"]"),
}
SHORT, STUB = 260, 1_600


def status_of(text: str, heading: str) -> str:
    """full, pointer, by_reference, reserved or none, from an item's text after its heading."""
    body = text.strip()
    if not re.search(r"\w", body):
        return "reserved" if re.search(r"\breserved\b|\bintentionally omitted\b", heading, re.IGNORECASE) else "none"
    if len(body) < 80 and RESERVED.match(body):
        return "reserved"
    if len(body) <= SHORT and NONE.match(body):
        return "none"
    if body.count("\n") > 4:
        return "full"
    if len(body) <= STUB and BY_REFERENCE.search(body):
        return "by_reference" if OTHER_DOCUMENT.search(body) else "pointer"
    if len(body) <= STUB // 2 and POINTER.search(_opening(body)) and (_has_target(body) or len(body) <= SHORT):
        return "by_reference" if OTHER_DOCUMENT.search(body) and not _has_target(body) else "pointer"
    return "full"


def _has_target(body: str) -> bool:
    return any(pattern.search(body) for pattern in TARGETS.values())


def _opening(body: str) -> str:
    """The first sentence, where a pointer says that it is one; all of a very short text."""
    ranges = sentences(body)
    return body if len(body) <= 160 and len(ranges) <= 2 else body[: ranges[0][1]]


def targets_of(text: str) -> list[tuple[str, str]]:
    """What a pointer points to, in order: ("item", "8"), ("note", "13"), ("page", "F-2"), ("heading", "Legal Proceedings")."""
    found = []
    for kind, pattern in TARGETS.items():
        found += [(m.start(), kind, m[1].strip(" ,.")) for m in pattern.finditer(text[:STUB])]
    return list(dict.fromkeys((kind, name) for _, kind, name in sorted(found)))
