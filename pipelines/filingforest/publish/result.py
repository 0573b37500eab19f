"""What publishing came to, in one shape for the command line and for what travels between Airflow's tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from filingforest import manifest
from filingforest.manifest import Manifest


@dataclass(frozen=True)
class PublishResult:
    """`publication` is what readers now follow (None when nothing was ever published); `changed` whether this call switched to it."""

    publication: str | None
    changed: bool
    counts: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    targets: Mapping[str, Any] = field(default_factory=dict)  # other places that carry it, with what each says of itself

    @classmethod
    def of(cls, made: Manifest, changed: bool, others: Sequence[str] = ()) -> PublishResult:
        """Of what now is current; its warnings are `others`, then those of its own checks."""
        found = [check for check in made.report.get("checks", ()) if not check["ok"]]
        told = [f"{check['name']}: {check['rows']} rows, {check['what']} ({', '.join(check['examples'])})" for check in found]
        return cls(made.id, changed, made.counts, (*others, *told), made.targets)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        key = manifest.key(self.publication) if self.publication else None
        return {
            "publication": self.publication,
            "changed": self.changed,
            "counts": self.counts,
            "warnings": list(self.warnings),
            "targets": {name: dict(about) for name, about in self.targets.items()},
            "manifest": key,
        }


def left_behind(before: Manifest | None, made: Manifest) -> list[str]:
    """Warnings of places that had the publication before and were not configured where this one was made."""
    names = sorted(set(before.targets if before else ()) - set(made.targets))
    return [f"{name} had the publication before and is not configured here: it lacks this one" for name in names]
