"""The schema as it was last released, in tests/schema.json: `python -m tests.support.schema_snapshot` writes it down, where that is allowed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from filingforest.schema_columns import COLUMNS
from filingforest.schema_version import SCHEMA_MAJOR, SCHEMA_MINOR

FILE = Path(__file__).parents[1] / "schema.json"


def now() -> dict[str, Any]:
    """The schema as it is declared."""
    tables = {table: [[c.name, c.type, c.required] for c in columns] for table, columns in COLUMNS.items()}
    return {"major": SCHEMA_MAJOR, "minor": SCHEMA_MINOR, "tables": tables}


def released() -> dict[str, Any]:
    """The schema in the file."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def broken(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What breaks the rule: added columns raise the minor version, changed ones the major version. Empty: nothing does."""
    if new["major"] > old["major"]:
        return []
    wrong = [f"table {table} is gone" for table in old["tables"] if table not in new["tables"]]
    for table in old["tables"].keys() & new["tables"].keys():
        before, after = old["tables"][table], new["tables"][table]
        wrong += [f"{table}, column {i + 1}: {b} became {a}" for i, (b, a) in enumerate(zip(before, after, strict=False)) if b != a]
        wrong += [f"{table}: column {column[0]} is gone" for column in before[len(after) :]]
        wrong += [f"{table}: a new column is required: {column[0]}" for column in after[len(before) :] if column[2]]
    if old["tables"] != new["tables"] and (new["major"], new["minor"]) <= (old["major"], old["minor"]):
        wrong.append("columns were added: raise SCHEMA_MINOR")
    return sorted(wrong)


if __name__ == "__main__":
    refused = broken(released(), now()) if FILE.exists() else []
    if refused:
        raise SystemExit("raise SCHEMA_MAJOR and MIN_READER, or put it back:\n" + "\n".join(refused))
    FILE.write_text(json.dumps(now(), indent=1) + "\n", encoding="utf-8")
