"""A corpus's snapshots as people ask for them: by publication, and back into a cluster that lost its index.

A restored index is older than CURRENT, or there is no snapshot at all: what was published since is loaded again from Parquet, and what was
taken down since is deleted again. So after a restore OpenSearch carries what CURRENT names, or an error says why it cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from filingforest import takedowns
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import open_manifest
from filingforest.errors import ConfigError, NotFound, PublicationError
from filingforest.manifest import Manifest
from filingforest.opensearch import erasing, indexes, snapshots
from filingforest.opensearch.client import connect
from filingforest.opensearch.layout import Layout
from filingforest.opensearch.loader import readable
from filingforest.opensearch.snapshots import Taken
from filingforest.opensearch.target import NAME, OpenSearchTarget
from filingforest.publish.listing import publication_ids
from filingforest.store import Store

_STAGE = "opensearch"


@dataclass(frozen=True)
class Restored:
    """The snapshot that was restored (None: everything was loaded from Parquet), what is current, and how many units of it are there."""

    snapshot: str | None
    publication: str
    units: int


class Archive:
    """The snapshots of one corpus. Errors: ConfigError where settings name no OpenSearch, those of `client.as_ours`."""

    def __init__(self, store: Store, settings: OpenSearchSettings, client: Any = None) -> None:
        if not settings.url:
            remedy = "set opensearch.url, or FILINGFOREST_OPENSEARCH_URL in the environment"
            raise ConfigError("no OpenSearch is named, so there is nothing to take snapshots of", stage=_STAGE, remedy=remedy)
        self._store, self._settings = store, settings
        self._client = client or connect(settings)
        self._layout = Layout.of(store.url.rpartition("/")[2], settings, None)

    def listed(self) -> list[Taken]:
        """What there is, whole or not, oldest first. Errors: ConfigError where no repository is named, NotFound for an unknown one."""
        return snapshots.found(self._client, self._layout, self._repository())

    def take(self, publication: str | None = None) -> str:
        """Take a publication's snapshot (the current one's by default) where there is none; its name. Errors: PublicationError."""
        manifest = open_manifest(self._store, publication)
        about = manifest.targets.get(NAME, {})
        if not self._is_here(about):
            remedy = "`filingforest publications restore` loads the current one; the next publication loads itself"
            raise PublicationError("it is not in OpenSearch", document=manifest.id, stage=_STAGE, remedy=remedy)
        return snapshots.take(self._client, self._layout, self._repository(), manifest.id, about["generation"])

    def restore(self, publication: str | None = None) -> Restored:
        """Bring the index back from a publication's snapshot (default: the newest), then bring it up to date.

        Errors: NotFound for a snapshot that is not there, PublicationError where the index is there already or cannot carry CURRENT.
        """
        now = open_manifest(self._store)
        chosen = self._choose(publication)
        if chosen is not None:
            self._restore(chosen)
        OpenSearchTarget(self._store, self._settings, self._client).catch_up()
        units = self._shown(now)
        return Restored(snapshots.name_of(self._layout, chosen.id) if chosen else None, now.id, units)

    def _choose(self, publication: str | None) -> Manifest | None:
        """The publication whose snapshot is to be restored; None where no snapshot is of any use."""
        if publication is None and not self._settings.repository:
            return None
        whole = [taken.publication for taken in self.listed() if taken.whole]
        if publication is not None and publication not in whole:
            remedy = "`filingforest publications snapshots` lists them; without an id the newest is taken"
            raise NotFound("it has no snapshot", document=publication, stage=_STAGE, remedy=remedy)
        if publication is not None:
            return open_manifest(self._store, publication)
        kept = set(publication_ids(self._store))
        return next((found for name in reversed(whole) if name in kept and (found := readable(self._store, name))), None)

    def _restore(self, manifest: Manifest) -> None:
        about = manifest.targets[NAME]
        snapshots.restore(self._client, self._layout, self._repository(), manifest.id, about["generation"], manifest.sequence)
        erasing.erase(self._client, self._layout, takedowns.active(self._store))

    def _shown(self, now: Manifest) -> int:
        """Units of CURRENT that are there. Errors: PublicationError."""
        about = now.targets.get(NAME, {})
        found = indexes.count(self._client, about["index"], now.sequence) if self._is_here(about) else None
        if found is None or found < about["units"]:
            message = f"OpenSearch has {found or 0} of its {about.get('units', 'unknown number of')} units"
            remedy = "it was loaded with other [opensearch] settings or into none: set them as they were, or publish again"
            raise PublicationError(message, document=now.id, stage=_STAGE, remedy=remedy)
        return found

    def _is_here(self, about: Mapping[str, Any]) -> bool:
        """Whether the index that a manifest names is there and carries the prefix of these settings."""
        mine = f"{self._layout.alias()}-"
        return bool(about) and str(about["index"]).startswith(mine) and indexes.exists(self._client, about["index"])

    def _repository(self) -> str:
        if not self._settings.repository:
            remedy = "register one in OpenSearch (docs/opensearch.md), and name it in opensearch.repository"
            raise ConfigError("no repository for snapshots is named", stage=_STAGE, remedy=remedy)
        return self._settings.repository
