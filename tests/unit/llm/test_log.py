"""The log of answers loses at most the record under way, whatever is killed, and says the same to whoever reads it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.models.llm.compact import compact
from filingforest.models.llm.log import ANSWER, DEAD, SegmentLog, segments

A, B, C = (letter * 32 for letter in "abc")


def filled(folder: Path, *records: tuple[str, str, int]) -> None:
    log = SegmentLog(folder)
    for key, kind, value in records:
        log.put(key, kind, {"v": value})
    log.close()


def value(log: SegmentLog, key: str) -> int:
    found = log.get(key)
    assert found is not None
    return int(found[1]["v"])


def test_records_come_back_in_a_new_process(tmp_path: Path) -> None:
    filled(tmp_path, (A, ANSWER, 1), (B, DEAD, 2))
    log = SegmentLog(tmp_path)
    assert log.get(A) == (ANSWER, {"v": 1})
    assert log.get(B) == (DEAD, {"v": 2})
    assert log.get(C) is None
    assert list(log.items()) == [(A, ANSWER), (B, DEAD)]
    assert len(segments(tmp_path)) == 1


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_torn_last_record_is_dropped_wherever_it_was_cut(tmp_path: Path, cut: int) -> None:
    filled(tmp_path, (A, ANSWER, 1), (B, ANSWER, 2))
    path = segments(tmp_path)[0]
    whole = path.read_bytes()
    last = len(whole) - whole[:-1].rindex(b"\n") - 1
    path.write_bytes(whole[: len(whole) - min(cut, last)])
    log = SegmentLog(tmp_path)
    assert value(log, A) == 1
    assert log.get(B) is None
    log.put(B, ANSWER, {"v": 3})
    assert value(SegmentLog(tmp_path), B) == 3


def test_a_line_of_rubbish_is_dropped_and_counted(tmp_path: Path) -> None:
    filled(tmp_path, (A, ANSWER, 1), (B, ANSWER, 2))
    path = segments(tmp_path)[0]
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first.replace(b'"v":1', b'"v":9') + b"\x00\r\x00\n" + second)
    log = SegmentLog(tmp_path)
    assert (log.get(A), value(log, B), log.torn) == (None, 2, 2)


def test_first_answer_stays_and_answers_beat_dead_letters(tmp_path: Path) -> None:
    filled(tmp_path, (A, DEAD, 1), (A, DEAD, 2), (B, ANSWER, 3))
    filled(tmp_path, (A, DEAD, 4), (B, ANSWER, 5), (B, DEAD, 6))
    log = SegmentLog(tmp_path)
    assert (value(log, A), value(log, B)) == (4, 3)
    log.put(A, ANSWER, {"v": 7})
    assert value(log, A) == 7


def test_each_writer_has_a_segment_and_readers_see_the_others_after_refresh(tmp_path: Path) -> None:
    one, two = SegmentLog(tmp_path), SegmentLog(tmp_path)
    one.put(A, ANSWER, {"v": 1})
    two.put(B, ANSWER, {"v": 2})
    two.put(A, ANSWER, {"v": 3})
    assert len(segments(tmp_path)) == 2
    two.refresh()
    one.refresh()
    assert value(one, A) == value(two, A) == 1
    assert value(one, B) == 2


def test_a_forked_child_writes_to_its_own_segment(tmp_path: Path) -> None:
    log = SegmentLog(tmp_path)
    log.put(A, ANSWER, {"v": 1})
    child = os.fork()
    if child == 0:
        log.put(B, ANSWER, {"v": 2})
        os._exit(0)
    os.waitpid(child, 0)
    log.put(C, ANSWER, {"v": 3})
    again = SegmentLog(tmp_path)
    assert (value(again, A), value(again, B), value(again, C), again.torn) == (1, 2, 3, 0)
    assert len(segments(tmp_path)) == 2


def test_compaction_leaves_one_segment_and_the_same_answers(tmp_path: Path) -> None:
    for number in range(5):
        filled(tmp_path, (A, ANSWER, number), (B, DEAD, number), (f"{number:032x}", ANSWER, number))
    reader = SegmentLog(tmp_path)
    done = compact(tmp_path)
    assert (done.segments, done.kept, done.dropped) == (5, 7, 8)
    assert len(segments(tmp_path)) == 1
    for log in (reader, SegmentLog(tmp_path)):  # the reader that knew the old places finds the new ones
        assert (value(log, A), value(log, B), value(log, f"{3:032x}")) == (0, 4, 3)
    assert compact(tmp_path).segments == 0
    filled(tmp_path, (C, ANSWER, 9))
    assert compact(tmp_path).kept == 8
    reader.refresh()
    assert (value(reader, C), value(reader, A)) == (9, 0)


def test_compaction_leaves_segments_that_are_written_to(tmp_path: Path) -> None:
    filled(tmp_path, (A, ANSWER, 1))
    filled(tmp_path, (B, ANSWER, 2))
    live = SegmentLog(tmp_path)
    live.put(C, ANSWER, {"v": 3})
    filled(tmp_path, (C, ANSWER, 4))
    assert compact(tmp_path).segments == 2
    live.put("d" * 32, ANSWER, {"v": 5})
    log = SegmentLog(tmp_path)
    assert (value(log, A), value(log, B), value(log, C), value(log, "d" * 32)) == (1, 2, 3, 5)
    assert len(segments(tmp_path)) == 3


def test_a_kill_between_the_new_segment_and_the_end_of_the_old_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path, (A, ANSWER, 1), (B, DEAD, 1))
    filled(tmp_path, (A, ANSWER, 2), (B, DEAD, 2))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda self: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            compact(tmp_path)
    assert len(segments(tmp_path)) == 3
    log = SegmentLog(tmp_path)
    assert (value(log, A), value(log, B)) == (1, 2)
    assert compact(tmp_path).segments == 3
    assert (value(SegmentLog(tmp_path), A), value(SegmentLog(tmp_path), B)) == (1, 2)


def test_one_compaction_at_a_time(tmp_path: Path) -> None:
    filled(tmp_path, (A, ANSWER, 1))
    filled(tmp_path, (B, ANSWER, 1))
    with (tmp_path / "compact.lock").open("wb") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        assert compact(tmp_path).segments == 0
    assert compact(tmp_path / "nowhere").segments == 0


@given(
    st.lists(st.lists(st.tuples(st.sampled_from([A, B, C]), st.sampled_from([ANSWER, DEAD]), st.integers(0, 99)), max_size=6), max_size=6)
)
def test_what_holds_is_the_same_before_and_after_compaction(
    tmp_path_factory: pytest.TempPathFactory, writers: list[list[tuple[str, str, int]]]
) -> None:
    folder = tmp_path_factory.mktemp("log")
    for records in writers:
        filled(folder, *records)
    before = SegmentLog(folder)
    held = {key: before.get(key) for key in (A, B, C)}
    compact(folder)
    after = SegmentLog(folder)
    assert {key: after.get(key) for key in (A, B, C)} == held
    flat = [record for records in writers for record in records]
    for key in (A, B, C):
        answers = [v for k, kind, v in flat if k == key and kind == ANSWER]
        deads = [v for k, kind, v in flat if k == key and kind == DEAD]
        expected = (ANSWER, {"v": answers[0]}) if answers else (DEAD, {"v": deads[-1]}) if deads else None
        assert held[key] == expected
