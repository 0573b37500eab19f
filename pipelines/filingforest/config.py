"""One place where every setting has its type, default and bound, so that a run can be repeated from its settings alone.

Order of precedence: defaults < `filingforest.toml` < `FILINGFOREST_SECTION_KEY` in the environment < flags.
`filingforest.toml` at the top of the repository lists and explains every key. Light imports: readers use this module too.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from filingforest.config_opensearch import OpenSearchSettings, wrong_opensearch
from filingforest.config_retrieval import RerankSettings, RetrievalSettings, wrong_retrieval
from filingforest.config_serve import ServeSettings, wrong_serve
from filingforest.errors import ConfigError

SEC_URL, SEC_DATA_URL = "https://www.sec.gov", "https://data.sec.gov"
MAX_EDGAR_RATE = 10.0  # SEC's fair-access limit, requests a second over all machines of one user
FILE_NAME = "filingforest.toml"
PREFIX = "FILINGFOREST_"


@dataclass(frozen=True)
class ParseSettings:
    """Bounds of one parse. They decide whether a document is set aside, never what its output is."""

    max_bytes: int = 150_000_000
    max_depth: int = 1_000
    time_limit_s: float = 120.0
    memory_mb: int = 3_072
    workers: int = 0  # 0: one a CPU


@dataclass(frozen=True)
class ChunkSettings:
    """Chunks for the trees (FinGEAR, arXiv 2509.12042): about 2,000 tokens with 100 of overlap."""

    target_tokens: int = 2_000
    overlap_tokens: int = 100


@dataclass(frozen=True)
class EmbedSettings:
    """Which encoder turns units into vectors. An empty `model` is the method's default."""

    method: str = "onnx"  # onnx, sentence-transformers
    model: str = ""
    batch_size: int = 8
    threads: int = 0  # 0: all


@dataclass(frozen=True)
class TreesSettings:
    """How the trees of an Item are grown (FinGEAR, arXiv 2509.12042; what each shape means: docs/trees.md). All of it shapes output."""

    enabled: bool = True
    generator: str = "extractive"
    direct: int = 5
    threshold: float = 0.1
    dimensions: int = 10
    neighbours: int = 15
    umap_from: int = 15
    max_components: int = 50
    seed: int = 17
    leaf_questions: bool = False


@dataclass(frozen=True)
class FlamSettings:
    """The lexicon map. An empty `lexicon` is our own; `threshold` is the cosine at which average linkage joins terms."""

    lexicon: str = ""
    threshold: float = 0.6


@dataclass(frozen=True)
class LlmSettings:
    """A server with vLLM's OpenAI API (docs/llm.md). The key, where it wants one, is VLLM_API_KEY in the environment, never a setting."""

    url: str = ""
    model: str = ""
    revision: str = ""
    max_in_flight: int = 64
    timeout_s: float = 300.0
    patience_s: float = 600.0
    retries: int = 5
    backoff_s: float = 1.0
    max_tokens: int = 512
    max_tokens_limit: int = 2_048
    context_tokens: int = 0  # 0: what the server says
    temperature: float = 0.0
    seed: int = 17
    summary_chars: int = 900
    questions: int = 6
    cache: str = "~/.cache/filingforest/llm"

    @property
    def cache_path(self) -> Path:
        return Path(self.cache).expanduser()


@dataclass(frozen=True)
class EdgarSettings:
    """How EDGAR is asked. `user_agent` has no default: SEC demands a name and a mail address."""

    base_url: str = SEC_URL
    data_url: str = ""
    user_agent: str = ""
    rate: float = 8.0
    limiter_dir: str = "~/.cache/filingforest/edgar"
    limiter_url: str = ""
    cooldown_s: float = 600.0
    timeout_s: float = 30.0
    retries: int = 5
    backoff_s: float = 1.0
    max_bytes: int = 400_000_000

    @property
    def data_base(self) -> str:
        """Where submissions JSON lives: `data_url`, else SEC's data host, else `base_url` where that was changed (a replay server)."""
        return self.data_url or (SEC_DATA_URL if self.base_url == SEC_URL else self.base_url)

    @property
    def limiter_path(self) -> Path:
        return Path(self.limiter_dir).expanduser()


@dataclass(frozen=True)
class NightSettings:
    """What a night takes on when nothing else is asked for."""

    forms: tuple[str, ...] = ("10-K", "10-Q")
    lookback_days: int = 0
    batch_size: int = 8
    max_batches: int = 1_000  # Airflow's max_map_length is 1,024


@dataclass(frozen=True)
class PublishSettings:
    """What a publication is checked against, and how long old ones are kept."""

    keep_last: int = 10
    keep_days: int = 30
    grace_hours: float = 24.0
    max_missing_share: float = 0.2
    max_lost_share: float = 0.5
    segment_floor: int = 20_000  # units; see publish/layout.py for these
    segment_ratio: int = 4
    segment_dead_share: float = 0.2
    segment_ceiling: int = 2_000_000


@dataclass(frozen=True)
class QuerySettings:
    """How much an answer shows. Where readers keep files of S3 is FILINGFOREST_CACHE: they run without settings."""

    k: int = 10


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
        env = os.environ if env is None else env
        layers = [(f"in {p}", _flatten(_read(p))) for p in [_find(path, env)] if p]
        layers.append(("in the environment", dict(_environment(env))))
        layers.append(("given as a flag", {k: v for k, v in _flatten(overrides or {}).items() if v is not None}))
        values: dict[str, dict[str, Any]] = {}
        for where, layer in layers:
            for key, value in layer.items():
                section, name = _known(key, where)
                values.setdefault(section, {})[name] = _coerce(_hints(section)[name], value, key, where)
        return cls(**{s: replace(getattr(_DEFAULT, s), **v) for s, v in values.items()})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Settings:
        """The inverse of `to_dict`, for settings that travel between tasks. The environment is not looked at."""
        return cls.load(Path(os.devnull), data, env={})

    def to_dict(self) -> dict[str, Any]:
        """Nested plain values, JSON-able."""
        return {k: {n: list(v) if isinstance(v, tuple) else v for n, v in s.items()} for k, s in asdict(self).items()}


def every_key() -> list[str]:
    """Every setting as `section.key`."""
    return [f"{s.name}.{f.name}" for s in fields(Settings) for f in fields(getattr(_DEFAULT, s.name))]


def check(settings: Settings) -> None:
    """Bounds that no type can say. Raises ConfigError."""
    wrong = [
        (
            not 0 < settings.edgar.rate <= MAX_EDGAR_RATE,
            f"edgar.rate must be above 0 and at most {MAX_EDGAR_RATE:g} requests a second, SEC's limit",
        ),
        (
            not 0 <= settings.chunk.overlap_tokens < settings.chunk.target_tokens,
            "chunk.overlap_tokens must be less than chunk.target_tokens",
        ),
        (settings.embed.method not in ("onnx", "sentence-transformers"), "embed.method must be 'onnx' or 'sentence-transformers'"),
        (min(settings.parse.max_bytes, settings.parse.max_depth, settings.parse.memory_mb) <= 0, "parse bounds must be above 0"),
        (settings.trees.direct < 2 or settings.trees.neighbours < 2, "trees.direct and trees.neighbours must be at least 2"),
        (
            min(settings.trees.umap_from, settings.trees.dimensions, settings.trees.max_components) < 1,
            "sizes in [trees] must be at least 1",
        ),
        (not 0 <= settings.trees.threshold <= 0.5, "trees.threshold is a responsibility between 0 and 0.5"),
        (not 0 < settings.flam.threshold <= 1, "flam.threshold is a cosine above 0, at most 1"),
        (min(settings.llm.max_in_flight, settings.llm.max_tokens, settings.llm.questions) < 1, "llm bounds must be at least 1"),
        (settings.llm.max_tokens_limit < settings.llm.max_tokens, "llm.max_tokens_limit is at least llm.max_tokens"),
        (settings.night.batch_size < 1, "night.batch_size must be at least 1"),
        *wrong_retrieval(settings.retrieval),
        *wrong_opensearch(settings.opensearch),
        *wrong_serve(settings.serve),
        (settings.rerank.tokens < 256, "rerank.tokens must be at least 256"),
        (not 0 <= settings.publish.max_missing_share <= 1, "publish.max_missing_share is a share between 0 and 1"),
        (not 0 <= settings.publish.max_lost_share <= 1, "publish.max_lost_share is a share between 0 and 1"),
        (not 0 <= settings.publish.segment_dead_share < 1, "publish.segment_dead_share is a share below 1"),
        (settings.publish.segment_floor < 1, "publish.segment_floor must be at least 1 unit"),
        (settings.publish.segment_ratio < 2, "publish.segment_ratio must be at least 2"),
    ]
    for bad, message in wrong:
        if bad:
            raise ConfigError(message, remedy=f"correct it in {FILE_NAME}, the environment or the flag that set it")


def _find(path: Path | None, env: Mapping[str, str]) -> Path | None:
    if path is not None or env.get(PREFIX + "CONFIG"):
        return path or Path(env[PREFIX + "CONFIG"])
    here = Path(FILE_NAME)
    return here if here.is_file() else None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as e:
        raise ConfigError(f"cannot read {path}: {e.strerror}", remedy="name a readable file with --config") from e
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise ConfigError(f"{path} is not valid TOML: {e}", remedy=f"compare it with the {FILE_NAME} that ships with the project") from e


def _flatten(data: Mapping[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in data.items():
        out |= {f"{key}.{k}": v for k, v in value.items()} if isinstance(value, Mapping) else {key: value}
    return out


def _environment(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """`FILINGFOREST_EDGAR_RATE` -> `edgar.rate`. Names that start with no section (FILINGFOREST_S3_ENDPOINT) are not settings."""
    for name, value in sorted(env.items()):
        section, _, key = name.removeprefix(PREFIX).lower().partition("_")
        if name.startswith(PREFIX) and key and section in (f.name for f in fields(Settings)):
            yield f"{section}.{key}", value


def _known(key: str, where: str) -> tuple[str, str]:
    every = every_key()
    if key in every:
        section, _, name = key.partition(".")
        return section, name
    near = difflib.get_close_matches(key, every, 1, 0.4)
    raise ConfigError(f"unknown setting '{key}' {where}", remedy=f"did you mean '{near[0]}'?" if near else f"see {FILE_NAME} for every key")


def _hints(section: str) -> dict[str, Any]:
    return get_type_hints(type(getattr(_DEFAULT, section)))


def _coerce(kind: Any, value: Any, key: str, where: str) -> Any:
    """Text from the environment or a flag becomes the field's type; a value of another type is an error, not a guess."""
    try:
        if kind == tuple[str, ...]:
            parts = value.split(",") if isinstance(value, str) else list(value)
            return tuple(str(x).strip() for x in parts if str(x).strip())
        if kind is bool:
            return _flag(value)
        if isinstance(value, bool) or (kind is str and not isinstance(value, str)):
            raise ValueError
        if kind is int and isinstance(value, float) and value != int(value):
            raise ValueError
        return kind(value.replace("_", "") if kind is not str and isinstance(value, str) else value)
    except (TypeError, ValueError):
        names = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
        raise ConfigError(
            f"'{key}' {where} must be {names.get(kind, 'a list of texts')}, not {value!r}", remedy=f"see {FILE_NAME}"
        ) from None


def _flag(value: Any) -> bool:
    flags = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    try:
        return flags[str(value).strip().lower()]
    except KeyError:
        raise ValueError from None


_DEFAULT = Settings()
