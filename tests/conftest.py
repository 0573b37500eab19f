"""What every test may ask for: real servers, and the corpus beside the checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No test has a time to keep: on a busy machine an example may take long, and says nothing by it. Else the profile is hypothesis's own (CI's in CI).
settings.register_profile("unhurried", parent=settings(), deadline=None)
settings.load_profile("unhurried")

pytest_plugins = ["tests.support.servers", "tests.support.opensearch"]

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests over the corpus are skipped with a reason where it is not there; in CI that is a failure, never a pass."""
    if item.get_closest_marker("shared") and not SHARED.is_dir():
        reason = f"needs the corpus beside the checkout: {SHARED} is not there"
        if os.environ.get("CI") == "true":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI a test that was skipped, whatever the reason, is something that nobody checked: the run fails."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and exitstatus == 0 and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line(f"CI: {len(reporter.stats['skipped'])} skipped, which counts as failed; the reasons stand below", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def shared() -> Path:
    """The corpus beside the checkout; mark the test `shared`."""
    return SHARED
