"""`filingforest llm`: whether the language model's server can be used, what it could not answer, and the cache of its answers."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from filingforest.cli.common import settings_of, table

if TYPE_CHECKING:
    from filingforest.config import LlmSettings

ABOUT = """`check` asks the server for its model, proves that it keeps to JSON schemas, and shows its prefix cache. `dead` lists
requests that finally failed, with their reasons; their nodes have extractive summaries. `compact` makes one segment of the cache's many."""
EXAMPLES = """  filingforest llm check --set llm.url=http://127.0.0.1:8000/v1 --set llm.model=qwen2.5-7b --set llm.revision=abc123
  filingforest llm dead --json
  filingforest llm compact"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("check", "dead", "compact"))
    parser.add_argument("--json", action="store_true", help="check, dead: lines of JSON")


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments).llm
    return {"check": _check, "dead": _dead, "compact": _compact}[arguments.action](settings, arguments.json)


def _check(settings: LlmSettings, as_json: bool) -> int:
    from filingforest.models.llm.canary import check_server
    from filingforest.models.llm.client import ChatClient
    from filingforest.models.llm.metrics import PrefixCache

    client = ChatClient(settings)
    context = check_server(client)
    prefix = PrefixCache.of(client.metrics())
    found = {
        "url": settings.url,
        "model": settings.model,
        "revision": settings.revision,
        "context_tokens": context,
        "keeps_to_schemas": True,
    }
    found |= {"prefix_cache_tokens": int(prefix.queries), "prefix_hit_rate": round(prefix.rate, 4)}
    print(json.dumps(found) if as_json else "\n".join(f"{name:<20} {value}" for name, value in found.items()))
    return 0


def _dead(settings: LlmSettings, as_json: bool) -> int:
    from filingforest.models.llm.cache import ResponseCache

    letters = [{"key": key, **asdict(letter)} for key, letter in ResponseCache(settings.cache_path).dead_letters()]
    if as_json:
        for letter in letters:
            print(json.dumps(letter, ensure_ascii=False))
    elif letters:
        head = ["key", "reason", "final", "at", "message"]
        print(table([[str(letter[name]) for name in head] for letter in letters], head))
    else:
        print("none")
    return 0


def _compact(settings: LlmSettings, as_json: bool) -> int:
    from filingforest.models.llm.compact import compact

    done = compact(settings.cache_path)
    print(f"{done.segments} segments made one: {done.kept} records, {done.dropped} dropped" if done.segments else "nothing to merge")
    return 0
