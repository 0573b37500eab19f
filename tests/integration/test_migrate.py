"""A new encoder over an index that is there: what it touches, what a trial says, and doing it without fetching anything."""

from __future__ import annotations

from pathlib import Path

from filingforest import migrate
from filingforest.cli.run import do
from filingforest.config import Settings
from filingforest.current import open_manifest
from filingforest.pipeline import Night
from filingforest.progress import Tally
from filingforest.request import Request
from filingforest.store import open_store
from tests.support.tiny_index import TinyEmbedder

PAGE = "<html><body><h1>Report {n}</h1><p>{text}</p></body></html>"
SETTINGS = Settings.load(Path("/dev/null"), {"parse.workers": 1, "trees.enabled": False}, env={})


def test_a_new_encoder_embeds_again_and_parses_nothing(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for n in range(3):
        (files / f"report-{n}.html").write_text(
            PAGE.format(n=n, text=f"Net sales of region {n} rose by {n + 2} per cent in the year. " * 8)
        )
    store = open_store(str(tmp_path / "index"))
    do(store, SETTINGS, [Request("folder", inputs=(str(files),)).to_dict()], tally=Tally(), embedder=TinyEmbedder("r1"))
    before = open_manifest(store)
    assert before.counts["documents"] == 3
    for file in files.iterdir():
        file.unlink()

    with Night(store, SETTINGS, embedder=TinyEmbedder("r1")) as same:
        assert migrate.plan(same).touched == 0
    new = TinyEmbedder("r2")
    with Night(store, SETTINGS, embedder=new) as night:
        planned = migrate.plan(night)
        assert {stage: len(ids) for stage, ids in planned.stale.items()} == {"parsed": 0, "chunks": 0, "embeddings": 3}
        assert (planned.touched, planned.schema_changed) == (3, False)
        assert 0 < planned.raw_bytes < 10_000 < planned.segment_bytes
        cost = migrate.trial(night, planned, 1)
        embedded = len(new.embedded)
        assert cost.documents == 1 and cost.times(3).wall_s == 3 * cost.wall_s
        told = night.progress = Tally()
        migrate.run(night, planned)
        assert told.line("embeddings") == "embeddings: 2 new, 1 known"
        assert len(new.embedded) == 3 * embedded  # the trial's document was done
        night.publish()
    after = open_manifest(store)
    assert after.id != before.id and after.model is not None and after.model.info["revision"] == "r2"
    with Night(store, SETTINGS, embedder=TinyEmbedder("r2")) as night:
        assert migrate.plan(night).touched == 0
