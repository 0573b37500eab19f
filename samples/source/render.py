"""Turns a template with placeholders into a filing's inline-XBRL HTML, in the style that filing agents' software writes.

Template lines: `= part`, `== Item 1. | Title`, `+ heading`, `++ subheading`, `* bullet`, `!table`, `---` (page break), else a paragraph;
`@2024 ` before a line keeps it for that period only. Placeholders: see `Report._fill`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from html import escape

from company import Company
from ixbrl import Tagger, document
from tables import TABLES, Cell, table_html

FONT = "font-family:'Times New Roman',serif;font-size:10pt;font-weight:{weight}"
PAGE_BREAK = '<hr style="page-break-after:always"/>'
FORMS = {"10-K": "ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d)", "10-Q": "QUARTERLY REPORT PURSUANT TO SECTION 13 OR 15(d)"}


class Report:
    """One filing being written."""

    def __init__(self, company: Company, form: str, period: str) -> None:
        self.company, self.form, self.period = company, form, period
        self.tagger = Tagger(company.cik, f"{company.prefix}-{self.end.replace('-', '')}")
        self._page, self._items = 1, list[tuple[str, str, str, int]]()

    @property
    def end(self) -> str:
        return self.company.periods[self.period].end

    @property
    def year(self) -> int:
        return int(self.period[:4])

    def html(self, template: str) -> str:
        """The whole document."""
        lines = list(self._lines(template))
        breaks = [sum(line == "---" for line in lines[:n]) for n in range(len(lines))]
        self._items = [(*_item(line), 1 + page) for line, page in zip(lines, breaks, strict=True) if line.startswith("== ")]
        body = "".join(map(self._line, lines)) + self._footer()
        return document(self.tagger.prefix, self.company.prefix, self.tagger, body)

    def _lines(self, template: str) -> Iterator[str]:
        for line in template.splitlines():
            only = re.match(r"@(\S+) ", line)
            if only and only[1] != self.period:
                continue
            text = line[only.end() :] if only else line
            if text.strip() and not text.startswith("%"):
                yield text.strip()

    def _line(self, line: str) -> str:
        if line == "---":
            return self._break()
        if line.startswith("!"):
            return self._table(line[1:])
        mark, _, text = line.partition(" ")
        if mark == "=":
            return block(span(self._fill(text), 700), "margin-top:12pt;text-align:center")
        if mark == "==":
            anchor, label, title = _item(line)
            return f'<div id="{anchor}"></div>' + block(span(f"{label}&#160;&#160;&#160;&#160;{title}", 700), "margin-top:12pt")
        if mark == "+":
            return block(span(self._fill(text), 700), "margin-top:10pt")
        if mark == "++":
            return block(span(self._fill(text), "700;font-style:italic"), "margin-top:8pt")
        if mark == "*":
            return block(
                span("•", 400) + span(self._fill(text), 400, "padding-left:12pt"), "margin-top:4pt;padding-left:36pt;text-indent:-18pt"
            )
        if mark == "^":
            return block(span(self._fill(text), 400), "margin-top:4pt;text-align:center")
        return block(span(self._fill(line), 400), "margin-top:6pt;text-align:justify;text-indent:24pt")

    def _break(self) -> str:
        out = self._footer() + PAGE_BREAK
        self._page += 1
        top = f'<a href="#toc" style="{FONT.format(weight=400)};text-decoration:underline">Table of Contents</a>'
        return out + f'<div style="min-height:36pt;width:100%"><div>{top}</div></div>'

    def _footer(self) -> str:
        name = f"{self.company.name} | {self.year} Form {self.form} | {self._page}"
        return f'<div style="height:36pt;position:relative;width:100%"><div style="text-align:center">{span(name, 400)}</div></div>'

    def _table(self, name: str) -> str:
        if name == "cover":
            return self._cover()
        if name == "toc":
            return self._toc()
        rows, columns = TABLES[name](self.company, self.period)
        return "<div>" + table_html(columns, rows, self._cell) + "</div>"

    def _toc(self) -> str:
        rows = "".join(
            f'<tr><td style="padding:2px 1pt;width:14%">{span(f"<a href={chr(34)}#{anchor}{chr(34)}>{label}</a>", 400)}</td>'
            f'<td style="padding:2px 1pt">{span(f"<a href={chr(34)}#{anchor}{chr(34)}>{title}</a>", 400)}</td>'
            f'<td style="padding:2px 1pt;text-align:right">{span(str(page), 400)}</td></tr>'
            for anchor, label, title, page in self._items
        )
        head = block(span("TABLE OF CONTENTS", 700), "text-align:center;margin-top:12pt")
        return f'<div id="toc"></div>{head}<table style="border-collapse:collapse;width:100%">{rows}</table>'

    def _cell(self, cell: Cell) -> tuple[str, bool]:
        """The number's markup and whether it stands in brackets."""
        value = self.company.value(cell.name, cell.period)
        bracketed = (-value if cell.negate else value) < 0
        return self.number(cell.name, cell.period), bracketed

    def number(self, name: str, period: str, scale: int = 3) -> str:
        """A tagged figure at `scale` (3: thousands, 6: millions with one decimal)."""
        c = self.company
        value, span = c.value(name, period), c.span(name, period)
        concept, dimensions, below = c.concept(name), c.dimensions(name), value < 0
        if name.startswith("eps"):
            return self.tagger.number(concept, *span, f"{abs(value):.2f}", unit="usdPerShare", scale=0, decimals="2", negative=below)
        unit = "shares" if name.startswith("shares") else "usd"
        if scale == 6:
            shown = f"{_tenths(abs(value)):,}"
            return self.tagger.number(concept, *span, shown, scale=6, decimals="-5", negative=below, dimensions=dimensions)
        shown = f"{abs(value):,}" if value else "—"
        return self.tagger.number(concept, *span, shown, unit=unit, negative=below, dimensions=dimensions)

    def _fill(self, text: str) -> str:
        """Placeholders: {m NAME [-1]} millions, tagged; {d NAME} change in millions; {p NAME} change in percent; {r NAME OF} percent of;
        {w NAME} increased or decreased; {e NAME} a share; {year [-1]}; {end}; {NAME} a text of the company."""
        parts = re.split(r"\{([^{}]+)\}", text)
        return "".join(self._word(part) if n % 2 else escape(part, quote=False) for n, part in enumerate(parts))

    def _word(self, words: str) -> str:
        verb, *rest = words.split()
        c, back = self.company, 1 if rest and rest[-1] == "-1" else 0
        period, last = self._past(back), self._past(back + 1)
        if verb == "year":
            return str(self.year - back)
        if verb == "end":
            return long_date(c.periods[period].end)
        if verb not in ("m", "d", "p", "r", "w", "e"):
            return escape(c.facts[words].replace("{year}", str(self.year)), quote=False)
        name = rest[0]
        if verb in ("m", "e"):
            return self.number(name, period, 6)
        now, then = c.value(name, period), c.value(rest[1], period) if verb == "r" else c.value(name, last)
        change = now - then
        return {
            "d": f"{_tenths(abs(change)):,}",
            "p": f"{abs(change) / abs(then) * 100:.1f}%",
            "r": f"{now / then * 100:.1f}%",
            "w": "increased" if change > 0 else "decreased",
        }[verb]

    def _past(self, back: int) -> str:
        period: str = self.period
        for _ in range(back):
            period = self.company.periods[period].last or period
        return period

    def _cover(self) -> str:
        from cover import cover_html

        return cover_html(self)


def _item(line: str) -> tuple[str, str, str]:
    """Anchor, label and title of `== Item 1. | Business`."""
    label, _, title = line[3:].partition(" | ")
    return re.sub(r"\W+", "-", f"{label} {title}".lower()).strip("-")[:40], escape(label, quote=False), escape(title, quote=False)


def span(text: str, weight: int | str, more: str = "") -> str:
    return f'<span style="{FONT.format(weight=weight)}{";" + more if more else ""}">{text}</span>'


def block(inner: str, style: str) -> str:
    return f'<div style="{style}">{inner}</div>\n'


def _tenths(thousands: int | float) -> Decimal:
    """Millions with one decimal, halves away from zero as accountants round."""
    return (Decimal(str(thousands)) / 1000).quantize(Decimal("0.1"), ROUND_HALF_UP)


def long_date(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day:%B} {day.day}, {day.year}"
