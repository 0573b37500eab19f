"""`filingforest serve`: publications over HTTP, read-only."""

from __future__ import annotations

import argparse
import os
import signal
import sys

from filingforest.cli.common import complain
from filingforest.cli.reading import add_reading, open_reader, reading_settings

ABOUT = """Answers over HTTP what `query` and `show` answer here, for tools that are not Python. It follows CURRENT by itself; on SIGTERM
it finishes running requests and ends with 0. /openapi.json describes it; /health and /ready are for schedulers. Where
FILINGFOREST_TOKEN is set, every other request must bring it: `Authorization: Bearer TOKEN`. TLS is a matter of what stands before it."""
EXAMPLES = """  filingforest serve --index work/filings
  filingforest serve --index s3://bucket/filings --host 0.0.0.0 --port 8000 --refresh-s 60
  filingforest serve --index s3://bucket/filings --backend opensearch
  curl 'http://127.0.0.1:8000/v1/query?q=What+were+net+sales+in+2024&company=XYZ'"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", metavar="ADDRESS", help="address to listen on (default: serve.host, this machine only)")
    parser.add_argument("--port", type=int, metavar="N", help="port (default: serve.port; 0: any free one)")
    parser.add_argument("--refresh-s", type=float, metavar="S", help="how often CURRENT is looked at (default: serve.refresh_s)")
    parser.add_argument("--access-log", action="store_true", help="log every request; questions stand in there")
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    settings = reading_settings(arguments, serve__host=arguments.host, serve__port=arguments.port, serve__refresh_s=arguments.refresh_s)
    import uvicorn

    from filingforest.serve.app import make_app
    from filingforest.serve.guard import TOKEN_VARIABLE

    limits = settings.serve
    reader = open_reader(arguments, settings)
    if limits.host not in ("127.0.0.1", "::1", "localhost") and not os.environ.get(TOKEN_VARIABLE):
        complain(f"listening on {limits.host} without {TOKEN_VARIABLE}: whoever reaches it may read")
    print(f"serving {', '.join(reader.publications)} on http://{limits.host}:{limits.port}", file=sys.stderr, flush=True)
    config = uvicorn.Config(
        make_app(reader, limits), limits.host, limits.port, log_level="debug" if arguments.debug else "info",
        access_log=arguments.access_log, timeout_graceful_shutdown=int(limits.time_limit_s) + 1, server_header=False,
    )  # fmt: skip
    # uvicorn lets running requests finish and then raises the signal again: a container that was stopped ended well, not with 143
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    uvicorn.Server(config).run()
    return 0
