"""How often finance terms stand in each Item of a publication, brought forward from its parent by what came and what went.

What a publication says of its terms is a sum over documents. So a night reads the counts of documents that came (in segments made now) and
of those that went (in the parent's segments, their rows alone), however large the corpus is. Where the parent's sums cannot be had, or were
made with other versions, all segments are counted; both ways give the same table.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from filingforest.errors import Corrupt, NotFound
from filingforest.manifest import FileEntry, ModelEntry
from filingforest.publish import filesets
from filingforest.publish.segment_rows import Rows
from filingforest.publish.segments import Segment
from filingforest.publish.targets import Change
from filingforest.store import Store

log = logging.getLogger(__name__)
FILE = "flam_counts.parquet"
SUMS = "flam_items.parquet"
_COLUMNS = ["item_key", "term", "count"]
_SCHEMA = pa.schema([("item_key", pa.string()), ("term", pa.string()), ("count", pa.int64())])


@dataclass(frozen=True)
class Night:
    """The segments of a publication and of its parent, and what differs between their live documents."""

    segments: Sequence[Segment]
    before: Sequence[Segment] = ()
    change: Change = field(default_factory=Change)

    @property
    def is_comparable(self) -> bool:
        """Whether the same documents have the same counts in both: their segments were made with the same versions."""
        return bool(self.before) and {s.entry.made for s in self.before} == {s.entry.made for s in self.segments}


def counted(store: Store, night: Night, known: ModelEntry | None) -> pa.Table:
    """item_key, term, count: parts of the sums, some of them negative. `known` is the parent's lexicon where it counts the same terms.

    Errors: StoreError, Corrupt.
    """
    if known is not None and night.is_comparable:
        try:
            return _brought_forward(store, night, known)
        except (NotFound, Corrupt) as error:
            log.warning("%s; finance terms are counted in all segments", error)
    return pa.concat_tables([_SCHEMA.empty_table(), *_of_all(store, night.segments)])


def _of_all(store: Store, segments: Sequence[Segment]) -> Iterator[pa.Table]:
    for segment in segments:
        yield _of(store, segment, {p.entry.doc_id for p in segment.live})


def _brought_forward(store: Store, night: Night, known: ModelEntry) -> pa.Table:
    sums = _sums(store, next(entry for entry in known.files if entry.path.endswith("/" + SUMS)))
    came = [_of(store, s, set(night.change.added[s.entry.id])) for s in night.segments if s.entry.id in night.change.added]
    removed = set(night.change.removed)
    went = [_of(store, s, gone) for s in night.before if (gone := removed & {p.entry.doc_id for p in s.live})]
    return pa.concat_tables([sums, *came, *(_negated(table) for table in went)])


def _sums(store: Store, entry: FileEntry) -> pa.Table:
    """The parent's sums by term, without those by cluster. Errors: NotFound, Corrupt."""
    table = pq.read_table(io.BytesIO(filesets.content(store, entry)), columns=_COLUMNS, use_threads=False)
    return table.filter(pc.is_valid(table["term"])).cast(_SCHEMA)


def _of(store: Store, segment: Segment, wanted: Collection[str]) -> pa.Table:
    """The counts of some of a segment's documents."""
    if segment.folder is not None:
        table = pq.read_table(segment.folder / FILE, columns=["doc_id", *_COLUMNS], use_threads=False)
        return table.filter(pc.is_in(table["doc_id"], pa.array(sorted(wanted), pa.string()))).select(_COLUMNS).cast(_SCHEMA)
    rows = Rows(store, segment.entry)
    if not rows.has(FILE):  # made before there were trees
        return _SCHEMA.empty_table()
    starts = rows.array("documents.flam_counts", 0, len(segment.placed) + 1).tolist()
    spans = [(starts[i], starts[i + 1]) for i, p in enumerate(segment.placed) if p.entry.doc_id in wanted]
    return rows.table("flam_counts", _COLUMNS, spans).cast(_SCHEMA)


def _negated(table: pa.Table) -> pa.Table:
    return table.set_column(2, "count", pc.negate(table["count"]))
