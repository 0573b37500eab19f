"""Documents that law or copyright took out for good: a record of each stays, and nothing takes the document in again until it is lifted.

`takedowns/{doc_id}/{number}.json` says when, why and by whom; `.lifted` beside it ends it. Crawling and publishing both ask here.
"""

from __future__ import annotations

import datetime
import json
from dataclasses import asdict, dataclass
from typing import Any

from filingforest.errors import Corrupt, NotFound
from filingforest.store import Store

PREFIX = "takedowns/"
LIFTED = ".lifted"


@dataclass(frozen=True)
class Takedown:
    """One record. `at` and `lifted_at` are ISO instants; `lifted_at` is empty while it stands."""

    doc_id: str
    reason: str
    by: str
    at: str
    number: int = 1
    lifted_at: str = ""

    @property
    def key(self) -> str:
        return f"{PREFIX}{self.doc_id}/{self.number:03d}.json"


def records(store: Store, doc_id: str | None = None) -> list[Takedown]:
    """All records (of one document), lifted ones too, oldest first. Errors: Corrupt."""
    keys = list(store.list(PREFIX + (f"{doc_id}/" if doc_id else "")))
    lifted = {key.removesuffix(LIFTED) for key in keys if key.endswith(LIFTED)}
    return [_load(store, key, key in lifted) for key in keys if key.endswith(".json")]


def active(store: Store) -> dict[str, Takedown]:
    """Those that stand, by document."""
    return {record.doc_id: record for record in records(store) if not record.lifted_at}


def record(store: Store, doc_id: str, reason: str, by: str) -> Takedown:
    """Write it down; the one that stands already where there is one."""
    past = records(store, doc_id)
    if past and not past[-1].lifted_at:
        return past[-1]
    new = Takedown(doc_id, reason, by, _now(), number=len(past) + 1)
    store.put_new(new.key, _dump({name: value for name, value in asdict(new).items() if name != "lifted_at"}))
    return records(store, doc_id)[-1]


def lift(store: Store, doc_id: str, by: str) -> Takedown:
    """End it: later runs take the document in again. Errors: NotFound where none stands."""
    past = [each for each in records(store, doc_id) if not each.lifted_at]
    if not past:
        raise NotFound(
            "it is not taken down", document=doc_id, stage="takedown", remedy="`filingforest publications takedown` lists records"
        )
    store.put_new(past[-1].key + LIFTED, _dump({"by": by, "at": _now()}))
    return records(store, doc_id)[-1]


def says(taken: Takedown) -> str:
    """One line for logs and errors."""
    return f"taken down on {taken.at[:10]}: {taken.reason}"


def _load(store: Store, key: str, lifted: bool) -> Takedown:
    try:
        ended = json.loads(store.get(key + LIFTED))["at"] if lifted else ""
        return Takedown(**json.loads(store.get(key)), lifted_at=ended)
    except (ValueError, TypeError, KeyError) as error:
        raise Corrupt(
            f"not a takedown: {error}", document=key, stage="takedown", remedy="write it again by hand; it keeps a document out"
        ) from error


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _dump(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()
