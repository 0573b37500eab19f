"""The finance lexicon: terms with their synonyms, as data. Ours is shipped; users may load others (FinRAD's CSV form, or our TSV form)."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from filingforest.config import FlamSettings
from filingforest.errors import ConfigError
from filingforest.tokens import tokenize


@dataclass(frozen=True, slots=True)
class Lexicon:
    """`forms`: token sequence (joined by spaces) of each spelling -> its term. `synonyms`: term -> its spellings as written."""

    forms: Mapping[str, str]
    synonyms: Mapping[str, tuple[str, ...]]

    @property
    def revision(self) -> str:
        """16 hex digits over every spelling; names the lexicon in a manifest."""
        text = "\n".join(f"{form}\t{term}" for form, term in sorted(self.forms.items()))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def open_lexicon(settings: FlamSettings) -> Lexicon:
    """The lexicon that the settings name."""
    return load_lexicon(Path(settings.lexicon).expanduser() if settings.lexicon else None)


def load_lexicon(path: Path | None = None) -> Lexicon:
    """Our own lexicon, or a user's: `.tsv` in our form (group, term, synonyms by ";"), `.csv` with a column `term` (FinRAD)."""
    if path is None:
        text = resources.files("filingforest.flam").joinpath("lexicon.tsv").read_text(encoding="utf-8")
        return build_lexicon(_tsv(text))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the lexicon {path} cannot be read: {error}", stage="flam", remedy="give a UTF-8 .tsv or .csv file") from error
    lexicon = build_lexicon(_csv(text, path) if path.suffix == ".csv" else _tsv(text))
    if not lexicon.forms:
        raise ConfigError(
            f"the lexicon {path} holds no terms",
            stage="flam",
            remedy="one term a line: group, term, synonyms; or a CSV with a column `term`",
        )
    return lexicon


def build_lexicon(entries: Iterator[Sequence[str]]) -> Lexicon:
    """From [term, synonym, ...] lists. A spelling that two terms share belongs to the one that comes first."""
    forms: dict[str, str] = {}
    synonyms: dict[str, tuple[str, ...]] = {}
    for spellings in entries:
        term = spellings[0]
        synonyms[term] = tuple(dict.fromkeys([*synonyms.get(term, ()), *spellings]))
        for spelling in spellings:
            if form := " ".join(tokenize(spelling)):
                forms.setdefault(form, term)
    return Lexicon(forms, synonyms)


def _tsv(text: str) -> Iterator[Sequence[str]]:
    for line in text.splitlines():
        columns = [c.strip() for c in line.split("\t")]
        if len(columns) >= 2 and not line.startswith("#") and columns[1]:
            others = columns[2].split(";") if len(columns) > 2 else []
            yield [columns[1], *(o.strip() for o in others if o.strip())]


def _csv(text: str, path: Path) -> Iterator[Sequence[str]]:
    reader = csv.DictReader(text.splitlines())
    if "term" not in (reader.fieldnames or ()):
        raise ConfigError(f"{path} has no column `term`", stage="flam", remedy="FinRAD's form is term,definition,source")
    for row in reader:
        name, _, short = (row["term"] or "").strip().partition(" (")
        if name:
            yield [name, *([short.rstrip(") ")] if short else [])]
