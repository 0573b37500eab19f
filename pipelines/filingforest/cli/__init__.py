"""The command line: finds the command that was asked for and imports that one only, so that a question is answered at once."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from collections.abc import Sequence

from filingforest.errors import ConfigError, FilingForestError, QueryError

# command, which is its module's name too: what it does. A module offers `add(parser)` and `run(arguments) -> exit code`.
COMMANDS = {
    "parse": "items, passages, tables and tagged facts of documents",
    "run": "a whole night in one process: crawl, parse, embed, publish",
    "query": "ask a question of a publication",
    "show": "a passage in its place",
    "tree": "an Item's summary or question tree",
    "flam": "finance terms of a question, and how often they stand in each Item",
    "serve": "publications over HTTP, read-only",
    "publications": "what is published and is it whole; going back, pruning, taking down, snapshots",
    "migrate": "what a new parser, encoder or schema means for an index, its cost, and doing it",
    "status": "what was done, interval by interval",
    "failures": "what was set aside and why; list, retry, ignore",
    "evaluate": "what retrieval finds of known evidence, and what each part is worth",
    "llm": "is the language model's server usable, what could it not answer, the cache of its answers",
    "train": "teach a reranker or an encoder; before and after on held-out companies",
    "doctor": "what is wrong with this machine",
}

DONE, INCOMPLETE, USAGE, STOPPED, LATER, INTERRUPTED = 0, 1, 2, 3, 4, 130

EXIT_CODES = f"""exit codes:
  {DONE}    done
  {INCOMPLETE}    done but for documents or checks that failed; each is named on standard error
  {USAGE}    wrong usage, setting or question
  {STOPPED}    stopped by an error of the store, the source or the publication
  {LATER}    stopped by something that may pass: the same command later continues where it stopped
  {INTERRUPTED}  interrupted; the same command continues"""

HELP = """usage: filingforest COMMAND [options]

Makes filings, contracts and news findable, down to the passage, table and tagged number.

commands:
{commands}

first steps:
  filingforest parse report.htm                                     look at one document
  filingforest run --source folder --input docs/ --index work/mine  index a folder
  filingforest query "How did revenue change?" --index work/mine    ask

`filingforest COMMAND --help` explains a command with examples. Settings: filingforest.toml, then
FILINGFOREST_SECTION_KEY in the environment, then flags. An index is a folder or s3://bucket/prefix;
FILINGFOREST_INDEX names one for all commands.

{exit_codes}
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; the exit code. Errors raised on purpose are one line with their remedy; --debug shows the trace."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments or bool(os.environ.get("FILINGFOREST_DEBUG"))
    try:
        return _dispatch(arguments)
    except FilingForestError as error:
        if debug:
            raise
        print(f"filingforest: {error}", file=sys.stderr)
        return exit_code(error)
    except KeyboardInterrupt:
        print("filingforest: interrupted; what is done is kept, the same command continues", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except ModuleNotFoundError as error:
        if debug or (error.name or "").startswith("filingforest"):
            raise
        print(
            f"filingforest: {error.name} is not installed -> pip install 'filingforest[{_extra(arguments)}]', see `filingforest doctor`",
            file=sys.stderr,
        )
        return USAGE


def exit_code(error: FilingForestError) -> int:
    """The exit code that an error means."""
    if isinstance(error, ConfigError | QueryError):
        return USAGE
    return LATER if error.transient else STOPPED


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_help())
        return DONE if arguments else USAGE
    if arguments[0] == "--version":
        from filingforest import __version__

        print(f"filingforest {__version__}")
        return DONE
    name, rest = _command(arguments)
    module = importlib.import_module(f"filingforest.cli.{name}")
    from filingforest.cli.common import check_config, parser_for

    parsed = parser_for(name, COMMANDS[name], module).parse_args(rest)
    check_config(parsed)
    code: int = module.run(parsed)
    sys.stdout.flush()
    return code


def _command(arguments: list[str]) -> tuple[str, list[str]]:
    """The command and what remains: common flags may stand before it."""
    place = next((i for i, a in enumerate(arguments) if a[:1] != "-" and (not i or arguments[i - 1] not in ("--config", "--set"))), 0)
    if arguments[place] in COMMANDS:
        return arguments[place], arguments[:place] + arguments[place + 1 :]
    near = difflib.get_close_matches(arguments[place], COMMANDS, 1)
    hint = f"did you mean '{near[0]}'?" if near else "`filingforest --help` lists the commands"
    raise ConfigError(f"unknown command '{arguments[place]}'", remedy=hint)


def _help() -> str:
    lines = "\n".join(f"  {name:<13} {what}" for name, what in COMMANDS.items())
    return HELP.format(commands=lines, exit_codes=EXIT_CODES)


def _extra(arguments: list[str]) -> str:
    """The extra that brings what a command lacks; one that a publisher has where nothing smaller would do."""
    command = arguments[0] if arguments else ""
    return {"query": "query", "show": "query", "serve": "serve", "llm": "llm"}.get(command, "run")
