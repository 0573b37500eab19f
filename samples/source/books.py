"""Invented accounts that add up: what a company sells and spends is given, and every total, balance and cash flow follows.

All amounts are thousands of dollars. A period is named "2024" (a fiscal year) or "2025Q1".
"""

from __future__ import annotations

from collections.abc import Mapping

Figures = dict[str, int]

# name -> concept; signs as XBRL has them (expenses and payments are positive)
CONCEPTS: dict[str, str] = {
    "sales": "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax",
    "cost": "us-gaap:CostOfRevenue",
    "gross": "us-gaap:GrossProfit",
    "rd": "us-gaap:ResearchAndDevelopmentExpense",
    "sga": "us-gaap:SellingGeneralAndAdministrativeExpense",
    "amortization": "us-gaap:AmortizationOfIntangibleAssets",
    "restructuring": "us-gaap:RestructuringCharges",
    "opex": "us-gaap:OperatingExpenses",
    "operating": "us-gaap:OperatingIncomeLoss",
    "interest": "us-gaap:InterestExpense",
    "interest_income": "us-gaap:InvestmentIncomeInterest",
    "corporate": "us-gaap:GeneralAndAdministrativeExpense",
    "pretax": "us-gaap:IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest",
    "tax": "us-gaap:IncomeTaxExpenseBenefit",
    "net": "us-gaap:NetIncomeLoss",
    "eps": "us-gaap:EarningsPerShareBasic",
    "eps_diluted": "us-gaap:EarningsPerShareDiluted",
    "shares": "us-gaap:WeightedAverageNumberOfSharesOutstandingBasic",
    "shares_diluted": "us-gaap:WeightedAverageNumberOfDilutedSharesOutstanding",
    "cash": "us-gaap:CashAndCashEquivalentsAtCarryingValue",
    "receivables": "us-gaap:AccountsReceivableNetCurrent",
    "inventories": "us-gaap:InventoryNet",
    "prepaid": "us-gaap:PrepaidExpenseAndOtherAssetsCurrent",
    "current_assets": "us-gaap:AssetsCurrent",
    "ppe": "us-gaap:PropertyPlantAndEquipmentNet",
    "leases": "us-gaap:OperatingLeaseRightOfUseAsset",
    "goodwill": "us-gaap:Goodwill",
    "intangibles": "us-gaap:FiniteLivedIntangibleAssetsNet",
    "other_assets": "us-gaap:OtherAssetsNoncurrent",
    "assets": "us-gaap:Assets",
    "payables": "us-gaap:AccountsPayableCurrent",
    "accrued": "us-gaap:AccruedLiabilitiesCurrent",
    "deferred": "us-gaap:ContractWithCustomerLiabilityCurrent",
    "debt_current": "us-gaap:LongTermDebtCurrent",
    "current_liabilities": "us-gaap:LiabilitiesCurrent",
    "debt": "us-gaap:LongTermDebtNoncurrent",
    "lease_liabilities": "us-gaap:OperatingLeaseLiabilityNoncurrent",
    "other_liabilities": "us-gaap:OtherLiabilitiesNoncurrent",
    "liabilities": "us-gaap:Liabilities",
    "stock": "us-gaap:CommonStockValue",
    "paid_in": "us-gaap:AdditionalPaidInCapital",
    "retained": "us-gaap:RetainedEarningsAccumulatedDeficit",
    "oci": "us-gaap:AccumulatedOtherComprehensiveIncomeLossNetOfTax",
    "treasury": "us-gaap:TreasuryStockValue",
    "equity": "us-gaap:StockholdersEquity",
    "liabilities_equity": "us-gaap:LiabilitiesAndStockholdersEquity",
    "depreciation": "us-gaap:DepreciationDepletionAndAmortization",
    "stock_pay": "us-gaap:ShareBasedCompensation",
    "d_receivables": "us-gaap:IncreaseDecreaseInAccountsReceivable",
    "d_inventories": "us-gaap:IncreaseDecreaseInInventories",
    "d_prepaid": "us-gaap:IncreaseDecreaseInPrepaidDeferredExpenseAndOtherAssets",
    "d_payables": "us-gaap:IncreaseDecreaseInAccountsPayable",
    "d_accrued": "us-gaap:IncreaseDecreaseInAccruedLiabilities",
    "d_deferred": "us-gaap:IncreaseDecreaseInContractWithCustomerLiability",
    "d_other": "us-gaap:IncreaseDecreaseInOtherOperatingCapitalNet",
    "cfo": "us-gaap:NetCashProvidedByUsedInOperatingActivities",
    "capex": "us-gaap:PaymentsToAcquirePropertyPlantAndEquipment",
    "acquisitions": "us-gaap:PaymentsToAcquireBusinessesNetOfCashAcquired",
    "cfi": "us-gaap:NetCashProvidedByUsedInInvestingActivities",
    "borrowed": "us-gaap:ProceedsFromIssuanceOfLongTermDebt",
    "repaid": "us-gaap:RepaymentsOfLongTermDebt",
    "dividends": "us-gaap:PaymentsOfDividends",
    "buybacks": "us-gaap:PaymentsForRepurchaseOfCommonStock",
    "cff": "us-gaap:NetCashProvidedByUsedInFinancingActivities",
    "fx": "us-gaap:EffectOfExchangeRateOnCashAndCashEquivalents",
    "d_cash": "us-gaap:CashAndCashEquivalentsPeriodIncreaseDecrease",
    "backlog": "us-gaap:RevenueRemainingPerformanceObligation",
}

ASSETS = ("receivables", "inventories", "prepaid", "leases", "other_assets")
LIABILITIES = ("payables", "accrued", "deferred", "lease_liabilities", "other_liabilities")
INSTANT = frozenset(
    (
        *("cash", "receivables", "inventories", "prepaid", "current_assets", "ppe", "leases", "goodwill", "intangibles", "other_assets"),
        *("assets", "payables", "accrued", "deferred", "debt_current", "current_liabilities", "debt", "lease_liabilities"),
        *("other_liabilities", "liabilities", "stock", "paid_in", "retained", "oci", "treasury", "equity", "liabilities_equity", "backlog"),
    )
)


def close_period(before: Mapping[str, int], given: Mapping[str, int]) -> Figures:
    """One period's accounts from the balance before it and what is given for it. Fails where they do not balance."""
    f: Figures = dict(given)
    f["sales"] = sum(value for name, value in given.items() if name.startswith("sales."))
    for name in ("restructuring", "acquired_goodwill", "acquired_intangibles", "borrowed", "repaid", "buybacks", "fx"):
        f.setdefault(name, 0)
    _income(f)
    _balance(f, before)
    _cash_flow(f, before)
    assert f["assets"] == f["liabilities_equity"], (f["assets"], f["liabilities_equity"])
    assert f["cfo"] + f["cfi"] + f["cff"] + f["fx"] == f["cash"] - before["cash"]
    return f


def _income(f: Figures) -> None:
    f["gross"] = f["sales"] - f["cost"]
    f["opex"] = f["rd"] + f["sga"] + f["amortization"] + f["restructuring"]
    f["operating"] = f["gross"] - f["opex"]
    f["pretax"] = f["operating"] - f["interest"] + f["interest_income"]
    f["net"] = f["pretax"] - f["tax"]
    f["corporate"] = sum(value for name, value in f.items() if name.startswith("operating.")) - f["operating"]
    places = sum(value for name, value in f.items() if name.startswith("geo."))
    assert not places or places == f["sales"], (places, f["sales"])


def _balance(f: Figures, before: Mapping[str, int]) -> None:
    f["ppe"] = before["ppe"] + f["capex"] - f["depreciation_only"]
    f["goodwill"] = before["goodwill"] + f["acquired_goodwill"]
    f["intangibles"] = before["intangibles"] + f["acquired_intangibles"] - f["amortization"]
    total_debt = before["debt"] + before["debt_current"] + f["borrowed"] - f["repaid"]
    f["debt"] = total_debt - f["debt_current"]
    f["stock"] = before["stock"]
    f["paid_in"] = before["paid_in"] + f["stock_pay"]
    f["retained"] = before["retained"] + f["net"] - f["dividends"]
    f["treasury"] = before["treasury"] + f["buybacks"]
    f["oci"] = before["oci"] + f["fx"]
    f["equity"] = f["stock"] + f["paid_in"] + f["retained"] + f["oci"] - f["treasury"]
    f["current_liabilities"] = f["payables"] + f["accrued"] + f["deferred"] + f["debt_current"]
    f["liabilities"] = f["current_liabilities"] + f["debt"] + f["lease_liabilities"] + f["other_liabilities"]
    f["liabilities_equity"] = f["liabilities"] + f["equity"]


def _cash_flow(f: Figures, before: Mapping[str, int]) -> None:
    f["depreciation"] = f["depreciation_only"] + f["amortization"]
    moved = {f"d_{name}": f[name] - before[name] for name in (*ASSETS, *LIABILITIES)}
    f |= {name: moved[name] for name in ("d_receivables", "d_inventories", "d_prepaid", "d_payables", "d_accrued", "d_deferred")}
    # the concept counts an increase of net operating assets as positive
    f["d_other"] = moved["d_leases"] + moved["d_other_assets"] - moved["d_lease_liabilities"] - moved["d_other_liabilities"]
    f["cfo"] = (
        f["net"]
        + f["depreciation"]
        + f["stock_pay"]
        - f["d_other"]
        + sum(
            moved[f"d_{name}"] * sign
            for name, sign in (("receivables", -1), ("inventories", -1), ("prepaid", -1), ("payables", 1), ("accrued", 1), ("deferred", 1))
        )
    )
    f["acquisitions"] = f["acquired_goodwill"] + f["acquired_intangibles"]
    f["cfi"] = -f["capex"] - f["acquisitions"]
    f["cff"] = f["borrowed"] - f["repaid"] - f["dividends"] - f["buybacks"]
    f["d_cash"] = f["cfo"] + f["cfi"] + f["cff"] + f["fx"]
    f["cash"] = before["cash"] + f["d_cash"]
    f["current_assets"] = f["cash"] + f["receivables"] + f["inventories"] + f["prepaid"]
    f["assets"] = f["current_assets"] + f["ppe"] + f["leases"] + f["goodwill"] + f["intangibles"] + f["other_assets"]


def open_balance(given: Mapping[str, int]) -> Figures:
    """The first balance sheet: what is given, with retained earnings as what is left."""
    f = dict(given)
    assets = f["cash"] + f["ppe"] + f["goodwill"] + f["intangibles"] + sum(f[name] for name in ASSETS)
    owed = sum(f[name] for name in LIABILITIES) + f["debt"] + f["debt_current"]
    f["retained"] = assets - owed - f["stock"] - f["paid_in"] - f["oci"] + f["treasury"]
    return f
