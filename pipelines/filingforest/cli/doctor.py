"""`filingforest doctor`: finds what is wrong with this machine before a night does, and says what to do about it."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime
from importlib import metadata
from pathlib import Path

from filingforest.cli.common import add_index, named_indexes, settings_of
from filingforest.cli.doctor_places import look_at_opensearch, look_at_store
from filingforest.cli.finding import BAD, OK, WARN, Finding
from filingforest.config import Settings
from filingforest.errors import FilingForestError

ABOUT = """Looks at Python, packages, disk, the store and OpenSearch; on machines that publish (the `run` extra) also at the User-Agent, the
encoder, and at what the store promises: it writes and deletes two small objects in the index."""
EXAMPLES = """  filingforest doctor
  filingforest doctor --index s3://bucket/filings     the store too: may it be written, does it keep its promises?"""

MIN_PYTHON, MIN_FREE = (3, 11), 5 * 1024**3
SIGNS = {OK: "ok  ", WARN: "warn", BAD: "BAD "}


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="findings as one line of JSON each")
    parser.add_argument("--no-model", action="store_true", help="do not open the encoder (it may be fetched)")
    add_index(parser)


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    url = next(iter(named_indexes(arguments)), None)
    publishes = not _missing("run")
    looks: dict[str, Callable[[], Iterator[Finding]]] = {
        "python": _python,
        "packages": _packages,
        "disk": lambda: _disk(url),
        "store": lambda: look_at_store(url, publishes),
        "opensearch": lambda: look_at_opensearch(settings),
    }
    if publishes:
        looks |= {"edgar": lambda: _edgar(settings)} | ({} if arguments.no_model else {"encoder": lambda: _model(settings)})
    findings = [f for name, look in looks.items() for f in _safely(name, look)]
    for f in findings:
        print(
            json.dumps(asdict(f))
            if arguments.json
            else f"{SIGNS[f.level]}  {f.name:<18} {f.detail}" + (f"\n{'':24} -> {f.remedy}" if f.remedy else "")
        )
    return 1 if any(f.level == BAD for f in findings) else 0


def _safely(name: str, look: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """A look that fails is a finding."""
    try:
        yield from look()
    except FilingForestError as e:
        yield Finding(name, BAD, f"[{e.code}] {e.message}", e.remedy or "")
    except Exception as e:  # a doctor does not die of the disease
        yield Finding(name, BAD, f"{type(e).__name__}: {e}")


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= MIN_PYTHON
    yield Finding("python", OK if good else BAD, version, "" if good else "use Python 3.11 or newer")
    cpus = len(os.sched_getaffinity(0))
    yield Finding("cpus", OK, f"{cpus}, {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1024**3:.1f} GB of memory")


def _packages() -> Iterator[Finding]:
    """What each extra needs, and what this machine can therefore do."""
    try:
        extras = _extras()
    except metadata.PackageNotFoundError:
        yield Finding("packages", WARN, "filingforest runs from its sources and is not installed", "pip install -e '.[run]'")
        return
    for extra in extras:
        missing = _missing(extra)
        level = OK if not missing else BAD if extra in ("", "query") else WARN
        detail = "all there" if not missing else f"missing: {', '.join(missing)}"
        remedy = f"pip install 'filingforest[{extra}]', where you need it" if missing else ""
        yield Finding(f"extra {extra or '(none)'}", level, detail, remedy)
    yield Finding("role", OK, "reads publications" if _missing("run") else "reads publications and publishes")


def _extras() -> dict[str, list[str]]:
    """Extra -> projects, from this distribution's own metadata. Errors: PackageNotFoundError."""
    by_extra: dict[str, list[str]] = {}
    for line in metadata.requires("filingforest") or []:
        name, _, marker = line.partition(";")
        by_extra.setdefault(marker.partition("extra ==")[2].strip(" \"'"), []).append(_project(name))
    return by_extra


def _missing(extra: str) -> list[str]:
    """What an extra lacks here; nothing where that cannot be told."""
    try:
        return sorted(name for name in _extras().get(extra, ()) if name != "filingforest" and not _installed(name))
    except metadata.PackageNotFoundError:
        return []


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
    from filingforest.sources.edgar_client import limiter_of
    from filingforest.sources.http import require_contact

    try:
        agent = require_contact(settings.edgar.user_agent)
        yield Finding("edgar user-agent", OK, agent)
    except FilingForestError as e:
        yield Finding("edgar user-agent", WARN, e.message, e.remedy or "")
    how = settings.edgar
    mark = limiter_of(how).cooling()
    yield Finding(
        "edgar limiter",
        WARN if mark else OK,
        f"cooling down until {datetime.fromtimestamp(mark.until):%H:%M:%S}: {mark.reason}"
        if mark
        else f"{how.rate:g} requests a second, shared in {how.limiter_path}",
    )


def _model(settings: Settings) -> Iterator[Finding]:
    from filingforest.stage_work import open_encoder

    embedder = open_encoder(settings.embed)
    vector = embedder.embed(["net sales"], "question")[0]
    info = embedder.info
    yield Finding("encoder", OK, f"{info.model} ({info.method}), {len(vector)} dimensions, reads {info.max_tokens} tokens")
