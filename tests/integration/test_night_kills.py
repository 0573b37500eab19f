"""Kills a whole night at every step before publishing: the run after it does only what was missing, and ends in the same segments.

The steps of publishing itself are in `test_publish_kills.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from filingforest.current import read_current
from filingforest.publish.commands import verify
from filingforest.store import Store, open_store
from tests.support.kill_driver import KillDriver

NIGHT = "tests.support.kill_targets:whole_night"
PAGE = (
    "<html><body><h1>Item 1. Business</h1><p>We make {0} for people in many towns.</p>"
    "<h1>Item 7. Outlook</h1><p>Sales of {0} grew.</p></body></html>"
)
PARTS = 3  # pytest-xdist spreads them over the CPUs


@pytest.fixture
def pages(tmp_path: Path) -> str:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("boats", "carts"):
        (folder / f"{name}.html").write_text(PAGE.format(name))
    return str(folder)


def embedded(log: Path) -> list[str]:
    """Every text that was embedded: units below their headings, summaries, sub-questions and terms without them."""
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def segments(store: Store) -> dict[str, bytes]:
    return {
        key: store.get(key) for key in store.list("segments/") if not key.endswith("/contents.json")
    }  # which says when a file was found


def done(store: Store, stage: str) -> set[str]:
    return {name for key in store.list(f"stages/{stage}/") for name in ("boats", "carts") if name in key}


@pytest.mark.parametrize("part", range(PARTS))
def test_every_step_of_a_night_before_it_publishes(tmp_path, pages, part):
    with KillDriver(NIGHT) as driver:
        whole = open_store(str(tmp_path / "whole" / "filings"))
        assert driver.run(whole.url, pages, str(tmp_path / "texts"), log=tmp_path / "log") == 0
        names = (tmp_path / "log").read_text().splitlines()
        last = next(n for n, name in enumerate(names, 1) if "sync receipts/" in name)
        for place in ["before:1", *(f"after:{n}" for n in range(1, last + 1))][part::PARTS]:
            store, texts = open_store(str(tmp_path / place / "filings")), tmp_path / place / "texts"
            texts.parent.mkdir()
            assert driver.run(store.url, pages, str(texts), kill_at=place) == -9
            assert read_current(store) is None
            kept, grown, before = done(store, "embeddings"), done(store, "trees"), len(embedded(texts))
            assert driver.run(store.url, pages, str(texts)) == 0
            again = embedded(texts)[before:]
            units = [text for text in again if text.startswith("Item 1. Business")]  # their header
            assert len(units) == 2 * (2 - len(kept)), place
            assert not any(name in text for name in kept for text in units), place
            assert not any(name in text for name in grown for text in again), place
            assert segments(store) == segments(whole), place
            assert read_current(store).id == read_current(whole).id
            assert verify(store).ok
