"""Walks on trees small enough to follow by hand, and what holds of every walk on any tree."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.query.arms.walks import beam, joint, walk


@dataclass
class Tree:
    """As much of an ItemTree as walks use."""

    levels: np.ndarray
    below: list[list[int]]

    @property
    def root(self) -> int:
        return len(self.levels) - 1

    def children(self, node: int) -> np.ndarray:
        return np.array(self.below[node], dtype=np.int64)


#        6
#     4     5        leaf 1 is below both
#   0 1 2  1 3
TREE = Tree(np.array([0, 0, 0, 0, 1, 1, 2]), [[], [], [], [], [0, 1, 2], [1, 3], [4, 5]])


def test_the_best_child_at_every_node() -> None:
    scores = np.array([0.9, 0.1, 0.5, 0.3, 0.2, 0.8, 0.0])
    assert walk(TREE, scores, 1) == {3: (6, 5, 3)}
    assert set(walk(TREE, scores, 2)) == {0, 1, 2, 3}


def test_a_beam_keeps_the_best_of_a_level() -> None:
    scores = np.array([0.9, 0.1, 0.5, 0.3, 0.2, 0.8, 0.0])
    assert beam(TREE, scores, 1) == {3: (6, 5, 3)}
    assert set(beam(TREE, scores, 2)) == {0, 2}  # of 0, 1, 2 and 3


def test_a_joint_walk_asks_both_trees() -> None:
    first, second = np.array([3.0, 2, 1, 0, 2, 1, 0]), np.array([1.0, 3, 2, 0, 2, 1, 0])
    assert joint(TREE, [first, second], 1) == {1: (6, 4, 1)}  # leaf 1: places 2 and 1; leaf 0: places 1 and 3


def test_equal_scores_take_the_first() -> None:
    assert walk(TREE, np.zeros(7), 1) == {0: (6, 4, 0)}


def grown(random: np.random.Generator) -> Tree:
    """Any tree of halving levels in which nodes may have several parents."""
    sizes = [int(random.integers(1, 10))]
    while sizes[-1] > 1 or len(sizes) == 1:
        sizes.append(max(1, sizes[-1] // 2))
    levels = np.repeat(np.arange(len(sizes)), sizes)
    below: list[list[int]] = [[] for _ in levels]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for level in range(len(sizes) - 1):
        parents = np.arange(starts[level + 1], starts[level + 2])
        for place, node in enumerate(range(int(starts[level]), int(starts[level + 1]))):
            for parent in {int(parents[place % len(parents)]), *random.choice(parents, 2).tolist()}:
                below[parent].append(node)
    return Tree(levels, [sorted(nodes) for nodes in below])


@pytest.mark.parametrize("way", ["walk", "beam", "joint"])
@given(seed=st.integers(0, 2**32 - 1), branches=st.integers(1, 4))
def test_walks_reach_leaves_by_real_paths(way: str, seed: int, branches: int) -> None:
    random = np.random.default_rng(seed)
    tree = grown(random)
    scores = random.integers(0, 4, len(tree.levels)) / 4  # with ties
    reached = {"walk": walk, "beam": beam, "joint": lambda t, s, b: joint(t, [s, s], b)}[way](tree, scores, branches)
    assert reached
    for leaf, path in reached.items():
        assert tree.levels[leaf] == 0
        assert path[0] == tree.root and path[-1] == leaf
        assert all(b in tree.below[a] for a, b in itertools.pairwise(path))
    if way == "beam":
        assert len(reached) <= branches
    wide = walk(tree, scores, 100)
    assert set(wide) == set(np.flatnonzero(tree.levels == 0).tolist())
    assert set(walk(tree, scores, branches)) <= set(wide)
