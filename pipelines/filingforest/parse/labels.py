"""Reads item labels ("Item No. 7A", "Items 10 through 14", "Item 9A(T)") and compares headings with an item's known titles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from filingforest.parse.forms import Form, ItemDef

SPELT = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".upper().split()
CODE = rf"(?:\d{{1,2}}|(?:{'|'.join(SPELT)})\b)(?:\.\d\d(?!\d))?(?:\s?\(?[A-Ka-k]\)?(?![A-Za-z'’]))?(?:\s?\(T\)|T(?![A-Za-z]))?"
LABEL = re.compile(
    rf"(?:part\s+(?P<part>IV|I{{1,3}}|[1-4])\s*[,.:;/–—-]*\s*)?"
    rf"(?P<word>items?)\s*(?:(?:no|nos|number|numbers)\b\.?\s*)?[#:]?\s*(?P<first>{CODE})"
    rf"(?P<more>(?:[.:]?\s*(?:,\s*and\b|,|and\b|&|/|\bthrough\b|\bto\b|[-–—])\s*(?:items?\s*)?{CODE}(?=[\s.,:;&–—-]|$)){{0,14}})",
    re.IGNORECASE,
)
JOINT = re.compile(rf"\s*(,\s*and\b|,|and\b|&|/|\bthrough\b|\bto\b|[-–—])\s*(?:items?\s*)?({CODE})", re.IGNORECASE)
PART = re.compile(r"^\W*part\s*(IV|III|II|I|[1-4])\b(?P<rest>.{0,80})$", re.IGNORECASE)
SEPARATOR = " \t.:;,–—-|)("
ROMAN = {"1": "I", "2": "II", "3": "III", "4": "IV"}
WORD = re.compile(r"[a-z0-9&]+")
STOP = frozenset(
    [
        "the",
        "of",
        "and",
        "a",
        "an",
        "to",
        "in",
        "on",
        "for",
        "s",
        "by",
        "or",
        "our",
        "its",
        "company",
        "companys",
        "registrant",
        "registrants",
        "with",
    ]
)
NUMBER = re.compile(r"(?P<code>\d{1,2}(?:\.\d\d)?\s?[A-J]?)(?P<gap>[ \t.:;,–—|)-]+)(?=[A-Z\[“])")
CONTINUED = re.compile(r"\(?\bcont(?:inued|'d|’d|d)?\b\.?\)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Label:
    """An item label at the start of a text. `codes` in order; `end` is where the title starts; `gap` what parted them."""

    codes: tuple[str, ...]
    part: str | None
    start: int
    end: int
    gap: str
    written: str


def read_label(text: str, form: Form) -> Label | None:
    """The item label that `text` starts with, None where it starts with none or with a number that the form does not have."""
    head = text[:200]
    m = LABEL.match(head)
    if m is None:
        return None
    first = _code(m["first"], form)
    if first is None:
        return None
    end = m.end("first")
    if _is_glued(head[end:], first, form):
        first, end = first + head[end].upper(), end + 1
    codes = [first]
    plural = m["word"].lower() == "items"
    for joint in JOINT.finditer(m["more"] or ""):
        code = _code(joint[2], form)
        again = "item" in joint[0].lower()
        sign = joint[1].lower().strip()
        if code is None or not (plural or again or sign in ("and", "&", "/")) or code in codes:
            break
        codes += _between(codes[-1], code, form) if sign in ("through", "to", "-", "–", "—") else []
        codes.append(code)
        end = m.start("more") + joint.end()
    rest = head[end:]
    gap = rest[: len(rest) - len(rest.lstrip(SEPARATOR))]
    if rest.startswith(")"):  # "(Item 7)" is not a heading
        return None
    part = m["part"].upper() if m["part"] else None
    return Label(tuple(codes), ROMAN.get(part or "", part), m.start(), end + len(gap), gap, head[m.start("word") : end].strip(" .:–—-"))


def read_number(text: str, form: Form) -> Label | None:
    """An item's number that stands without the word "Item" ("1A. Risk Factors"), as a label."""
    m = NUMBER.match(text[:200])
    code = _code(m["code"], form) if m else None
    if m is None or code is None:
        return None
    return Label((code,), None, 0, m.end(), m["gap"], m["code"])


def _code(written: str, form: Form) -> str | None:
    number, _, letter = re.sub(r"[()]", " ", written.upper()).partition(" ")
    if number in SPELT:
        number = str(SPELT.index(number) + 1)
    code = number + letter.replace(" ", "")
    if code in form.codes:
        return code
    if code.endswith("T") and code[:-1] in form.codes:
        return code[:-1]
    return None


def _is_glued(rest: str, code: str, form: Form) -> bool:
    """ "ITEM 1ARISK FACTORS": the letter belongs to the number where the title then agrees better ("ITEM 1BUSINESS" keeps its B)."""
    lettered = code + rest[:1].upper()
    if not rest[1:2].isalpha() or lettered not in form.codes or not code.isdigit():
        return False
    return match_title(rest[1:], form.defs(lettered)).score > match_title(rest, form.defs(code)).score


def _between(first: str, last: str, form: Form) -> list[str]:
    """Codes between two, for "10 through 14"; whole numbers only, as the SEC's combined headings are."""
    if not (first.rstrip("ABC").isdigit() and last.isdigit()):
        return []
    low, high = int(first.rstrip("ABC")), int(last)
    return [str(n) for n in range(low + 1, high) if str(n) in form.codes] if high - low < 8 else []


@lru_cache(maxsize=4096)
def words_of(title: str) -> tuple[str, ...]:
    """The telling words of a title, in order."""
    plain = CONTINUED.sub(" ", title.lower()).replace("’", "").replace("'", "")
    return tuple(w for w in WORD.findall(plain) if w not in STOP)


@dataclass(frozen=True, slots=True)
class Match:
    """How well a text agrees with a title: `cover` of the title's words, `fill` of the text's words (0-1)."""

    cover: float
    fill: float
    meaning: ItemDef | None = None

    @property
    def score(self) -> float:
        return self.cover * (0.5 + 0.5 * self.fill)


NO_MATCH = Match(0.0, 0.0)


def match_title(text: str, meanings: tuple[ItemDef, ...]) -> Match:
    """The best of an item's titles for what follows its label (its first words: prose may run on)."""
    words = words_of(text[:300])
    if not words:
        return NO_MATCH
    best = NO_MATCH
    for meaning in meanings:
        for title in meaning.titles:
            want = words_of(title)
            got = words[: len(want) + 2]
            common = len(set(want) & set(got))
            match = Match(common / len(set(want)), common / min(len(set(words)), len(want) + 6), meaning)
            if match.score > best.score:
                best = match
    return best


def read_part(text: str) -> str | None:
    """ "PART II. OTHER INFORMATION" -> "II"; None where the text is more than a part's heading."""
    if len(text) > 100:
        return None
    m = PART.match(text)
    if m is None:
        return None
    rest = m["rest"].strip()
    if rest and (rest[0].islower() or (rest.endswith((".", ",")) and len(rest) > 60) or re.match(r"^,?\s*items?\b", rest, re.IGNORECASE)):
        return None
    part = m[1].upper()
    return ROMAN.get(part, part)
