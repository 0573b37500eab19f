"""nginx in front of a server: TLS with a certificate of its own authority, and a name with a password.

OpenSearch's security plugin cannot be had for this version: what it would do at the door, verified certificates and credentials, is
tested through this. Roles inside the server are not (docs/opensearch.md).
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

from infra.servers.seaweedfs import free_ports

_READY_S = 20.0
_CONFIG = """\
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log warn;
events {{}}
http {{
    access_log {folder}/access.log;
    client_max_body_size 200m;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
    scgi_temp_path {folder}/s;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.key;
        auth_basic "filingforest"; auth_basic_user_file {folder}/users;
        location / {{ proxy_pass {upstream}; proxy_read_timeout 120s; proxy_http_version 1.1; proxy_set_header Authorization ""; }}
    }}
}}
"""


class TlsProxy:
    """One nginx; a context manager. `ca` is the authority's certificate, `user` and `password` what it asks for."""

    def __init__(self, upstream: str, user: str = "publisher") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ff-tls-"))
        self.upstream, self.user, self.password = upstream, user, secrets.token_urlsafe(12)
        self.port = free_ports(1)[0]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers, without credentials."""
        return f"https://localhost:{self.port}"

    @property
    def ca(self) -> Path:
        """The certificate to verify with."""
        return self.folder / "ca.pem"

    def __enter__(self) -> TlsProxy:
        make_certificates(self.folder)
        salt = secrets.token_bytes(8)
        digest = base64.b64encode(hashlib.sha1(self.password.encode() + salt).digest() + salt).decode()
        (self.folder / "users").write_text(f"{self.user}:{{SSHA}}{digest}\n")
        config = self.folder / "nginx.conf"
        config.write_text(_CONFIG.format(folder=self.folder, port=self.port, upstream=self.upstream))
        command = [_nginx(), "-c", str(config), "-p", str(self.folder)]
        if os.geteuid() == 0:
            command += ["-g", "user root;"]
        with (self.folder / "out.log").open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        self._wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _wait(self) -> None:
        until = time.monotonic() + _READY_S
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise RuntimeError(f"nginx did not start: {(self.folder / 'out.log').read_text()}")


def make_certificates(folder: Path) -> None:
    """An authority (ca.pem) and a certificate for localhost signed by it (server.pem, server.key)."""
    (folder / "san").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    key = ["-newkey", "rsa:2048", "-nodes"]
    _openssl(folder, "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=tests authority")
    _openssl(folder, "req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    _openssl(folder, "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
             "-extfile", "san", "-out", "server.pem")  # fmt: skip


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def _nginx() -> str:
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise RuntimeError("no `nginx`: on Debian `apt-get install nginx-light`")
    return found
