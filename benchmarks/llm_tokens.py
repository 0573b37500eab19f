"""Counts what a language model would read and write for the trees of real filings, without asking one: tokens of the prompts.

    python -m benchmarks.llm_tokens --index FOLDER --tokenizer tokenizer.json [--limit 3]

Trees are grown as by night, with extractive summaries in the model's place (about as long as its own are allowed to be). Prompts are those
of `models/llm/prompts.toml`; what a prefix cache would serve is counted in blocks of 16 tokens, with a cache that forgets nothing.
"""

from __future__ import annotations

import argparse
import statistics
from collections import Counter
from collections.abc import Sequence

from tokenizers import Tokenizer

from benchmarks.trees import entries
from filingforest.bundle import read_bundle
from filingforest.config import LlmSettings, Settings
from filingforest.flam.count import TermCounter
from filingforest.flam.lexicon import load_lexicon
from filingforest.models.llm.fit import TEMPLATE_TOKENS, fit
from filingforest.models.llm.prompts import frame_text, questions_request, shown, summary_request
from filingforest.models.llm.request import ChatRequest
from filingforest.stage_work import open_encoder
from filingforest.stages import CHUNKS, EMBEDDINGS, PARSED
from filingforest.store import open_store
from filingforest.trees.build import TreeBuilder
from filingforest.trees.extractive import Extractive
from filingforest.trees.generator import Passage, Written

BLOCK = 16


class Counting:
    """Writes extractively and counts what the model would have been asked."""

    name = "counting"

    def __init__(self, plain: Extractive, tokenizer: Tokenizer, context: int) -> None:
        self.plain, self.tokenizer, self.settings = plain, tokenizer, LlmSettings()
        self.budget = context - self.settings.max_tokens - self.length(frame_text(self.settings)) - TEMPLATE_TOKENS
        self.counts: Counter[str] = Counter()
        self.blocks: set[int] = set()

    def length(self, text: str) -> int:
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def write_level(self, groups: Sequence[Sequence[Passage]]) -> list[Written]:
        written = self.plain.write_level(groups)
        for group, done in zip(groups, written, strict=True):
            fitted = fit([shown(passage) for passage in group], self.budget, self.length)
            self.counts.update(nodes=1, cut_passages=fitted.cut, cut_tokens=fitted.cut_tokens)
            for request in (summary_request(fitted.texts, self.settings), questions_request(fitted.texts, self.settings)):
                self._read(request)
            self.counts.update(completion_tokens=self.length(done.summary) + sum(self.length(text) + 4 for text in done.questions) + 16)
        return written

    def _read(self, request: ChatRequest) -> None:
        tokens = self.tokenizer.encode("\n".join(text for _, text in request.messages), add_special_tokens=False).ids
        known, hit, block = 0, True, 0
        for end in range(BLOCK, len(tokens) + 1, BLOCK):
            block = hash((block, *tokens[end - BLOCK : end]))
            hit = hit and block in self.blocks
            known += BLOCK * hit
            self.blocks.add(block)
        self.counts.update(requests=1, prompt_tokens=len(tokens), prefix_tokens=known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--limit", type=int, default=3)
    parser.add_argument("--context", type=int, default=32_768)
    arguments = parser.parse_args()
    store, settings = open_store(arguments.index), Settings()
    terms = TermCounter(load_lexicon())
    tokenizer = Tokenizer.from_file(arguments.tokenizer)
    embedder = open_encoder(settings.embed)
    rows: list[Counter[str]] = []
    for entry in list(entries(store, {"10-K"}))[: arguments.limit]:
        generator = Counting(Extractive(terms), tokenizer, arguments.context)
        bundles = {name: read_bundle(store.get(entry["stages"][name])) for name in (PARSED, CHUNKS, EMBEDDINGS)}
        chunks = bundles[CHUNKS].table("chunks")
        builder = TreeBuilder(settings.trees, generator, embedder, terms)
        builder.build(entry["doc_id"], bundles[PARSED].table("nodes"), chunks, bundles[EMBEDDINGS].table("embeddings"))
        rows.append(generator.counts)
        print(entry["doc_id"], f"{len(chunks)} chunks", dict(generator.counts), flush=True)
    for name in ("nodes", "requests", "prompt_tokens", "prefix_tokens", "completion_tokens", "cut_tokens"):
        values = [row[name] for row in rows]
        print(f"{name:<18} median {statistics.median(values):,.0f}, largest {max(values):,}")


if __name__ == "__main__":
    main()
