"""Statements in real PDFs keep each label with its numbers, judged by the order in which the PDF itself writes its text."""

from __future__ import annotations

import json
import re
import time
from collections import Counter, defaultdict
from pathlib import Path

import pypdfium2
import pytest

from filingforest.parse.model import DocumentHint
from filingforest.parse.pdf import read_pdf

pytestmark = pytest.mark.shared
NUMBER = r"[($-]*\d[\d,]*(?:\.\d+)?\)?\s?%?\)?|[—–-]"
LINE = re.compile(rf"(?P<label>[A-Za-z][^\d$—–]*[A-Za-z)’.:]) (?P<numbers>(?:\$ ?)?(?:{NUMBER})(?:\s+(?:\$ ?)?(?:{NUMBER})){{1,9}})")
REFERENCE = re.compile(r"\((?:Notes? [\d, and]+|\w{1,2})\)(?= )")
EVERY = 4  # documents; all of them take minutes


def figures(text: str) -> list[str]:
    return [re.sub(r"[^\d.]", "", x) for x in re.findall(r"\d[\d,.]*", text)]


def letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())


def rows_of(pdf: pypdfium2.PdfDocument, page: int) -> list[tuple[str, Counter[str]]]:
    """Label and figures of the page's lines that look like a statement's row, years alone left out."""
    out = []
    for line in pdf[page].get_textpage().get_text_range().splitlines():
        found = LINE.fullmatch(" ".join(REFERENCE.sub("", line).split()))
        numbers = figures(found["numbers"]) if found else []
        if found and len(numbers) > 1 and len(found["label"]) < 110 and not all(re.fullmatch(r"(?:19|20)\d\d", n) for n in numbers):
            out.append((letters(found["label"])[-14:], Counter(numbers)))
    return out


def test_labels_keep_their_numbers_on_pages_that_questions_were_asked_of(shared: Path) -> None:
    folder = shared / "financebench"
    gold: dict[str, set[int]] = defaultdict(set)
    for line in (folder / "questions.jsonl").read_text().splitlines():
        question = json.loads(line)
        gold[question["doc"]].update(question["gold_pages"])
    seen = right = pages = 0
    start = time.process_time()
    for name in sorted(gold)[::EVERY]:
        content = (folder / "pdf" / f"{name}.pdf").read_bytes()
        tables: dict[int | None, list[tuple[str, Counter[str]]]] = defaultdict(list)
        for block in read_pdf(content, DocumentHint(f"folder:{name}")):
            for row in block.table.unit.rows if block.table else []:
                tables[block.page].append((letters(row["label"]), Counter(x for text in row.get("text") or [] for x in figures(text))))
        pdf = pypdfium2.PdfDocument(content)
        pages += len(pdf)
        for page in gold[name]:
            for label, numbers in rows_of(pdf, page):
                seen += 1
                right += any(label in there and numbers <= held for there, held in tables[page])
    assert seen > 200
    assert right / seen >= 0.98
    assert (time.process_time() - start) / pages * 200 < 15  # seconds for 200 pages, on a busy machine too
