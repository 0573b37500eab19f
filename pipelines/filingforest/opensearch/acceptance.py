"""What a load must show before CURRENT may name it: few refusals, as many units as were published, vectors that can be found."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable, Sequence
from typing import Any

from filingforest.errors import PublicationError
from filingforest.manifest import Manifest
from filingforest.opensearch import indexes
from filingforest.opensearch.bulk import BulkReport, Refused
from filingforest.query.statistics import Statistics
from filingforest.store import Store

log = logging.getLogger(__name__)
REFUSED = "refused/opensearch"
RECALL = 0.9  # share of sampled new units that a search with their own vector must find
Sample = tuple[str, str, list[float]]  # index, id, vector


def accept_refusals(store: Store, manifest: Manifest, report: BulkReport, allowed: float) -> None:
    """Keep what was refused, with reasons. Errors: PublicationError where that is a larger share than `allowed`."""
    if not report.refused:
        return
    key = f"{REFUSED}/{manifest.id}.parquet"
    store.delete(key)
    store.put_new(key, refused_parquet(report.refused))
    share = len(report.refused) / max(1, report.items + len(report.refused))
    first = report.refused[0]
    message = f"{len(report.refused)} documents refused ({share:.1%}), the first: {first.id}: {first.reason[:200]}"
    if share > allowed:
        raise PublicationError(message, document=manifest.id, stage="opensearch", remedy=f"see {key}, which has every reason")
    log.warning("%s; see %s", message, key)


def accept_count(client: Any, store: Store, index: str, manifest: Manifest, refused: int) -> None:
    """As many units as the publication's statistics count, but for those refused. Errors: PublicationError."""
    found = indexes.count(client, index, manifest.sequence)
    wanted = Statistics.read(store.get(manifest.stats.path)).units if manifest.stats else 0
    if not wanted - refused <= found <= wanted:
        remedy = "publish again; if it says so again, delete the index, and publish again"
        message = f"{index} has {found} units of it, {wanted} are published"
        raise PublicationError(message, document=manifest.id, stage="opensearch", remedy=remedy)


def accept_samples(client: Any, manifest: Manifest, samples: Sequence[Sample]) -> None:
    """Some of the new documents are found by their own vectors. Errors: PublicationError."""
    hits = sum(indexes.finds(client, index, manifest.sequence, name, vector) for index, name, vector in samples)
    if hits < RECALL * len(samples):
        message = f"of {len(samples)} new documents {hits} are found by their own vectors"
        raise PublicationError(message, document=manifest.id, stage="opensearch", remedy="raise opensearch.ef_construction or m")


def refused_parquet(refused: Iterable[Refused]) -> bytes:
    """The dead letters: one row a refused document, with status, kind and reason."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ("id", "document", "op", "status", "kind", "reason")
    rows = [{name: getattr(item, name) for name in names} for item in refused]
    schema = pa.schema([(name, pa.int32() if name == "status" else pa.string()) for name in names])
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), sink, compression="zstd")
    return sink.getvalue()
