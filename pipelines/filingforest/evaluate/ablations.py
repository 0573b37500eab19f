"""Which ways of asking are compared: each part off, each pair of parts off, every setting of each part, and controls.

Controls permute what a structure says (node scores within their level, weights among Items) under a fixed seed, and leave everything
else as it is: a structure that does no better than its permutation is not what helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from filingforest.config.retrieval import ARMS, WEIGHTINGS, RetrievalSettings
from filingforest.errors import ConfigError

SEEDS = (1, 2, 3)
BRANCHES = (1, 2, 3, 5)
OVERSAMPLE = (1.0, 2.0, 4.0)
PLAIN = "plain hybrid"
PARTS = ("summary tree", "question tree", "FLAM", "reranker")


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of asking; `control` is the seed of a permutation. `against`: the variant that it is compared with."""

    name: str
    settings: RetrievalSettings
    control: int | None = None
    against: str = PLAIN


def variants(rerank: str = "light") -> list[Variant]:
    """All of them, plain hybrid first; `rerank` is the tier that the full configurations use."""
    plain = RetrievalSettings(arm="none", rerank="none")
    out = [Variant(PLAIN, plain)]
    out += [Variant(f"hybrid + {tier}", replace(plain, rerank=tier)) for tier in dict.fromkeys(("light", rerank)) if tier != "none"]
    for arm in ("soft", "walk"):
        out += _around(RetrievalSettings(arm=arm, rerank=rerank), f"hybrid + {rerank}")
    walk = RetrievalSettings(arm="walk", rerank=rerank)
    out += [Variant(arm, replace(walk, arm=arm), None, "walk") for arm in ARMS if arm in ("beam", "joint")]
    out += [Variant(f"walk, b = {b}", replace(walk, branches=b), None, "walk") for b in BRANCHES if b != walk.branches]
    out += [Variant(f"walk, a = {a:g}", replace(walk, oversample=a), None, "walk") for a in OVERSAMPLE if a != walk.oversample]
    out += [Variant(f"walk, {w}", replace(walk, weighting=w), None, "walk") for w in WEIGHTINGS if w not in ("none", walk.weighting)]
    out.append(Variant("walk, counts per 1,000 tokens", replace(walk, counts="per_1000"), None, "walk"))
    return out


def chosen_variants(ablate: bool, chosen: RetrievalSettings, only: Sequence[str] = ()) -> list[Variant]:
    """The ablation, or plain hybrid beside the settings as they are. `only`: of the ablation these, with what they are compared with.

    Errors: ConfigError for a name that there is not.
    """
    plain = RetrievalSettings(arm="none", rerank="none")
    if not ablate:
        return [Variant(PLAIN, plain), *([Variant("settings", chosen)] if chosen != plain else [])]
    found = variants("light" if chosen.rerank == "none" else chosen.rerank)
    unknown = set(only) - {variant.name for variant in found}
    if unknown:
        names = ", ".join(variant.name for variant in found)
        raise ConfigError(
            f"there is no way of asking called {', '.join(sorted(unknown))}", stage="evaluate", remedy=f"--only takes {names}"
        )
    against = {variant.against for variant in found if variant.name in only}
    return [v for v in found if not only or v.name in against | {PLAIN, *only}]


def _around(full: RetrievalSettings, base: str) -> Iterator[Variant]:
    """A configuration, itself without each part and each pair of parts, and its controls."""
    yield Variant(full.arm, full, None, base)
    for count in (1, 2):
        for parts in combinations(PARTS, count):
            yield Variant(f"{full.arm} without {' and '.join(parts)}", without(full, parts), None, full.arm)
    for seed in SEEDS:
        yield Variant(f"{full.arm}, permuted ({seed})", full, seed, full.arm)


def without(full: RetrievalSettings, parts: tuple[str, ...]) -> RetrievalSettings:
    """The same with parts switched off."""
    trees = {(): "both", ("summary tree",): "question", ("question tree",): "summary"}
    off = tuple(part for part in parts if part.endswith("tree"))
    return replace(
        full,
        trees=trees.get(off, "none"),
        weighting="none" if "FLAM" in parts else full.weighting,
        rerank="none" if "reranker" in parts else full.rerank,
    )
