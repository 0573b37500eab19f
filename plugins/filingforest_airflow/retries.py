"""Which errors are worth another try, told by the library's types: waiting helps against a busy source, never against a missing setting."""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import ExceptionRetryPolicy, RetryAction, RetryRule

ERRORS = "filingforest.errors."

# The first rule that matches decides; what no rule names follows the task's own retries.
POLICY = ExceptionRetryPolicy(
    rules=[
        RetryRule(ERRORS + "ConfigError", RetryAction.FAIL, reason="a setting is missing or wrong: another try changes nothing"),
        RetryRule(ERRORS + "PermissionDenied", RetryAction.FAIL, reason="the store refuses us: another try changes nothing"),
        RetryRule(ERRORS + "StoreFull", RetryAction.FAIL, reason="the store is full: make room, then clear the task"),
        RetryRule(ERRORS + "SourceForbidden", RetryAction.RETRY, timedelta(minutes=10), "EDGAR answered 403: all wait for the cool-down"),
        RetryRule(
            [ERRORS + "SourceUnavailable", ERRORS + "StoreUnavailable", ERRORS + "LostRace"],
            RetryAction.RETRY,
            reason="may succeed later: retried with growing delays",
        ),
        RetryRule(ERRORS + "FilingForestError", RetryAction.FAIL, reason="the same input gives the same error"),
    ]
)
DEFAULTS = {
    "retries": 4,
    "retry_delay": timedelta(seconds=30),
    "retry_exponential_backoff": True,
    "max_retry_delay": timedelta(minutes=30),
    "retry_policy": POLICY,
}
