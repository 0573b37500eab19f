"""Lays file, environment and flags over the defaults, and finds a typing error before the night starts.

Order of precedence: defaults < `filingforest.toml` < `FILINGFOREST_SECTION_KEY` in the environment < flags.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from filingforest.errors import ConfigError

FILE_NAME = "filingforest.toml"
PREFIX = "FILINGFOREST_"
_MISSPELT = 0.87  # so like a section's name that it is a slip of the pen ("querry": .91; "vllm", which is another name, is .86 of "llm")
# what Kubernetes tells every pod of a Service called filingforest-serve
_SERVICE_LINK = re.compile(r"_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP)|_PORT=(tcp|udp)://")


def keys_of(sections: Mapping[str, Any]) -> list[str]:
    """Every setting as `section.key`; `sections`: name -> dataclass."""
    return [f"{name}.{f.name}" for name, section in sections.items() for f in fields(section)]


def load_sections(defaults: Mapping[str, Any], path: Path | None, overrides: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, Any]:
    """The sections that anything was said of, each its default with what was said. Raises ConfigError."""
    layers = [(f"in {p}", _flatten(_read(p))) for p in [_find(path, env)] if p]
    layers.append(("in the environment", dict(_environment(env, defaults))))
    layers.append(("given as a flag", {k: v for k, v in _flatten(overrides).items() if v is not None}))
    every, values = keys_of(defaults), dict[str, dict[str, Any]]()
    for where, layer in layers:
        for key, value in layer.items():
            section, name = _known(key, where, every)
            kind = get_type_hints(type(defaults[section]))[name]
            values.setdefault(section, {})[name] = _coerce(kind, value, key, where)
    return {section: replace(defaults[section], **said) for section, said in values.items()}


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


def _environment(env: Mapping[str, str], sections: Collection[str]) -> Iterator[tuple[str, str]]:
    """`FILINGFOREST_EDGAR_RATE` -> `edgar.rate`. Names that start with no section (FILINGFOREST_S3_ENDPOINT) are not settings, unless
    they are one misspelt: a night that publishes to no OpenSearch since somebody wrote OPENSERCH would say nothing of it."""
    for name, value in sorted(env.items()):
        section, _, key = name.removeprefix(PREFIX).lower().partition("_")
        if not name.startswith(PREFIX) or not key or _SERVICE_LINK.search(f"{name}={value}"):
            continue
        if section in sections or difflib.get_close_matches(section, sections, 1, _MISSPELT):
            yield f"{section}.{key}", value


def _known(key: str, where: str, every: Sequence[str]) -> tuple[str, str]:
    if key in every:
        section, _, name = key.partition(".")
        return section, name
    near = difflib.get_close_matches(key, every, 1, 0.4)
    raise ConfigError(f"unknown setting '{key}' {where}", remedy=f"did you mean '{near[0]}'?" if near else f"see {FILE_NAME} for every key")


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
