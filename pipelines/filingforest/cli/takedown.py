"""`filingforest publications takedown`: a document out of everything, apart since it publishes, which no other act there does."""

from __future__ import annotations

import argparse
import difflib
import getpass
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from filingforest.cli.common import complain, settings_of
from filingforest.errors import ConfigError, NotFound

if TYPE_CHECKING:
    from filingforest.store import Store


def takedown(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """Records, or one document taken down or lifted."""
    from filingforest import takedowns

    if not arguments.ids:
        found = takedowns.records(store)
        lines = [f"{t.doc_id}  {takedowns.says(t)} (by {t.by}){', lifted' if t.lifted_at else ''}" for t in found]
        return [asdict(t) for t in found], "\n".join(lines) or "nothing was taken down"
    doc_id = str(arguments.ids[0])
    if arguments.lift:
        takedowns.lift(store, doc_id, _who(arguments))
        return {"doc_id": doc_id, "lifted": True}, f"{doc_id} is no longer taken down; a run over its interval takes it in again"
    if not arguments.reason:
        raise ConfigError("a takedown needs a reason", remedy='--reason "court order 12/34"')
    return _take_down(store, doc_id, arguments)


def _take_down(store: Store, doc_id: str, arguments: argparse.Namespace) -> tuple[Any, str]:
    from filingforest import takedowns
    from filingforest.models.llm.forget import forget
    from filingforest.publish import commands
    from filingforest.publish.targets import open_targets

    if not arguments.ahead:
        _must_be_here(store, doc_id)
    settings = settings_of(arguments)
    targets = open_targets(store, settings)
    done = commands.take_down(store, doc_id, arguments.reason, _who(arguments), settings, targets, arguments.here_only)
    forgotten = forget(settings.llm.cache_path, doc_id)
    if forgotten.busy:
        complain(f"{forgotten.busy} segments of {settings.llm.cache_path} are being written to: type the same again when the run is over")
    if forgotten.unnamed:
        complain(
            f"{forgotten.unnamed} answers in {settings.llm.cache_path} do not say of which document they are; delete the folder to be sure"
        )
    text = f"{doc_id} is {takedowns.says(done.record)}; {done.publication} is current"
    counted = f"{done.objects} objects and {forgotten.records} answers of language models were deleted"
    return asdict(done) | {"answers": asdict(forgotten)}, "\n".join([text, *(f"gone: {name}" for name in done.gone), counted])


def _who(arguments: argparse.Namespace) -> str:
    """Who says so: `--by`, else the user, whom a container may have no name for."""
    try:
        return str(arguments.by or getpass.getuser())
    except (KeyError, OSError) as error:
        raise ConfigError("this user has no name", remedy="say who takes the document down: --by WHO") from error


def _must_be_here(store: Store, doc_id: str) -> None:
    """A mistyped id must not look like a document that is gone. Raises NotFound with the ids that are like it."""
    from filingforest import takedowns
    from filingforest.stages import PARSED, stage_prefix

    if doc_id and (any(store.list(stage_prefix(PARSED, doc_id))) or any(store.list(f"raw/{doc_id}/")) or takedowns.records(store, doc_id)):
        return
    every = sorted({key.split("/")[2] for key in store.list(f"stages/{PARSED}/")})
    near = [x for x in every if doc_id and doc_id in x] or difflib.get_close_matches(doc_id, every, 5, 0.5)
    remedy = f"documents like it: {', '.join(near[:5]) or 'none'}; --ahead keeps out one that has not come yet"
    raise NotFound(f"no document {doc_id}", stage="takedown", remedy=remedy)
