"""### One night of filings, from EDGAR's daily index to a published search index

    crawl ────> parse ────> trees ────> weights ────> publish
    list,       items,      vectors,    account,      commit,
    fetch       facts       trees       receipt       announce

One interval is one filing date (UTC midnight to midnight), so a **backfill** over any range of dates, in any order and any number
at once, ends in the same publication. Work that is done is recognised by its key in the store: a run that is repeated writes nothing,
and a task that was cleared takes up where it stopped. A night that brings nothing new publishes nothing (`announce` is skipped).

Filings come in batches: each mapped task is labelled with the accession numbers that it holds. A filing that cannot be used is set
aside with its reason (`filingforest failures list`), and the night goes on.

Settings: Variable `filingforest_index` (where to publish), Connections `filingforest_edgar` (its extra holds
`{"user_agent": "Name mail@example.org"}`), `filingforest_s3` and, where each publication goes to OpenSearch too,
`filingforest_opensearch`. See `plugins/filingforest_airflow/settings.py`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import Asset, CronDataIntervalTimetable, Param, TriggerRule, dag, get_current_context, task, task_group
from airflow.sdk.exceptions import AirflowSkipException

from filingforest_airflow import pods, runs
from filingforest_airflow.retries import DEFAULTS
from filingforest_airflow.settings import open_night

Batch = dict[str, Any]  # {"label", "documents"}: references and keys, never contents
LABEL = "{{ task.op_kwargs['batch']['label'] }}"
EVEN_IF_EMPTY = TriggerRule.NONE_FAILED  # on a day without filings the maps are skipped, and what follows is not

RECEIPT = Asset(name="filings_receipt", uri="filingforest://filings/receipts")
PUBLICATION = Asset(name="filings_publication", uri="filingforest://filings/CURRENT")

TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
PARAMS = {
    "date": Param(None, type=["null", "string"], format="date", title="Filing date", description="Empty: the day of the run's interval."),
    "tickers": Param([], **TEXTS, title="Tickers", description="Only these companies, one a line (AAPL). Empty: all companies."),
    "forms": Param(["10-K", "10-Q"], **TEXTS, title="Forms", description="Form types, one a line; their amendments (/A) come along."),
    "look_back_days": Param(
        3,
        type="integer",
        minimum=0,
        maximum=30,
        title="Look-back days",
        description="Business days before the filing date to list again, for filings that came late. Backfill runs do not look back.",
    ),
    "batch_size": Param(8, type="integer", minimum=1, maximum=500, title="Batch size", description="Filings in one mapped task."),
}


@task_group
def crawl() -> tuple[Any, Any]:
    """Lists the date's filings in EDGAR's index and fetches what is not kept yet."""

    @task.sensor(poke_interval=600, timeout=12 * 3600, mode="reschedule")
    def index_is_due() -> bool:
        return runs.index_is_due(get_current_context())

    @task
    def list_filings() -> list[Batch]:
        context = get_current_context()
        with open_night() as night:
            refs = night.discover(runs.request_of(context))
        return runs.split(refs, context["params"]["batch_size"])

    @task(map_index_template=LABEL)
    def fetch(batch: Batch) -> Batch:
        with open_night() as night:
            return {**batch, "documents": night.crawl(runs.request_of(get_current_context()), batch["documents"])}

    listed = list_filings()
    index_is_due() >> listed
    return listed, fetch.expand(batch=listed)


@task_group
def parse(fetched: Any) -> Any:
    """Reads items, sections, passages, tables and tagged facts out of each filing."""

    @task(map_index_template=LABEL)
    def read(batch: Batch) -> Batch:
        with open_night() as night:
            return {**batch, "documents": night.parse(runs.request_of(get_current_context()), batch["documents"])}

    return read.expand(batch=fetched)


@task_group
def trees(parsed: Any) -> Any:
    """Chunks and the vectors of all passages; from them a summary tree and a question tree an Item, with its finance terms counted."""

    @task(map_index_template=LABEL, executor_config=pods.gpu())
    def chunk_and_embed(batch: Batch) -> Batch:
        with open_night() as night:
            return {**batch, "documents": night.embed(runs.request_of(get_current_context()), batch["documents"])}

    @task(map_index_template=LABEL)
    def grow(batch: Batch) -> Batch:
        with open_night() as night:
            return {**batch, "documents": night.grow(runs.request_of(get_current_context()), batch["documents"])}

    return grow.expand(batch=chunk_and_embed.expand(batch=parsed))


@task_group
def weights(listed: Any, grown: Any) -> Any:
    """What enters the corpus this night: its statistics are counted from all receipts."""

    @task(trigger_rule=EVEN_IF_EMPTY)
    def account(listed: list[Batch], grown: list[Batch] | None) -> dict[str, Any]:
        """Each listed filing came through or was set aside with a reason; a run that lost one stops here."""
        from filingforest.account import account

        with open_night() as night:
            return account(night.store, runs.documents(listed), runs.documents(grown))

    @task(trigger_rule=EVEN_IF_EMPTY, outlets=[RECEIPT])
    def receipt(grown: list[Batch] | None, counts: dict[str, Any], *, outlet_events: Any = None) -> str:
        request = runs.request_of(get_current_context())
        with open_night() as night:
            name = night.write_receipt(request, runs.documents(grown), counts["expected"])
        outlet_events[RECEIPT].extra = {"receipt": name, "filing_date": request["since"], **counts}
        return name

    return receipt(grown, account(listed, grown))


@task_group
def publish(recorded: Any) -> None:
    """Commits a publication of all receipts that are not held, one run at a time, and tells those downstream."""

    @task(trigger_rule=EVEN_IF_EMPTY, max_active_tis_per_dag=1)
    def commit() -> dict[str, Any]:
        run = get_current_context()["dag_run"]
        with open_night() as night:
            return night.publish({"run_id": run.run_id, "dag_id": run.dag_id})

    @task(outlets=[PUBLICATION])
    def announce(result: dict[str, Any], *, outlet_events: Any = None) -> dict[str, Any]:
        if not result["changed"]:
            raise AirflowSkipException(f"nothing new: readers go on with {result['publication'] or 'nothing'}")
        outlet_events[PUBLICATION].extra = result
        return result

    committed = commit()
    recorded >> committed
    announce(committed)


@dag(
    schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),
    start_date=datetime(1994, 1, 1, tzinfo=UTC),  # EDGAR's first full year: backfills may reach back to it
    catchup=False,
    max_active_runs=3,
    default_args=DEFAULTS,
    params=PARAMS,
    render_template_as_native_obj=False,
    dagrun_timeout=timedelta(hours=23),
    tags=["filings", "nightly"],
    doc_md=__doc__,
)
def filings_nightly() -> None:
    listed, fetched = crawl()
    publish(weights(listed, trees(parse(fetched))))


filings_nightly()
