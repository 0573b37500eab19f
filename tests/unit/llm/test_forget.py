"""What was made of a document's text leaves the cache of answers with the document, whatever is cut off or being written."""

from __future__ import annotations

from pathlib import Path

import pytest

from filingforest.config import LlmSettings
from filingforest.models.llm import forget as module
from filingforest.models.llm.ask import Asker
from filingforest.models.llm.cache import Answer, DeadLetter, ResponseCache
from filingforest.models.llm.forget import Forgotten, forget
from filingforest.models.llm.log import segments
from filingforest.models.llm.request import ChatRequest, Completion, summary_shape

A, B, C, D = ("a" * 32, "b" * 32, "c" * 32, "d" * 32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs: of document x an answer in each and a dead letter, of y one answer; y is alone in the third segment."""
    for records in ([(A, "x"), (B, "y")], [(C, "x")], [(D, "y")]):
        cache = ResponseCache(tmp_path)
        for key, document in records:
            cache.put(key, Answer({"summary": f"{document} sold its mills"}), document)
        cache.put(key[:31] + "0", DeadLetter("length", "does not end", True, 2048, prompt_head=f"{document} sold"), document)
        cache.close()
    return tmp_path


def held(folder: Path) -> set[str]:
    cache = ResponseCache(folder)
    return {key for key in (A, B, C, D) if cache.get(key)}


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


def test_records_of_one_document_go(folder: Path) -> None:
    assert forget(folder, "x") == Forgotten(records=3)
    assert held(folder) == {B, D}
    assert len(segments(folder)) == 2
    assert b"x sold" not in bytes_of(folder)
    assert b"y sold" in bytes_of(folder)
    assert forget(folder, "x") == Forgotten()


def test_a_reader_that_knew_the_old_places_finds_what_is_left(folder: Path) -> None:
    cache = ResponseCache(folder)
    forget(folder, "x")
    assert cache.get(A) is None
    assert isinstance(found := cache.get(B), Answer) and found.value == {"summary": "y sold its mills"}


def test_a_segment_that_is_written_to_waits(folder: Path) -> None:
    cache = ResponseCache(folder)
    cache.put("e" * 32, Answer({"summary": "x again"}), "x")
    assert forget(folder, "x") == Forgotten(records=3, busy=1)
    cache.close()
    assert forget(folder, "x") == Forgotten(records=1)
    assert b"x again" not in bytes_of(folder)


def test_cut_off_between_the_new_segment_and_the_end_of_the_old_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            forget(folder, "x")
    assert held(folder) == {A, B, C, D}
    assert forget(folder, "x").records == 3
    assert held(folder) == {B, D}
    assert len(segments(folder)) == 2


def test_records_of_before_are_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ResponseCache(folder)
    cache.log.put("f" * 32, "A", {"value": {"summary": "x?"}})
    cache.close()
    assert forget(folder, "x") == Forgotten(records=3, unnamed=1)


def test_nothing_where_there_is_no_cache(tmp_path: Path) -> None:
    assert module.forget(tmp_path / "none", "x") == Forgotten()


def test_answers_are_kept_with_the_document_of_their_request_and_found_without_it(tmp_path: Path) -> None:
    class Server:
        def complete(self, request: ChatRequest, max_tokens: int) -> Completion:
            return Completion('{"summary": "Mills."}', "stop")

    asker = Asker(Server(), ResponseCache(tmp_path), LlmSettings(model="m", revision="r"))
    request = ChatRequest((("user", "Summarise."),), summary_shape(60), "x")
    first = asker.ask(request)
    assert asker.ask(ChatRequest(request.messages, request.shape, "y")).value == first.value  # the same text in another document
    assert asker.counts["requests"] == 1
    asker.cache.close()
    assert forget(tmp_path, "x").records == 1
