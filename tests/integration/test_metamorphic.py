"""Nothing is fitted to the samples: other names, amounts and years, and items in another order, give the answers that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from filingforest import query
from filingforest.cli.run import do
from filingforest.config import Settings
from filingforest.progress import Tally
from filingforest.query import Answer, Reader
from filingforest.request import Request
from filingforest.store import open_store
from tests.support.metamorphic import Change, times
from tests.support.replay import Replay

SAMPLES = Path(__file__).parents[2] / "samples"
NAME, TICKER, YEAR, SALES, FILED = "Larkfield", "LRKF", 2024, "742,875", "2024-11-15"  # facts of the samples, as their README states them
CHANGES = {
    "as it is": Change(),
    "all at once": Change({NAME: "Brindlewood", TICKER: "BRWD"}, factor=3, years=-8, seed=1),
    "in another order": Change({NAME: "Quelling", TICKER: "QLNG"}, factor=17, years=-4, seed=5),
}


@dataclass
class Case:
    """One EDGAR, published, and how to ask it."""

    change: Change
    reader: Reader

    def ask(self, question: str) -> Answer:
        return self.reader.query(question.format(name=self.change.renamed(NAME), ticker=self.change.renamed(TICKER), year=self.year))

    @property
    def year(self) -> int:
        return YEAR + self.change.years


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Case]]:
    made: dict[str, Case] = {}

    def make(name: str) -> Case:
        if name not in made:
            made[name] = published(CHANGES[name], tmp_path_factory.mktemp("case"))
        return made[name]

    return make


def published(change: Change, home: Path) -> Case:
    day = change.text(FILED)
    with Replay(change.archive(SAMPLES, home / "edgar")) as edgar:
        given = {"base_url": edgar.url, "user_agent": "filingforest tests tests@example.org", "limiter_dir": str(home), "rate": 10}
        settings = Settings.load(None, {"edgar": given, "parse.workers": 1}, env={"FILINGFOREST_CONFIG": "/dev/null"})
        request = Request("edgar", day, day, forms=("10-K",))
        done = do(open_store(str(home / "filings")), settings, [request.to_dict()], tally=Tally())
    assert done.through == 2
    return Case(change, query.open(home / "filings"))


@pytest.mark.parametrize("name", CHANGES)
def test_a_figure_is_found_in_its_statement_and_as_a_fact(case: Callable[[str], Case], name: str) -> None:
    it = case(name)
    answer = it.ask("What were {name} Instruments' total net sales in fiscal {year}?")
    sales = times(SALES, it.change.factor)
    assert {hit.company.lower() for hit in answer.hits} == {it.change.renamed("Larkfield Instruments, Inc.").lower()}
    assert {hit.fiscal_year for hit in answer.hits[:3]} == {it.year}
    assert any(sales in hit.text and hit.statement == "income" for hit in answer.hits[:3])
    exact = str(int(sales.replace(",", "")) * 1000)
    assert [f for f in answer.facts if str(f["value"]) == exact and f["period_end"] == f"{it.year}-09-30"]


@pytest.mark.parametrize("name", [n for n in CHANGES if n != "as it is"])
@pytest.mark.parametrize(
    "question",
    [
        "Why did {name}'s backlog grow?",
        "What does {ticker} say about its customers?",
        "Which properties does {name} own?",
        "How large was {name}'s net income in fiscal {year}?",
    ],
)
def test_the_same_passages_answer(case: Callable[[str], Case], name: str, question: str) -> None:
    before, after = case("as it is").ask(question), case(name).ask(question)
    where = [[(hit.item_key, hit.kind, hit.statement) for hit in answer.hits[:3]] for answer in (before, after)]
    assert where[0][0] in where[1]
    assert len(set(where[0]) & set(where[1])) >= 2


@pytest.mark.parametrize("name", CHANGES)
def test_a_name_of_before_is_unknown_afterwards(case: Callable[[str], Case], name: str) -> None:
    it = case(name)
    answer = it.reader.query("What were the net sales of Larkfield Instruments?")
    known = it.change.renamed(NAME) == NAME
    assert bool(answer.hits) == known
    assert ("unknown_company" in [note.code for note in answer.notes]) != known


@pytest.mark.parametrize(
    ("text", "factor", "want"), [("1,518.3", 3, "4,554.9"), ("742,875", 3, "2,228,625"), ("0.05", 17, "0.85"), ("999", 2, "1,998")]
)
def test_amounts_keep_their_decimals(text: str, factor: int, want: str) -> None:
    assert times(text, factor) == want
