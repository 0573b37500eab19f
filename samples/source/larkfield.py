"""Larkfield Instruments, Inc.: an invented maker of measuring instruments. Every figure is made up; totals are computed."""

# ruff: noqa: E501  (tables of data)
from __future__ import annotations

from books import Figures, close_period, open_balance
from company import PLACE_AXIS, SEGMENT_AXIS, Company, Period

PERIODS = {
    "2020": Period("2020", "2019-10-01", "2020-09-30", None, None),
    "2021": Period("2021", "2020-10-01", "2021-09-30", "2020", "2020"),
    "2022": Period("2022", "2021-10-01", "2022-09-30", "2021", "2021"),
    "2023": Period("2023", "2022-10-01", "2023-09-30", "2022", "2022"),
    "2024": Period("2024", "2023-10-01", "2024-09-30", "2023", "2023"),
    "2024Q1": Period("2024Q1", "2023-10-01", "2023-12-31", "2023", None),
    "2025Q1": Period("2025Q1", "2024-10-01", "2024-12-31", "2024", "2024Q1"),
}

OPENING = {
    "cash": 84_310, "receivables": 98_200, "inventories": 104_650, "prepaid": 14_120, "ppe": 152_300, "leases": 31_400, "goodwill": 214_600,
    "intangibles": 96_400, "other_assets": 18_250, "payables": 46_200, "accrued": 58_900, "deferred": 27_300, "debt_current": 10_000,
    "debt": 190_000, "lease_liabilities": 26_100, "other_liabilities": 33_400, "stock": 520, "paid_in": 188_400, "oci": -14_200,
    "treasury": 62_000,
}  # fmt: skip

# one column a period, in the order of PERIODS without the opening year
GIVEN = {
    "sales.pm": (318_240, 341_905, 352_180, 338_615, 83_240, 81_460),
    "sales.pa": (201_515, 219_470, 241_925, 274_390, 62_905, 74_380),
    "sales.sv": (96_830, 104_365, 115_240, 129_870, 30_110, 34_225),
    "geo.us": (314_460, 342_855, 368_860, 393_725, 92_535, 101_115),
    "geo.eu": (178_810, 189_735, 198_615, 200_575, 48_295, 50_365),
    "geo.ap": (123_315, 133_150, 141_870, 148_575, 35_425, 38_585),
    "operating.pm": (62_370, 65_645, 66_210, 58_925, 14_150, 13_360),
    "operating.pa": (38_690, 43_235, 50_080, 60_365, 12_895, 17_105),
    "operating.sv": (24_400, 26_620, 31_345, 35_810, 8_190, 9_445),
    "cost": (322_870, 351_905, 371_480, 383_920, 92_110, 98_640),
    "rd": (49_180, 53_610, 58_965, 64_740, 15_480, 16_905),
    "sga": (128_450, 136_720, 145_310, 151_285, 36_870, 38_410),
    "amortization": (11_900, 12_850, 13_420, 15_260, 3_420, 4_105),
    "restructuring": (0, 0, 0, 6_420, 0, 0),
    "interest": (7_450, 7_985, 11_240, 10_360, 2_680, 2_450),
    "interest_income": (310, 820, 2_415, 3_180, 790, 655),
    "tax": (20_380, 21_940, 23_270, 24_185, 5_610, 6_405),
    "shares": (48_900, 48_600, 48_150, 47_620, 47_890, 47_310),
    "shares_diluted": (49_480, 49_130, 48_640, 48_085, 48_370, 47_795),
    "receivables": (104_900, 112_350, 118_420, 125_760, 114_905, 122_840),
    "inventories": (112_480, 131_215, 128_730, 121_395, 130_260, 124_510),
    "prepaid": (15_210, 16_035, 16_890, 17_540, 18_215, 18_905),
    "leases": (30_150, 32_480, 31_260, 34_905, 30_720, 34_180),
    "other_assets": (18_900, 19_635, 20_410, 21_260, 20_555, 21_430),
    "payables": (49_350, 55_180, 53_640, 55_915, 51_870, 54_220),
    "accrued": (61_720, 64_905, 68_340, 71_255, 57_480, 60_835),
    "deferred": (29_840, 33_105, 38_260, 45_730, 39_905, 47_340),
    "lease_liabilities": (24_950, 27_015, 25_890, 29_340, 25_420, 28_705),
    "other_liabilities": (33_910, 34_660, 35_215, 36_480, 35_390, 36_710),
    "debt_current": (10_000, 10_000, 12_500, 12_500, 12_500, 12_500),
    "capex": (26_400, 31_850, 29_730, 33_615, 7_240, 8_905),
    "depreciation_only": (21_650, 22_940, 24_315, 25_870, 6_305, 6_720),
    "stock_pay": (9_840, 10_615, 11_930, 13_245, 3_110, 3_425),
    "acquired_goodwill": (0, 12_300, 0, 31_800, 0, 0),
    "acquired_intangibles": (0, 9_450, 0, 22_400, 0, 0),
    "borrowed": (0, 25_000, 0, 40_000, 0, 0),
    "repaid": (10_000, 10_000, 10_000, 12_500, 3_125, 3_125),
    "dividends": (24_450, 26_245, 27_925, 29_525, 7_185, 7_810),
    "buybacks": (20_000, 22_500, 25_000, 30_000, 8_000, 7_500),
    "fx": (640, -3_915, 2_105, 1_380, 910, -2_240),
    "backlog": (171_250, 188_300, 204_600, 231_900, 207_400, 238_600),
}

LABELS = {
    "sales": "Total net sales", "cost": "Cost of sales", "gross": "Gross profit", "rd": "Research and development",
    "sga": "Selling, general and administrative", "amortization": "Amortization of intangible assets", "restructuring": "Restructuring charges",
    "opex": "Total operating expenses", "operating": "Operating income", "corporate": "Unallocated corporate expenses",
    "interest": "Interest expense", "interest_income": "Interest income", "pretax": "Income before income taxes",
    "tax": "Provision for income taxes", "net": "Net income", "eps": "Basic", "eps_diluted": "Diluted", "shares": "Basic",
    "shares_diluted": "Diluted", "cash": "Cash and cash equivalents", "receivables": "Accounts receivable, net", "inventories": "Inventories",
    "prepaid": "Prepaid expenses and other current assets", "current_assets": "Total current assets", "ppe": "Property, plant and equipment, net",
    "leases": "Operating lease right-of-use assets", "goodwill": "Goodwill", "intangibles": "Intangible assets, net",
    "other_assets": "Other assets", "assets": "Total assets", "payables": "Accounts payable", "accrued": "Accrued liabilities",
    "deferred": "Deferred revenue", "debt_current": "Current portion of long-term debt", "current_liabilities": "Total current liabilities",
    "debt": "Long-term debt, less current portion", "lease_liabilities": "Operating lease liabilities", "other_liabilities": "Other liabilities",
    "liabilities": "Total liabilities", "stock": "Common stock", "paid_in": "Additional paid-in capital", "retained": "Retained earnings",
    "oci": "Accumulated other comprehensive loss", "treasury": "Treasury stock, at cost", "equity": "Total shareholders’ equity",
    "liabilities_equity": "Total liabilities and shareholders’ equity", "depreciation": "Depreciation and amortization",
    "stock_pay": "Stock-based compensation", "d_receivables": "Accounts receivable", "d_inventories": "Inventories",
    "d_prepaid": "Prepaid expenses and other", "d_payables": "Accounts payable", "d_accrued": "Accrued liabilities",
    "d_deferred": "Deferred revenue", "d_other": "Other assets and liabilities", "cfo": "Net cash provided by operating activities",
    "capex": "Purchases of property, plant and equipment", "acquisitions": "Acquisitions, net of cash acquired",
    "cfi": "Net cash used in investing activities", "borrowed": "Proceeds from long-term debt", "repaid": "Repayments of long-term debt",
    "dividends": "Dividends paid", "buybacks": "Repurchases of common stock", "cff": "Net cash used in financing activities",
    "fx": "Effect of exchange rates on cash", "d_cash": "Net increase (decrease) in cash",
}  # fmt: skip

FACTS = {
    "class": "Common Stock, par value $0.01 per share",
    "over year": "Fiscal Year Ended September 30,",
    "over quarter": "Three Months Ended December 31,",
    "by reference": "Portions of the registrant’s definitive proxy statement for its annual meeting of shareholders are incorporated by reference "
    "into Part III of this report.",
    **{f"day {year}": f"September 30, {year}" for year in ("2021", "2022", "2023", "2024")},
    "day 2025Q1": "December 31, 2024",
    "cover day 2023": "2023-11-10", "cover shares 2023": "47,980,412", "float day 2023": "2023-03-31", "float 2023": "1,412.6",
    "cover day 2024": "2024-11-08", "cover shares 2024": "47,455,806", "float day 2024": "2024-03-28", "float 2024": "1,518.3",
    "cover day 2025Q1": "2025-01-31", "cover shares 2025Q1": "47,240,118",
}  # fmt: skip


def _books() -> dict[str, Figures]:
    books = {"2020": open_balance(OPENING)}
    for n, name in enumerate(list(PERIODS)[1:]):
        books[name] = close_period(books[PERIODS[name].before or ""], {key: values[n] for key, values in GIVEN.items()})
    return books


COMPANY = Company(
    name="Larkfield Instruments, Inc.", legal="LARKFIELD INSTRUMENTS, INC.", cik=9900001, ticker="LRKF", prefix="lrkf", exchange="NYSE",
    state="OR", state_name="Oregon", tax_id="00-9900001", file_number="001-99001", street="2200 Tannery Street", city="Hollis Ferry",
    zip_code="97099", phone=("555", "010-0140"), sic="3823", industry="Industrial Instruments For Measurement, Display, and Control",
    year_end="0930",
    members={
        "pm": (SEGMENT_AXIS, "lrkf:PrecisionMeasurementMember", "Precision Measurement"),
        "pa": (SEGMENT_AXIS, "lrkf:ProcessAnalyticsMember", "Process Analytics"),
        "sv": (SEGMENT_AXIS, "lrkf:ServicesMember", "Services"),
        "us": (PLACE_AXIS, "country:US", "United States"),
        "eu": (PLACE_AXIS, "srt:EuropeMember", "Europe"),
        "ap": (PLACE_AXIS, "srt:AsiaPacificMember", "Asia Pacific"),
    },
    labels=LABELS, periods=PERIODS, books=_books(), facts=FACTS,
)  # fmt: skip
