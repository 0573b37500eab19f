"""What was typed is done or refused, never passed over: flags of another act, an empty or repeated `--index`, odd environments."""

from __future__ import annotations

import getpass
import subprocess
import sys
from pathlib import Path

import pytest

from filingforest import cli, query
from filingforest.cli.common import indexes, parser_for
from filingforest.cli.run import Done
from filingforest.progress import Tally
from filingforest.store import open_store
from tests.support.corpus import Doc, Unit, publish

COMMANDS = [
    ["run", "--source", "folder", "--input", "."], ["query", "x"], ["show", "x"], ["serve"], ["status"], ["failures", "list"],
    ["publications", "list"], ["migrate"], ["tree", "x", "7"], ["flam", "x"], ["evaluate", "--questions", "facts"],
    ["train", "embedder", "--out", "x"], ["doctor"],
]  # fmt: skip


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FILINGFOREST_INDEX", str(tmp_path / "another"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def index(tmp_path: Path) -> str:
    return publish(tmp_path / "index", [[Doc("Acme", units=[Unit("Sales rose to 5 million.")])]])


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["publications", "rollback", "--dry-run"], "rollback has no --dry-run -> --dry-run is for: prune, sweep; nothing was done"),
        (["publications", "takedown", "folder:a", "--reason", "x", "--dry-run"], "takedown has no --dry-run"),
        (["publications", "list", "--keep-last", "0"], "list has no --keep-last -> --keep-last is for: prune"),
        (["publications", "prune", "--grace-hours", "0"], "prune has no --grace-hours -> --grace-hours is for: sweep"),
        (["run", "--source", "folder", "--input", ".", "--date", "2024-01-31"], "folder has no --date -> --date is for: edgar"),
        (["run", "--source", "edgar", "--date", "2024-01-31", "--input", "."], "edgar has no --input -> --input is for: folder"),
        (["run", "--source", "folder", "--input", ".", "--lookback", "0"], "folder has no --lookback"),
        (["query", "x", "--own-document"], "--own-document is for a batch"),
        (["failures", "ignore", "--all", "--mark-only"], "ignore has no --mark-only -> --mark-only is for: retry"),
        (["failures", "retry", "--all", "--json"], "retry has no --json -> --json is for: list"),
    ],
)
def test_a_flag_of_another_act_stops_everything(typed: list[str], says: str, index: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = open_store(index).get("CURRENT")
    assert cli.main([*typed, "--index", index]) == cli.USAGE
    assert says in capsys.readouterr().err
    assert open_store(index).get("CURRENT") == before


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
@pytest.mark.parametrize("blank", ["", "  "])
def test_an_empty_index_is_one_error_everywhere(command: list[str], blank: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command, "--index", blank]) == cli.USAGE
    assert "--index was given and is empty" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


def test_indexes_named_one_by_one_are_all_meant() -> None:
    from filingforest.cli import show

    typed = ["x", "--index", "a", "--index", "b", "c"]
    assert indexes(parser_for("show", "", show).parse_args(typed)) == ["a", "b", "c"]


def test_one_place_named_twice_is_read_once(index: str) -> None:
    once, twice = query.open(index), query.open(index, index + "/", "index", f"file://{index}")
    assert twice.publications == once.publications
    assert len(twice.query("How did sales do?").hits) == len(once.query("How did sales do?").hits) == 1


def test_a_user_without_a_name_may_look(index: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found: 10001")

    monkeypatch.setattr(getpass, "getuser", nameless)
    assert cli.main(["publications", "list", "--index", index]) == 0
    assert cli.main(["publications", "takedown", "folder:x", "--lift", "--index", index]) == cli.USAGE
    assert "--by WHO" in capsys.readouterr().err


def test_publications_are_looked_at_with_what_a_reader_has(index: str) -> None:
    code = (
        "import sys; lacking = ['duckdb', 'lxml', 'onnx', 'requests', 'rich', 'sklearn', 'umap', 'safetensors', 'psutil']\n"
        "sys.modules |= dict.fromkeys(lacking)\n"
        "from filingforest import cli\n"
        "for act in ['list'], ['show'], ['verify'], ['diff', sys.argv[2]], ['diff', sys.argv[2], '--parquet', 'changes.parquet']:\n"
        "    assert cli.main(['publications', *act, '--index', sys.argv[1]]) != cli.USAGE, act\n"
        "assert cli.main(['status', '--index', sys.argv[1]]) == 0\n"
    )
    current = open_store(index).get("CURRENT").decode().splitlines()[0]
    done = subprocess.run([sys.executable, "-c", code, index, current], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_missing_to_publish_is_told_with_the_extra_that_brings_it(
    index: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "_dispatch", lambda arguments: (_ for _ in ()).throw(ModuleNotFoundError(name="duckdb")))
    assert cli.main(["publications", "takedown", "folder:a", "--reason", "x", "--index", index]) == cli.USAGE
    assert "pip install 'filingforest[run]'" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["flag", "environment"])
def test_an_encoder_that_an_index_cannot_teach(
    how: str, index: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FILINGFOREST_INDEX", index)
    assert cli.main(["train", "embedder", "--out", "x", *(["--index", index] if how == "flag" else [])]) == cli.USAGE
    told = capsys.readouterr().err
    assert "0 questions to learn from, 0 of held-out companies" in told  # the index was looked at
    assert "0 of 2 held-out terms, and no question of a held-out company" in told


def test_a_folder_without_documents_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "data.csv").write_text("a,b")
    assert cli.main(["run", "--source", "folder", "--input", "empty", "--index", "index", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == ["0 documents listed, 0 through, 0 set aside", "nothing is published"]
    assert "no document is in empty: of folders, files ending in .htm .html" in err


def test_a_failure_is_tried_again_from_another_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    index = str(tmp_path / "index")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").touch()
    assert cli.main(["run", "--source", "folder", "--input", "docs", "--index", index, "--quiet"]) == cli.INCOMPLETE
    (tmp_path / "docs" / "a.txt").write_text("Something at last.")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr("filingforest.cli.run.do", lambda store, settings, requests: seen.extend(requests) or Done(Tally()))
    seen: list[dict[str, object]] = []
    cli.main(["failures", "retry", "--all", "--index", index])
    assert seen == [{"source": "folder", "inputs": [str(tmp_path / "docs")]}]
    capsys.readouterr()


def test_pruning_says_what_it_keeps(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["publications", "prune", "--keep-last", "1", "--dry-run", "--index", index]) == 0
    assert "kept: the last 1, those younger than 30 days, the pinned ones and the current one" in capsys.readouterr().out


def test_what_forgets_a_model_s_answers_needs_no_model_s_packages() -> None:
    """A takedown on a publisher's machine without the `llm` extra; a generator that needs it says so."""
    code = (
        "import sys; sys.modules |= dict.fromkeys(['pydantic'])\n"
        "import filingforest.models.llm.forget, filingforest.models.llm.compact, filingforest.cli.takedown\n"
        "from filingforest.config import Settings\n"
        "from filingforest.errors import ConfigError\n"
        "from filingforest.trees.open import open_generator\n"
        "try: open_generator(Settings.from_dict({'trees.generator': 'vllm', 'llm.url': 'http://x', 'llm.model': 'm', 'llm.revision': 'r'}), None)\n"
        "except ConfigError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pydantic is not installed -> pip install 'filingforest[llm]'" in done.stdout
