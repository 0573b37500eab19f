"""Compares what a source listed with what came of it, so that no filing is lost between two steps without anybody noticing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from filingforest import failures, takedowns
from filingforest.errors import PublicationError
from filingforest.store import Store


def account(store: Store, refs: Sequence[Mapping[str, Any]], entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts `expected`, `entered` and `set_aside` (doc_id -> reason), JSON-able.

    Raises PublicationError where a listed document neither came through nor stands among the failures.
    """
    listed = {str(ref["doc_id"]) for ref in refs}
    entered = {str(entry["doc_id"]) for entry in entries}
    absent = listed - entered
    reasons = {f.doc_id: failures.reason(f) for f in failures.each(store, ignored=True) if f.doc_id in absent} if absent else {}
    reasons |= {doc_id: takedowns.says(taken) for doc_id, taken in takedowns.active(store).items() if doc_id in absent} if absent else {}
    lost = sorted(absent - set(reasons))
    if lost:
        raise PublicationError(
            f"{len(lost)} of {len(listed)} listed documents are unaccounted for: {', '.join(lost[:5])}",
            stage="account",
            remedy="clear the run's tasks from `crawl` on; what is done is skipped",
        )
    return {"expected": len(listed), "entered": len(entered), "set_aside": reasons}
