"""The S3 store keeps the contract of every store on a real server, also on one that ignores conditional headers."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from filingforest.errors import LostRace, NotFound, PermissionDenied, StoreUnavailable
from filingforest.store import open_store
from filingforest.store_s3 import S3Store, s3_client
from infra.servers.seaweedfs import BUCKET, CLOSED_BUCKET, READER
from tests.support.store_contract import StoreContract

pytestmark = pytest.mark.service


@pytest.fixture
def store(s3_url: str) -> S3Store:
    return open_store(s3_url)


class TestS3Store(StoreContract):
    pass


def test_permission(store, seaweedfs, monkeypatch):
    store.put_new("a", b"1")
    for name, value in seaweedfs.environment(READER).items():
        monkeypatch.setenv(name, value)
    reader, closed = open_store(store.url), open_store(f"s3://{CLOSED_BUCKET}/x")
    assert reader.get("a") == b"1"
    assert list(reader.list("")) == ["a"]
    for call in (lambda: reader.put_new("b", b""), lambda: reader.swap("a", b"", reader.stat("a").etag), lambda: closed.get("a")):
        with pytest.raises(PermissionDenied, match="policy"):
            call()


def test_unknown_bucket_and_key_and_server(store, monkeypatch):
    with pytest.raises(NotFound, match="create the bucket"):
        open_store("s3://no-such-bucket/x").put_new("a", b"")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(PermissionDenied):
        open_store(store.url).get("a")
    monkeypatch.setenv("FILINGFOREST_S3_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(StoreUnavailable, match="endpoint"):
        open_store(store.url).get("a")


class _Deaf:
    """A client whose server knows no conditional headers; `interfere` runs once between look and write."""

    def __init__(self, client, interfere=None):
        self._client, self._interfere = client, interfere

    def put_object(self, **call):
        call.pop("IfMatch", None)
        call.pop("IfNoneMatch", None)
        answer = self._client.put_object(**call)
        if self._interfere:
            interfere, self._interfere = self._interfere, None
            interfere()
        return answer

    def __getattr__(self, name):
        return getattr(self._client, name)


def test_a_server_that_ignores_conditions(store, seaweedfs):
    client = s3_client(seaweedfs.endpoint)
    deaf = S3Store(_Deaf(client), BUCKET, store.prefix)
    first = deaf.swap("CURRENT", b"1", None)
    with pytest.raises(LostRace):
        deaf.swap("CURRENT", b"x", None)
    assert not deaf.put_new("CURRENT", b"x")
    late = S3Store(_Deaf(client, lambda: store.swap("CURRENT", b"theirs", store.stat("CURRENT").etag)), BUCKET, store.prefix)
    with pytest.raises(LostRace):
        late.swap("CURRENT", b"ours", first.etag)
    assert store.get("CURRENT") == b"theirs"


class _LostAnswer(_Deaf):
    """The write succeeds, its answer is lost, and the retry is refused by the condition."""

    def put_object(self, **call):
        self._client.put_object(**call)
        try:
            return self._client.put_object(**call)
        except ClientError as error:
            error.response["ResponseMetadata"]["RetryAttempts"] = 1
            raise


def test_an_answer_lost_on_the_way_is_no_lost_race(store, seaweedfs):
    shaky = S3Store(_LostAnswer(s3_client(seaweedfs.endpoint)), BUCKET, store.prefix)
    first = shaky.swap("CURRENT", b"1", None)
    assert store.get("CURRENT") == b"1"
    shaky.swap("CURRENT", b"2", first.etag)
    assert store.get("CURRENT") == b"2"
