"""What the commands share: common flags, settings from flags, the index that is meant."""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from filingforest.config import Settings
from filingforest.errors import ConfigError

if TYPE_CHECKING:
    from filingforest.store import Store

INDEX_VARIABLE = "FILINGFOREST_INDEX"
NAME_ONE = f"name one with --index ROOT/CORPUS, or set {INDEX_VARIABLE}"


class _Raw(argparse.RawDescriptionHelpFormatter):
    """Keeps examples as they are written."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32, width=min(120, int(os.environ.get("COLUMNS") or 110)))


def parser_for(name: str, what: str, module: ModuleType) -> argparse.ArgumentParser:
    """A command's parser: its own arguments, the common flags, and the examples of its module's `EXAMPLES`."""
    from filingforest.cli import EXIT_CODES

    description = f"{what[:1].upper()}{what[1:]}.\n\n{getattr(module, 'ABOUT', '')}".strip()
    epilog = f"examples:\n{getattr(module, 'EXAMPLES', '').rstrip()}\n\n{EXIT_CODES}"
    parser = argparse.ArgumentParser(f"filingforest {name}", description=description, epilog=epilog, formatter_class=_Raw)
    common = parser.add_argument_group("common")
    common.add_argument(
        "--config", type=Path, metavar="FILE", help="settings file (default: $FILINGFOREST_CONFIG, else ./filingforest.toml)"
    )
    common.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="any setting, over file and environment")
    common.add_argument("--debug", action="store_true", help="log everything, and show the trace of an error")
    module.add(parser)
    return parser


def add_index(parser: argparse.ArgumentParser, many: bool = False) -> None:
    """`--index`; with `many`, several at once."""
    what = "ROOT/CORPUS: a folder or s3://bucket/prefix" + (f" (default: ${INDEX_VARIABLE})")
    if many:
        parser.add_argument(
            "--index", nargs="+", action="extend", metavar="URL", default=[], help=what + "; several are searched together, each once"
        )
    else:
        parser.add_argument("--index", metavar="URL", help=what)


def indexes(arguments: argparse.Namespace) -> list[str]:
    """The indexes that are meant. Raises ConfigError where none is; as `named_indexes`."""
    found = named_indexes(arguments)
    if not found:
        raise ConfigError("no index was named", remedy=NAME_ONE)
    return found


def named_indexes(arguments: argparse.Namespace) -> list[str]:
    """The same for commands that can do without: maybe none. Raises ConfigError where one is blank (an empty variable in a script)."""
    given = arguments.index if isinstance(arguments.index, list) else [x for x in [arguments.index] if x is not None]
    if any(not x.strip() for x in given):
        raise ConfigError("--index was given and is empty", remedy=NAME_ONE)
    return [str(x) for x in given or [os.environ.get(INDEX_VARIABLE)] if x and x.strip()]


def only_for(arguments: argparse.Namespace, act: str, flags: Mapping[str, Sequence[str]]) -> None:
    """A flag that the act does not know must not be passed over: `rollback --dry-run` would roll back.

    `flags`: name in `arguments` -> acts that know it; None, False and [] are "not given". Raises ConfigError.
    """
    for name, acts in flags.items():
        given = getattr(arguments, name)
        if act not in acts and given is not None and given is not False and given != []:
            flag = "--" + name.replace("_", "-")
            raise ConfigError(f"{act} has no {flag}", remedy=f"{flag} is for: {', '.join(acts)}; nothing was done")


def index_store(arguments: argparse.Namespace) -> Store:
    """The store of the one index that is meant."""
    from filingforest.store import open_store

    return open_store(indexes(arguments)[0])


def given_id(arguments: argparse.Namespace) -> str | None:
    """The id that an act is about; None where it was left to the act."""
    return str(arguments.ids[0]) if arguments.ids else None


def needed_id(arguments: argparse.Namespace) -> str:
    """The id that an act cannot do without. Raises ConfigError."""
    if not arguments.ids:
        raise ConfigError(f"{arguments.act} needs an id", remedy="`filingforest publications list` names them")
    return str(arguments.ids[0])


def settings_of(arguments: argparse.Namespace, **flags: Any) -> Settings:
    """File, environment, `--set`, then `flags` (`edgar__rate=2`; None: not given). Sets logging up too."""
    logging.basicConfig(
        level=logging.DEBUG if arguments.debug else logging.WARNING, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr
    )
    if not arguments.debug:
        logging.getLogger("opensearch").setLevel(logging.ERROR)  # its warnings are traces of errors that this project tells in a line
    given: dict[str, Any] = {}
    for text in arguments.set:
        key, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"--set {text}: no value", remedy="write --set edgar.rate=2")
        given[key.strip()] = value.strip()
    return Settings.load(arguments.config, given | {k.replace("__", "."): v for k, v in flags.items() if v is not None})


def check_config(arguments: argparse.Namespace) -> None:
    """A settings file that was named must be there and make sense, whether or not the command reads any setting. Raises ConfigError."""
    named = arguments.config or (Path(given) if (given := os.environ.get("FILINGFOREST_CONFIG")) else None)
    if named is not None and (named.is_file() or not named.exists()):  # a pipe can be read only once
        Settings.load(named)


def carried(targets: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Other places that carry a publication, a line each: `opensearch: index ..., 267 units, 466 nodes`."""
    told = []
    for name, about in sorted(targets.items()):
        counts = [f"{about[what]:,} {what}" for what in ("units", "nodes") if isinstance(about.get(what), int)]
        told.append(f"{name}: " + ", ".join([f"index {about['index']}"] * ("index" in about) + counts))
    return told


def complain(text: str) -> None:
    """One line on standard error."""
    print(f"filingforest: {text}", file=sys.stderr, flush=True)


def table(rows: list[list[str]], head: list[str]) -> str:
    """Rows in aligned columns, for people."""
    if not rows:
        return ""
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(r, widths, strict=True)).rstrip() for r in [head, *rows]]
    return "\n".join(lines)


def bold(text: str) -> str:
    return _style("1", text)


def dim(text: str) -> str:
    return _style("2", text)


def _style(code: str, text: str) -> str:
    """ANSI only for a terminal that wants it (https://no-color.org)."""
    return f"\x1b[{code}m{text}\x1b[0m" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text


def wrapped(text: str, limit: int = 0, indent: str = "    ") -> str:
    """Text in lines of a terminal's width, cut with a mark after `limit` characters (0: whole)."""
    width = max(40, min(120, shutil.get_terminal_size((100, 24)).columns) - len(indent))
    shown = text if not limit or len(text) <= limit else text[:limit].rsplit(" ", 1)[0] + " …"
    return "\n".join(indent + part for line in shown.splitlines() for part in textwrap.wrap(line, width) or [""])
