"""What time it is where objects get their times: ages are told by the store's own clock, never by that of whoever tidies up.

A machine whose clock is a day fast would else take what another is writing at this moment for the leftovers of a crash.
"""

from __future__ import annotations

import logging
import time
import uuid

from filingforest.errors import PermissionDenied
from filingforest.store import Store

log = logging.getLogger(__name__)
PREFIX = "clock/"


def store_time(store: Store) -> float:
    """Unix seconds, from an object that is written and deleted again; this machine's where it may not write (a dry run of a reader's)."""
    key = f"{PREFIX}{uuid.uuid4().hex}"
    try:
        store.put_new(key, b"what time is it")
        stat = store.stat(key)
        store.delete(key)
    except PermissionDenied as error:
        log.info("%s; ages are told by this machine's clock", error)
        return time.time()
    return stat.modified if stat else time.time()
