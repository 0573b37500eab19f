"""What `filingforest doctor` looks at beyond this machine: the store, as its reader or its publisher, and OpenSearch."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from filingforest.cli.common import INDEX_VARIABLE
from filingforest.cli.finding import BAD, OK, WARN, Finding
from filingforest.config import Settings
from filingforest.errors import LostRace
from filingforest.store import Store, open_store

PLUGINS = {"opensearch-knn": BAD, "opensearch-neural-search": WARN}  # vectors; without the other, words and meaning are joined here


def look_at_store(url: str | None, publishes: bool) -> Iterator[Finding]:
    """What readers follow; where this machine publishes, also whether the store may be written and keeps its promises."""
    from filingforest.current import read_current

    if not url:
        yield Finding("store", WARN, "not looked at: no index was named", f"name one with --index, or set {INDEX_VARIABLE}")
        return
    store = open_store(url)
    now = read_current(store)
    yield Finding("published", OK, f"{now.id} in {store.url}") if now else Finding("published", WARN, f"nothing yet in {store.url}")
    if not publishes:
        return
    key = f"doctor/{uuid.uuid4().hex}"
    try:
        yield Finding("store", OK if store.put_new(key, b"1") else BAD, f"{store.url} can be written")
        yield from _conditions(store, key)
    finally:
        store.delete(key)


def _conditions(store: Store, key: str) -> Iterator[Finding]:
    """Publishing is safe only where "create only" and "replace only this version" are honoured."""
    again = store.put_new(key, b"2")
    remedy = "use a store that honours If-None-Match and If-Match (AWS S3, SeaweedFS, MinIO)"
    yield Finding("store create-only", BAD if again else OK, "ignored" if again else "honoured", remedy if again else "")
    try:
        store.swap(key, b"3", "0" * 32)
        yield Finding("store swap", BAD, "a stale version was replaced", remedy)
    except LostRace:
        yield Finding("store swap", OK, "a stale version is refused")


def look_at_opensearch(settings: Settings) -> Iterator[Finding]:
    """Whether the server that settings name answers, and has what an index needs."""
    if not settings.opensearch.url:
        yield Finding("opensearch", OK, "none: opensearch.url is empty")
        return
    from filingforest.opensearch.client import connect, guarded

    client = connect(settings.opensearch)
    with guarded("its version and plugins"):
        version = client.info()["version"]["number"]
        there = {plugin["component"] for plugin in client.cat.plugins(format="json")}
    yield Finding("opensearch", OK, f"{version} answers at {settings.opensearch.url}")
    for plugin, level in PLUGINS.items():
        if plugin not in there:
            yield Finding("opensearch", level, f"the plugin {plugin} is missing", "install it on every node (the official image has it)")
