"""Makes another, equally possible EDGAR out of one: other company names, years and amounts, and items in another order.

What a program answers must follow. A program that was fitted to the first one fails on the second.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

FACT = re.compile(r'(<ix:nonFraction [^>]*unitRef="usd"[^>]*>)([\d,.]+)(</ix:nonFraction>)')
YEAR = re.compile(r"(?<![\d,$])(?<!\d\.)(?:19|20)\d\d(?=\d{4}(?!\d)|(?!\d))(?!,\d)")
PARTS = ("Archives", "submissions", "files")
ITEM = re.compile(r'(?=<div id="item-[^"]*"></div>)')
PART = re.compile(r'(?=<div style="[^"]*"><span style="[^"]*">PART [IV]+</span></div>)')


@dataclass(frozen=True)
class Change:
    """`names` old -> new, in any case; amounts in dollars times `factor`; `years` added; `seed` for the order of items (None: as it is).

    Years shift by a multiple of four, so that leap days stay.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    factor: int = 1
    years: int = 0
    seed: int | None = None

    def text(self, text: str) -> str:
        """One file's text. Amounts keep their commas and decimals."""
        text = FACT.sub(lambda m: m[1] + times(m[2], self.factor) + m[3], text)
        text = YEAR.sub(lambda m: str(int(m[0]) + self.years), text)
        text = self.renamed(text)
        return text if self.seed is None else "".join(_shuffled(part, random.Random(self.seed)) for part in PART.split(text))

    def renamed(self, text: str) -> str:
        for old, new in self.names.items():
            text = re.sub(re.escape(old), _same_case(new), text, flags=re.IGNORECASE)
        return text

    def path(self, path: Path) -> Path:
        return Path(*(self.renamed(YEAR.sub(lambda m: str(int(m[0]) + self.years), part)) for part in path.parts))

    def archive(self, root: Path, target: Path) -> Path:
        """A whole EDGAR under `target`; quarters stay what they are, since whole years are added."""
        for file in sorted(p for part in PARTS for p in (root / part).rglob("*") if p.is_file()):
            new = target / self.path(file.relative_to(root))
            new.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(self.text(file.read_text("utf-8")), "utf-8")
        return target


def times(text: str, factor: int) -> str:
    """`1,518.3` times 3 is `4,554.9`: the same decimals, commas where there were some or are needed."""
    decimals = len(text.partition(".")[2])
    units = int(text.replace(",", "").replace(".", "")) * factor
    return f"{units / 10**decimals:,.{decimals}f}"


def _shuffled(part: str, order: random.Random) -> str:
    """A part's items in another order; the last part ends with the signatures and stays."""
    head, *items = ITEM.split(part)
    if "</body>" in part:
        return part
    order.shuffle(items)
    return head + "".join(items)


def _same_case(new: str) -> Callable[[re.Match[str]], str]:
    return lambda m: new.upper() if m[0].isupper() else new.lower() if m[0].islower() else new
