"""What stands before every request: its size, its token, the time and the threads it may take."""

from __future__ import annotations

import asyncio
import hmac
import json
import os
from collections.abc import Callable
from typing import TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from filingforest.serve.problems import MEDIA_TYPE

TOKEN_VARIABLE = "FILINGFOREST_TOKEN"
Result = TypeVar("Result")


class BodyLimit:
    """Refuses bodies above a number of bytes, whatever their header says, before they are kept."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app, self.most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self.most:
            await self._refuse(send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.most:
                raise HTTPException(413, f"a request may have {self.most} bytes")
            return message

        await self.app(scope, counted, send)

    async def _refuse(self, send: Send) -> None:
        detail = f"a request may have {self.most} bytes"
        body = {"type": "urn:filingforest:http", "title": "Content Too Large", "status": 413, "code": "http", "detail": detail}
        headers = [(b"content-type", MEDIA_TYPE.encode()), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(body).encode()})


async def check_token(request: Request) -> None:
    """Where the environment names a token, `Authorization: Bearer TOKEN` must say it. Compared in constant time."""
    wanted = os.environ.get(TOKEN_VARIABLE, "")
    given = request.headers.get("authorization", "")
    if wanted and not hmac.compare_digest(given.encode(), f"Bearer {wanted}".encode()):
        raise HTTPException(401, "a valid token is needed", {"WWW-Authenticate": "Bearer"})


class Workers:
    """Runs the reader's blocking calls in threads: so many at once, each within its time; others wait, but not for ever.

    A call whose time is over ends by itself and keeps its place until then, so that late answers cannot pile up.
    """

    def __init__(self, threads: int, limit_s: float) -> None:
        self._slots, self._limit = asyncio.Semaphore(threads), limit_s

    async def run(self, call: Callable[[], Result]) -> Result:
        """Errors: HTTPException 503 when no thread came free, or the answer did not come, in time."""
        try:
            await asyncio.wait_for(self._slots.acquire(), self._limit)
        except TimeoutError:
            raise HTTPException(503, "too many questions at once; ask again") from None
        task = asyncio.ensure_future(run_in_threadpool(call))
        task.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.shield(task), self._limit)
        except TimeoutError:
            raise HTTPException(503, f"no answer within {self._limit:g} s") from None

    def _done(self, task: asyncio.Future[Result]) -> None:
        self._slots.release()
        if not task.cancelled():
            task.exception()  # read, so that one that comes too late is not complained of
