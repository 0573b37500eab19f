"""What is killed: small, whole acts on a tiny index. Imports happen before the fork, work after it."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from filingforest.publish import commands
from filingforest.store import open_store
from filingforest.store_steps import step
from tests.support.tiny_index import TinyIndex


def warm_up() -> None:
    """Everything once, so that what a library does at its first use is done before the fork."""
    with tempfile.TemporaryDirectory() as folder:
        index = TinyIndex(open_store(folder))
        index.add("2024-01-01", "warm")
        index.publish()


def publish_tiny(url: str) -> None:
    """Publish whatever the receipts say."""
    TinyIndex(open_store(url)).publish()


def roll_back(url: str, target: str) -> None:
    """Go back to `target`."""
    commands.rollback(open_store(url), target)


def with_a_child(pid_file: str) -> None:
    """Start a child process, note its pid, then come to a step."""
    Path(pid_file).write_text(str(subprocess.Popen(["sleep", "60"]).pid))
    with step("the only step"):
        pass
