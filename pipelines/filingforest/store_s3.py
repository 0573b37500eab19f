"""S3 as a store: conditional PUTs (`If-None-Match: *`, `If-Match`), read back for servers that ignore the condition.

Credentials and region come from boto3's usual places; the endpoint from FILINGFOREST_S3_ENDPOINT or AWS_ENDPOINT_URL(_S3).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError

from filingforest.errors import ConfigError, FilingForestError, LostRace, NotFound, PermissionDenied, StoreError, StoreUnavailable
from filingforest.store import Stat, check_key, check_prefix
from filingforest.store_errors import s3_error
from filingforest.store_steps import step

_LOST = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}
_BODY_TRIES = 3


class S3Store:
    """See `store.Store`. One PUT an object, so 5 GiB at most (segments stay far below). Threads may share it."""

    def __init__(self, client: Any, bucket: str, prefix: str = "") -> None:
        self._client, self.bucket, self.prefix = client, bucket, prefix.strip("/")

    @classmethod
    def open(cls, bucket: str, prefix: str = "") -> S3Store:
        """A store with a client made from the environment. Errors: ConfigError."""
        try:
            return cls(s3_client(os.environ.get("FILINGFOREST_S3_ENDPOINT") or None), bucket, prefix)
        except (ValueError, BotoCoreError) as error:  # an address without http://, a profile or region that is none
            remedy = "correct FILINGFOREST_S3_ENDPOINT (http://host:port) or AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL"
            raise ConfigError(f"S3 cannot be reached as the environment says: {error}", stage="store", remedy=remedy) from error

    @property
    def url(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")

    def get(self, key: str) -> bytes:
        return self.read(key)[0]

    def get_range(self, key: str, start: int, length: int) -> bytes:
        if length <= 0:
            return b""
        try:
            return self._body(key, Range=f"bytes={start}-{start + length - 1}")[0]
        except StoreError as error:
            if "InvalidRange" in error.message:  # begins beyond the end
                return b""
            raise

    def read(self, key: str) -> tuple[bytes, Stat]:
        return self._body(key)

    def stat(self, key: str) -> Stat | None:
        try:
            with _typed(key):
                head = self._client.head_object(**self._at(key))
        except NotFound:
            return None
        return Stat(head["ContentLength"], head["ETag"], head["LastModified"].timestamp())

    def put_new(self, key: str, data: bytes | Path) -> bool:
        if self.stat(key) is not None:  # saves the upload, and guards where the condition is ignored
            return False
        try:
            with step(f"put {key}"):
                self._put(key, data, IfNoneMatch="*")
        except LostRace:
            return False
        return True

    def swap(self, key: str, data: bytes, expected: str | None) -> Stat:
        found = self.stat(key)
        if (found.etag if found else None) != expected:
            raise _lost(key)
        condition = {"IfNoneMatch": "*"} if expected is None else {"IfMatch": expected}
        try:
            with step(f"put {key}"):
                self._put(key, data, **condition)
        except (LostRace, StoreUnavailable) as error:
            if isinstance(error, LostRace) and not _retried(error):
                raise
            # a PUT that succeeded may be refused on its retry, or its answer lost: what stands there decides
            return self._written(key, data, error)
        return self._written(key, data, _lost(key))

    def list(self, prefix: str) -> Iterator[str]:
        base = self.prefix + "/" if self.prefix else ""
        with _typed(prefix or "/"):
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=base + check_prefix(prefix))
            keys = [item["Key"][len(base) :] for page in pages for item in page.get("Contents", ())]
        yield from sorted(keys)  # SeaweedFS sorts folder by folder, AWS by bytes

    def delete(self, key: str) -> None:
        with _typed(key), step(f"delete {key}"):
            self._client.delete_object(**self._at(key))

    def local_path(self, key: str) -> Path | None:
        return None

    def _at(self, key: str) -> dict[str, str]:
        check_key(key)
        return {"Bucket": self.bucket, "Key": f"{self.prefix}/{key}" if self.prefix else key}

    def _body(self, key: str, **extra: str) -> tuple[bytes, Stat]:
        """The body, read again when the connection breaks in its middle."""
        for attempt in range(1, _BODY_TRIES + 1):
            try:
                with _typed(key):
                    answer = self._client.get_object(**self._at(key), **extra)
                    data = cast(bytes, answer["Body"].read())
                if len(data) == answer["ContentLength"]:
                    return data, Stat(len(data), answer["ETag"], answer["LastModified"].timestamp())
            except StoreUnavailable:
                if attempt == _BODY_TRIES:
                    raise
        raise StoreUnavailable("the body was cut short", document=key, stage="store", remedy="run again later")

    def _put(self, key: str, data: bytes | Path, **condition: str) -> None:
        with _typed(key), _opened(data) as body:
            self._client.put_object(**self._at(key), Body=body, **condition)

    def _written(self, key: str, data: bytes, otherwise: StoreError) -> Stat:
        try:
            found, stat = self.read(key)
        except NotFound:
            raise otherwise from None
        if found != data:
            raise _lost(key)
        return stat


def s3_client(endpoint: str | None = None, **credentials: str) -> Any:
    """A boto3 client: path-style on an endpoint of one's own, checksums only where required (not every server knows them)."""
    config = Config(
        retries={"mode": "standard", "max_attempts": 5},
        connect_timeout=10,
        read_timeout=60,
        s3={"addressing_style": "path"} if endpoint else {},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
    return boto3.session.Session().client("s3", endpoint_url=endpoint, region_name=region, config=config, **credentials)


def _retried(error: LostRace) -> bool:
    cause = error.__cause__
    return isinstance(cause, ClientError) and int(cause.response.get("ResponseMetadata", {}).get("RetryAttempts", 0)) > 0


def _lost(key: str) -> LostRace:
    return LostRace("it was changed meanwhile", document=key, stage="store", remedy="start again from what it is now")


@contextmanager
def _opened(data: bytes | Path) -> Iterator[bytes | IO[bytes]]:
    if isinstance(data, Path):
        with data.open("rb") as body:
            yield body
    else:
        yield data


@contextmanager
def _typed(key: str) -> Iterator[None]:
    """Turn botocore's errors into this project's."""
    try:
        yield
    except FilingForestError:
        raise
    except ClientError as error:
        detail = error.response.get("Error", {})
        code, status = str(detail.get("Code", "")), int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        if code in _LOST or str(status) in _LOST:
            raise _lost(key) from error
        raise s3_error(code, status, str(detail.get("Message", "")), key) from error
    except (NoCredentialsError, PartialCredentialsError) as error:
        remedy = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or a profile"
        raise PermissionDenied(str(error), document=key, stage="store", remedy=remedy) from error
    except (BotoCoreError, OSError) as error:
        remedy = "check the endpoint and the network, then run again"
        raise StoreUnavailable(f"{type(error).__name__}: {error}", document=key, stage="store", remedy=remedy) from error
