"""`make services`: SeaweedFS and OpenSearch, which can write its snapshots there; prints the environment that points to both.

OpenSearch keeps nothing between runs: publishing, or restoring a snapshot, fills it again.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))
from infra.servers.opensearch import OpenSearchServer
from infra.servers.seaweedfs import ADMIN, BUCKET, READER, SeaweedFS


def main(folder: str) -> None:
    """Run in the foreground until interrupted."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the servers are ended too
    with SeaweedFS(Path(folder)) as s3:
        reach = {"endpoint": s3.endpoint, "path_style_access": True, "region": "us-east-1"}
        with OpenSearchServer(settings={f"s3.client.default.{name}": value for name, value in reach.items()}) as node:
            for name, value in {**s3.environment(), "FILINGFOREST_OPENSEARCH_URL": node.url}.items():
                print(f"export {name}={value}")
            keys = dict(zip(("access_key", "secret_key"), ADMIN, strict=True))  # elsewhere they are in OpenSearch's keystore
            repository = json.dumps({"type": "s3", "settings": {"bucket": BUCKET, "base_path": "snapshots", **keys}})
            print(f"# snapshots: curl -X PUT {node.url}/_snapshot/nights -H 'Content-Type: application/json' -d '{repository}'")
            print(f"# a reader's rights: AWS_ACCESS_KEY_ID={READER[0]} AWS_SECRET_ACCESS_KEY={READER[1]}")
            print(f"# index: s3://{BUCKET}/CORPUS; tests use this node too with FILINGFOREST_TEST_OPENSEARCH={node.url}", flush=True)
            signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "var/seaweedfs")
