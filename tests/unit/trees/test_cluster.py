"""Any rows give a defined level: nothing crashes, every child has a parent, every tree ends in one root."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from filingforest.models.base import EmbedderInfo, Role, Vectors, normalise
from filingforest.trees.cluster import ClusterSettings, soft_clusters
from filingforest.trees.generator import Passage, Written
from filingforest.trees.grow import grow
from filingforest.trees.leaves import Leaf

UMAP_FROM = ClusterSettings().umap_from


class Stub:
    """A generator and an encoder that cost nothing: what is written names the group, and its vector depends on its text alone."""

    name = "stub"
    info = EmbedderInfo("stub", "1", 16, "onnx", True, 256)

    def write_level(self, groups: Sequence[Sequence[Passage]]) -> list[Written]:
        return [Written(" ".join(p.text for p in group)[:40], ("?",), "stub") for group in groups]

    def embed(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        rows = [np.random.default_rng(sum(text.encode()) * 31 + len(text)).normal(size=self.info.dimension) for text in texts]
        return normalise(np.array(rows).reshape(-1, self.info.dimension))

    def files(self) -> dict[str, bytes]:
        return {}


def rows(seed: int, most: int) -> np.ndarray:
    """Between 1 and `most` rows of one of the kinds that real Items and bad luck bring."""
    random = np.random.default_rng(seed)
    count, width = int(random.integers(1, most + 1)), int(random.choice([2, 16, 384]))
    noise = random.normal(size=(count, width))
    kinds = [
        noise,
        noise[random.integers(0, count, count)],  # duplicates
        np.zeros((count, width)),
        np.tile(noise[:1], (count, 1)),
        np.tile(noise[:1], (count, 1)) + 1e-9 * noise,  # all but identical
        np.repeat(noise[: -(-count // 3)], 3, axis=0)[:count] + 0.05 * noise,  # groups
        np.outer(np.arange(count), noise[0]),  # on one line
        np.vstack([np.tile(noise[:1], (count - 1, 1)), -noise[:1]]),  # one that is nothing like the rest
        np.vstack([noise[: count // 2], np.zeros((count - count // 2, width))]),
    ]
    return normalise(kinds[int(random.integers(len(kinds)))])


def check(vectors: np.ndarray) -> None:
    """What every level promises."""
    found = soft_clusters(vectors)
    count = len(vectors)
    assert found.shape[0] == count
    assert 1 <= found.shape[1] <= max(1, count // 2 if count > 5 else 1)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found.any(axis=0).all()
    assert ((found == 0) | (found >= 0.05)).all()


def check_tree(vectors: np.ndarray) -> None:
    """Every chunk is below the one root, and a tree ends."""
    count, stub = len(vectors), Stub()
    nodes = grow([Leaf(f"c{i:03d}", Passage(f"text {i}"), row) for i, row in enumerate(vectors)], stub, stub)
    assert sorted(nodes[-1].chunk_ids) == [f"c{i:03d}" for i in range(count)]
    assert [node.level for node in nodes].count(nodes[-1].level) == 1
    assert nodes[-1].level <= max(1, count)


@pytest.mark.parametrize("part", range(4))
def test_small_inputs(part: int) -> None:
    for seed in range(50 * part, 50 * part + 50):
        check(rows(seed, UMAP_FROM - 1))
        if seed % 10 == 0:
            check_tree(rows(seed, UMAP_FROM - 1))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_ten_thousand_inputs(part: int) -> None:
    """Also those that UMAP reduces."""
    for seed in range(1_000 + 2_500 * part, 1_000 + 2_500 * (part + 1)):
        vectors = rows(seed, 24 if seed % 25 else 80)
        check(vectors)
        if seed % 10 == 0:
            check_tree(vectors)


def test_clear_groups_are_found() -> None:
    """Three tight groups of four, far apart: each is a parent of its own, and every child is wholly in its group."""
    centres = np.eye(8)[:3]
    random = np.random.default_rng(1)
    vectors = normalise(np.repeat(centres, 4, axis=0) + 0.01 * random.normal(size=(12, 8)))
    found = soft_clusters(vectors)
    assert found.shape == (12, 3)
    assert sorted(np.bincount(found.argmax(axis=1)).tolist()) == [4, 4, 4]
    assert all(len({int(p) for p in found[i : i + 4].argmax(axis=1)}) == 1 for i in (0, 4, 8))


def test_the_same_rows_give_the_same_level() -> None:
    vectors = rows(11, 14)
    assert (soft_clusters(vectors) == soft_clusters(vectors.copy())).all()


def test_a_child_between_two_groups_belongs_to_both() -> None:
    random = np.random.default_rng(2)
    left, right = np.eye(4)[0] + 0.15 * random.normal(size=(20, 4)), np.eye(4)[1] + 0.15 * random.normal(size=(20, 4))
    between = normalise((left.mean(axis=0) + right.mean(axis=0))[None])
    vectors = np.vstack([normalise(left), normalise(right), between])
    found = soft_clusters(vectors, ClusterSettings(umap_from=1_000, max_components=2, threshold=0.0))
    assert found.shape[1] == 2
    assert (found[-1] > 0).all()
