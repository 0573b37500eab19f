"""Summaries and sub-questions for a tree's nodes from vLLM, checked against what they were made of, with the extractive ones behind them.

A summary with a number, date or name that its passages do not hold is asked for again, once, with those named; then the node gets the
extractive summary. Questions that name what the passages do not hold are dropped one by one. Who wrote what stands in `Written.generator`.
"""

from __future__ import annotations

import logging
import re
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from filingforest.config import LlmSettings
from filingforest.errors import LlmDead
from filingforest.models.llm.ask import Asker
from filingforest.models.llm.canary import check_server
from filingforest.models.llm.client import ChatClient
from filingforest.models.llm.faithful import Evidence
from filingforest.models.llm.fit import TEMPLATE_TOKENS, Fitted, TokenCounter, fit
from filingforest.models.llm.metrics import PrefixCache
from filingforest.models.llm.pool import in_order
from filingforest.models.llm.prompts import frame_text, questions_request, shown, summary_request, version
from filingforest.trees.extractive import GENERATOR as EXTRACTIVE
from filingforest.trees.extractive import Extractive
from filingforest.trees.generator import Passage, Written

log = logging.getLogger(__name__)
_CREDIT = re.compile(r"(?P<writer>\S+)(?: \(after (?P<after>\S+): (?P<why>[a-z_]+)\))?(?: questions (?P<questions>\S+))?")


@dataclass(frozen=True, slots=True)
class Credit:
    """Who wrote a node: `writer` the summary, `questions` its questions; `after` is who was asked first and failed, and `why`.

    As text, in `tree_nodes.generator`: "vllm/M@R", "extractive/1 (after vllm/M@R: unfaithful)", "vllm/M@R questions extractive/1". The
    reasons are unfaithful, empty (the passages hold nothing) and those of a dead letter: refused, too_long, length, invalid, failing.
    """

    writer: str
    questions: str
    after: str = ""
    why: str = ""

    def __str__(self) -> str:
        after = f" (after {self.after}: {self.why})" if self.after else ""
        return self.writer + after + (f" questions {self.questions}" if self.questions != self.writer else "")

    @classmethod
    def of(cls, text: str) -> Credit:
        """The inverse of `str`. Errors: ValueError."""
        match = _CREDIT.fullmatch(text)
        if match is None:
            raise ValueError(f"no generator: {text!r}")
        return cls(match["writer"], match["questions"] or match["writer"], match["after"] or "", match["why"] or "")


class VllmGenerator:
    """See `trees.generator.Generator`. Safe for threads. `report()` has the rates.

    The server is asked nothing before there is something to write: a run that only looks, or finds all done, needs none.
    """

    def __init__(self, client: ChatClient, asker: Asker, plain: Extractive) -> None:
        self.client, self.asker, self.plain = client, asker, plain
        self.settings: LlmSettings = asker.settings
        self.writer = f"vllm/{self.settings.model}@{self.settings.revision}".replace(" ", "_")
        self.counts: Counter[str] = Counter()
        self._tokens = TokenCounter(client)
        self._budget: int | None = None  # tokens of passages; known once the server was asked
        self._before = PrefixCache()
        self._lock, self._opening = threading.Lock(), threading.Lock()

    @property
    def name(self) -> str:
        """All that decides what is written: model, prompts, bounds, sampling, and the extractive generator behind it."""
        s = self.settings
        bounds = f"{s.summary_chars} {s.questions} {s.max_tokens} {s.max_tokens_limit} {s.context_tokens} {s.temperature:g} {s.seed}"
        return f"{self.writer} prompts {version()} {bounds}; {self.plain.name}"

    def write_level(self, groups: Sequence[Sequence[Passage]]) -> list[Written]:
        """See `trees.generator.Generator`. Errors: ConfigError, LlmUnavailable (what was answered is kept), LlmUnconstrained, LlmError."""
        budget = self._open()
        written = in_order(lambda group: self._write(group, budget), groups, self.settings.max_in_flight)
        log.info("%s: %s", self.writer, " ".join(f"{name}={value}" for name, value in sorted(self.counts.items())))
        return written

    def report(self) -> dict[str, float]:
        """What was done since the start.

        Of nodes: nodes, asked_again, unfaithful, fallbacks (and fallbacks_REASON), dead_summaries, dead_questions, questions,
        questions_dropped, cut_passages, cut_tokens. Of requests: `Asker.counts`. Shares: fallback_rate, again_rate, and prefix_hit_rate,
        which is of the tokens of all prompts that the server had meanwhile, whoever asked.
        """
        nodes = max(1, self.counts["nodes"])
        prefix = PrefixCache.of(self.client.metrics()) - self._before if self._budget is not None else PrefixCache()
        rates = {
            "fallback_rate": self.counts["fallbacks"] / nodes,
            "again_rate": self.counts["asked_again"] / nodes,
            "prefix_hit_rate": prefix.rate,
        }
        return {**self.counts, **self.asker.counts, **{name: round(rate, 4) for name, rate in rates.items()}}

    def close(self) -> None:
        """Writes the answers through to the disk."""
        self.asker.cache.close()

    def _open(self) -> int:
        """How many tokens of passages fit, after a proof that the server is the one that is meant and keeps to schemas."""
        with self._opening:
            if self._budget is None:
                context = check_server(self.client)
                self._before = PrefixCache.of(self.client.metrics())
                self._budget = context - self.settings.max_tokens - self._tokens(frame_text(self.settings)) - TEMPLATE_TOKENS
            return self._budget

    def _write(self, passages: Sequence[Passage], budget: int) -> Written:
        fitted = fit([shown(passage) for passage in passages], budget, self._tokens)
        self._count(nodes=1, cut_passages=fitted.cut, cut_tokens=fitted.cut_tokens)
        if not "".join(fitted.texts).strip():
            return self._fall_back(passages, "too_long" if fitted.cut else "empty")
        evidence = Evidence([part for passage in passages for part in (passage.text, *passage.headings, *passage.labels)])
        document = passages[0].document
        summary, why = self._summary(fitted, evidence, document)
        questions = self._questions(fitted, evidence, document)
        if summary is None:
            return self._fall_back(passages, why, questions)
        by = self.writer if questions else EXTRACTIVE
        return Written(summary, tuple(questions or self.plain.sub_questions(passages)), str(Credit(self.writer, by)))

    def _summary(self, fitted: Fitted, evidence: Evidence, document: str) -> tuple[str | None, str]:
        """A summary that says only what the passages say; or None and why there is none."""
        avoid: list[str] = []
        for last in (False, True):
            try:
                text = str(self.asker.ask(summary_request(fitted.texts, self.settings, avoid, document)).value["summary"]).strip()
            except LlmDead as error:
                self._count(dead_summaries=1)
                return None, error.reason
            found = evidence.unsupported(text)
            if text and not found:
                return text, ""
            avoid = [finding.text for finding in found]
            self._count(**{"unfaithful" if last else "asked_again": 1})
            log.debug("not in the passages: %s", "; ".join(avoid))
        return None, "unfaithful"

    def _questions(self, fitted: Fitted, evidence: Evidence, document: str) -> list[str]:
        """Distinct questions that name only what the passages hold; none where there are none."""
        try:
            asked = self.asker.ask(questions_request(fitted.texts, self.settings, document)).value["questions"]
        except LlmDead:
            self._count(dead_questions=1)
            return []
        distinct = list(dict.fromkeys(text for text in (" ".join(str(each).split()) for each in asked) if text))
        kept = [text for text in distinct if not evidence.unsupported(text)]
        self._count(questions=len(kept), questions_dropped=len(asked) - len(kept))
        return kept

    def _fall_back(self, passages: Sequence[Passage], why: str, questions: Sequence[str] = ()) -> Written:
        self._count(fallbacks=1, **{f"fallbacks_{why}": 1})
        credit = Credit(EXTRACTIVE, self.writer if questions else EXTRACTIVE, self.writer, why)
        return Written(self.plain.summary(passages), tuple(questions or self.plain.sub_questions(passages)), str(credit))

    def _count(self, **more: int) -> None:
        with self._lock:
            self.counts.update(more)
