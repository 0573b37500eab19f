"""A whole night over the sample filings, served as EDGAR serves them: new, again, with faults, with documents that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filingforest import cli, failures, query, raw
from filingforest.cli.run import Done, do
from filingforest.config import Settings
from filingforest.errors import SourceForbidden
from filingforest.models.base import Embedder
from filingforest.pipeline import Night
from filingforest.progress import Tally
from filingforest.publish import receipts
from filingforest.publish.commands import release, rollback, verify
from filingforest.request import Request
from filingforest.stage_work import open_encoder
from filingforest.store import Store, open_store
from tests.support.nights import current, published_documents, snapshot
from tests.support.replay import Replay
from tests.support.tiny_index import TinyEmbedder

SAMPLES = Path(__file__).parents[2] / "samples"
LARKFIELD, HARROW = "0009900001-24-000057", "0009900002-24-000022"
DAY = Request("edgar", "2024-11-15", "2024-11-15", forms=("10-K",))


@pytest.fixture(scope="module")
def edgar() -> Iterator[Replay]:
    with Replay(SAMPLES) as server:
        yield server


@pytest.fixture
def settings(edgar: Replay, tmp_path: Path) -> Settings:
    given = {
        "base_url": edgar.url, "user_agent": "filingforest tests tests@example.org", "limiter_dir": str(tmp_path / "limiter"),
        "rate": 10, "retries": 1, "backoff_s": 0.01, "cooldown_s": 0.2,
    }  # fmt: skip
    return Settings.load(None, {"edgar": given, "parse.workers": 1}, env={"FILINGFOREST_CONFIG": "/dev/null"})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "filings"))


def night(store: Store, settings: Settings, asked: Request, embedder: Embedder | None = None) -> Done:
    requests = [r.to_dict() for r in asked.nights()]
    return do(store, settings, requests, tally=Tally(), embedder=embedder or TinyEmbedder())


def flags(settings: Settings) -> list[str]:
    """The same settings on the command line."""
    return [x for name, value in settings.to_dict()["edgar"].items() for x in ("--set", f"edgar.{name}={value}")]


def outcomes(done: Done) -> dict[str, dict[str, int]]:
    return {stage: dict(counts) for stage, counts in done.tally.counts.items()}


def test_a_night_publishes_what_was_filed_and_again_writes_nothing(store: Store, settings: Settings, tmp_path: Path) -> None:
    span = Request("edgar", "2024-11-14", "2024-11-18", forms=("10-K",))
    first = night(store, settings, span)
    assert (first.listed, first.through, first.publication["changed"]) == (2, 2, True)
    assert published_documents(tmp_path / "filings") == {LARKFIELD: "10-K", HARROW: "10-K"}
    found = [receipts.load(store, name) for name in receipts.names(store)]
    assert [(r.interval, r.expected, len(r.documents)) for r in found] == [("2024-11-14", 0, 0), ("2024-11-15", 2, 2), ("2024-11-18", 0, 0)]

    before, embedder = snapshot(tmp_path / "filings"), TinyEmbedder()
    second = night(store, settings, span, embedder=embedder)
    assert snapshot(tmp_path / "filings") == before
    assert embedder.embedded == []
    assert (second.publication["publication"], second.publication["changed"]) == (first.publication["publication"], False)
    assert outcomes(second) == {stage: {"known": 2} for stage in ("crawl", "parsed", "chunks", "embeddings", "trees")}


def test_days_in_any_order_end_in_the_same_content(settings: Settings, tmp_path: Path) -> None:
    days = [Request("edgar", d, d, forms=("10-K",)) for d in ("2023-10-27", "2024-11-15")]
    ids = []
    for name, order in (("one", days), ("two", days[::-1])):
        store = open_store(str(tmp_path / name / "filings"))
        for day in order:
            night(store, settings, day)
        ids.append(current(tmp_path / name / "filings").rpartition("-")[2])
    assert ids[0] == ids[1]


def test_the_answer_comes_from_the_company_asked_for(store: Store, settings: Settings, tmp_path: Path) -> None:
    night(store, settings, DAY, open_encoder(settings.embed))
    reader = query.open(tmp_path / "filings")
    answer = reader.query("What were Larkfield Instruments' total net sales in fiscal 2024?")
    assert {hit.doc_id for hit in answer.hits} == {LARKFIELD}
    assert any("742,875" in hit.text for hit in answer.hits[:3])
    assert any("742875" in str(fact.get("value")) for fact in answer.facts)
    unknown = reader.query("What were the net sales of Quuxworth Industries in fiscal 2024?")
    assert unknown.hits == []
    assert "unknown_company" in [note.code for note in unknown.notes]


def test_a_document_that_fails_is_set_aside_and_the_others_go_on(store: Store, settings: Settings, tmp_path: Path) -> None:
    page = next((SAMPLES / "Archives").rglob("lrkf-20240930.htm")).read_bytes()
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    (inputs / "good.htm").write_bytes(page)
    (inputs / "latin.htm").write_bytes(LATIN.encode("latin-1"))
    (inputs / "empty.htm").write_bytes(b"")
    (inputs / "cut.htm").write_bytes(page[: len(page) // 2])
    (inputs / "report.htm").write_bytes(PDF)
    asked = Request("folder", inputs=(str(inputs),))
    done = night(store, settings, asked, open_encoder(settings.embed))
    assert (done.listed, done.through) == (5, 2)
    assert set(published_documents(tmp_path / "filings")) == {"folder:good", "folder:latin"}
    reasons = {f.doc_id: (f.stage, f.code) for f in failures.each(store)}
    assert reasons == {
        "folder:cut": ("parsed", "document_truncated"),
        "folder:empty": ("crawl", "document_empty"),
        "folder:report": ("parsed", "document_format"),
    }
    assert all(f.remedy and f.attempts == 1 for f in failures.each(store))
    text = query.open(tmp_path / "filings").query("Café Größe", filters={"doc": "folder:latin"}).hits[0].text
    assert "café" in text
    assert "Größe" in text

    before = snapshot(tmp_path / "filings")
    assert outcomes(night(store, settings, asked, open_encoder(settings.embed)))["parsed"] == {"known": 2, "set aside": 2}
    assert snapshot(tmp_path / "filings") == before

    (inputs / "cut.htm").write_bytes(page)
    (inputs / "empty.htm").write_text("<html><body><p>Not empty any more.</p></body></html>")
    assert night(store, settings, asked, open_encoder(settings.embed)).through == 4
    assert [f.doc_id for f in failures.each(store)] == ["folder:report"]


LATIN = "<html><head><meta charset='iso-8859-1'></head><body><p>The café ordered a greater Größe of cups for its guests.</p></body></html>"
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"


def test_a_source_that_is_down_is_asked_again_the_next_night(edgar: Replay, store: Store, settings: Settings, tmp_path: Path) -> None:
    edgar.fail(f".*{LARKFIELD.replace('-', '')}.*|.*{LARKFIELD}.*", status=503, times=-1)
    try:
        assert night(store, settings, DAY).through == 1
    finally:
        edgar.faults.clear()
    [failure] = failures.each(store)
    assert (failure.doc_id, failure.stage, failure.code, failure.transient) == (LARKFIELD, "crawl", "source_unavailable", True)
    assert failure.request["since"] == "2024-11-15"
    assert night(store, settings, DAY).through == 2
    assert list(failures.each(store)) == []
    assert set(published_documents(tmp_path / "filings")) == {LARKFIELD, HARROW}


def test_a_403_stops_everything(edgar: Replay, store: Store, settings: Settings) -> None:
    edgar.fail(r".*990000\d.*", status=403, times=1)
    try:
        with pytest.raises(SourceForbidden):
            night(store, settings, DAY)
    finally:
        edgar.faults.clear()
    assert list(failures.each(store)) == []


def test_a_batch_with_a_late_document_is_tried_again_by_the_scheduler(edgar: Replay, store: Store, settings: Settings) -> None:
    edgar.fail(f".*{LARKFIELD.replace('-', '')}.*|.*{LARKFIELD}.*", status=503, times=-1)
    request = DAY.to_dict()
    try:
        with Night(store, settings, embedder=TinyEmbedder(), raise_late=True) as steps:
            refs = steps.discover(request)
            with pytest.raises(Exception, match="503"):
                steps.crawl(request, refs)
    finally:
        edgar.faults.clear()
    assert raw.newest(store, HARROW) is not None, "the rest of the batch was done"
    with Night(store, settings, embedder=TinyEmbedder(), raise_late=True) as steps:
        assert len(steps.crawl(request, refs)) == 2


def test_a_corrupt_stage_sets_its_document_aside_until_it_is_retried(
    store: Store, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = DAY.to_dict()
    with Night(store, settings, embedder=TinyEmbedder()) as steps:
        parsed = steps.parse(request, steps.crawl(request, steps.discover(request)))
        bad = next(e for e in parsed if e["doc_id"] == LARKFIELD)["stages"]["parsed"]
        path = tmp_path / "filings" / bad
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[:1000])
        done = steps.embed(request, parsed)
    assert [e["doc_id"] for e in done] == [HARROW]
    [failure] = failures.each(store)
    assert (failure.doc_id, failure.code) == (LARKFIELD, "corrupt")

    monkeypatch.setattr("filingforest.stage_work.open_encoder", lambda embed: TinyEmbedder())
    assert cli.main(["failures", "retry", "--code", "corrupt", "--index", store.url, *flags(settings)]) == cli.DONE
    assert list(failures.each(store)) == []
    assert set(published_documents(tmp_path / "filings")) == {LARKFIELD, HARROW}


def test_a_kept_document_is_never_fetched_again(edgar: Replay, store: Store, settings: Settings) -> None:
    night(store, settings, DAY)
    seen = len(edgar.seen)
    night(store, settings, DAY)
    again = [request.path for request in edgar.seen[seen:]]
    assert all("index" in path for path in again), again


def test_work_is_done_once_even_with_a_new_parser(store: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another parser version parses again, but vectors of unchanged passages are taken over."""
    night(store, settings, DAY)
    monkeypatch.setattr("filingforest.parse.PARSER_VERSION", "next")
    embedder = TinyEmbedder()
    done = night(store, settings, DAY, embedder=embedder)
    assert outcomes(done)["parsed"] == {"new": 2}
    assert embedder.embedded == []


@pytest.mark.service
def test_a_night_into_s3_and_again(s3_url: str, settings: Settings) -> None:
    store = open_store(s3_url)
    first = night(store, settings, DAY)
    before = {key: store.stat(key) for key in store.list("")}
    embedder = TinyEmbedder()
    second = night(store, settings, DAY, embedder)
    assert (first.publication["changed"], second.publication["changed"], embedder.embedded) == (True, False, [])
    assert {key: store.stat(key) for key in store.list("")} == before
    assert verify(store).ok
    assert query.open(s3_url).publications == (first.publication["publication"],)


def test_a_rollback_stays_until_it_is_released(store: Store, settings: Settings, tmp_path: Path) -> None:
    earlier = Request("edgar", "2023-10-27", "2023-10-27", forms=("10-K",))
    one, two = night(store, settings, earlier), night(store, settings, DAY)
    rollback(store)
    assert night(store, settings, DAY).publication["publication"] == one.publication["publication"]
    assert set(published_documents(tmp_path / "filings")) == {"0009900002-23-000019"}
    release(store)
    again = night(store, settings, DAY).publication["publication"]
    assert again.rpartition("-")[2] == two.publication["publication"].rpartition("-")[2]
