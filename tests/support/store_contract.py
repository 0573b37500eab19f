"""What every store must do, whichever it is: test modules subclass this and give a `store` fixture."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from filingforest.errors import BadKey, LostRace, NotFound
from filingforest.store import Store, open_store


class StoreContract:
    """Inherit and provide a fixture `store`."""

    def test_put_new_creates_once(self, store: Store) -> None:
        assert store.put_new("a/b.json", b"one")
        assert not store.put_new("a/b.json", b"two")
        assert store.get("a/b.json") == b"one"

    def test_put_new_takes_a_file(self, store: Store, tmp_path) -> None:
        (tmp_path / "f").write_bytes(b"x" * 3_000_000)
        assert store.put_new("big", tmp_path / "f")
        assert store.stat("big").size == 3_000_000

    def test_get_range(self, store: Store) -> None:
        store.put_new("k", b"0123456789")
        assert store.get_range("k", 2, 3) == b"234"
        assert store.get_range("k", 8, 10) == b"89"
        assert store.get_range("k", 10, 5) == b""
        assert store.get_range("k", 3, 0) == b""

    def test_absent(self, store: Store) -> None:
        assert store.stat("nothing/here") is None
        for call in (lambda: store.get("nothing/here"), lambda: store.read("nothing"), lambda: store.get_range("nothing", 0, 1)):
            with pytest.raises(NotFound, match="nothing"):
                call()
        store.delete("nothing/here")
        assert list(store.list("nothing/")) == []

    def test_swap_compares(self, store: Store) -> None:
        first = store.swap("CURRENT", b"1", None)
        assert store.read("CURRENT") == (b"1", store.stat("CURRENT"))
        assert store.stat("CURRENT").etag == first.etag
        with pytest.raises(LostRace):
            store.swap("CURRENT", b"x", None)
        second = store.swap("CURRENT", b"2", first.etag)
        with pytest.raises(LostRace):
            store.swap("CURRENT", b"x", first.etag)
        store.swap("CURRENT", b"3", second.etag)
        assert store.get("CURRENT") == b"3"

    def test_list_is_sorted_by_bytes_and_by_prefix(self, store: Store) -> None:
        keys = ["a-b", "a.b/x", "a/b", "a/c/d", "ab", "b:1/~x=1"]
        for key in reversed(keys):
            store.put_new(key, b"")
        assert list(store.list("")) == sorted(keys)
        assert list(store.list("a/")) == ["a/b", "a/c/d"]
        assert list(store.list("a")) == ["a-b", "a.b/x", "a/b", "a/c/d", "ab"]
        assert list(store.list("a/c/d")) == ["a/c/d"]
        assert list(store.list("zz")) == []

    def test_delete(self, store: Store) -> None:
        store.put_new("d/e/f", b"1")
        store.delete("d/e/f")
        assert store.stat("d/e/f") is None
        assert store.put_new("d/e/f", b"2")

    @pytest.mark.parametrize("key", ["", "/a", "a//b", "../a", "a/../b", "a/./b", "a/", "a b", "é", ".tmp/a", "a\n", "x" * 300])
    def test_keys_cannot_escape(self, store: Store, key: str) -> None:
        for call in (store.get, store.stat, store.delete, lambda k: store.put_new(k, b""), lambda k: store.swap(k, b"", None)):
            with pytest.raises(BadKey):
                call(key)

    def test_many_writers_one_wins(self, store: Store) -> None:
        barrier = threading.Barrier(6)
        assert sum(_at_once(6, lambda n: (barrier.wait(), open_store(store.url).put_new("one", str(n).encode()))[1])) == 1

    def test_no_update_is_lost(self, store: Store) -> None:
        store.swap("counter", b"0", None)
        _at_once(4, lambda n: [_increment(open_store(store.url)) for _ in range(5)])
        assert store.get("counter") == b"20"


def _at_once(count: int, work: Callable[[int], object]) -> list[object]:
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


def _increment(store: Store) -> None:
    while True:
        data, stat = store.read("counter")
        try:
            store.swap("counter", str(int(data) + 1).encode(), stat.etag)
            return
        except LostRace:
            continue
