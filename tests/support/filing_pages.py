"""One imagined annual report as content, and four ways in which the web of thirty years would have set it in HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape


@dataclass(frozen=True)
class Statement:
    """A table: rows of (label, indent level, value of each year or None)."""

    title: str
    note: str
    years: tuple[int, ...]
    rows: tuple[tuple[str, int, tuple[int, ...] | None], ...]


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Item:
    code: str
    title: str
    body: tuple[str | Heading | Statement, ...]


@dataclass(frozen=True)
class Report:
    company: str
    year: int
    items: tuple[Item, ...]
    factor: int = 1

    def changed(
        self, company: str = "", factor: int = 1, years: int = 0, order: Callable[[Sequence[Item]], Sequence[Item]] = list
    ) -> Report:
        """Another report of the same structure: other company, amounts times `factor`, years later, items in another order."""
        name = company or self.company
        items = tuple(replace(i, body=tuple(_changed(x, self.company, name, factor, years) for x in i.body)) for i in order(self.items))
        return replace(self, company=name, year=self.year + years, items=items)


def _changed(x: str | Heading | Statement, old: str, new: str, factor: int, years: int) -> str | Heading | Statement:
    if isinstance(x, Statement):
        rows = tuple((label, level, tuple(v * factor for v in values) if values else None) for label, level, values in x.rows)
        return replace(x, years=tuple(y + years for y in x.years), rows=rows)
    return x.replace(old, new) if isinstance(x, str) else x


INCOME = Statement(
    "CONSOLIDATED STATEMENTS OF INCOME",
    "(in millions)",
    (2021, 2020),
    (
        ("Net sales", 0, (1206, 1104)),
        ("Operating expenses:", 0, None),
        ("Cost of sales", 1, (702, 650)),
        ("Selling, general and administrative", 1, (203, 198)),
        ("Total operating expenses", 0, (905, 848)),
        ("Income before taxes", 0, (301, 256)),
        ("Provision for income taxes", 0, (-61, -52)),
        ("Net income", 0, (240, 204)),
    ),
)
REPORT = Report(
    "Quillon Harbor Tools, Inc.",
    2021,
    (
        Item("1", "Business", (
            "Quillon Harbor Tools, Inc. makes hand tools for boat builders and sells them in nine states.",
            Heading("Competition"),
            "The market for hand tools is old and crowded, and most of our rivals have been in it for longer than we have.",
        )),
        Item("1A", "Risk Factors", (
            Heading("Steel may become dearer"),
            "The price of steel has moved by more than a third within a year before, and it may do so again at any time.",
        )),
        Item("1B", "Unresolved Staff Comments", ("None.",)),
        Item("2", "Properties", ("We own our works and rent our stores under leases that end in nine years.",)),
        Item("7", "Management's Discussion and Analysis of Financial Condition and Results of Operations", (
            Heading("Results of Operations"),
            "Net sales grew because more boats were built, and because each boat needed more tools than a year before.",
        )),
        Item("8", "Financial Statements and Supplementary Data", (
            INCOME,
            "The accompanying notes are an integral part of these statements, and should be read together with them.",
        )),
        Item("10", "Directors, Executive Officers and Corporate Governance", (
            "The information required by this item is incorporated by reference to our definitive proxy statement.",
        )),
    ),
)  # fmt: skip


def number(value: int) -> str:
    return f"({-value:,})" if value < 0 else f"{value:,}"


class Modern:
    """Styles on every element, signs in cells of their own, as today's filing agents write."""

    bold = 'style="font-weight:700;font-size:10pt"'

    def page(self, report: Report) -> str:
        body = "".join([*self.cover(report), *(x for item in report.items for x in self.item(item))])
        return f"<!DOCTYPE html><html><head><title>x</title></head><body>{body}{self.end()}</body></html>"

    def cover(self, report: Report) -> list[str]:
        lines = ["FORM 10-K", f"For the fiscal year ended December 31, {report.year}", report.company]
        return [self.title(x) for x in lines] + [self.text("(Exact name of registrant as specified in its charter)")]

    def item(self, item: Item) -> list[str]:
        return [self.heading(f"Item {item.code}. {item.title}"), *(self.block(x) for x in item.body)]

    def block(self, x: str | Heading | Statement) -> str:
        if isinstance(x, Statement):
            return self.title(x.title) + self.text(x.note) + self.table(x)
        return self.subheading(x.text) if isinstance(x, Heading) else self.text(x)

    def end(self) -> str:
        return self.heading("SIGNATURES") + self.text("Pursuant to the requirements of the Act, this report was signed by the company.")

    def title(self, text: str) -> str:
        return f'<div style="text-align:center"><span {self.bold}>{escape(text)}</span></div>'

    def heading(self, text: str) -> str:
        return f"<div><span {self.bold}>{escape(text)}</span></div>"

    def subheading(self, text: str) -> str:
        return f'<div><span style="font-weight:700;font-style:italic;font-size:10pt">{escape(text)}</span></div>'

    def text(self, text: str) -> str:
        return f'<div style="margin-bottom:6pt"><span style="font-size:10pt">{escape(text)}</span></div>'

    def table(self, s: Statement) -> str:
        years = "".join(f'<td></td><td colspan="2" style="font-weight:700;text-align:center">{y}</td>' for y in s.years)
        rows = [f"<tr><td></td>{years}</tr>"]
        for i, (label, level, values) in enumerate(s.rows):
            sign = "$" if i == 0 else ""
            cells = "".join(f"<td></td><td>{sign}</td><td style='text-align:right'>{number(v)}</td>" for v in values or ())
            rows.append(f'<tr><td style="padding-left:{9 * level}pt">{escape(label)}</td>{cells}</tr>')
        return f"<table>{''.join(rows)}</table>"


class Old(Modern):
    """Capital tags, fonts and non-breaking spaces, as in 1999."""

    def title(self, text: str) -> str:
        return f"<P ALIGN=CENTER><FONT SIZE=2><B>{escape(text)}</B></FONT></P>\n"

    def heading(self, text: str) -> str:
        label, _, rest = text.partition(". ")
        return (
            f"<P><FONT SIZE=2><B>{label.upper()}.&nbsp;&nbsp;{escape(rest).upper()}</B></FONT></P>\n" if rest else f"<P><B>{text}</B></P>"
        )

    def subheading(self, text: str) -> str:
        return f"<P><FONT SIZE=2><B><I>{escape(text)}</I></B></FONT></P>\n"

    def text(self, text: str) -> str:
        return f"<P><FONT SIZE=2>{escape(text)}</FONT></P>\n"

    def table(self, s: Statement) -> str:
        rows = ["<TR><TH></TH>" + "".join(f"<TH>&nbsp;</TH><TH ALIGN=RIGHT><FONT SIZE=1>{y}</FONT></TH>" for y in s.years) + "</TR>"]
        for i, (label, level, values) in enumerate(s.rows):
            sign = "$" if i == 0 else ""
            cells = "".join(f"<TD>&nbsp;</TD><TD ALIGN=RIGHT>{sign}{number(v)}</TD>" for v in values or ())
            rows.append(f"<TR><TD>{'&nbsp;' * 3 * level}{escape(label)}</TD>{cells}</TR>")
        return f"<TABLE BORDER=0>{''.join(rows)}</TABLE>\n"


class Classes(Modern):
    """A style sheet with class names that mean nothing, headings split over elements, labels and titles in cells side by side."""

    def page(self, report: Report) -> str:
        sheet = ".zq1{font-weight:bold}.zq2{font-weight:bold;font-style:italic}.zq3{text-align:center}"
        return super().page(report).replace("<title>x</title>", f"<style>{sheet}</style>")

    def title(self, text: str) -> str:
        return f'<section><p class="zq3 zq1">{escape(text)}</p></section>'

    def heading(self, text: str) -> str:
        label, _, rest = text.partition(". ")
        if not rest:
            return f'<p class="zq1">{escape(text)}</p>'
        return f'<table><tr><td class="zq1">{label}.</td><td class="zq1">{escape(rest)}</td></tr></table>'

    def subheading(self, text: str) -> str:
        return f'<p><b class="zq2"><span>{escape(text[:4])}</span><span>{escape(text[4:])}</span></b></p>'

    def text(self, text: str) -> str:
        half = text.find(" ", len(text) // 2)
        return f"<p><span>{escape(text[:half])}</span><span>{escape(text[half:])}</span></p>"


class Semantic(Modern):
    """Heading elements and plain paragraphs."""

    def title(self, text: str) -> str:
        return f"<p align=center><strong>{escape(text)}</strong></p>"

    def heading(self, text: str) -> str:
        return f"<h2>{escape(text)}</h2>"

    def subheading(self, text: str) -> str:
        return f"<h3>{escape(text)}</h3>"

    def text(self, text: str) -> str:
        return f"<p>{escape(text)}</p>"


DIALECTS: dict[str, Modern] = {"modern": Modern(), "old": Old(), "classes": Classes(), "semantic": Semantic()}
