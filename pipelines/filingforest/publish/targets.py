"""Other places that carry the same publication as CURRENT (an OpenSearch index), and what they must be able to do for one switch of all.

CURRENT is the one commit point. Before it a target is *prepared*: it holds all that the publication needs, and no reader sees it.
After it the target is *switched*. A crash between the two leaves an intent in the store, and the next run (or `sweep`) makes every
target follow CURRENT again (see `intents.py`). So every method may be called again at any time and must then change nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from filingforest.config import Settings
from filingforest.current import open_manifest
from filingforest.errors import FilingForestError
from filingforest.manifest import Manifest
from filingforest.publish.listing import publication_ids
from filingforest.store import Store

# module:function(store, settings) -> Target | None (None: not configured). Imported only where they are installed.
OPENERS = ("filingforest.opensearch.target:open_target",)


@dataclass(frozen=True)
class Change:
    """What a publication has that its parent has not, so that a target need not compare everything.

    `added`: segment id -> documents that are live there and were not live with this outcome (bytes and stage outputs) in the parent;
    `removed`: documents that the parent had with an outcome that is gone now. A replaced document stands in both.
    `parent` is None where the comparison is with nothing: then `added` has every document.
    """

    parent: str | None = None
    added: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    removed: tuple[str, ...] = ()


class Target(Protocol):
    """One such place. Errors: FilingForestError; one from `prepare` keeps yesterday's publication."""

    @property
    def name(self) -> str:
        """Its key in the manifest's `targets`."""

    def prepare(self, manifest: Manifest, change: Change) -> Mapping[str, Any]:
        """Load what `manifest` (numbered, its files written, itself not yet) needs; readers must not see any of it.

        What comes back (JSON-able, no credentials, no addresses) stands in the manifest under `targets[name]`, outside its hash.
        """

    def carries(self, manifest: Manifest) -> bool:
        """Whether readers find there all of a publication that names this place among its `targets`. Cheap: every night asks."""

    def switch(self, publication: str) -> None:
        """Show a prepared publication. Called after CURRENT names it; again where a crash may have come between."""

    def back(self, publication: str) -> None:
        """Show an earlier publication again. Called after CURRENT was rolled back to it."""

    def secure(self, publication: str) -> list[str]:
        """What is good to have of a publication and that nobody waits for (a snapshot), where it is not there yet: called when all places
        show it. Warnings instead of errors."""

    def drop(self, publication: str) -> None:
        """Forget a publication that was pruned, or prepared and never current; what others share stays."""

    def erase(self, doc_id: str) -> None:
        """Take a document out for good, whatever publication has it, snapshots included (a takedown)."""


def open_targets(store: Store, settings: Settings, openers: Sequence[str] = OPENERS) -> list[Target]:
    """The targets that are installed and configured."""
    found = []
    for opener in openers:
        module, _, function = opener.partition(":")
        if _is_there(module):
            found.append(getattr(importlib.import_module(module), function)(store, settings))
    return [target for target in found if target is not None]


def unreached(store: Store, targets: Sequence[Target]) -> list[str]:
    """Places that publications here say they are in and that are not configured where this is asked: nothing done here reaches them."""
    names: set[str] = set()
    for publication in publication_ids(store):
        with suppress(FilingForestError):  # damaged, or pruned in this moment: it says nothing
            names |= set(open_manifest(store, publication).targets)
    return sorted(names - {target.name for target in targets})


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # not even its package
        return False
