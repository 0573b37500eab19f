"""The finance lexicon: terms with their synonyms, as data. Ours is shipped; users may load others (FinRAD's CSV form, or our TSV form)."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from filingforest.config import FlamSettings
from filingforest.errors import ConfigError
from filingforest.tokens import tokenize


@dataclass(frozen=True, slots=True)
class Lexicon:
    """`forms`: token sequence (joined by spaces) of each spelling -> its term. `synonyms`: term -> its spellings as written.

    `definitions`: term -> what it means, where the lexicon says so.
    """

    forms: Mapping[str, str]
    synonyms: Mapping[str, tuple[str, ...]]
    definitions: Mapping[str, str] = field(default_factory=dict)

    @property
    def revision(self) -> str:
        """16 hex digits over every spelling and definition; names the lexicon in a manifest."""
        rows = [*sorted(self.forms.items()), *sorted(self.definitions.items())]
        text = "\n".join(f"{form}\t{term}" for form, term in rows)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def open_lexicon(settings: FlamSettings) -> Lexicon:
    """The lexicon that the settings name."""
    return load_lexicon(Path(settings.lexicon).expanduser() if settings.lexicon else None)


def load_lexicon(path: Path | None = None) -> Lexicon:
    """Our own lexicon, or a user's: `.tsv` in our form (group, term, synonyms by ";", definition), `.csv` with columns `term` and,
    if there is one, `definition` (FinRAD's form).
    """
    if path is None:
        text = resources.files("filingforest.flam").joinpath("lexicon.tsv").read_text(encoding="utf-8")
        return _of_rows(_tsv(text))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the lexicon {path} cannot be read: {error}", stage="flam", remedy="give a UTF-8 .tsv or .csv file") from error
    lexicon = _of_rows(_csv(text, path) if path.suffix == ".csv" else _tsv(text))
    if not lexicon.forms:
        raise ConfigError(
            f"the lexicon {path} holds no terms",
            stage="flam",
            remedy="one term a line: group, term, synonyms, definition; or a CSV with a column `term`",
        )
    return lexicon


def build_lexicon(entries: Iterable[Sequence[str]], definitions: Mapping[str, str] | None = None) -> Lexicon:
    """From [term, synonym, ...] lists. A spelling that two terms share belongs to the one that comes first."""
    forms: dict[str, str] = {}
    synonyms: dict[str, tuple[str, ...]] = {}
    for spellings in entries:
        term = spellings[0]
        synonyms[term] = tuple(dict.fromkeys([*synonyms.get(term, ()), *spellings]))
        for spelling in spellings:
            if form := " ".join(tokenize(spelling)):
                forms.setdefault(form, term)
    return Lexicon(forms, synonyms, definitions or {})


def _of_rows(rows: Iterable[tuple[Sequence[str], str]]) -> Lexicon:
    """From (spellings, definition); of several definitions of a term the first is kept."""
    found = list(rows)
    definitions: dict[str, str] = {}
    for spellings, definition in found:
        if definition:
            definitions.setdefault(spellings[0], definition)
    return build_lexicon([spellings for spellings, _ in found], definitions)


def _tsv(text: str) -> Iterator[tuple[Sequence[str], str]]:
    for line in text.splitlines():
        columns = [c.strip() for c in line.split("\t")]
        if len(columns) >= 2 and not line.startswith("#") and columns[1]:
            others = columns[2].split(";") if len(columns) > 2 else []
            yield [columns[1], *(o.strip() for o in others if o.strip())], columns[3] if len(columns) > 3 else ""


def _csv(text: str, path: Path) -> Iterator[tuple[Sequence[str], str]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if "term" not in (reader.fieldnames or ()):
        raise ConfigError(f"{path} has no column `term`", stage="flam", remedy="FinRAD's form is term,definition,source")
    for row in reader:
        name, _, short = (row["term"] or "").strip().partition(" (")
        if name:
            yield [name, *([short.rstrip(") ")] if short else [])], (row.get("definition") or "").strip()
