"""Writes inline XBRL: each number once as people read it and as machines do (Inline XBRL 1.1; EDGAR Filer Manual, volume II)."""

# ruff: noqa: E501  (tables of data)
from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

NAMESPACES = {
    "": "http://www.w3.org/1999/xhtml",
    ":ix": "http://www.xbrl.org/2013/inlineXBRL",
    ":ixt": "http://www.xbrl.org/inlineXBRL/transformation/2020-02-12",
    ":ixt-sec": "http://www.sec.gov/inlineXBRL/transformation/2015-08-31",
    ":xbrli": "http://www.xbrl.org/2003/instance",
    ":xbrldi": "http://xbrl.org/2006/xbrldi",
    ":link": "http://www.xbrl.org/2003/linkbase",
    ":xlink": "http://www.w3.org/1999/xlink",
    ":iso4217": "http://www.xbrl.org/2003/iso4217",
    ":us-gaap": "http://fasb.org/us-gaap/2024",
    ":srt": "http://fasb.org/srt/2024",
    ":country": "http://xbrl.sec.gov/country/2024",
    ":dei": "http://xbrl.sec.gov/dei/2024",
}
UNITS = {
    "usd": "<xbrli:measure>iso4217:USD</xbrli:measure>",
    "shares": "<xbrli:measure>xbrli:shares</xbrli:measure>",
    "usdPerShare": "<xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unitNumerator>"
    "<xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator></xbrli:divide>",
    "number": "<xbrli:measure>xbrli:pure</xbrli:measure>",
}


@dataclass
class Tagger:
    """Collects contexts while facts are written; `header` is written last and stands first."""

    cik: int
    prefix: str
    _contexts: dict[tuple[str | None, str, tuple[tuple[str, str], ...]], str] = field(default_factory=dict)
    _facts: int = 0
    _hidden: list[str] = field(default_factory=list)

    def number(
        self, concept: str, start: str | None, end: str, shown: str, *, unit: str = "usd", scale: int = 3, decimals: str | None = None,
        negative: bool = False, dimensions: tuple[tuple[str, str], ...] = (),
    ) -> str:  # fmt: skip
        """A tagged number, `shown` as it is printed without sign and brackets."""
        sign = ' sign="-"' if negative else ""
        told = decimals if decimals is not None else str(-scale)
        form = "ixt:fixed-zero" if shown == "—" else "ixt:num-dot-decimal"
        return (
            f'<ix:nonFraction unitRef="{unit}" contextRef="{self._context(start, end, dimensions)}" decimals="{told}" name="{concept}"'
            f' format="{form}" scale="{scale}"{sign} id="{self._id()}">{shown}</ix:nonFraction>'
        )

    def text(self, concept: str, start: str | None, end: str, shown: str, *, form: str = "", inner: bool = False) -> str:
        """A tagged text; `inner` where `shown` is markup already."""
        how = f' format="{form}"' if form else ""
        body = shown if inner else escape(shown)
        return f'<ix:nonNumeric contextRef="{self._context(start, end, ())}" name="{concept}"{how} id="{self._id()}">{body}</ix:nonNumeric>'

    def hide(self, concept: str, start: str | None, end: str, value: str) -> None:
        self._hidden.append(self.text(concept, start, end, value))

    def header(self) -> str:
        contexts = "".join(_context(name, self.cik, *key) for key, name in self._contexts.items())
        units = "".join(f'<xbrli:unit id="{name}">{measure}</xbrli:unit>' for name, measure in UNITS.items())
        schema = f'<link:schemaRef xlink:type="simple" xlink:href="{self.prefix}.xsd"/>'
        return (
            f'<div style="display:none"><ix:header><ix:hidden>{"".join(self._hidden)}</ix:hidden>'
            f'<ix:references xml:lang="en-US">{schema}</ix:references><ix:resources>{contexts}{units}</ix:resources></ix:header></div>'
        )

    def _context(self, start: str | None, end: str, dimensions: tuple[tuple[str, str], ...]) -> str:
        return self._contexts.setdefault((start, end, dimensions), f"c-{len(self._contexts) + 1}")

    def _id(self) -> str:
        self._facts += 1
        return f"f-{self._facts}"


def _context(name: str, cik: int, start: str | None, end: str, dimensions: tuple[tuple[str, str], ...]) -> str:
    members = "".join(f'<xbrldi:explicitMember dimension="{axis}">{member}</xbrldi:explicitMember>' for axis, member in dimensions)
    segment = f"<xbrli:segment>{members}</xbrli:segment>" if members else ""
    when = (
        f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
        if start
        else f"<xbrli:instant>{end}</xbrli:instant>"
    )
    return (
        f'<xbrli:context id="{name}"><xbrli:entity><xbrli:identifier scheme="http://www.sec.gov/CIK">{cik:010d}</xbrli:identifier>{segment}'
        f"</xbrli:entity><xbrli:period>{when}</xbrli:period></xbrli:context>"
    )


def document(title: str, own: str, tagger: Tagger, body: str) -> str:
    """The whole file. `own` is the filer's namespace prefix."""
    spaces = "".join(f' xmlns{name}="{uri}"' for name, uri in {**NAMESPACES, f":{own}": f"http://www.{own}.example/{title}"}.items())
    head = f'<head><title>{title}</title><meta http-equiv="Content-Type" content="text/html"/></head>'
    return f"<?xml version='1.0' encoding='utf-8'?>\n<html{spaces} xml:lang=\"en-US\">{head}<body>\n{tagger.header()}\n{body}\n</body></html>\n"
