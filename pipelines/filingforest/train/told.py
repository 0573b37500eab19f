"""Trains, and tells what it brought: before and after on companies and terms that nothing was learned from, beside the paper's figures.

What is learned is chosen without them: the blend of a cross-encoder on companies that it learned from, the rest not at all.
"""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from filingforest.errors import ConfigError
from filingforest.evaluate.report import paper
from filingforest.models.rerank import CrossEncoder
from filingforest.query import rerank
from filingforest.train import cross, light
from filingforest.train.cross import CrossSettings
from filingforest.train.embedder import EmbedderTrainer
from filingforest.train.examples import Example
from filingforest.train.pairs import Pair, by_meaning, correlation, example_pairs, read_definitions, split_pairs, tree_pairs

__all__ = ["CrossSettings", "cross_encoder", "embedder", "light_weights", "tree_pairs"]
_BLENDS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5)
_TUNED = 80  # questions on which the blend is chosen; of companies that were learned from


def light_weights(learn: Sequence[Example], judge: Sequence[Example], out: Path) -> None:
    """Learns the light tier's weights and writes them."""
    weights = light.learn(learn)
    light.save(weights, f"learned from {len(learn)} questions", out)
    _say("before (plain hybrid)", [e.columns @ light.start() for e in judge], judge)
    _say("as shipped", [e.columns @ rerank.light_weights() for e in judge], judge)
    _say("after", [e.columns @ weights for e in judge], judge)
    _say_paper()
    print(f"wrote {out}")


def cross_encoder(chosen: CrossSettings, learn: Sequence[Example], judge: Sequence[Example], finqa: Path | None, out: Path) -> None:
    """Trains a cross-encoder, chooses how much it counts beside the light tier, and writes its folder."""
    trainer = cross.Trainer(chosen)
    lists = cross.lists_of(learn, chosen.negatives) + cross.lists_of_finqa(finqa, chosen.negatives)
    seen = trainer.train(lists)
    print(f"learned from {seen} lists ({len(lists)} different ones)", flush=True)
    revision = hashlib.sha256(repr((chosen, len(lists), seen)).encode()).hexdigest()[:16]
    trainer.save(out, 1.0, revision)
    tuned = learn[:_TUNED]
    before = [e.columns @ rerank.light_weights() for e in tuned]
    read = cross.read(CrossEncoder(out), tuned, before)
    blend = max(_BLENDS, key=lambda b: _mean("ndcg@10", [a + b * c for a, c in zip(before, read, strict=True)], tuned))
    trainer.save(out, blend, revision)
    before = [e.columns @ rerank.light_weights() for e in judge]
    read = cross.read(CrossEncoder(out), judge, before)
    _say("before (light)", before, judge)
    _say("cross-encoder alone", [c + 1e-6 * a for a, c in zip(before, read, strict=True)], judge)
    _say(f"after (light + {blend:g} x cross-encoder)", [a + blend * c for a, c in zip(before, read, strict=True)], judge)
    _say_paper()
    print(f"wrote {out}; set rerank.model to it and publish")


def embedder(
    base: str, seconds: float, terms: Path | None, trees: Sequence[Pair], learn: Sequence[Example], judge: Sequence[Example], out: Path
) -> None:
    """Trains a question encoder and writes its folder. Errors: ConfigError where there is nothing to judge it by."""
    definitions, held = split_pairs(read_definitions(terms) if terms else [])
    if len(held) < 2 and not judge:
        remedy = "give a CSV of more terms with --terms, or an --index with tagged filings of several companies"
        found = f"{len(held)} of 2 held-out terms, and no question of a held-out company"
        raise ConfigError(f"there is nothing to judge an encoder by: {found}", stage="train", remedy=remedy)
    trainer = EmbedderTrainer(base, seconds)
    facts = example_pairs(learn)
    before = _judged(trainer, held, judge)
    seen = trainer.train([definitions, trees, facts])
    after = _judged(trainer, held, judge)
    trainer.save(out)
    print(
        f"learned from {seen} pairs; there were {len(definitions)} definitions, {len(trees)} questions of trees, {len(facts)} of the index"
    )
    print(f"judged on {len(held)} held-out terms and {len(judge)} questions of held-out companies")
    for name in before:
        print(f"{name:<24} before {before[name]:.3f}  after {after[name]:.3f}")
    _say_paper()
    print(f"wrote {out}; set embed.model to it, embed and publish again")


def _judged(trainer: EmbedderTrainer, held: Sequence[Pair], judge: Sequence[Example]) -> dict[str, float]:
    """How hybrid's candidates fare ordered by meaning alone, and how well terms are told from others' definitions."""
    order = by_meaning(trainer.encode, judge) if judge else []
    found = {f"{name} by meaning": _mean(name, order, judge) for name in ("ndcg@10", "mrr") if judge}
    if len(held) > 1:
        found |= correlation(trainer.encode([term for term, _ in held]), trainer.encode([text for _, text in held]))
    return found


def _say(what: str, order: Sequence[Any], examples: Sequence[Example]) -> None:
    named = {name: _mean(name, order, examples) for name in ("mrr", "ndcg@10", "recall@5", "recall@10")}
    print(f"{what:<40} " + "  ".join(f"{name} {value:.3f}" for name, value in named.items()) + f"  ({len(examples)} questions)")


def _say_paper() -> None:
    """What the paper's authors report, with the source."""
    known = paper()
    for claim in known["claim"]:
        print(f"paper: {claim['metric']} against {claim['against']} up to {claim['gain_up_to']:+.1%}")
    print(f"({known['source']}; what training brought its authors could not be verified, so no figure of it is given)")


def _mean(metric: str, order: Sequence[Any], examples: Sequence[Example]) -> float:
    return statistics.fmean(row[metric] for row in light.judge(examples, order))
