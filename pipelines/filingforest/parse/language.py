"""Guesses a document's language from its letters, so that news, contracts and filings can be filtered by it."""

from __future__ import annotations

import re

SAMPLE = 20_000  # characters
ASCII = re.compile(r"[\x00-\x7f]+")
CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
KANA, HANGUL = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\uac00-\ud7af]")
VIETNAMESE = re.compile(r"[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]", re.IGNORECASE)
ENGLISH = re.compile(r"\b(?:the|of|and|to|in|that|for|with|is|by|or|as|on)\b", re.IGNORECASE)


def language_of(text: str) -> str | None:
    """A BCP 47 tag: en, zh, ja, ko, vi; None where the letters do not say."""
    sample = text[:SAMPLE]
    letters = sum(map(str.isalpha, sample))
    if letters < 20:
        return None
    other = ASCII.sub("", sample)
    if len(KANA.findall(other)) > 0.1 * letters:
        return "ja"
    if len(HANGUL.findall(other)) > 0.3 * letters:
        return "ko"
    if len(CJK.findall(other)) > 0.3 * letters:
        return "zh"
    if len(VIETNAMESE.findall(other)) > 0.04 * letters:
        return "vi"
    return "en" if len(ENGLISH.findall(sample)) > 0.08 * len(sample.split()) else None
