"""The acts of `filingforest publications` that change what readers follow or what is kept: rollback, release, pin, prune, sweep.

Each reaches the other places that carry the publications (OpenSearch) in the same breath.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from filingforest.cli.common import complain, given_id, needed_id, settings_of

if TYPE_CHECKING:
    from filingforest.publish.targets import Target
    from filingforest.store import Store


def rollback(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """An earlier one is current again; receipts withdrawn are held."""
    from filingforest.publish import commands

    targets = _targets(store, arguments)
    found = commands.rollback(store, given_id(arguments), targets)
    _tell_of_absent(store, targets, "it goes on showing what it showed; `publications sweep`, or a run, where it is makes it follow")
    text = f"{found.publication} is current" + (f" (was {found.previous})" if found.changed else " already")
    held = [f"held: {name}" for name in found.held] + [f"released: {name}" for name in found.released]
    return asdict(found), "\n".join([text, *held])


def release(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """Holds are lifted."""
    from filingforest.publish import commands

    found = commands.release(store, arguments.ids or None)
    text = f"{len(found)} released; the next run publishes their documents again" if found else "nothing is held"
    return [asdict(hold) for hold in found], "\n".join([*(hold.receipt for hold in found), text])


def pin(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """One is kept, or let go."""
    from filingforest.publish import commands

    name = needed_id(arguments)
    if arguments.undo:
        commands.unpin(store, name)
    else:
        commands.pin(store, name)
    return {"publication": name, "pinned": not arguments.undo}, f"{name} is {'no longer ' if arguments.undo else ''}pinned"


def prune(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """Old ones are removed."""
    from filingforest.publish import commands

    limits = settings_of(arguments, publish__keep_last=arguments.keep_last, publish__keep_days=arguments.keep_days).publish
    targets = _targets(store, arguments)
    _tell_of_absent(store, targets, "what is pruned here stays there")
    found, text = _gone(commands.prune(store, limits.keep_last, limits.keep_days, dry_run=arguments.dry_run, targets=targets))
    kept = f"the last {limits.keep_last}, those younger than {limits.keep_days} days, the pinned ones and the current one"
    return found, f"{text}\nkept: {kept}"


def sweep(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """What crashes left is removed, and a switch that was cut off finished."""
    from filingforest.publish import commands

    limits = settings_of(arguments, publish__grace_hours=arguments.grace_hours).publish
    return _gone(commands.sweep(store, limits.grace_hours, dry_run=arguments.dry_run, targets=_targets(store, arguments)))


def _targets(store: Store, arguments: argparse.Namespace) -> list[Target]:
    """Other places that carry the publications."""
    from filingforest.publish.targets import open_targets

    return open_targets(store, settings_of(arguments))


def _tell_of_absent(store: Store, targets: Sequence[Target], what: str) -> None:
    """A laptop without OPENSEARCH settings must not look as if it had reached all places."""
    from filingforest.publish.targets import unreached

    for name in unreached(store, targets):
        complain(f"{name} has publications of this index and is not configured here: {what}")


def _gone(found: Any) -> tuple[Any, str]:
    verb = "would be removed" if found.dry_run else "removed"
    text = f"{len(found.publications)} publications and {len(found.objects)} other files {verb}, {found.bytes / 1e6:,.1f} MB"
    return asdict(found), "\n".join([*found.publications, text])
