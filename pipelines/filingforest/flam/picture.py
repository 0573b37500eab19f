"""Heat maps of Items by terms: a page that needs nothing but a browser, and a picture by matplotlib (the `plots` extra)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.errors import ConfigError

Values = npt.NDArray[Any]
_STYLE = """body{font:14px system-ui,sans-serif;margin:2em}table{border-collapse:collapse}th,td{padding:3px 6px;border:1px solid #ddd}
td{text-align:right}th.term{writing-mode:vertical-rl;transform:rotate(180deg);text-align:left;font-weight:400}th.item{text-align:left}"""


def html(items: Sequence[str], terms: Sequence[str], values: Values, what: str) -> str:
    """A whole page; shades by the square root of a cell's share of the largest, so that small counts are seen too."""
    head = "".join(f'<th class="term">{escape(term)}</th>' for term in terms)
    rows = "".join(
        f'<tr><th class="item">{escape(item) or "(outside any item)"}</th>'
        + "".join(_cell(item, term, float(value), float(shade)) for term, value, shade in zip(terms, row, shades, strict=True))
        + "</tr>"
        for item, row, shades in zip(items, values, shares(values), strict=True)
    )
    title = f"Finance terms by item: {escape(what)}"
    top = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
    return f"{top}<h1>{title}</h1><table><tr><th></th>{head}</tr>{rows}</table></html>\n"


def png(items: Sequence[str], terms: Sequence[str], values: Values, what: str) -> bytes:
    """The picture's bytes. Errors: ConfigError where matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError(
            "matplotlib is not installed", stage="flam", remedy="pip install 'filingforest[plots]', or take --html, which needs nothing"
        ) from error
    figure = Figure(figsize=(2.5 + 0.35 * len(terms), 1.8 + 0.3 * len(items)), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    image = axes.imshow(shares(values), cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(terms)), terms, rotation=90, fontsize=8)
    axes.set_yticks(range(len(items)), [item or "(outside)" for item in items], fontsize=8)
    for (i, j), value in np.ndenumerate(values):
        if value:
            shade = "white" if shares(values)[i, j] > 0.6 else "black"
            axes.text(j, i, _number(float(value)), ha="center", va="center", fontsize=6, color=shade)
    axes.set_title(f"Finance terms by item: {what}", fontsize=10)
    figure.colorbar(image, ax=axes, label="square root of the share of the largest cell", shrink=0.8)
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


def shares(values: Values) -> npt.NDArray[np.float64]:
    """Square root of each cell's share of the largest, 0 to 1."""
    top = float(values.max(initial=0)) or 1.0
    return np.sqrt(np.asarray(values, dtype=np.float64) / top)


def _cell(item: str, term: str, value: float, shade: float) -> str:
    if not value:
        return "<td></td>"
    colour = f"background:rgba(8,81,156,{shade:.2f});color:{'#fff' if shade > 0.6 else '#000'}"
    return f'<td style="{colour}" title="{escape(item)} · {escape(term)}">{_number(value)}</td>'


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:.1f}"
