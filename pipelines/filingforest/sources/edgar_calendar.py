"""On which days EDGAR has an index, so that "no index" can be told from "not yet" and from "forbidden".

EDGAR rests on weekends and federal holidays (5 U.S.C. 6103; on a weekend they are kept on the nearest weekday), and on days that
the President closes federal offices, which no rule foretells.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from functools import lru_cache

EASTERN = timezone(timedelta(hours=-5))  # standard time; an hour off in summer, which does not matter here
READY_AFTER = timedelta(hours=30)  # the index appears about 22:45; by 06:00 of the next day it is either there or will not be

FIXED = ((1, 1, 1870), (6, 19, 2021), (7, 4, 1870), (11, 11, 1938), (12, 25, 1870))  # month, day, since
MONDAYS = ((1, 3), (2, 3), (5, -1), (9, 1), (10, 2))  # month, which Monday


@lru_cache(64)
def holidays(year: int) -> frozenset[date]:
    """Federal holidays kept in `year`. One that is kept on 31 December belongs to the year before."""
    days = {_observed(date(y, month, day)) for y in (year, year + 1) for month, day, since in FIXED if y >= since}
    days |= {_nth(year, month, 0, n) for month, n in MONDAYS} | {_nth(year, 11, 3, 4)}
    return frozenset(day for day in days if day.year == year)


def business_day(day: date) -> bool:
    return day.weekday() < 5 and day not in holidays(day.year)


def back(day: date, count: int) -> list[date]:
    """`day` and the `count` business days before it, oldest first."""
    days = [day]
    while len(days) <= count:
        day -= timedelta(days=1)
        days += [day] if business_day(day) else []
    return days[::-1]


def quarter_opens(day: date) -> bool:
    """Whether the quarter's folder may not be there yet: up to its first business day."""
    first = date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
    while not business_day(first):
        first += timedelta(days=1)
    return (day.month - 1) % 3 == 0 and day <= first


def may_come(day: date, now: datetime) -> bool:
    """Whether the index of `day` may still appear."""
    return business_day(day) and now < datetime(day.year, day.month, day.day, tzinfo=EASTERN) + READY_AFTER


def _observed(day: date) -> date:
    return day + timedelta(days={5: -1, 6: 1}.get(day.weekday(), 0))


def _nth(year: int, month: int, weekday: int, n: int) -> date:
    """The n-th such weekday of a month; -1 the last."""
    if n < 0:
        last = date(year, month + 1, 1) - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (n - 1))
