"""The certificates of the compose file: a client that trusts the authority, and nothing else, is let in under the right name only."""

from __future__ import annotations

import socket
import ssl
import threading
from pathlib import Path

import pytest

from infra.compose.make_certificates import make


def _shake(folder: Path, host: str) -> None:
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(folder / "node.pem", folder / "node.key")
    client = ssl.create_default_context(cafile=str(folder / "ca.pem"))
    one, other = socket.socketpair()

    def serve() -> None:
        try:
            with server.wrap_socket(one, server_side=True) as secured:
                secured.recv(1)
        except (ssl.SSLError, OSError):
            one.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with client.wrap_socket(other, server_hostname=host) as secured:
            secured.send(b"x")
    finally:
        other.close()
        thread.join()


def test_the_name_is_verified_and_nothing_is_written_twice(tmp_path: Path) -> None:
    assert make(tmp_path, ["opensearch"])
    before = (tmp_path / "ca.pem").read_bytes()
    assert not make(tmp_path, ["opensearch"])
    assert (tmp_path / "ca.pem").read_bytes() == before
    _shake(tmp_path, "opensearch")
    with pytest.raises(ssl.SSLCertVerificationError):
        _shake(tmp_path, "elsewhere")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ca.pem", "node.key", "node.pem"]  # the authority's key is not kept
