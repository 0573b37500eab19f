"""How the commands that answer questions (`query`, `serve`) open their reader: what is read, where it is searched, how it is ordered."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from filingforest.cli.common import add_index, indexes, settings_of
from filingforest.config import Settings
from filingforest.errors import ConfigError

if TYPE_CHECKING:
    from filingforest.query.backend import SearchBackend
    from filingforest.query.reader import Reader

BACKENDS = ("embedded", "opensearch")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """The options that `reading_settings` and `open_reader` read."""
    parser.add_argument("--at", metavar="ID", help="this publication instead of the current one")
    parser.add_argument(
        "--backend", choices=BACKENDS, default=BACKENDS[0], help="where it is searched: opensearch needs [opensearch] in the settings"
    )
    parser.add_argument("--arm", help="none, walk, beam, joint or soft (default: retrieval.arm)")
    parser.add_argument("--rerank", metavar="TIER", help="none, light or full (default: retrieval.rerank)")
    add_index(parser, many=True)


def reading_settings(arguments: argparse.Namespace, **flags: Any) -> Settings:
    """Settings, with these options and the command's own `flags` over them."""
    return settings_of(arguments, retrieval__arm=arguments.arm, retrieval__rerank=arguments.rerank, **flags)


def open_reader(arguments: argparse.Namespace, settings: Settings) -> Reader:
    """A reader of the named indexes. Errors: as `query.open`; ConfigError for a backend that settings do not name."""
    from filingforest import query

    reader = query.open(*indexes(arguments), at=arguments.at, backend=_backend(arguments.backend, settings))
    reader.retriever = replace(reader.retriever, retrieval=settings.retrieval, rerank=settings.rerank)
    return reader


def _backend(name: str, settings: Settings) -> SearchBackend | None:
    """None for the embedded one. Errors: ConfigError where settings name no OpenSearch."""
    if name == BACKENDS[0]:
        return None
    from filingforest.opensearch.backend import OpenSearchBackend

    if not settings.opensearch.url:
        raise ConfigError("opensearch.url is empty", remedy="set it in filingforest.toml or as FILINGFOREST_OPENSEARCH_URL")
    return OpenSearchBackend(settings.opensearch)
