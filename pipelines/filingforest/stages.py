"""A stage's output has a name made of all that decides it, so that done work is recognised without a database of states.

`stages/{stage}/{doc_id}/{doc_version}.{fingerprint}.zip` is written once and never changed. The fingerprint covers the stage's
hand-bumped version, the settings that shape its output and the fingerprints of what it was made from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# in the order in which a document goes through them
PARSED, CHUNKS, EMBEDDINGS, TREES = STAGES = ("parsed", "chunks", "embeddings", "trees")


@dataclass(frozen=True)
class Stage:
    """A stage as it is set up for one run. `settings` shape its output; `bounds` only decide whether a document goes through."""

    name: str
    version: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    bounds: Mapping[str, Any] = field(default_factory=dict)

    def fingerprint(self, *inputs: str) -> str:
        """Of its output, given the fingerprints of the stages before it."""
        return fingerprint(self.name, self.version, self.settings, inputs)

    def attempt(self, doc_version: str, output: str) -> str:
        """Of a failure: other bytes, another version of the stage or other bounds make it worth another try."""
        return fingerprint(self.name, self.version, self.bounds, [doc_version, output])


def fingerprint(stage: str, version: str | int, settings: Mapping[str, Any], inputs: Sequence[str]) -> str:
    """16 hex digits over everything that decides a stage's output but the document itself. The order of `settings` does not matter."""
    body = json.dumps([stage, str(version), dict(settings), list(inputs)], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def stage_key(stage: str, doc_id: str, doc_version: str, fp: str) -> str:
    """Where one document's output of one stage lies."""
    return f"stages/{stage}/{doc_id}/{doc_version}.{fp}.zip"


def stage_prefix(stage: str, doc_id: str) -> str:
    """What all outputs of a stage for one document have in common, whatever their version."""
    return f"stages/{stage}/{doc_id}/"
