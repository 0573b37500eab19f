"""Who may do what: readers only get, under one prefix; the publisher deletes no publication, nor what belongs to one; the pruner may."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "infra" / "iam"
PREFIX = "arn:aws:s3:::filingforest/filings/*"
READ, LIST, UPLOAD = {"s3:GetObject"}, {"s3:ListBucket"}, {"s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"}
ALLOWED = {
    "reader": READ,
    "publisher": READ | LIST | UPLOAD | {"s3:PutObject", "s3:DeleteObject"},
    "pruner": READ | LIST | {"s3:PutObject", "s3:DeleteObject"},
}


def _statements(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["Statement"]
    return found


@pytest.mark.parametrize("name", ALLOWED)
def test_each_role_has_its_actions_and_no_other(name: str) -> None:
    statements = _statements(name)
    assert {s["Effect"] for s in statements} == {"Allow"}
    assert {action for s in statements for action in s["Action"]} == ALLOWED[name]
    assert not any("NotAction" in s or "NotResource" in s for s in statements)


@pytest.mark.parametrize("name", ALLOWED)
def test_each_is_bound_to_one_prefix(name: str) -> None:
    for statement in _statements(name):
        if set(statement["Action"]) == LIST:
            assert statement["Condition"] == {"StringLike": {"s3:prefix": ["filings/*"]}}
        elif name != "publisher" or "s3:DeleteObject" not in statement["Action"]:
            assert statement["Resource"] == [PREFIX]


def test_the_publisher_deletes_only_work_in_progress() -> None:
    (resources,) = [s["Resource"] for s in _statements("publisher") if "s3:DeleteObject" in s["Action"]]
    kept = {"publications", "segments", "models", "receipts", "holds", "history", "CURRENT", "pins", "*"}
    assert {r.removeprefix(PREFIX.removesuffix("*")).partition("/")[0] for r in resources}.isdisjoint(kept)


def test_there_is_no_other_role() -> None:
    assert {p.stem for p in FOLDER.glob("*.json")} == set(ALLOWED)
