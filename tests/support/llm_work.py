"""A batch in a process of its own, so that a test can kill it: `python -m tests.support.llm_work FOLDER URL COUNT [MODEL]` prints its report.

Requests whose number ends in 99 are made so that the fake refuses them (see `refuse`): a batch must account for the dead as well.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from filingforest.config import LlmSettings
from filingforest.models.llm.ask import Asker
from filingforest.models.llm.batch import BatchReport, LlmBatch
from filingforest.models.llm.cache import ResponseCache
from filingforest.models.llm.client import ChatClient
from filingforest.models.llm.request import ChatRequest, summary_shape
from tests.support.fake_llm import MODEL

REFUSED = "question that is refused"
SYSTEM = "You summarise passages of company filings in one short sentence."


def settings(url: str, model: str = MODEL, **more: object) -> LlmSettings:
    """Settings that wait for a server as briefly as a test can."""
    base: dict[str, object] = {"url": url, "model": model, "revision": "r1", "backoff_s": 0.01, "patience_s": 2.0, "max_in_flight": 16}
    return LlmSettings(**{**base, **more})  # type: ignore[arg-type]


def requests(count: int, chars: int = 80) -> Iterator[tuple[str, ChatRequest]]:
    """`count` small requests; what they share stands first."""
    for number in range(count):
        text = REFUSED if number % 100 == 99 else "passage"
        user = f"Net sales of the company rose in the year. Say it shortly.\n{text} number {number}"
        yield f"r{number:06d}", ChatRequest((("system", SYSTEM), ("user", user)), summary_shape(chars))


def batch(folder: Path, of: LlmSettings) -> LlmBatch:
    return LlmBatch(folder / "ledger", Asker(ChatClient(of), ResponseCache(folder / "cache"), of))


def main(
    folder: str, url: str, count: str, model: str = MODEL, in_flight: str = "16", patience: str = "30", chars: str = "80"
) -> BatchReport:
    of = settings(url, model, patience_s=float(patience), backoff_s=0.05, retries=8, max_in_flight=int(in_flight), max_tokens=64)
    work = batch(Path(folder), of)
    report = work.run(requests(int(count), int(chars)))
    work.close()
    return report


if __name__ == "__main__":
    print(json.dumps(asdict(main(*sys.argv[1:]))), flush=True)
