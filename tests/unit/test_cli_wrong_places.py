"""Settings files and indexes that are not what they should be are said at once, by every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from filingforest import cli

COMMANDS = [["status"], ["query", "x"], ["publications", "list"], ["failures", "list"], ["show", "x"], ["migrate"], ["serve"]]


@pytest.fixture(autouse=True)
def no_outer_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FILINGFOREST_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
def test_a_settings_file_that_is_not_there(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = cli.main([*command, "--index", str(tmp_path), "--config", str(tmp_path / "no.toml")])
    assert code == cli.USAGE
    assert "no.toml" in capsys.readouterr().err


@pytest.mark.parametrize("command", [c for c in COMMANDS if c[0] != "migrate"], ids=lambda c: c[0])
def test_an_index_that_is_a_file(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "index"
    file.touch()
    assert cli.main([*command, "--index", str(file)]) == cli.USAGE
    assert "it is a file" in capsys.readouterr().err


@pytest.mark.parametrize("flags", [["--kind", "zzz"], ["--since", "2024-02-01", "--until", "2024-01-01"], ["--as-of", "soon"]])
def test_filters_that_cannot_be_meant(flags: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.support.corpus import Doc, Unit, publish

    index = publish(tmp_path / "index", [[Doc("Acme", units=[Unit("Sales.")])]])
    assert cli.main(["query", "sales", "--index", index, *flags]) == cli.USAGE
    assert "[query]" in capsys.readouterr().err
