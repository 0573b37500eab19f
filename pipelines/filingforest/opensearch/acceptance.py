"""What a load must show before CURRENT may name it: few refusals, as many units as were published, vectors that can be found."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterable, Sequence

from filingforest.errors import PublicationError
from filingforest.manifest import Manifest
from filingforest.opensearch.bulk import BulkReport, Refused
from filingforest.query.statistics import Statistics
from filingforest.store import Store

log = logging.getLogger(__name__)
REFUSED = "refused/opensearch"
RECALL = 0.9  # share of sampled new units that a search with their own vector must find
Sample = tuple[str, str, list[float]]  # index, id, vector


def most_refused(manifest: Manifest, allowed: float) -> float:
    """Refusals after which a load cannot be accepted any more, whatever follows.

    How many documents a load creates is not known before its end, but not more than the publication has.
    """
    most = sum(segment.units for segment in manifest.segments) + manifest.counts.get("tree_nodes", 0)
    return allowed * most


def accept_refusals(store: Store, manifest: Manifest, report: BulkReport, allowed: float) -> None:
    """Keep what was refused, with reasons. Errors: PublicationError where that is a larger share of the new documents than `allowed`."""
    if not report.refused:
        return
    key = f"{REFUSED}/{manifest.id}.parquet"
    store.delete(key)
    store.put_new(key, refused_parquet(report.letters, report.refused))
    share = report.refused / (report.created + report.refused)
    first = report.letters[0]
    message = f"{report.refused} documents refused ({share:.1%} of the new ones), the first: {first.id}: {first.reason[:200]}"
    if share > allowed:
        raise PublicationError(message, document=manifest.id, stage="opensearch", remedy=f"see {key}, which has reasons")
    log.warning("%s; see %s", message, key)


def accept_count(store: Store, manifest: Manifest, index: str, found: int, refused: int) -> None:
    """As many units as the publication's statistics count, but for those refused. Errors: PublicationError."""
    wanted = Statistics.read(store.get(manifest.stats.path)).units if manifest.stats else 0
    if not wanted - refused <= found <= wanted:
        remedy = "publish again; if it says so again, delete the index, and publish again"
        message = f"{index} has {found} units of it, {wanted} are published"
        raise PublicationError(message, document=manifest.id, stage="opensearch", remedy=remedy)


def accept_samples(manifest: Manifest, samples: Sequence[Sample], finds: Callable[[Sample], bool]) -> None:
    """Some of the new documents are found by their own vectors. Errors: PublicationError."""
    hits = sum(finds(sample) for sample in samples)
    if hits < RECALL * len(samples):
        message = f"of {len(samples)} new documents {hits} are found by their own vectors"
        raise PublicationError(message, document=manifest.id, stage="opensearch", remedy="raise opensearch.ef_construction or m")


def refused_parquet(letters: Iterable[Refused], refused: int) -> bytes:
    """The dead letters: one row a refused document, with status, kind and reason. Where there are many only the first are there:
    `refused_in_all` of each row says how many there were."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ("id", "document", "op", "status", "kind", "reason")
    rows = [{**{name: getattr(item, name) for name in names}, "refused_in_all": refused} for item in letters]
    types = {"status": pa.int32(), "refused_in_all": pa.int64()}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in (*names, "refused_in_all")])
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), sink, compression="zstd")
    return sink.getvalue()
