"""Where a publisher builds segments before they go to the store; a lock tells the folders of the living from those of the dead."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "filingforest-publish-"
_LOCK = ".lock"
_STARTING_S = 60.0  # so old must a folder without a lock be: its publisher may be about to take it


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder of this process's own, locked while it is used and removed afterwards."""
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name, (Path(name) / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(name)


def clean_scratch(older_than_s: float) -> None:
    """Removes the folders of publishers that died on this machine."""
    for folder in Path(tempfile.gettempdir()).glob(PREFIX + "*"):
        with suppress(FileNotFoundError, PermissionError):  # its publisher is done with it, or it is another user's
            age = time.time() - folder.stat().st_mtime
            if age > older_than_s and _is_left(folder, age):
                shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path, age: float) -> bool:
    try:
        with (folder / _LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except FileNotFoundError:
        return age > _STARTING_S
    except BlockingIOError:
        return False
