"""`python -m filingforest.parse FILE...`: one line of JSON a file, for checks that want the parser alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from filingforest.parse import parse_document
from filingforest.parse.model import DocumentHint
from filingforest.parse.to_tables import parsed_json


def main(paths: list[str]) -> int:
    """Prints a line for each file; a file that cannot be parsed gives {"error": ...}."""
    for path in paths:
        name = Path(path).name
        hint = DocumentHint(doc_id=f"folder:{name.split('.')[0]}", name=name)
        print(json.dumps(parsed_json(parse_document(Path(path).read_bytes(), hint)), ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
