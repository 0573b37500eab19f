"""`filingforest doctor`: finds what is wrong with this machine before a night does, and says what to do about it."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from filingforest.cli.common import INDEX_VARIABLE, add_index, indexes, settings_of
from filingforest.config import Settings
from filingforest.errors import FilingForestError, LostRace
from filingforest.store import Store, open_store

ABOUT = "Looks at Python, packages, disk, the store, the User-Agent and the encoder. Writes and deletes two small objects in the index."
EXAMPLES = """  filingforest doctor
  filingforest doctor --index s3://bucket/filings     the store too: may it be written, does it keep its promises?"""

OK, WARN, BAD = "ok", "warn", "bad"
MIN_PYTHON, MIN_FREE = (3, 11), 5 * 1024**3
SIGNS = {OK: "ok  ", WARN: "warn", BAD: "BAD "}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    name: str
    level: str
    detail: str
    remedy: str = ""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="findings as one line of JSON each")
    parser.add_argument("--no-model", action="store_true", help="do not open the encoder (it may be fetched)")
    add_index(parser)


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    url = indexes(arguments)[0] if arguments.index is not None or os.environ.get(INDEX_VARIABLE) else None
    looks: list[Callable[[], Iterator[Finding]]] = [_python, _packages, lambda: _disk(url), lambda: _edgar(settings), lambda: _store(url)]
    looks += [] if arguments.no_model else [lambda: _model(settings)]
    findings = [f for look in looks for f in _safely(look)]
    for f in findings:
        print(
            json.dumps(asdict(f))
            if arguments.json
            else f"{SIGNS[f.level]}  {f.name:<18} {f.detail}" + (f"\n{'':24} -> {f.remedy}" if f.remedy else "")
        )
    return 1 if any(f.level == BAD for f in findings) else 0


def _safely(look: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """A look that fails is a finding."""
    try:
        yield from look()
    except FilingForestError as e:
        yield Finding(e.stage or "error", BAD, f"[{e.code}] {e.message}", e.remedy or "")
    except Exception as e:  # a doctor does not die of the disease
        yield Finding("error", BAD, f"{type(e).__name__}: {e}")


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= MIN_PYTHON
    yield Finding("python", OK if good else BAD, version, "" if good else "use Python 3.11 or newer")
    cpus = len(os.sched_getaffinity(0))
    yield Finding("cpus", OK, f"{cpus}, {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1024**3:.1f} GB of memory")


def _packages() -> Iterator[Finding]:
    """What each extra needs, from this distribution's own metadata."""
    try:
        wanted = metadata.requires("filingforest") or []
    except metadata.PackageNotFoundError:
        yield Finding("packages", WARN, "filingforest runs from its sources and is not installed", "pip install -e '.[run]'")
        return
    by_extra: dict[str, list[str]] = {}
    for line in wanted:
        name, _, marker = line.partition(";")
        extra = marker.partition("extra ==")[2].strip(" \"'")
        by_extra.setdefault(extra, []).append(_project(name))
    for extra, names in by_extra.items():
        missing = sorted(n for n in names if n != "filingforest" and not _installed(n))
        needed = extra in ("", "query")
        level = OK if not missing else BAD if needed else WARN
        detail = "all there" if not missing else f"missing: {', '.join(missing)}"
        yield Finding(
            f"extra {extra or '(none)'}", level, detail, f"pip install 'filingforest[{extra}]', where you need it" if missing else ""
        )


def _project(requirement: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else " " for c in requirement).split()[0]


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _disk(url: str | None) -> Iterator[Finding]:
    place = Path(url) if url and "://" not in url else Path.home()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    level = OK if free > MIN_FREE else WARN
    yield Finding(
        "disk", level, f"{free / 1024**3:.1f} GB free at {place}", "" if level == OK else "a night needs some 50 MB a filing; make room"
    )


def _edgar(settings: Settings) -> Iterator[Finding]:
    from filingforest.sources.http import require_contact
    from filingforest.sources.limiter import open_limiter

    try:
        agent = require_contact(settings.edgar.user_agent)
        yield Finding("edgar user-agent", OK, agent)
    except FilingForestError as e:
        yield Finding("edgar user-agent", WARN, e.message, e.remedy or "")
    how = settings.edgar
    mark = open_limiter("edgar", how.rate, how.limiter_path, how.limiter_url).cooling()
    yield Finding(
        "edgar limiter",
        WARN if mark else OK,
        f"cooling down: {mark}" if mark else f"{how.rate:g} requests a second, shared in {how.limiter_path}",
    )


def _store(url: str | None) -> Iterator[Finding]:
    if not url:
        yield Finding("store", WARN, "not looked at: no index was named", f"name one with --index, or set {INDEX_VARIABLE}")
        return
    store = open_store(url)
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


def _model(settings: Settings) -> Iterator[Finding]:
    from filingforest.stage_work import open_encoder

    embedder = open_encoder(settings.embed)
    vector = embedder.embed(["net sales"], "question")[0]
    info = embedder.info
    yield Finding("encoder", OK, f"{info.model} ({info.method}), {len(vector)} dimensions, reads {info.max_tokens} tokens")
