"""Documents as they were fetched, kept for good, so that everything after them can be made again without asking a source.

`raw/{doc_id}/{doc_version}.gz` holds the bytes; `.json` beside it says where they came from, is small enough to be read every
night, and is written last: where it stands, the bytes are complete.
"""

from __future__ import annotations

import datetime
import gzip
import json
import zlib
from dataclasses import asdict
from typing import Any

from filingforest.errors import Corrupt
from filingforest.parse.model import DocumentHint
from filingforest.sources.base import DocumentRef, RawDocument
from filingforest.store import Store

REMEDY = "`filingforest failures retry DOC` fetches it again"


def content_key(doc_id: str, doc_version: str) -> str:
    return f"raw/{doc_id}/{doc_version}.gz"


def origin_key(doc_id: str, doc_version: str) -> str:
    return f"raw/{doc_id}/{doc_version}.json"


def keys(doc_id: str, doc_version: str) -> tuple[str, str]:
    """Both, the one that says "complete" first: deleted in this order, half a version never counts as one."""
    return origin_key(doc_id, doc_version), content_key(doc_id, doc_version)


def keep(store: Store, raw: RawDocument) -> bool:
    """Writes bytes, then origin; False where this version was there already (its first origin stays)."""
    doc_id, version = raw.ref.doc_id, raw.doc_version
    if store.stat(origin_key(doc_id, version)) is not None:
        return False
    provenance = {"fetched_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), **raw.provenance, "sha256": raw.sha256}
    origin = {"ref": raw.ref.to_dict(), "provenance": provenance, "hint": asdict(raw.hint)}
    store.put_new(content_key(doc_id, version), gzip.compress(raw.content, 6, mtime=0))
    store.put_new(origin_key(doc_id, version), json.dumps(origin, indent=1, sort_keys=True, ensure_ascii=False).encode())
    return True


def versions(store: Store, doc_id: str) -> list[str]:
    """The versions that are complete."""
    keys = store.list(f"raw/{doc_id}/")
    return [k.rpartition("/")[2].removesuffix(".json") for k in keys if k.endswith(".json")]


def origin(store: Store, doc_id: str, doc_version: str) -> dict[str, Any]:
    """`ref`, `provenance` and `hint` of one version. Raises NotFound, Corrupt."""
    try:
        return dict(json.loads(store.get(origin_key(doc_id, doc_version))))
    except ValueError as e:
        raise Corrupt(f"{origin_key(doc_id, doc_version)} is not JSON", document=doc_id, stage="raw", remedy=REMEDY) from e


def newest(store: Store, doc_id: str) -> str | None:
    """The version fetched last; None where there is none."""
    found = versions(store, doc_id)
    return max(found, key=lambda v: (known_from(origin(store, doc_id, v)), v)) if len(found) > 1 else next(iter(found), None)


def known_from(origin: dict[str, Any]) -> str:
    """When this version came to us: what decides between two versions of one document."""
    return str(origin["provenance"].get("fetched_at") or "")


def load(store: Store, doc_id: str, doc_version: str) -> RawDocument:
    """One version with its bytes, checked against their hash. Raises NotFound, Corrupt."""
    about = origin(store, doc_id, doc_version)
    try:
        content = gzip.decompress(store.get(content_key(doc_id, doc_version)))
    except (OSError, EOFError, zlib.error) as e:
        raise Corrupt(f"{content_key(doc_id, doc_version)}: {e}", document=doc_id, stage="raw", remedy=REMEDY) from e
    raw = RawDocument(DocumentRef.from_dict(about["ref"]), content, DocumentHint(**about["hint"]), about["provenance"])
    if raw.doc_version != doc_version:
        raise Corrupt(f"{content_key(doc_id, doc_version)} has other bytes than its name says", document=doc_id, stage="raw", remedy=REMEDY)
    return raw
