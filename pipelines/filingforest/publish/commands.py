"""The acts of `filingforest publications ...` as functions, one place for the command line and for Airflow to import from."""

from __future__ import annotations

from filingforest.publish.listing import Diff, Listed, Shown, diff, list_publications, pin, show, unpin
from filingforest.publish.prune import Pruned, prune, sweep
from filingforest.publish.rollback import RollbackResult, release, rollback
from filingforest.publish.takedown import TakenDown, take_down
from filingforest.publish.verify import Problem, Verified, verify

__all__ = [
    "Diff",
    "Listed",
    "Problem",
    "Pruned",
    "RollbackResult",
    "Shown",
    "TakenDown",
    "Verified",
    "diff",
    "list_publications",
    "pin",
    "prune",
    "release",
    "rollback",
    "show",
    "sweep",
    "take_down",
    "unpin",
    "verify",
]
