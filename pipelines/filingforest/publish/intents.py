"""Says before a switch what is about to be switched, so that a crash between CURRENT and other targets is finished by whoever comes next.

CURRENT decides. `intents/{entry}.{token}.json` is written before it is switched and deleted when all targets have followed. Where one is
left, every target is made to follow CURRENT again: that finishes a switch which came through, and undoes one that did not.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from filingforest.current import read_current
from filingforest.errors import Corrupt
from filingforest.publish.clock import store_time
from filingforest.publish.targets import Target
from filingforest.store import Store

log = logging.getLogger(__name__)
PREFIX = "intents/"


@contextmanager
def intent(
    store: Store, targets: Sequence[Target], entry: int, publication: str, reason: str, absent: Sequence[str] = ()
) -> Iterator[None]:
    """Around the switch of CURRENT to its entry `entry` and of the targets after it. Nothing is written where there are none.

    Any error but a crash takes the intent away again only when the switch itself did not happen. Where there are `absent` targets, not
    configured here, it stays all the same: whoever comes next and has them makes them follow.
    """
    if not targets and not absent:
        yield
        return
    key = f"{PREFIX}{entry:06d}.{uuid.uuid4().hex[:12]}.json"
    about = {"publication": publication, "reason": reason, "targets": [*(target.name for target in targets), *absent]}
    store.put_new(key, json.dumps(about, sort_keys=True).encode())
    try:
        yield
    except BaseException:
        now = read_current(store)
        if now is None or now.entry < entry:
            store.delete(key)
        raise
    if not absent:
        store.delete(key)


def settle(store: Store, targets: Sequence[Target], grace_hours: float = 24.0, now: float | None = None) -> list[str]:
    """Makes all targets follow CURRENT where an intent was left; the publications that the settled intents name.

    An intent for an entry that is still to come is left alone until it is older than `grace_hours`: its publisher may be at work. All are,
    where CURRENT cannot be read: the rollback that mends it must not wait for them.
    """
    left = list(store.list(PREFIX))
    if not left:
        return []
    if not targets:
        log.warning("%d switches may be unfinished, and no target is configured here", len(left))
        return []
    try:
        current = read_current(store)
    except Corrupt as error:
        log.warning("%s", error)
        return []
    settled = [key for key in left if current is not None and _entry(key) <= current.entry]
    if coming := [key for key in left if key not in settled]:
        now = store_time(store) if now is None else now
        settled += [key for key in coming if _age_hours(store, key, now) > grace_hours]
    if settled and current is not None:
        for target in targets:
            target.switch(current.id)
    names = [str(json.loads(store.get(key))["publication"]) for key in settled]
    for key in settled:
        store.delete(key)
    return names


def _entry(key: str) -> int:
    return int(key.removeprefix(PREFIX).partition(".")[0])


def _age_hours(store: Store, key: str, now: float) -> float:
    stat = store.stat(key)
    return (now - stat.modified) / 3600 if stat else 0.0
