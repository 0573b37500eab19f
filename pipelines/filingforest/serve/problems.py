"""Errors as a client reads them: problem details (RFC 9457) with the same codes as on the command line.

What lies on the server's side is logged whole and answered without paths and addresses.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from filingforest.errors import (
    FilingForestError,
    NoPublication,
    NotFound,
    PublicationGone,
    QueryError,
    StoreUnavailable,
)

log = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"
# the first that fits
STATUS: tuple[tuple[type[FilingForestError], int], ...] = (
    (QueryError, 400),
    (NotFound, 404),
    (PublicationGone, 503),
    (NoPublication, 503),
    (StoreUnavailable, 503),
    (FilingForestError, 500),
)


def problem(status: int, code: str, detail: str, headers: dict[str, str] | None = None, **more: Any) -> JSONResponse:
    """One answer; `code` is stable and machine-readable."""
    body = {"type": f"urn:filingforest:{code}", "title": HTTPStatus(status).phrase, "status": status, "code": code, "detail": detail} | more
    return JSONResponse(body, status, headers={**({"Retry-After": "1"} if status == 503 else {}), **(headers or {})}, media_type=MEDIA_TYPE)


def of_error(error: FilingForestError) -> JSONResponse:
    """What an error of the library means to a client."""
    status = next(status for kind, status in STATUS if isinstance(error, kind))
    if status < 500:
        return problem(status, error.code, error.message, remedy=error.remedy)
    log.error("%s", error)
    return problem(status, error.code, "the server's log says more")


def install(app: FastAPI) -> None:
    """Every error of `app` becomes problem details."""

    @app.exception_handler(FilingForestError)
    async def _known(request: Request, error: FilingForestError) -> JSONResponse:
        return of_error(error)

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        wrong = [{"where": ".".join(map(str, e["loc"])), "what": e["msg"]} for e in error.errors()]
        return problem(422, "request", "; ".join(f"{w['where']}: {w['what']}" for w in wrong), errors=wrong)

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        return problem(error.status_code, "http", str(error.detail), dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def _unknown(request: Request, error: Exception) -> JSONResponse:
        log.exception("unexpected", exc_info=error)
        return problem(500, "internal", "the server's log says more")
