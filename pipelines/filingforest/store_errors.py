"""What went wrong in the operating system or in S3, told in this project's typed errors with a remedy each."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from filingforest.errors import BadKey, FilingForestError, NotFound, PermissionDenied, StoreError, StoreFull, StoreUnavailable

_Kind = tuple[type[StoreError], str]
_OS_KINDS: dict[tuple[int, ...], _Kind] = {
    (errno.ENOENT, errno.ENOTDIR): (NotFound, "check the store's address and the key"),
    (errno.EACCES, errno.EPERM, errno.EROFS): (PermissionDenied, "let this user read there (and write, to publish)"),
    (errno.ENOSPC, errno.EDQUOT, errno.EFBIG): (StoreFull, "free space or raise the quota, then run again: what was done is kept"),
    (errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.EHOSTDOWN, errno.ENOLCK): (
        StoreUnavailable,
        "check the disk or mount, then run again",
    ),
    (errno.ENAMETOOLONG, errno.EINVAL): (BadKey, "shorten the document's id"),
}
_S3_KINDS: dict[tuple[str, ...], _Kind] = {
    ("404", "NoSuchKey", "NotFound"): (NotFound, "check the address and the key"),
    ("NoSuchBucket",): (NotFound, "create the bucket, or check its name and region"),
    (
        *("401", "403", "AccessDenied", "Forbidden", "InvalidAccessKeyId", "SignatureDoesNotMatch"),
        *("ExpiredToken", "InvalidToken", "AccountProblem"),
    ): (PermissionDenied, "check credentials and bucket policy: readers need GetObject, publishers also PutObject and ListBucket"),
    ("507", "InsufficientStorage", "QuotaExceeded", "XMinioStorageFull", "BucketQuotaExceeded"): (
        StoreFull,
        "raise the quota, then run again",
    ),
    (
        *("429", "500", "502", "503", "504", "SlowDown", "InternalError", "ServiceUnavailable"),
        *("RequestTimeout", "Throttling", "TooManyRequests"),
    ): (StoreUnavailable, "run again later: what was done is kept"),
}
_OS: dict[int, _Kind] = {number: kind for numbers, kind in _OS_KINDS.items() for number in numbers}
_S3: dict[str, _Kind] = {code: kind for codes, kind in _S3_KINDS.items() for code in codes}


@contextmanager
def os_errors(key: str) -> Iterator[None]:
    """Turn OSError into a StoreError that names `key`."""
    try:
        yield
    except FilingForestError:
        raise
    except OSError as error:
        kind, remedy = _OS.get(error.errno or 0, (StoreError, "see the message"))
        raise kind(error.strerror or str(error), document=key, stage="store", remedy=remedy) from error


def s3_error(code: str, status: int, message: str, key: str) -> StoreError:
    """The typed error for an S3 error code, or else for its HTTP status."""
    kind, remedy = _S3.get(code) or _S3.get(str(status)) or (StoreError, "see the message")
    return kind(f"{code}: {message}", document=key, stage="store", remedy=remedy)
