"""Real filings whose pages, looks, markup or name were changed hold the same items: judged as the unchanged ones are."""

from __future__ import annotations

import re
import shlex
import sys

import pytest

from tests.accuracy.test_items import run
from tests.support.changed_html import CHANGES

pytestmark = [pytest.mark.shared, pytest.mark.slow]
NO_LOOKS = {"no bold or sizes": 0.99, "plain text": 0.98}  # one filing is not read right without looks


@pytest.mark.parametrize("change", [*CHANGES, "another name"])
def test_items_of_changed_filings(change: str) -> None:
    report = run("items", "check_items.py", shlex.join([sys.executable, "-m", "tests.support.changed_html", change]))
    found = re.search(r"items (\d+)/(\d+): recall ([\d.]+) precision ([\d.]+); cross-reference items (\d+)/(\d+)", report)
    assert found, report
    right, total, _, precision, crossed, of = (float(x) for x in found.groups())
    print(f"| {change} | {right - crossed:g} of {total - of:g} | {crossed:g} of {of:g} | {precision:.3f} |")
    assert (right - crossed) / (total - of) >= NO_LOOKS.get(change, 0.998), report
    assert precision >= (0.997 if change not in NO_LOOKS else 0.98), report
    assert crossed / max(1, of) >= 0.9, report
