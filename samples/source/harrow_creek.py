"""Harrow Creek Foods Company: an invented maker of flour, baking mixes and sauces. Every figure is made up; totals are computed."""

# ruff: noqa: E501  (tables of data)
from __future__ import annotations

from books import Figures, close_period, open_balance
from company import SEGMENT_AXIS, Company, Period
from larkfield import LABELS

PERIODS = {
    "2020": Period("2020", "2019-09-01", "2020-08-31", None, None),
    "2021": Period("2021", "2020-09-01", "2021-08-31", "2020", "2020"),
    "2022": Period("2022", "2021-09-01", "2022-08-31", "2021", "2021"),
    "2023": Period("2023", "2022-09-01", "2023-08-31", "2022", "2022"),
    "2024": Period("2024", "2023-09-01", "2024-08-31", "2023", "2023"),
}

OPENING = {
    "cash": 61_940, "receivables": 88_300, "inventories": 142_600, "prepaid": 11_480, "ppe": 318_700, "leases": 42_100, "goodwill": 176_200,
    "intangibles": 112_500, "other_assets": 14_900, "payables": 96_400, "accrued": 61_250, "deferred": 4_300, "debt_current": 15_000,
    "debt": 285_000, "lease_liabilities": 36_800, "other_liabilities": 41_700, "stock": 310, "paid_in": 142_600, "oci": -6_900,
    "treasury": 38_000,
}  # fmt: skip

GIVEN = {
    "sales.bg": (512_430, 561_875, 604_290, 581_640),
    "sales.ps": (388_165, 402_310, 431_725, 449_380),
    "sales.fs": (204_920, 248_655, 279_140, 296_515),
    "operating.bg": (61_480, 58_215, 52_940, 57_830),
    "operating.ps": (52_015, 48_760, 50_385, 56_910),
    "operating.fs": (14_360, 19_240, 22_815, 25_660),
    "cost": (794_210, 894_480, 974_315, 966_845),
    "rd": (9_840, 10_215, 10_930, 11_410),
    "sga": (198_725, 209_880, 221_460, 229_735),
    "amortization": (8_100, 8_100, 8_100, 8_100),
    "restructuring": (0, 0, 14_250, 2_160),
    "interest": (10_420, 11_260, 16_885, 17_940),
    "interest_income": (120, 265, 940, 1_310),
    "tax": (19_610, 18_220, 15_780, 22_305),
    "shares": (30_650, 30_480, 30_315, 30_120),
    "shares_diluted": (30_940, 30_745, 30_560, 30_385),
    "receivables": (91_750, 103_480, 110_365, 108_290),
    "inventories": (151_320, 189_745, 204_880, 178_415),
    "prepaid": (12_160, 13_025, 13_890, 14_470),
    "leases": (40_350, 44_920, 42_615, 40_780),
    "other_assets": (15_240, 15_705, 16_130, 16_545),
    "payables": (101_830, 122_645, 118_290, 114_905),
    "accrued": (63_410, 66_875, 73_920, 75_365),
    "deferred": (4_520, 4_915, 5_240, 5_610),
    "lease_liabilities": (35_240, 39_110, 37_025, 35_480),
    "other_liabilities": (42_130, 42_785, 43_260, 43_905),
    "debt_current": (15_000, 15_000, 20_000, 20_000),
    "capex": (48_260, 61_475, 57_930, 42_815),
    "depreciation_only": (36_420, 38_150, 40_785, 42_360),
    "stock_pay": (5_120, 5_465, 5_890, 6_240),
    "borrowed": (0, 40_000, 25_000, 0),
    "repaid": (15_000, 15_000, 15_000, 35_000),
    "dividends": (29_425, 30_480, 31_525, 32_530),
    "buybacks": (5_000, 4_000, 0, 10_000),
    "fx": (210, -840, 365, -290),
    "backlog": (0, 0, 0, 0),
}

FACTS = {
    "class": "Common Stock, par value $0.01 per share",
    "over year": "Fiscal Year Ended August 31,",
    "by reference": "Portions of the registrant’s definitive proxy statement for its annual meeting of shareholders are incorporated by reference "
    "into Part III of this report.",
    **{f"day {year}": f"August 31, {year}" for year in ("2021", "2022", "2023", "2024")},
    "cover day 2023": "2023-10-20", "cover shares 2023": "30,248,917", "float day 2023": "2023-02-28", "float 2023": "1,064.8",
    "cover day 2024": "2024-10-18", "cover shares 2024": "30,011,264", "float day 2024": "2024-02-29", "float 2024": "1,121.5",
}  # fmt: skip


def _books() -> dict[str, Figures]:
    books = {"2020": open_balance(OPENING)}
    for n, name in enumerate(list(PERIODS)[1:]):
        books[name] = close_period(books[PERIODS[name].before or ""], {key: values[n] for key, values in GIVEN.items()})
    return books


COMPANY = Company(
    name="Harrow Creek Foods Company", legal="HARROW CREEK FOODS COMPANY", cik=9900002, ticker="HRCK", prefix="hrck", exchange="NASDAQ",
    state="MN", state_name="Minnesota", tax_id="00-9900002", file_number="001-99002", street="18 Mill Race Road", city="Harrow Creek",
    zip_code="55999", phone=("555", "010-0177"), sic="2040", industry="Grain Mill Products", year_end="0831",
    members={
        "bg": (SEGMENT_AXIS, "hrck:BakingAndGrainsMember", "Baking and Grains"),
        "ps": (SEGMENT_AXIS, "hrck:PantryStaplesMember", "Pantry Staples"),
        "fs": (SEGMENT_AXIS, "hrck:FoodserviceMember", "Foodservice"),
    },
    labels={**LABELS, "restructuring": "Plant closing costs", "cost": "Cost of goods sold", "net": "Net earnings",
            "tax": "Income taxes", "pretax": "Earnings before income taxes", "deferred": "Customer deposits"},
    periods=PERIODS, books=_books(), facts=FACTS,
)  # fmt: skip
