"""Which documents the next publication is to have: those that the receipts name, or, for a takedown, those that readers have now less some.

A takedown must not wait for what else is waiting. A receipt that came since the last publication may fail a check, or need an encoder that
is not here; its documents come with the next night.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from filingforest import takedowns
from filingforest.config import Settings
from filingforest.manifest import Manifest
from filingforest.publish import holds, ledger, receipts
from filingforest.publish.companions import Companions, Inherited
from filingforest.publish.draft import Past, Plan
from filingforest.publish.plan import digest_of, live_documents
from filingforest.publish.receipts import Receipt, ReceiptEntry
from filingforest.publish.segments import segment_versions
from filingforest.store import Store

Planner = Callable[[Past], Plan]


def of_receipts(store: Store, past: Past, companions: Companions, prefer: Mapping[str, str] | None = None) -> Plan:
    """All completed receipts that are not held; `prefer` as in `live_documents`. Errors: Corrupt for a receipt that cannot be read."""
    held = holds.active(store)
    every = ledger.all_receipts(store, past.ledger)
    taken = frozenset(takedowns.active(store))
    documents = live_documents(every, held, prefer, taken)
    left = {hold.receipt for hold in held}
    found = {name: receipt for name, receipt in every.items() if name not in left}
    inputs = _inputs(store, documents, companions)
    # the last document of all, whose takedown was cut off: nothing is left to publish, and that is meant
    is_takedown = not documents and bool(taken)
    return Plan(every, found, tuple(hold.name for hold in held), documents, inputs, companions, taken, is_takedown)


def without_taken(store: Store, past: Past, settings: Settings) -> Plan:
    """What the publication before has, less what was taken down; all else stays as it was. `past` has a manifest."""
    parent, taken = past.manifest, frozenset(takedowns.active(store))
    assert parent is not None
    companions = Inherited(parent, settings)
    if not past.is_known:  # which documents it has cannot be told: ledger and a segment's list of contents are damaged
        return of_receipts(store, past, companions)
    documents = sorted((p.entry for p in past.live() if p.entry.doc_id not in taken), key=lambda entry: entry.doc_id)
    every = _known_receipts(store, past, parent)
    found = {name: every[name] for name in parent.receipts}
    return Plan(every, found, parent.holds, documents, _inputs(store, documents, companions), companions, taken, is_takedown=True)


def _known_receipts(store: Store, past: Past, parent: Manifest) -> dict[str, Receipt]:
    """Those that the parent's ledger has; read again where it was lost."""
    missing = [name for name in parent.receipts if name not in past.ledger.receipts]
    return {**past.ledger.receipts, **receipts.load_many(store, missing)}


def _inputs(store: Store, documents: list[ReceiptEntry], companions: Companions) -> str:
    return digest_of(documents, *segment_versions(), *companions.inputs(documents, store.url.rpartition("/")[2]))
