"""Typed errors: each names the document, the stage and what to do, so that a night can set one document aside and go on."""

from __future__ import annotations


class FilingForestError(Exception):
    """Base of all errors raised on purpose.

    `code` is stable and machine-readable; `document` and `stage` say where; `remedy` says what to do.
    `transient` is true where the same call may succeed later without any change.
    """

    code = "error"
    transient = False

    def __init__(self, message: str, *, document: str | None = None, stage: str | None = None, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message, self.document, self.stage, self.remedy = message, document, stage, remedy

    def __str__(self) -> str:
        where = " ".join(x for x in (self.stage, self.document) if x)
        text = f"[{self.code}] {where + ': ' if where else ''}{self.message}"
        return f"{text} -> {self.remedy}" if self.remedy else text

    def __reduce__(self) -> tuple[object, ...]:
        # keyword arguments survive pickling between worker processes
        return (_rebuild, (type(self), self.message, self.document, self.stage, self.remedy))


def _rebuild(kind: type[FilingForestError], message: str, document: str | None, stage: str | None, remedy: str | None) -> FilingForestError:
    return kind(message, document=document, stage=stage, remedy=remedy)


class ConfigError(FilingForestError):
    """A setting is missing or wrong (a User-Agent without a contact, an unknown key)."""

    code = "config"


class SourceError(FilingForestError):
    """A source answered with something that is not a document."""

    code = "source"


class SourceMissing(SourceError):
    """The source has no such file (404)."""

    code = "source_missing"


class SourceUnavailable(SourceError):
    """A source is slow, down or asks us to wait; the same request may succeed later."""

    code = "source_unavailable"
    transient = True


class SourceForbidden(SourceUnavailable):
    """EDGAR's 403: everything stops until the cool-down is over."""

    code = "source_forbidden"


class DocumentError(FilingForestError):
    """A document that cannot be used as it is; it is set aside with this reason."""

    code = "document"


class EmptyDocument(DocumentError):
    code = "document_empty"


class TruncatedDocument(DocumentError):
    code = "document_truncated"


class TooLarge(DocumentError):
    """Beyond a stated bound of size, depth, memory or time."""

    code = "document_too_large"


class WrongFormat(DocumentError):
    """The bytes are not what the name says (a PDF named .htm)."""

    code = "document_format"


class StoreError(FilingForestError):
    code = "store"


class NotFound(StoreError):
    code = "not_found"


class PermissionDenied(StoreError):
    code = "store_permission"


class StoreFull(StoreError):
    code = "store_full"


class BadKey(StoreError):
    """A key that could leave the store's root or that a store could not hold."""

    code = "store_key"


class StoreUnavailable(StoreError):
    code = "store_unavailable"
    transient = True


class Corrupt(StoreError):
    """Bytes whose hash, size or format is not what the manifest says."""

    code = "corrupt"


class LostRace(StoreError):
    """Another publisher switched CURRENT first; start again from the new one."""

    code = "lost_race"
    transient = True


class PublicationError(FilingForestError):
    code = "publication"


class NoPublication(PublicationError):
    code = "no_publication"


class PublicationGone(PublicationError):
    """The pinned publication was pruned."""

    code = "publication_gone"


class ChecksFailed(PublicationError):
    """A check of level `fail` found rows; the publication before stays current. `report` holds what each check found."""

    code = "checks_failed"
    report: tuple[dict[str, object], ...] = ()


class SchemaTooNew(PublicationError):
    """A manifest that needs a newer reader than this one."""

    code = "schema_too_new"


class QueryError(FilingForestError):
    """A question or filter that cannot be understood."""

    code = "query"


class LlmError(FilingForestError):
    """A language model's server that cannot be used as it is: wrong address, model or key."""

    code = "llm"


class LlmUnavailable(LlmError):
    """The server did not answer for as long as patience allows; what was answered is kept, the same run continues later."""

    code = "llm_unavailable"
    transient = True


class LlmUnconstrained(LlmError):
    """The server answers, but does not keep to the JSON schema that it is given."""

    code = "llm_unconstrained"


class LlmDead(LlmError):
    """One request that finally failed. `reason`: refused, too_long, length, invalid, failing; `final`: asking again changes nothing."""

    code = "llm_dead"
    reason = ""
    final = True
