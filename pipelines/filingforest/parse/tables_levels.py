"""Finds which rows of a table belong under which group row: from indents where the table has them, else from bold groups and totals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from filingforest.parse.tables_rows import Row

INDENT_STEP = 2.5  # points: less is not an indent
MAX_LEVEL = 8
_WORD = re.compile(r"[a-z]{4,}")


@dataclass(slots=True)
class _Group:
    """An open group row; `inside` is the indent of its first row, None as long as it has none."""

    row: Row
    inside: float | None = None


def set_levels(rows: Sequence[Row]) -> None:
    """Sets level and parent of each row. A total has its group's own level and parent, since it closes the group."""
    groups: list[_Group] = []
    before: Row | None = None
    for row in rows:
        if row.kind == "header":
            continue
        if row.kind == "group":
            _close(groups, row)
            _put(row, groups)
            groups.append(_Group(row))
        elif row.kind == "total" or _is_sum(row, before, groups):
            row.kind = "total"
            _total(row, groups)
        else:
            _close(groups, row)
            _put(row, groups)
        before = row


def _put(row: Row, groups: Sequence[_Group]) -> None:
    row.level = min(len(groups), MAX_LEVEL)
    row.parent = groups[-1].row.label if groups else None
    if groups and groups[-1].inside is None:
        groups[-1].inside = row.indent


def _close(groups: list[_Group], row: Row) -> None:
    """Closes the groups that `row` cannot belong to."""
    while groups and not _holds(groups[-1], row):
        groups.pop()


def _holds(group: _Group, row: Row) -> bool:
    above = group.row
    if row.indent <= above.indent - INDENT_STEP:
        return False
    if row.indent >= above.indent + INDENT_STEP:
        return True
    if row.kind == "group":  # at the group's own indent: only a plain group under a bold one
        return above.bold and not row.bold
    if group.inside is not None and group.inside >= above.indent + INDENT_STEP:
        return False
    return not (above.bold and row.bold and group.inside is not None)


def _is_sum(row: Row, before: Row | None, groups: Sequence[_Group]) -> bool:
    """An unlabelled row of figures, or one further in than the item before it, which ends a group."""
    if not groups or before is None or before.kind != "item":
        return False
    return not row.label or (row.indent >= before.indent + INDENT_STEP and before.parent is groups[-1].row.label)


def _total(row: Row, groups: list[_Group]) -> None:
    """Closes the group that the total names, else the innermost; a total that is further out than all names the table."""
    if not row.label:
        row.parent, row.level = (groups[-1].row.label, len(groups) - 1) if groups else (None, 0)
        if groups:
            groups.pop()
        return
    words = set(_WORD.findall(row.label.lower())) - {"total", "subtotal"}
    named = [i for i, g in enumerate(groups) if words and words & set(_WORD.findall(g.row.label.lower()))]
    exact = [i for i in named if set(_WORD.findall(groups[i].row.label.lower())) <= words]
    keep = exact[-1] if exact else named[-1] if named else len(groups) - 1
    while groups and keep and groups[keep - 1].row.indent > row.indent + INDENT_STEP:
        keep -= 1
    del groups[max(keep, 0) :]
    _put(row, groups)
