"""Many at once, but never more than a bound: what waits is not even made yet, so that 100,000 requests need no more memory than 100."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def bounded(function: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[tuple[T, R]]:
    """(item, result) as they come; `items` is drawn from only as places become free.

    The first error stops the drawing, lets those under way end, and is raised.
    """
    source = iter(items)
    with ThreadPoolExecutor(workers, thread_name_prefix="llm") as pool:
        running: dict[Future[R], T] = {pool.submit(function, item): item for item in islice(source, workers)}
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                item = running.pop(future)
                result = future.result()
                running.update((pool.submit(function, more), more) for more in islice(source, 1))
                yield item, result


def in_order(function: Callable[[T], R], items: Iterable[T], workers: int) -> list[R]:
    """Results in the order of `items`."""
    numbered = enumerate(items)
    results = {place: result for (place, _), result in bounded(lambda pair: function(pair[1]), numbered, workers)}
    return [results[place] for place in range(len(results))]
