"""What the items of each form are, as the SEC's forms have named them over the years: data, so that a new form needs no new code.

Sources: Form 10-K (17 CFR 249.310), 10-KSB (249.310b, to 2009), 10-Q (249.308a), 10-QSB (249.308b), 8-K (249.308; numbering changed on
23 August 2004), 20-F (249.220f). 40-F (249.240f) and 6-K (249.306) have no closed set of items. A code may have carried other titles in
other eras (Item 14 of a 10-K: exhibits to 2002, controls in 2003, accountant's fees since); `part` follows the title.
"""

from __future__ import annotations

# ruff: noqa: E501  (the tables have one line an item)
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache


@dataclass(frozen=True)
class ItemDef:
    """One item of a form. `titles` are alternatives, the present one first; `part` is the part under that title."""

    code: str
    part: str | None
    titles: tuple[str, ...]


@dataclass(frozen=True)
class Form:
    """The closed set of a form's items in order. `by_part`: numbers start again in each part (10-Q)."""

    base: str
    items: tuple[ItemDef, ...]
    by_part: bool = False

    @cached_property
    def codes(self) -> frozenset[str]:
        """Item numbers that this form has ever had."""
        return frozenset(item.code for item in self.items)

    @cached_property
    def ranks(self) -> dict[tuple[str | None, str], int]:
        """Place of (part, code) in the form; the part is None where numbers do not start again."""
        out: dict[tuple[str | None, str], int] = {}
        for item in self.items:
            out.setdefault((item.part if self.by_part else None, item.code), len(out))
        return out

    def defs(self, code: str) -> tuple[ItemDef, ...]:
        """All meanings that a code has had."""
        return tuple(item for item in self.items if item.code == code)


def _table(text: str) -> tuple[ItemDef, ...]:
    """Lines of `part code title / other title`; `-` where a form has no parts."""
    out = []
    for line in text.strip().splitlines():
        part, code, titles = line.split(None, 2)
        out.append(ItemDef(code, None if part == "-" else part, tuple(t.strip() for t in titles.split(" / "))))
    return tuple(out)


TEN_K = _table("""
    I   1   Business / Description of business / General development of business / About the company / Our business / Company overview
    I   1A  Risk factors / Risk factors and cautionary factors / Certain risk factors / Forward-looking statements and risk factors
    I   1B  Unresolved staff comments
    I   1C  Cybersecurity / Cybersecurity risk management, strategy and governance
    I   2   Properties / Description of property / Description of properties / Property
    I   3   Legal proceedings
    I   4   Mine safety disclosures / Submission of matters to a vote of security holders / Removed and reserved / Reserved
    I   4A  Executive officers of the registrant / Information about our executive officers / Executive officers
    II  5   Market for registrant's common equity, related stockholder matters and issuer purchases of equity securities / Market for registrant's common equity and related stockholder matters / Market for the company's common equity / Market for registrant's common stock and related security holder matters
    II  6   Reserved / Intentionally omitted / Omitted / Selected financial data / Selected consolidated financial data / Removed and reserved / Five-year selected financial data
    II  7   Management's discussion and analysis of financial condition and results of operations / Management's discussion and analysis / MD&A / Management's financial discussion / Financial review
    II  7A  Quantitative and qualitative disclosures about market risk / Market risk disclosures / Quantitative and qualitative disclosure of market risk
    II  8   Financial statements and supplementary data / Consolidated financial statements and supplementary data / Financial statements / Consolidated financial statements
    II  9   Changes in and disagreements with accountants on accounting and financial disclosure / Disagreements on accounting and financial disclosure
    II  9A  Controls and procedures / Disclosure controls and procedures
    II  9B  Other information
    II  9C  Disclosure regarding foreign jurisdictions that prevent inspections
    III 10  Directors, executive officers and corporate governance / Directors and executive officers of the registrant / Directors and executive officers
    III 11  Executive compensation / Management remuneration and transactions
    III 12  Security ownership of certain beneficial owners and management and related stockholder matters / Security ownership of certain beneficial owners and management
    III 13  Certain relationships and related transactions, and director independence / Certain relationships and related transactions
    III 14  Principal accountant fees and services / Principal accounting fees and services / Controls and procedures
    IV  14  Exhibits, financial statement schedules, and reports on Form 8-K / Exhibits and financial statement schedules
    IV  15  Exhibits and financial statement schedules / Exhibits, financial statement schedules / Exhibits, financial statement schedules, and reports on Form 8-K / Exhibits
    IV  16  Form 10-K summary / Summary / Principal accountant fees and services
""")

TEN_KSB = _table("""
    I   1   Description of business / Business
    I   1A  Risk factors
    I   1B  Unresolved staff comments
    I   2   Description of property / Description of properties / Properties
    I   3   Legal proceedings
    I   4   Submission of matters to a vote of security holders / Removed and reserved
    II  5   Market for common equity, related stockholder matters and small business issuer purchases of equity securities / Market for common equity and related stockholder matters
    II  6   Management's discussion and analysis or plan of operation / Management's discussion and analysis / Plan of operation
    II  7   Financial statements
    II  8   Changes in and disagreements with accountants on accounting and financial disclosure
    II  8A  Controls and procedures
    II  8B  Other information
    III 9   Directors, executive officers, promoters, control persons and corporate governance / Directors, executive officers, promoters and control persons; compliance with section 16(a) of the Exchange Act
    III 10  Executive compensation
    III 11  Security ownership of certain beneficial owners and management and related stockholder matters
    III 12  Certain relationships and related transactions, and director independence / Certain relationships and related transactions
    III 13  Exhibits / Exhibits and reports on Form 8-K
    III 14  Principal accountant fees and services / Controls and procedures
""")

TEN_Q = _table("""
    I   1   Financial statements / Condensed consolidated financial statements / Consolidated financial statements (unaudited)
    I   2   Management's discussion and analysis of financial condition and results of operations / Management's discussion and analysis / Management's discussion and analysis or plan of operation
    I   3   Quantitative and qualitative disclosures about market risk / Controls and procedures
    I   4   Controls and procedures
    II  1   Legal proceedings
    II  1A  Risk factors
    II  2   Unregistered sales of equity securities and use of proceeds / Unregistered sales of equity securities, use of proceeds and issuer purchases of equity securities / Changes in securities / Changes in securities and use of proceeds / Issuer purchases of equity securities / Purchases of equity securities by the issuer
    II  3   Defaults upon senior securities
    II  4   Mine safety disclosures / Submission of matters to a vote of security holders / Removed and reserved / Reserved
    II  5   Other information
    II  6   Exhibits / Exhibits and reports on Form 8-K
""")

EIGHT_K = _table("""
    -   1.01  Entry into a material definitive agreement
    -   1.02  Termination of a material definitive agreement
    -   1.03  Bankruptcy or receivership
    -   1.04  Mine safety reporting of shutdowns and patterns of violations
    -   1.05  Material cybersecurity incidents
    -   2.01  Completion of acquisition or disposition of assets
    -   2.02  Results of operations and financial condition
    -   2.03  Creation of a direct financial obligation or an obligation under an off-balance sheet arrangement of a registrant
    -   2.04  Triggering events that accelerate or increase a direct financial obligation or an obligation under an off-balance sheet arrangement
    -   2.05  Costs associated with exit or disposal activities
    -   2.06  Material impairments
    -   3.01  Notice of delisting or failure to satisfy a continued listing rule or standard; transfer of listing
    -   3.02  Unregistered sales of equity securities
    -   3.03  Material modification to rights of security holders
    -   4.01  Changes in registrant's certifying accountant
    -   4.02  Non-reliance on previously issued financial statements or a related audit report or completed interim review
    -   5.01  Changes in control of registrant
    -   5.02  Departure of directors or certain officers; election of directors; appointment of certain officers; compensatory arrangements of certain officers / Departure of directors or principal officers; election of directors; appointment of principal officers
    -   5.03  Amendments to articles of incorporation or bylaws; change in fiscal year
    -   5.04  Temporary suspension of trading under registrant's employee benefit plans
    -   5.05  Amendments to the registrant's code of ethics, or waiver of a provision of the code of ethics
    -   5.06  Change in shell company status
    -   5.07  Submission of matters to a vote of security holders
    -   5.08  Shareholder director nominations
    -   6.01  ABS informational and computational material
    -   6.02  Change of servicer or trustee
    -   6.03  Change in credit enhancement or other external support
    -   6.04  Failure to make a required distribution
    -   6.05  Securities Act updating disclosure
    -   6.06  Static pool
    -   7.01  Regulation FD disclosure
    -   8.01  Other events
    -   9.01  Financial statements and exhibits / Exhibits
    -   1     Changes in control of registrant
    -   2     Acquisition or disposition of assets
    -   3     Bankruptcy or receivership
    -   4     Changes in registrant's certifying accountant
    -   5     Other events / Other events and regulation FD disclosure
    -   6     Resignations of registrant's directors
    -   7     Financial statements and exhibits / Financial statements, pro forma financial information and exhibits
    -   8     Change in fiscal year
    -   9     Regulation FD disclosure
    -   10    Amendments to the registrant's code of ethics
    -   11    Temporary suspension of trading under registrant's employee benefit plans
    -   12    Results of operations and financial condition
""")

TWENTY_F = _table("""
    I   1   Identity of directors, senior management and advisers
    I   2   Offer statistics and expected timetable
    I   3   Key information
    I   4   Information on the company
    I   4A  Unresolved staff comments
    I   5   Operating and financial review and prospects
    I   6   Directors, senior management and employees
    I   7   Major shareholders and related party transactions
    I   8   Financial information
    I   9   The offer and listing
    I   10  Additional information
    I   11  Quantitative and qualitative disclosures about market risk
    I   12  Description of securities other than equity securities
    II  13  Defaults, dividend arrearages and delinquencies
    II  14  Material modifications to the rights of security holders and use of proceeds
    II  15  Controls and procedures
    II  16  Reserved
    II  16A Audit committee financial expert
    II  16B Code of ethics
    II  16C Principal accountant fees and services
    II  16D Exemptions from the listing standards for audit committees
    II  16E Purchases of equity securities by the issuer and affiliated purchasers
    II  16F Change in registrant's certifying accountant
    II  16G Corporate governance
    II  16H Mine safety disclosure
    II  16I Disclosure regarding foreign jurisdictions that prevent inspections
    II  16J Insider trading policies
    II  16K Cybersecurity
    III 17  Financial statements
    III 18  Financial statements
    III 19  Exhibits
""")

FORMS: dict[str, Form] = {
    "10-K": Form("10-K", TEN_K),
    "10-KSB": Form("10-KSB", TEN_KSB),
    "10-Q": Form("10-Q", TEN_Q, by_part=True),
    "8-K": Form("8-K", EIGHT_K),
    "20-F": Form("20-F", TWENTY_F),
    "40-F": Form("40-F", ()),
    "6-K": Form("6-K", ()),
}
# forms that share another's items
SAME_ITEMS = {
    "10-K405": "10-K", "10-KT": "10-K", "10-KT405": "10-K", "10-K405T": "10-K", "10-KSB40": "10-KSB", "10-KSB405": "10-KSB",
    "10-QSB": "10-Q", "10-QT": "10-Q", "8-K12B": "8-K", "8-K12G3": "8-K", "8-K15D5": "8-K", "20FR12B": "20-F",
}  # fmt: skip
NAME = re.compile(r"\b(10-?\s?K(?:T|SB)?(?:405|40)?|10-?\s?Q(?:SB|T)?|8-?\s?K|20-?\s?F|40-?\s?F|6-?\s?K)(\s?/\s?A\b)?", re.IGNORECASE)


@lru_cache(maxsize=256)
def split_form(form: str | None) -> tuple[str | None, bool]:
    """("10-K/A") -> ("10-K", True): base and whether it is an amendment. Unknown forms keep their name."""
    if not form:
        return None, False
    name = form.strip().upper().replace(" ", "")
    return name.removesuffix("/A"), name.endswith("/A")


def form_of(base: str | None) -> Form | None:
    """The items of a form, None where it has no closed set that is known here."""
    if base is None:
        return None
    return FORMS.get(SAME_ITEMS.get(base, base))


def form_in(text: str) -> str | None:
    """The form that a cover page names: "FORM 10-K/A (Amendment No. 1)" -> "10-K/A"."""
    m = re.search(r"\bform\s{0,3}(?:type\s{0,3})?" + NAME.pattern, text, re.IGNORECASE)
    if m is None:
        return None
    name = re.sub(r"[\s-]", "", m[1].upper())
    digits = re.match(r"\d+", name)
    tail = name[digits.end() :] if digits else ""
    base = f"{digits[0]}-{tail}" if digits else name
    return base + ("/A" if m[2] else "")
