"""Filings of any size, made of the same stuff: items, paragraphs over page breaks, tables, headings."""

from __future__ import annotations

from collections.abc import Iterator

ITEMS = (
    ("1", "Business"), ("1A", "Risk Factors"), ("1B", "Unresolved Staff Comments"), ("2", "Properties"), ("3", "Legal Proceedings"),
    ("7", "Management's Discussion and Analysis of Financial Condition and Results of Operations"),
    ("8", "Financial Statements and Supplementary Data"), ("9A", "Controls and Procedures"),
)  # fmt: skip
WORDS = "the company sells and makes many kinds of goods for its customers in several markets whose growth it cannot foresee".split()  # noqa: SIM905


def filing_of(size: int) -> str:
    """About `size` bytes of HTML."""
    share = size // len(ITEMS)
    body = "".join(
        f'<div><span style="font-weight:700;font-size:10pt">Item {code}. {title}</span></div>{_body(share, code)}' for code, title in ITEMS
    )
    head = "<p>FORM 10-K</p><p>For the fiscal year ended December 31, 2021</p><p>Synthetic Corp.</p><p>(Exact name of registrant)</p>"
    return f"<!DOCTYPE html><html><body>{head}{body}</body></html>"


def _body(size: int, code: str) -> str:
    parts, length = [], 0
    for part in _parts(code):
        parts.append(part)
        length += len(part)
        if length >= size:
            break
    return "".join(parts)


def _parts(code: str) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f'<div><span style="font-weight:700;font-style:italic;font-size:10pt">Topic {code}-{number}</span></div>'
        for k in range(4):
            words = " ".join(WORDS[(number * 7 + k * 3 + i) % len(WORDS)] for i in range(70))
            yield f'<div style="margin-bottom:6pt"><span style="font-size:10pt">In {number}, {words}.</span></div>'
        rows = "".join(
            f'<tr><td style="padding-left:9pt">Line {r}</td><td>$</td><td style="text-align:right">{number * r:,}</td><td></td>'
            f'<td>$</td><td style="text-align:right">{number + r:,}</td></tr>'
            for r in range(12)
        )
        yield f"<table><tr><td></td><td colspan=2>2021</td><td></td><td colspan=2>2020</td></tr>{rows}</table>"
        yield f'<div style="text-align:center">{number}</div><div style="page-break-after:always"></div>'
