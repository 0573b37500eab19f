"""The HTTP application: routes over a reader. Nothing that a request says chooses an address, a path or a query language."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.responses import JSONResponse

from filingforest import __version__
from filingforest.config.serve import ServeSettings
from filingforest.errors import FilingForestError, QueryError
from filingforest.query.answer import Answer
from filingforest.query.reader import Reader
from filingforest.serve.follow import Follower
from filingforest.serve.guard import BodyLimit, Workers, check_token
from filingforest.serve.models import (
    AnswerOut,
    BatchIn,
    BatchOut,
    DocumentOut,
    DocumentsOut,
    FiltersIn,
    PassageOut,
    ProblemOut,
    PublicationOut,
    QuestionIn,
)
from filingforest.serve.problems import install, of_error, problem

ABOUT = """Answers questions from published filings with passages, tables and tagged facts that can be cited. Read-only.

Each answer names its publication. The questions of one batch are answered from one publication."""
_PROBLEMS: dict[int | str, dict[str, Any]] = {status: {"model": ProblemOut} for status in (400, 401, 404, 413, 422, 503)}
_LISTS = tuple(name for name, field in FiltersIn.model_fields.items() if "list" in str(field.annotation))


class Service:
    """What the routes share: the reader that follows CURRENT, threads to ask it in, and limits."""

    def __init__(self, reader: Reader, limits: ServeSettings) -> None:
        self.follower = Follower(reader, limits.refresh_s)
        self.limits, self.workers = limits, Workers(limits.threads, limits.time_limit_s)

    def answer(self, reader: Reader, asked: QuestionIn) -> Answer:
        """Errors: QueryError, also for more hits than `serve.max_k`."""
        k = asked.k or min(10, self.limits.max_k)
        if k > self.limits.max_k:
            raise QueryError(f"k is {k}", stage="query", remedy=f"ask for {self.limits.max_k} hits at most")
        return reader.query(asked.question, k, _filters(asked.filters), id=asked.id)

    def answers(self, reader: Reader, batch: BatchIn) -> dict[str, Any]:
        """Every question is answered that can be."""
        return {"publications": list(reader.publications), "answers": [self._tried(reader, asked) for asked in batch.questions]}

    def _tried(self, reader: Reader, asked: QuestionIn) -> dict[str, Any]:
        try:
            return self.answer(reader, asked).to_dict()
        except QueryError as error:
            return {"id": asked.id, "status": 400, "code": error.code, "detail": error.message, "remedy": error.remedy}


def make_app(reader: Reader, limits: ServeSettings) -> FastAPI:
    """An application over an open reader; it follows CURRENT while it runs."""
    service = Service(reader, limits)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service.follower.start()
        yield
        service.follower.stop()

    app = FastAPI(title="filingforest", version=__version__, description=ABOUT, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.service = service
    app.add_middleware(BodyLimit, most=limits.max_body_kb * 1024)
    app.include_router(public)
    app.include_router(routes, prefix="/v1")
    install(app)
    return app


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


def _known_only(request: Request) -> None:
    """A misspelt parameter must not be a filter that is silently missing."""
    known = {p.alias for p in request.scope["route"].dependant.query_params}
    known |= {p.alias for d in request.scope["route"].dependant.dependencies for p in d.query_params}
    if unknown := sorted(set(request.query_params) - known):
        raise QueryError(f"no parameter called {', '.join(unknown)}", stage="query", remedy=f"use {', '.join(sorted(known))}")


Served = Annotated[Service, Depends(_service)]
Texts = Annotated[list[str], Query()]
public = APIRouter(tags=["state"])
routes = APIRouter(tags=["reading"], dependencies=[Depends(check_token), Depends(_known_only)], responses=_PROBLEMS)


@public.get("/health", summary="Whether the process lives")
async def health() -> dict[str, str]:
    return {"status": "ok"}


@public.get(
    "/ready", summary="Whether questions are answered now, and from what", responses={503: {"model": ProblemOut}}, response_model=None
)
async def ready(service: Served) -> dict[str, Any] | JSONResponse:
    reader = service.follower.reader.pinned()
    try:
        await service.workers.run(lambda: reader.query("Is it ready?", 1))
    except FilingForestError as error:
        return of_error(error)
    return {"status": "ready", "publications": list(reader.publications), "behind": service.follower.problem}


def filters_of(
    company: Texts = [],  # noqa: B006 - FastAPI's way to say "none"
    year: Annotated[list[int], Query()] = [],  # noqa: B006
    form: Texts = [],  # noqa: B006
    item: Texts = [],  # noqa: B006
    kind: Texts = [],  # noqa: B006
    language: Texts = [],  # noqa: B006
    doc: Texts = [],  # noqa: B006
    since: str | None = None,
    until: str | None = None,
    as_of: str | None = None,
) -> FiltersIn:
    """Filters of a GET, each of which may be given several times."""
    return FiltersIn(company=company, year=year, form=form, item=item, kind=kind, language=language, doc=doc,
                     since=since, until=until, as_of=as_of)  # fmt: skip


Narrowed = Annotated[FiltersIn, Depends(filters_of)]


@routes.get("/query", response_model=AnswerOut, summary="One question")
async def query_get(service: Served, filters: Narrowed, q: str, k: Annotated[int | None, Query(ge=1)] = None) -> JSONResponse:
    return await _answer(service, QuestionIn(question=q, k=k, filters=filters, id=None))


@routes.post("/query", response_model=AnswerOut, summary="One question")
async def query_post(service: Served, asked: QuestionIn) -> JSONResponse:
    return await _answer(service, asked)


async def _answer(service: Service, asked: QuestionIn) -> JSONResponse:
    found = await service.workers.run(lambda: service.follower.ask(lambda reader: service.answer(reader, asked)))
    return JSONResponse(found.to_dict())


@routes.post("/batch", response_model=BatchOut, summary="Several questions, one publication")
async def batch(service: Served, asked: BatchIn) -> JSONResponse:
    if not 0 < len(asked.questions) <= service.limits.max_batch:
        return problem(400, "query", f"a batch has 1 to {service.limits.max_batch} questions")
    found = await service.workers.run(lambda: service.follower.ask(lambda reader: service.answers(reader, asked)))
    return JSONResponse(found)


@routes.get("/show", response_model=PassageOut, summary="A passage in its place, by node_id, unit_key or citation")
async def show(service: Served, what: Annotated[str, Query(max_length=1_000)]) -> JSONResponse:
    found = await service.workers.run(lambda: service.follower.ask(lambda reader: reader.show(what)))
    return JSONResponse(dict(found))


@routes.get("/documents", response_model=DocumentsOut, summary="Documents that pass the filters")
async def documents(
    service: Served, filters: Narrowed, limit: Annotated[int, Query(ge=1, le=1_000)] = 100, offset: Annotated[int, Query(ge=0)] = 0
) -> JSONResponse:
    def page(reader: Reader) -> dict[str, Any]:
        found = reader.documents(_filters(filters))
        shown = [{name: getattr(d, name) for name in DocumentOut.model_fields} for d in found[offset : offset + limit]]
        return {"publications": list(reader.publications), "total": len(found), "documents": shown}

    return JSONResponse(await service.workers.run(lambda: service.follower.ask(page)))


@routes.get("/publications", response_model=list[PublicationOut], summary="What is served now")
async def publications(service: Served) -> list[PublicationOut]:
    return [
        PublicationOut(
            id=m.id,
            corpus=m.corpus,
            published_at=m.run.get("published_at"),
            counts=m.counts,
            schema_version=f"{m.schema['major']}.{m.schema['minor']}",
            encoder=str(m.model.info.get("model")) if m.model else None,
        )
        for m in service.follower.reader.manifests()
    ]


def _filters(given: FiltersIn) -> dict[str, Any]:
    return {name: value for name, value in given.model_dump().items() if value not in (None, [])}
