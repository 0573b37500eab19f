"""Terms that mean the same share a cluster and those that only sound alike do not, by the encoder of the demo and the stated threshold."""

from __future__ import annotations

from pathlib import Path

import pytest

from filingforest.config import EmbedSettings, FlamSettings
from filingforest.flam import clusters as module
from filingforest.flam.clusters import cluster_terms, described
from filingforest.flam.lexicon import Lexicon, build_lexicon, load_lexicon
from filingforest.models.base import Embedder
from filingforest.stage_work import open_encoder

THRESHOLD = FlamSettings().threshold
JOIN = [("sales", "revenue"), ("common equity tier 1", "capital ratio")]
APART = [("net income", "operating income"), ("total assets", "total liabilities"), ("current assets", "current liabilities")]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_encoder(EmbedSettings(threads=1))


def some(*terms: str) -> Lexicon:
    whole = load_lexicon()
    return build_lexicon([whole.synonyms[term] for term in terms], {term: whole.definitions[term] for term in terms})


def check(found: dict[str, int]) -> None:
    for one, other in JOIN:
        assert found[one] == found[other], (one, other)
    for one, other in APART:
        assert found[one] != found[other], (one, other)


def test_pairs_by_themselves(embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the list of opposites: definitions are enough for these."""
    monkeypatch.setattr(module, "apart", list)
    check(cluster_terms(some(*(term for pair in [*JOIN, *APART] for term in pair)), embedder, THRESHOLD))


@pytest.mark.slow
def test_pairs_among_all_terms(embedder: Embedder) -> None:
    found = cluster_terms(load_lexicon(), embedder, THRESHOLD)
    check(found)
    sizes = [list(found.values()).count(number) for number in set(found.values())]
    assert max(sizes) <= 12
    assert len(sizes) > len(found) / 2


def test_spellings_that_are_one_concept_are_one_term() -> None:
    forms = load_lexicon().forms
    assert forms["cet1"] == forms["common equity tier 1"] == "common equity tier 1"
    assert forms["net sale"] == forms["sale"] == "sales"
    assert len(set(forms.values())) > 400


def test_every_term_has_a_definition_and_names_itself_once() -> None:
    lexicon = load_lexicon()
    assert [term for term in lexicon.synonyms if not lexicon.definitions.get(term)] == []
    assert described(lexicon, "EBIT") == "EBIT: earnings before interest and taxes"
    assert [group for group in module.apart() if set(group) - set(lexicon.synonyms)] == []


def test_without_definitions_the_spellings_are_read(tmp_path: Path) -> None:
    (tmp_path / "own.tsv").write_text("a\tbacklog\torders;unfilled orders\n")
    (tmp_path / "own.csv").write_text('term,definition,source\nNet Asset Value (NAV),"What a fund\nis worth.",x\n')
    assert described(load_lexicon(tmp_path / "own.tsv"), "backlog") == "backlog; orders; unfilled orders"
    rad = load_lexicon(tmp_path / "own.csv")
    assert described(rad, "Net Asset Value") == "Net Asset Value: What a fund\nis worth."
    assert set(rad.forms) == {"net asset value", "nav"}
