"""A passage in its place: the unit that an id or a citation names, the headings above it and the units around it."""

from __future__ import annotations

import re
from typing import Any

from filingforest.errors import NotFound, QueryError
from filingforest.query.answer import HIT_COLUMNS, make_hit
from filingforest.query.publication import Publication
from filingforest.query.segment import Segment

_CITATION = re.compile(r"(?P<doc>[A-Za-z0-9._:-]+)@(?P<start>\d*)-(?P<end>\d*)(?:~(?P<hash>[0-9a-f]{12}))?")
AROUND = 1


class Passage(dict[str, Any]):
    """A hit's fields with `before`, `after`, `table` and `notes`; prints as a person reads it."""

    def __str__(self) -> str:
        year = f"FY{self['fiscal_year']}" if self["fiscal_year"] else None
        place = [self["company"], self["form"], year, *self["heading_path"]]
        head = " > ".join(str(part) for part in place if part)
        around = [[unit["text"] for unit in self[side]] for side in ("before", "after")]
        body = [*around[0], f">> {self['text']}", *around[1]]
        return "\n\n".join([head, *body, f"{self['node_id']}  {self['citation']}"] + [f"note: {n}" for n in self["notes"]])


def show(publication: Publication, what: str) -> Passage:
    """The unit named by a node_id, a `doc_id#label_path`, a unit_key or a citation.

    Errors: NotFound; QueryError where a label path means several units (it lists them).
    """
    match = _CITATION.fullmatch(what)
    for base, segment in zip(publication.base, publication.segments, strict=False):
        rows = _cited(segment, match) if match else _named(segment, what)
        rows = [row for row in rows if segment.live[segment.owner(row)]]
        if len(rows) > 1:
            names = [row["node_id"] for row in segment.read("units", ["node_id"], rows[:20])]
            raise QueryError(f"{what} means several units: {', '.join(names)}", stage="show", remedy="name one of them")
        if rows:
            return _passage(publication, segment, int(base), rows[0], match["hash"] if match else None)
    raise NotFound(
        f"no unit {what} in {publication.id}", stage="show", remedy="give a node_id, a unit_key or a citation that `query` printed"
    )


def _passage(publication: Publication, segment: Segment, base: int, row: int, digest: str | None) -> Passage:
    document = segment.owner(row)
    first, last = int(segment.starts[document]), int(segment.starts[document + 1])
    wanted = range(max(first, row - AROUND), min(last, row + AROUND + 1))
    units = segment.read("units", [*HIT_COLUMNS, "table"], list(wanted))
    mine = units[row - wanted[0]]
    hit = make_hit(1, 0.0, mine, segment.documents[document], publication.id, {})
    fields = {name: value for name, value in hit.to_dict().items() if name not in ("rank", "score", "why")}
    side = [{"node_id": unit["node_id"], "text": unit["text"]} for unit in units]
    notes = [] if not digest or hit.citation.endswith(digest) else ["the text is not the one that was cited: the document was parsed again"]
    return Passage(fields, table=mine["table"], before=side[: row - wanted[0]], after=side[row - wanted[0] + 1 :], notes=notes)


def _document_rows(segment: Segment, doc_id: str) -> range:
    place = next((i for i, d in enumerate(segment.documents) if d.doc_id == doc_id), None)
    return range(int(segment.starts[place]), int(segment.starts[place + 1])) if place is not None else range(0)


def _cited(segment: Segment, match: re.Match[str]) -> list[int]:
    rows = list(_document_rows(segment, match["doc"]))
    units = segment.read("units", ["char_start", "char_end"], rows) if rows else []
    wanted = tuple(int(match[name]) if match[name] else None for name in ("start", "end"))
    return [row for row, unit in zip(rows, units, strict=True) if (unit["char_start"], unit["char_end"]) == wanted]


def _named(segment: Segment, what: str) -> list[int]:
    doc_id, hash_sign, path = what.partition("#")
    if not hash_sign:
        return segment.find("units", "unit_key", what)
    rows = list(_document_rows(segment, doc_id))
    units = segment.read("units", ["node_id", "label_path"], rows) if rows else []
    exact = [row for row, unit in zip(rows, units, strict=True) if unit["node_id"] == what]
    return exact or [row for row, unit in zip(rows, units, strict=True) if unit["label_path"] == path]
