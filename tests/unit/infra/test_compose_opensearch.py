"""The start script of the compose file's OpenSearch, run with stand-ins for the tools of its image, which cannot be started here."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "infra" / "compose" / "opensearch.sh"
KEYS = {"S3_SNAPSHOTS_KEY": "key", "S3_SNAPSHOTS_SECRET": "s3cr3t $x", "S3_SNAPSHOTS_BUCKET": "snaps", "OPENSEARCH_REPOSITORY": "nights"}
CURL = """#!/bin/bash
[ -f up ] || { touch up; exit 7; }   # the first time nobody answers
printf '%s\\n' "$@" > asked.part && mv asked.part asked
"""
KEYSTORE = """#!/bin/bash
case "$1" in create) touch config/opensearch.keystore;; add) cat > "config/${@: -1}";; esac
"""


def _tool(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def test_keys_go_into_the_keystore_and_the_repository_is_registered_once_it_answers(tmp_path: Path) -> None:
    _tool(tmp_path / "plugins/opensearch-security/tools/hash.sh", "echo some words; echo the-hash")
    _tool(tmp_path / "bin/opensearch-keystore", KEYSTORE)
    _tool(tmp_path / "path/curl", CURL)
    _tool(tmp_path / "path/sleep", "#!/bin/bash\n")
    _tool(tmp_path / "opensearch-docker-entrypoint.sh", '#!/bin/bash\necho "$@" > started\n')
    (tmp_path / "config/opensearch-security").mkdir(parents=True)
    environment = {**KEYS, "OPENSEARCH_PASSWORD": "pass", "PATH": f"{tmp_path / 'path'}:{os.environ['PATH']}"}
    subprocess.run(["bash", str(SCRIPT)], cwd=tmp_path, env=environment, check=True, timeout=60)
    until = time.monotonic() + 60
    while not (tmp_path / "asked").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    assert (tmp_path / "started").read_text() == "opensearch\n"
    assert (tmp_path / "config/opensearch.keystore").exists()
    assert (tmp_path / "config/s3.client.default.access_key").read_text() == "key"
    assert (tmp_path / "config/s3.client.default.secret_key").read_text() == "s3cr3t $x"
    assert 'hash: "the-hash"' in (tmp_path / "config/opensearch-security/internal_users.yml").read_text()
    asked = (tmp_path / "asked").read_text().splitlines()
    assert "https://opensearch:9200/_snapshot/nights" in asked
    assert json.loads(asked[asked.index("-d") + 1]) == {"type": "s3", "settings": {"bucket": "snaps", "base_path": "filings"}}
