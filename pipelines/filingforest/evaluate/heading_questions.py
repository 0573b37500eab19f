"""Questions made from headings: a company and what stands under a heading of its filing; gold are the prose units directly under it.

The narrative counterpart of questions from facts, and far easier, since a heading stands in its units' headers: differences between ways of
asking count, not the level.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict

from filingforest.evaluate.fact_questions import spoken_name
from filingforest.evaluate.questions import NARRATIVE, Question
from filingforest.query.publication import Publication

HEADING = "{company}: {heading}"
_WORDS = (3, 12)  # a heading that can be asked for has so many words


def heading_questions(publication: Publication) -> list[Question]:
    """A company and a heading of its filing; gold are the prose units directly under it."""
    out: list[Question] = []
    for segment in publication.segments:
        names = {d.doc_id: d.company for d in segment.documents if d.company}
        under: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in segment.read("units", ("doc_id", "unit_key", "kind", "heading_path")):
            path = row["heading_path"] or []
            if row["kind"] == "text" and path and row["doc_id"] in names and _WORDS[0] <= len(path[-1].split()) <= _WORDS[1]:
                under[row["doc_id"], path[-1]].add(f"{row['doc_id']} {row['unit_key']}")
        for (doc, heading), units in under.items():
            if len(units) <= 6:
                company = spoken_name(names[doc] or "")
                key = hashlib.sha256(f"{doc} {heading}".encode()).hexdigest()[:12]
                text = HEADING.format(company=company, heading=heading)
                out.append(Question(f"heading-{key}", text, frozenset(units), NARRATIVE, company))
    return sorted(out, key=lambda q: q.id)
