"""All sections together, so that a run can be repeated from its settings alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from filingforest.config.llm import LlmSettings, wrong_llm
from filingforest.config.load import FILE_NAME, keys_of, load_sections
from filingforest.config.opensearch import OpenSearchSettings, wrong_opensearch
from filingforest.config.publishing import PublishSettings, wrong_publish
from filingforest.config.retrieval import QuerySettings, RerankSettings, RetrievalSettings, wrong_retrieval
from filingforest.config.serve import ServeSettings, wrong_serve
from filingforest.config.sources import EdgarSettings, NightSettings, wrong_sources
from filingforest.config.stages import ChunkSettings, EmbedSettings, FlamSettings, ParseSettings, TreesSettings, wrong_stages
from filingforest.errors import ConfigError


@dataclass(frozen=True)
class Settings:
    """All settings. `Settings()` is the default; `Settings.load` reads file, environment and flags."""

    parse: ParseSettings = field(default_factory=ParseSettings)
    chunk: ChunkSettings = field(default_factory=ChunkSettings)
    embed: EmbedSettings = field(default_factory=EmbedSettings)
    trees: TreesSettings = field(default_factory=TreesSettings)
    flam: FlamSettings = field(default_factory=FlamSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    edgar: EdgarSettings = field(default_factory=EdgarSettings)
    night: NightSettings = field(default_factory=NightSettings)
    publish: PublishSettings = field(default_factory=PublishSettings)
    query: QuerySettings = field(default_factory=QuerySettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    opensearch: OpenSearchSettings = field(default_factory=OpenSearchSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)

    def __post_init__(self) -> None:
        check(self)

    @classmethod
    def load(cls, path: Path | None = None, overrides: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None) -> Settings:
        """File, then environment, then `overrides` (`{"edgar.rate": 2}` or nested; None means "not given"). Raises ConfigError."""
        return cls(**load_sections(_defaults(), path, overrides or {}, os.environ if env is None else env))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Settings:
        """The inverse of `to_dict`, for settings that travel between tasks. The environment is not looked at."""
        return cls.load(Path(os.devnull), data, env={})

    def to_dict(self) -> dict[str, Any]:
        """Nested plain values, JSON-able."""
        return {k: {n: list(v) if isinstance(v, tuple) else v for n, v in s.items()} for k, s in asdict(self).items()}


def every_key() -> list[str]:
    """Every setting as `section.key`."""
    return keys_of(_defaults())


def check(settings: Settings) -> None:
    """Bounds that no type can say. Raises ConfigError."""
    wrong = [
        *wrong_stages(settings.parse, settings.chunk, settings.embed, settings.trees, settings.flam),
        *wrong_llm(settings.llm),
        *wrong_sources(settings.edgar, settings.night),
        *wrong_publish(settings.publish),
        *wrong_retrieval(settings.retrieval, settings.rerank),
        *wrong_opensearch(settings.opensearch),
        *wrong_serve(settings.serve),
    ]
    for bad, message in wrong:
        if bad:
            raise ConfigError(message, remedy=f"correct it in {FILE_NAME}, the environment or the flag that set it")


def _defaults() -> dict[str, Any]:
    """Section -> its defaults."""
    default = Settings()
    return {f.name: getattr(default, f.name) for f in fields(default)}
