"""Directories of files that are written once: segments and models. Same content, same place; half-written ones are never used.

`{kind}/{inputs}-{content}/`: what it was made from, and the hash of what came out, so that two builds that differ (another
pyarrow) never mix their files. `contents.json` is written last and lists the files; without it the directory does not count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from filingforest.errors import Corrupt, NotFound
from filingforest.manifest import FileEntry
from filingforest.store import Store

CONTENTS = "contents.json"
_PIECE = 16 << 20


@dataclass(frozen=True)
class FileSet:
    """A complete directory: `files` and its list of `contents` itself, `about` whatever its maker wants to know of it later."""

    id: str
    files: tuple[FileEntry, ...]
    contents: FileEntry
    about: dict[str, Any]


def contents_key(kind: str, name: str) -> str:
    """Where a directory's list of contents lies."""
    return f"{kind}/{name}/{CONTENTS}"


def find(store: Store, kind: str, inputs: str) -> FileSet | None:
    """A whole directory made from `inputs`: its files are all there with their sizes. None when there is none."""
    for key in store.list(f"{kind}/{inputs}-"):
        if key.endswith("/" + CONTENTS):
            found = load(store, kind, key.split("/")[1])
            if is_whole(store, found.files):
                return found
    return None


def load(store: Store, kind: str, name: str) -> FileSet:
    """The directory `name`. Errors: NotFound, Corrupt."""
    key = contents_key(kind, name)
    try:
        data = store.get(key)
        value = json.loads(data)
        files = tuple(FileEntry(f"{kind}/{name}/{f['name']}", int(f["bytes"]), f["sha256"], f["rows"]) for f in value["files"])
        return FileSet(name, files, FileEntry(key, len(data), hashlib.sha256(data).hexdigest()), value["about"])
    except (ValueError, KeyError, TypeError) as error:
        raise Corrupt(f"not a list of contents: {error}", document=key, stage="publish", remedy="delete it and publish again") from error


def is_whole(store: Store, files: tuple[FileEntry, ...]) -> bool:
    """Whether every file is there and as long as it should be (hashes are `verify`'s)."""
    for entry in files:
        stat = store.stat(entry.path)
        if stat is None or stat.size != entry.bytes:
            return False
    return True


def write(
    store: Store, kind: str, inputs: str, files: Mapping[str, bytes | Path], rows: Mapping[str, int], about: dict[str, Any]
) -> FileSet:
    """Write a directory, in the order of names; files that are there already are left alone, cut ones are replaced."""
    entries = [_entry(name, files[name], rows.get(name)) for name in sorted(files)]
    content = hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()[:12]
    folder = f"{kind}/{inputs}-{content}"
    for entry in entries:
        put(store, f"{folder}/{entry['name']}", files[entry["name"]])
    listing = json.dumps({"files": entries, "about": about}, ensure_ascii=False, sort_keys=True, indent=1) + "\n"
    store.put_new(f"{folder}/{CONTENTS}", listing.encode())
    return load(store, kind, f"{inputs}-{content}")


def local_folder(store: Store, name: str, files: Sequence[FileEntry], scratch: Path) -> Path:
    """A local folder with a directory's files, each compared with its hash, so that damage is never copied into something new: the store's
    own where it has one, else a copy below `scratch`. Errors: NotFound; Corrupt, naming the file.
    """
    own = [store.local_path(entry.path) for entry in files]
    if own and own[0] is not None:
        for entry in files:
            check(store, entry)
        return own[0].parent
    target = scratch / name
    target.mkdir(parents=True, exist_ok=True)
    for entry in files:
        download(store, entry, target / entry.path.rpartition("/")[2])
    return target


def download(store: Store, entry: FileEntry, target: Path) -> None:
    """Copy one file to `target`, a piece at a time. Errors: NotFound, StoreUnavailable, Corrupt."""
    with target.open("wb") as out:
        check(store, entry, out)


def check(store: Store, entry: FileEntry, out: IO[bytes] | None = None) -> None:
    """Read one file (and write it to `out`). Errors: as `download`; Corrupt where its bytes are not those that were published."""
    digest = hashlib.sha256()
    for piece in pieces(store, entry):
        digest.update(piece)
        if out is not None:
            out.write(piece)
    if digest.hexdigest() != entry.sha256:
        raise damaged(entry)


def pieces(store: Store, entry: FileEntry) -> Iterator[bytes]:
    """The file's bytes, 16 MiB at a time. Errors: NotFound, StoreUnavailable."""
    for start in range(0, entry.bytes, _PIECE):
        yield store.get_range(entry.path, start, min(_PIECE, entry.bytes - start))


def content(store: Store, entry: FileEntry) -> bytes:
    """A small file's bytes. Errors: NotFound; Corrupt where they are not those that were published."""
    data = store.get(entry.path)
    if hashlib.sha256(data).hexdigest() != entry.sha256:
        raise damaged(entry)
    return data


def damaged(entry: FileEntry) -> Corrupt:
    """The error for a file whose hash is not the manifest's."""
    remedy = "delete it and publish again: what can be made again is written again, byte for byte"
    return Corrupt("its sha256 is not what the manifest says", document=entry.path, stage="publish", remedy=remedy)


def put(store: Store, key: str, data: bytes | Path) -> None:
    """Write an object; what stands there already is read, since only a crash or a race leaves any, and replaced where it is damaged."""
    if not store.put_new(key, data) and not _has(store, key, data):
        store.delete(key)
        store.put_new(key, data)


def _has(store: Store, key: str, data: bytes | Path) -> bool:
    entry, stat = _entry(key, data, None), store.stat(key)
    try:
        check(store, FileEntry(key, entry["bytes"], entry["sha256"]))
    except (Corrupt, NotFound):
        return False
    return stat is not None and stat.size == entry["bytes"]


def _entry(name: str, data: bytes | Path, rows: int | None) -> dict[str, Any]:
    if isinstance(data, bytes):
        return {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "rows": rows}
    with data.open("rb") as source:
        digest = hashlib.file_digest(source, "sha256").hexdigest()
    return {"name": name, "bytes": data.stat().st_size, "sha256": digest, "rows": rows}
