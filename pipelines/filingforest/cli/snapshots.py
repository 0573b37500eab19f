"""The acts of `filingforest publications` over snapshots of OpenSearch's index: snapshots, snapshot, restore."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from filingforest.cli.common import given_id, settings_of, table

if TYPE_CHECKING:
    from filingforest.opensearch.archive import Archive
    from filingforest.store import Store


def snapshots(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """What there is."""
    found = _archive(store, arguments).listed()
    rows = [[taken.publication, "whole" if taken.whole else taken.state.lower().replace("_", " "), taken.at, taken.name] for taken in found]
    return [asdict(taken) for taken in found], table(rows, ["publication", "", "taken", "snapshot"]) or "there are no snapshots"


def snapshot(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """One is taken, where it is not there yet."""
    name = _archive(store, arguments).take(given_id(arguments))
    return {"snapshot": name}, f"{name} is there"


def restore(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """A lost index is there again and carries what CURRENT names."""
    found = _archive(store, arguments).restore(given_id(arguments))
    source = f"restored from {found.snapshot}" if found.snapshot else "loaded from the published files"
    return asdict(found), f"{source}; OpenSearch shows {found.publication}: {found.units:,} units"


def _archive(store: Store, arguments: argparse.Namespace) -> Archive:
    from filingforest.opensearch.archive import Archive

    return Archive(store, settings_of(arguments).opensearch)
