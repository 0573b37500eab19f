"""What a summary may say: nothing but the numbers, dates and names of the passages below it, whatever way they are written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.models.llm.dates import dates
from filingforest.models.llm.faithful import Evidence
from filingforest.models.llm.names import names
from filingforest.models.llm.numbers import numbers

PASSAGE = (
    "Net sales of Arbor Mills Inc. were $1.2 billion in fiscal 2024, up 5.5% from $1,137 million in fiscal 2023, as of September 28, 2024. "
    "The Northern segment, led by Jane Ferro, has three mills in the U.S. and Norway and employs 4,200 people. R&D fell to $15 million."
)


def missing(text: str, *passages: str) -> list[str]:
    return [finding.text for finding in Evidence(passages or (PASSAGE,)).unsupported(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Net sales rose to $1,200 million in 2024.",
        "Sales were 1.2 billion dollars, up 5.5 percent from US$1.137 billion.",
        "The Northern segment has 3 mills in the US.",
        "Arbor Mills' sales grew; Arbor Mills Inc. employs 4200 people.",
        "As of 9/28/2024, and in September 2024, sales were higher.",
        "On 28 September 2024 Jane Ferro led the segment in Norway.",
        "However, research fell to $15 million. Overall, growth was 5.50%.",
        "Mills in Norway grew.",  # a capital at the head of a sentence, on a word that stands below
        "1.2 billion in sales",  # no unit claimed
    ],
)
def test_what_stands_below_may_be_said(text: str) -> None:
    assert missing(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Net sales were $1.2 million.", ["$1.2 million"]),
        ("Net sales rose 6%.", ["6%"]),
        ("Net sales were $1.1 billion.", ["$1.1 billion"]),  # rounded: a number that nobody stated
        ("Sales were €15 million.", ["€15 million"]),
        ("Margins were 15%.", ["15%"]),
        ("It employs 28 people.", ["28"]),  # the day of a date
        ("As of September 28, 2023, sales rose.", ["September 28, 2023"]),
        ("By March 2024 it had four mills.", ["March 2024", "four"]),
        ("Jane Mills leads the Southern segment.", ["Jane Mills", "Southern"]),
        ("Acme reported growth in Sweden.", ["Acme", "Sweden"]),
        ("The Arbor Group and Ferro Jane.", ["The Arbor Group", "Ferro Jane"]),
        ("EBITDA rose.", ["EBITDA"]),
        ("In fiscal 2022 and 2023 sales rose by one hundred.", ["2022", "one hundred"]),
    ],
)
def test_what_does_not_is_named(text: str, found: list[str]) -> None:
    assert missing(text) == found


def test_ranges_scale_notes_and_tables() -> None:
    assert missing("between 10 and 12 million", "$10 million; $12 million") == []
    assert missing("$10-12 million", "$10 million; $12 million") == []
    assert missing("Net sales were $391,035 million.", "(in millions)\nNet sales | 2024: 391,035 | 2023: 383,285") == []
    assert missing("Net sales were $391,035 million.", "Net sales | 2024: 391,035") == ["$391,035 million"]
    assert missing("Net sales were $391,035 thousand.", "(in millions) 391,035") == ["$391,035 thousand"]
    assert missing("a loss of $5.2 million", "Net loss | 2024: $(5.2) million") == []
    assert missing("5.2 million", "1,2 and 5,200,000") == []
    assert missing("a rise of 12 percent", "12 stores") == ["12 percent"]
    assert missing("收入为1.2亿元", "营业收入120百万元") == []
    assert missing("收入为1.3亿元，2024年", "营业收入120百万元，2023年") == ["1.3亿元", "2024年"]


def test_numbers_with_their_places() -> None:
    text = "Q3 sales of $1.2 billion, 5-10%, three million, 10-K, Item 7A, A320 and 3M"
    assert [(n.text, sorted(n.values)[0], n.unit) for n in numbers(text)] == [
        ("$1.2 billion", Decimal("1.2e9"), "$"),
        ("5", Decimal(5), "%"),
        ("10%", Decimal(10), "%"),
        ("three million", Decimal("3e6"), ""),
        ("10", Decimal(10), ""),
        ("7", Decimal(7), ""),
        ("3M", Decimal("3e6"), ""),
    ]
    assert all(text[n.start : n.start + len(n.text)] == n.text for n in numbers(text))


def test_dates_in_their_spellings() -> None:
    same = [
        "September 28, 2024",
        "Sept. 28, 2024",
        "28 September 2024",
        "28th of September 2024",
        "2024-09-28",
        "9/28/2024",
        "9/28/24",
        "2024年9月28日",
    ]
    assert {(d.year, d.month, d.day) for text in same for d in dates(f"on {text} it")} == {(2024, 9, 28)}
    assert [(d.year, d.month, d.day) for d in dates("in May 2024, on March 3, may rise")] == [(2024, 5, 0), (0, 3, 3)]


def test_names_are_capitalised_spans() -> None:
    text = "Sales of Arbor Mills & Sons rose. In the U.S. Q3 was weak, said McFerro-Olsen."
    assert [(n.text, n.opens) for n in names(text)] == [
        ("Sales", True),
        ("Arbor Mills & Sons", False),
        ("In", True),
        ("U.S", False),
        ("Q3", False),
        ("McFerro-Olsen", False),
    ]


VOCABULARY = (
    """sales rose fell by in the Arbor Mills Norway Ferro U.S. EBITDA $1.2 billion 5.5% 2024 three million (4,200) . , September 28,"""
)
WORDS = st.sampled_from(VOCABULARY.split())
TEXTS = st.lists(WORDS, max_size=30).map(" ".join)


@given(TEXTS)
def test_a_text_supports_itself(text: str) -> None:
    assert missing(text, text) == []


@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(0, 3))
def test_whole_passages_are_supported_by_the_passages_and_order_does_not_matter(passages: list[str], place: int) -> None:
    text = passages[place % len(passages)]
    assert missing(text, *passages) == missing(text, *reversed(passages)) == []


@given(TEXTS, st.lists(TEXTS, max_size=3), TEXTS)
def test_more_passages_never_take_support_away(text: str, passages: list[str], more: str) -> None:
    assert set(missing(text, *(passages or [""]), more)) <= set(missing(text, *(passages or [""])))


@given(st.decimals(min_value=2, max_value=10**9, places=2), st.sampled_from(["thousand", "million", "billion"]))
def test_a_value_supports_itself_in_any_scale_and_no_other_value(value: Decimal, scale: str) -> None:
    power = {"thousand": 3, "million": 6, "billion": 9}[scale]
    plain = f"${value.scaleb(power):,.0f}"
    assert missing(f"It was ${value:f} {scale}.", f"It was {plain}.") == []
    assert missing(f"It was {plain}.", f"It was ${value:,.2f} {scale}.") == []
    assert missing(f"It was ${value + Decimal('0.01')} {scale}.", f"It was {plain}.") != []


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_checked(text: str, passage: str) -> None:
    findings = Evidence([passage]).unsupported(text)
    assert all(finding.text in text for finding in findings)
    assert Evidence([text]).unsupported(text) == []
