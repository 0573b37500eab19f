"""`filingforest show`: a passage in its place, with what stands above and around it."""

from __future__ import annotations

import argparse
import json

from filingforest.cli.common import add_index, indexes

ABOUT = "Takes a node_id, a unit_key, or a citation as `query` prints it."
EXAMPLES = """  filingforest show 0001234567-24-000001#2.7.3 --index work/filings
  filingforest show folder:lease#4.1 --index work/contracts --json"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="NODE|CITATION")
    parser.add_argument("--at", metavar="ID", help="this publication instead of the current one")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")
    add_index(parser, many=True)


def run(arguments: argparse.Namespace) -> int:
    from filingforest import query

    found = query.open(*indexes(arguments), at=arguments.at).show(arguments.what)
    print(json.dumps(found, ensure_ascii=False) if arguments.json else str(found))
    return 0
