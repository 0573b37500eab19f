"""The command line teaches, answers at once, and says in one line what is wrong."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from filingforest import cli, failures, takedowns
from filingforest.errors import ConfigError, EmptyDocument, LostRace, PermissionDenied, QueryError, SourceUnavailable
from filingforest.store import open_store

HEAVY = (
    "airflow",
    "torch",
    "transformers",
    "sentence_transformers",
    "pandas",
    "pyarrow",
    "lxml",
    "boto3",
    "onnxruntime",
    "rich",
    "requests",
)


@pytest.fixture(autouse=True)
def no_outer_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [n for n in os.environ if n.startswith("FILINGFOREST_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_explains_itself_with_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as e:
        cli.main([command, "--help"])
    shown = capsys.readouterr().out
    assert e.value.code == 0
    assert f"filingforest {command}" in shown.partition("examples:")[2]
    assert "exit codes:" in shown


def test_help_lists_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {name} " in shown for name in cli.COMMANDS)
    assert cli.main([]) == cli.USAGE


def test_a_misspelt_command_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["qurey", "x"]) == cli.USAGE
    assert "did you mean 'query'?" in capsys.readouterr().err


def test_starting_imports_nothing_heavy() -> None:
    code = "import sys; from filingforest import cli; import filingforest.cli.query; cli.main(['--help']); print(*sys.modules, file=sys.stderr)"
    env = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[1])}
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True).stderr.split()
    assert not [m for m in loaded if m.split(".")[0] in HEAVY]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("x"), 2),
        (QueryError("x"), 2),
        (PermissionDenied("x"), 3),
        (SourceUnavailable("x"), 4),
        (LostRace("x"), 4),
    ],
)
def test_exit_codes(error: Exception, code: int) -> None:
    assert cli.exit_code(error) == code  # type: ignore[arg-type]


def test_errors_are_one_line_with_their_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["failures", "list"]) == cli.USAGE
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "--index" in said
    with pytest.raises(ConfigError):
        cli.main(["failures", "list", "--debug"])


def test_common_flags_may_stand_before_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.toml").write_text("[edgar]\nrate = 99\n")
    assert cli.main(["--config", "x.toml", "run", "--source", "folder", "--input", ".", "--index", "i"]) == cli.USAGE
    assert "at most 10" in capsys.readouterr().err


def test_dry_run_lists_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "b.htm").write_text("<p>b</p>")
    (tmp_path / "docs" / "a.txt").write_text("a")
    assert cli.main(["run", "--source", "folder", "--input", "docs", "--index", "index", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert shown.index("folder:a") < shown.index("folder:b")
    assert "2 to fetch, 0 kept" in shown
    assert not (tmp_path / "index").exists()


def test_failures_are_listed_ignored_and_retried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(str(tmp_path / "index"))
    for doc in ("folder:a", "folder:b"):
        failures.record(store, failures.failure_of(EmptyDocument("nothing in it", remedy="fetch it again"), doc, "parsed", "f" * 16))

    def run(*arguments: str) -> str:
        assert cli.main(["failures", *arguments, "--index", "index"]) == 0
        return capsys.readouterr().out

    listed = run("list")
    assert "folder:a" in listed
    assert "document_empty" in listed
    assert "nothing in it -> fetch it again" in listed
    run("ignore", "folder:a")
    assert [json.loads(x)["doc_id"] for x in run("list", "--json").splitlines()] == ["folder:b"]
    assert [json.loads(x)["ignored"] for x in run("list", "--json", "--ignored").splitlines()] == [True, False]
    run("retry", "--code", "document_empty", "--mark-only")
    assert "nothing is set aside" in run("list", "--ignored")
    assert cli.main(["failures", "retry", "--index", "index"]) == cli.USAGE
    assert cli.main(["failures", "retry", "folder:zzz", "--index", "index"]) == cli.INCOMPLETE


SAMPLES = Path(__file__).parents[2] / "samples"
PAGE = "<html><body><p>ITEM 1. Business</p><p>We make boats &amp; <b>oars</b> for people in {} towns.</p></body></html>"


def test_what_was_taken_down_is_listed_with_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(str(tmp_path / "index"))
    failures.record(store, failures.failure_of(EmptyDocument("nothing in it"), "folder:b", "parsed", "f" * 16))
    taken = takedowns.record(store, "folder:a", "court order 7", "Ann")
    takedowns.record(store, "folder:c", "a mistake", "Ann")
    takedowns.lift(store, "folder:c", "Ann")

    def run(*arguments: str) -> tuple[int, str]:
        code = cli.main(["failures", *arguments, "--index", "index"])
        return code, "".join(capsys.readouterr())

    listed = run("list")[1].splitlines()
    assert [line.split()[0] for line in listed] == ["document", "folder:a", "folder:b"]
    assert (
        f"when lifted          taken down on {taken.at[:10]}: court order 7 -> `filingforest publications takedown folder:a --lift`"
        in listed[1]
    )
    assert [json.loads(line)["code"] for line in run("list", "--json", "--code", "taken_down")[1].splitlines()] == ["taken_down"]
    code, said = run("retry", "folder:a", "--mark-only")
    assert code == cli.INCOMPLETE
    assert "folder:a: taken down on" in said


def test_parse_prints_a_line_a_file_in_order_and_names_the_bad_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.htm").write_text(PAGE.format("two"))
    (tmp_path / "a.htm.gz").write_bytes(gzip.compress(PAGE.format("three").encode()))
    (tmp_path / "empty.htm").write_text("")
    (tmp_path / "fake.htm").write_bytes(b"%PDF-1.4\n%%EOF")
    assert cli.main(["parse", "--json", "b.htm", "empty.htm", "a.htm.gz", "fake.htm", "absent.htm"]) == cli.INCOMPLETE
    shown = capsys.readouterr()
    lines = [json.loads(line) for line in shown.out.splitlines()]
    assert [line["document"]["doc_id"] for line in lines] == ["folder:b", "folder:a"]
    assert "boats & oars for people in three towns" in json.dumps(lines[1]["nodes"])
    said = shown.err.splitlines()
    assert [("[document_empty]" in x, "[document_format]" in x, "[source]" in x) for x in said] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert all(" -> " in x for x in said)


def test_a_file_that_cannot_be_read_may_come_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.htm").write_text(PAGE.format("two"))
    assert cli.main(["parse", "--items", "absent.htm", "gone.htm", "b.htm"]) == cli.INCOMPLETE
    shown = capsys.readouterr()
    assert [json.loads(line)["document"]["doc_id"] for line in shown.out.splitlines()] == ["folder:b"]
    assert [x.partition(":")[0] for x in shown.err.splitlines()] == ["filingforest", "filingforest"]
    assert "absent" in shown.err.splitlines()[0]


def test_parse_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    report = str(next((SAMPLES / "Archives").rglob("lrkf-20240930.htm")))
    assert cli.main(["parse", report]) == cli.DONE
    shown = capsys.readouterr().out
    assert "10-K · FY2024" in shown
    assert "Item 7A. Quantitative" in shown
    assert cli.main(["parse", "--markdown", report]) == cli.DONE
    shown = capsys.readouterr().out
    assert "\n## Item 1A. Risk Factors\n" in shown
    assert "| Total net sales | 742,875 | 709,345 | 4.7% |" in shown
    assert cli.main(["parse", "--explain", report]) == cli.DONE
    assert "furniture" in capsys.readouterr().out
