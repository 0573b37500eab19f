"""`filingforest llm` says whether a server will do, and what it could not answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from filingforest import cli
from filingforest.models.llm.cache import DeadLetter, ResponseCache
from tests.support.fake_llm import MODEL, FakeLlm


def run(url: str, cache: Path, *arguments: str) -> int:
    given = {"url": url, "model": MODEL, "revision": "r1", "cache": str(cache), "patience_s": "0.01", "backoff_s": "0.001", "retries": "1"}
    return cli.main(["llm", *arguments, *(part for name, value in given.items() for part in ("--set", f"llm.{name}={value}"))])


def test_check_shows_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeLlm() as llm:
        assert run(llm.url, tmp_path, "check", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["model"], found["context_tokens"], found["keeps_to_schemas"]) == (MODEL, 8192, True)


def test_check_fails_with_the_remedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeLlm(ignores_schema=True) as llm:
        assert run(llm.url, tmp_path, "check") == cli.STOPPED
    assert "[llm_unconstrained]" in capsys.readouterr().err
    assert run("http://127.0.0.1:9/v1", tmp_path, "check") == cli.LATER
    assert "[llm_unavailable]" in capsys.readouterr().err


def test_dead_letters_and_compaction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for key in "ab":
        cache = ResponseCache(tmp_path)
        cache.put(key * 32, DeadLetter("length", "does not end", True, 2048))
        cache.close()
    assert run("", tmp_path, "dead", "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["key"], line["reason"], line["final"]) for line in lines] == [("a" * 32, "length", True), ("b" * 32, "length", True)]
    assert run("", tmp_path, "compact") == 0
    assert capsys.readouterr().out == "2 segments made one: 2 records, 0 dropped\n"
    assert run("", tmp_path, "dead") == 0
    assert "does not end" in capsys.readouterr().out
    assert run("", tmp_path / "empty", "compact") == 0
    assert capsys.readouterr().out == "nothing to merge\n"
