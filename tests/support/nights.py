"""What tests of whole nights share: an index seen from outside (files, hashes, documents) and the dates of a replayed EDGAR."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import shutil
from pathlib import Path

DAY = datetime.timedelta(days=1)


def filing_dates(root: Path) -> list[datetime.date]:
    """The days that the daily indexes under `root` (EDGAR's layout) name, oldest first."""
    return sorted(_date(path) for path in _indexes(root))


def bring_together(root: Path, target: Path, first: datetime.date, forms: str = "10-") -> list[datetime.date]:
    """A copy of `root` in which its filing days follow one another from `first` on, so that a backfill over few days meets them all."""
    shutil.copytree(root, target)
    days = []
    for path in sorted(_indexes(target), key=_date):
        day, text = first + len(days) * DAY, path.read_text("latin-1")
        path.unlink()
        if f"|{forms}" in text:
            new = target / "Archives/edgar/daily-index" / str(day.year) / f"QTR{(day.month + 2) // 3}" / f"master.{day:%Y%m%d}.idx"
            new.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(re.sub(r"\|\d{8}\|", f"|{day:%Y%m%d}|", text), "latin-1")
            days.append(day)
    return days


def snapshot(index: Path) -> dict[str, tuple[str, int]]:
    """Every file of an index with its hash and the time it was last written: equal snapshots mean that nothing was written."""
    files = (path for path in index.rglob("*") if path.is_file())
    return {str(p.relative_to(index)): (hashlib.sha256(p.read_bytes()).hexdigest(), p.stat().st_mtime_ns) for p in files}


def current(index: Path) -> str:
    """The publication that readers follow."""
    return (index / "CURRENT").read_text().splitlines()[0]


def published_documents(index: Path) -> dict[str, str]:
    """doc_id -> form of the current publication, as a reader with pyarrow alone finds them."""
    import pyarrow.parquet as pq

    manifest = json.loads((index / "publications" / current(index) / "manifest.json").read_text())
    found: dict[str, str] = {}
    for segment in manifest["segments"]:
        for file in segment["files"]:
            if file["path"].endswith("documents.parquet"):
                table = pq.read_table(index / file["path"], columns=["doc_id", "form"])
                found |= dict(zip(table["doc_id"].to_pylist(), table["form"].to_pylist(), strict=True))
    return found


def edgar_settings(home: Path, url: str) -> dict[str, str]:
    """The environment of a night over a replayed EDGAR that leaves everything it writes in `home`."""
    return {
        "FILINGFOREST_INDEX": str(home / "filings"),
        "FILINGFOREST_EDGAR_BASE_URL": url,
        "FILINGFOREST_EDGAR_USER_AGENT": "filingforest tests tests@example.org",
        "FILINGFOREST_EDGAR_LIMITER_DIR": str(home / "limiter"),
    }


def _indexes(root: Path) -> list[Path]:
    return list((root / "Archives/edgar/daily-index").rglob("master.*.idx"))


def _date(path: Path) -> datetime.date:
    found = re.search(r"\.(\d{8})\.idx$", path.name)
    assert found, path
    return datetime.datetime.strptime(found[1], "%Y%m%d").date()
