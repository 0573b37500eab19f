"""What is killed: small, whole acts on a tiny index. Imports happen before the fork, work after it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from filingforest import raw
from filingforest.config import Settings
from filingforest.parse.workers import bundle_of
from filingforest.pipeline import Night
from filingforest.publish import commands
from filingforest.request import Request
from filingforest.runner import Entry, one_by_one
from filingforest.store import open_store
from filingforest.store_steps import step
from tests.support.tiny_index import TinyEmbedder, TinyIndex


def warm_up() -> None:
    """Everything once, so that what a library does at its first use is done before the fork."""
    with tempfile.TemporaryDirectory() as folder:
        index = TinyIndex(open_store(folder))
        index.add("2024-01-01", "warm")
        index.publish()


def publish_tiny(url: str) -> None:
    """Publish whatever the receipts say."""
    TinyIndex(open_store(url)).publish()


def whole_night(url: str, folder: str, embedded: str) -> None:
    """Crawl, parse, embed and publish the files of a folder, parsing in this process. `embedded` gets a line for each text embedded."""

    class Logged(TinyEmbedder):
        def embed(self, texts: Sequence[str], role: str = "passage"):
            with Path(embedded).open("a") as out:
                out.writelines(json.dumps(text) + "\n" for text in texts)
            return super().embed(texts, role)

    request = Request("folder", inputs=(folder,)).to_dict()
    night = Night(open_store(url), Settings(), embedder=Logged())
    night.work.parse = one_by_one(lambda entry: _parse(night, entry))
    refs = night.discover(request)
    entries = night.grow(request, night.embed(request, night.parse(request, night.crawl(request, refs))))
    night.write_receipt(request, entries, len(refs))
    night.publish()


def _parse(night: Night, entry: Entry) -> bytes:
    document = raw.load(night.store, entry["doc_id"], entry["doc_version"])
    return bundle_of(document.content, document.hint, night.settings.parse)


def roll_back(url: str, target: str) -> None:
    """Go back to `target`."""
    commands.rollback(open_store(url), target)


def with_a_child(pid_file: str) -> None:
    """Start a child process, note its pid, then come to a step."""
    Path(pid_file).write_text(str(subprocess.Popen(["sleep", "60"]).pid))
    with step("the only step"):
        pass
