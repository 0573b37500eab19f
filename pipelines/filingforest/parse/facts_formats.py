"""What the Inline XBRL transformation registries and the SEC's own mean, as data: a new format is a new row here, not a new branch.

Sources: XBRL International, Transformation Rules Registries 1-5 (namespaces ixt); EDGAR XBRL Guide, "ixt-sec" transformations.
Names are compared in lower case without hyphens, which makes the registries' spellings of one rule equal
(`numdotdecimal` of registry 2 is `num-dot-decimal` of registry 4).
"""

from __future__ import annotations

# number formats -> (characters dropped, decimal mark)
NUMBERS: dict[str, tuple[str, str]] = {
    "numdotdecimal": (",' ", "."),
    "numdotdecimalapos": (",' ", "."),
    "numdotdecimalin": (",' ", "."),
    "numdotdecimalindia": (",' ", "."),
    "numcommadot": (",", "."),
    "numspacedot": (" ", "."),
    "numcommadecimal": (".' ", ","),
    "numcommadecimalapos": (".' ", ","),
    "numdotcomma": (".", ","),
    "numcomma": ("", ","),
    "numspacecomma": (" ", ","),
}
UNIT_NUMBERS = frozenset({"numunitdecimal", "numunitdecimalin", "numunitdecimalapos"})  # "1 dollar 50 cents"
FIXED: dict[str, str] = {
    "fixedzero": "0",
    "zerodash": "0",
    "numdash": "0",
    "fixedempty": "",
    "nocontent": "",
    "fixedtrue": "true",
    "booleantrue": "true",
    "fixedfalse": "false",
    "booleanfalse": "false",
}
# registry 1 names its date formats by custom, later ones by the order of their parts (read from the name)
DATE_ORDERS: dict[str, str] = {
    "dateslashus": "mdy", "datedotus": "mdy", "datelongus": "mdy", "dateshortus": "mdy",
    "dateslasheu": "dmy", "datedoteu": "dmy", "datelonguk": "dmy", "dateshortuk": "dmy",
    "datelongmonthyear": "my", "dateshortmonthyear": "my", "datelongyearmonth": "ym", "dateshortyearmonth": "ym",
    "datelongdaymonthuk": "dm", "dateshortdaymonthuk": "dm", "datelongmonthdayus": "md", "dateshortmonthdayus": "md",
    "dateslashdaymontheu": "dm", "dateslashmonthdayus": "md",
}  # fmt: skip
# beginnings of month names in the registries' languages; the longest that fits wins
MONTHS: dict[str, int] = {
    "jan": 1, "ene": 1, "gen": 1, "tammi": 1, "led": 1, "sty": 1,
    "feb": 2, "fév": 2, "fev": 2, "helmi": 2, "úno": 2, "lut": 2,
    "mar": 3, "mär": 3, "maa": 3, "mrt": 3, "bře": 3,
    "apr": 4, "avr": 4, "abr": 4, "huhti": 4, "dub": 4, "kwi": 4,
    "may": 5, "mai": 5, "mei": 5, "maj": 5, "mag": 5, "touko": 5, "kvě": 5,
    "jun": 6, "juin": 6, "giu": 6, "kesä": 6, "cze": 6,
    "jul": 7, "juil": 7, "lug": 7, "heinä": 7, "lip": 7,
    "aug": 8, "aoû": 8, "ago": 8, "elo": 8, "srp": 8, "sie": 8,
    "sep": 9, "set": 9, "syys": 9, "zář": 9, "wrz": 9,
    "oct": 10, "okt": 10, "ott": 10, "out": 10, "loka": 10, "říj": 10, "paź": 10,
    "nov": 11, "marras": 11, "lis": 11,
    "dec": 12, "dez": 12, "déc": 12, "dic": 12, "des": 12, "joulu": 12, "pro": 12, "gru": 12,
}  # fmt: skip
ROMAN_MONTHS: dict[str, int] = {r: n for n, r in enumerate(["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"], 1)}
DURATIONS: dict[str, str] = {"durday": "D", "durweek": "W", "durmonth": "M", "duryear": "Y", "durhour": "H"}
DURATION_WORDS: dict[str, str] = {"year": "Y", "month": "M", "week": "W", "day": "D", "hour": "H"}
CATEGORIES: dict[str, str] = {
    "large accelerated filer": "Large Accelerated Filer",
    "accelerated filer": "Accelerated Filer",
    "non-accelerated filer": "Non-accelerated Filer",
}
BALLOTS_TRUE = "☑☒✓✔✗✘xXþýR"
BALLOTS_FALSE = "☐□oOq¨"

SMALL_NUMBERS: dict[str, int] = {
    "zero": 0, "no": 0, "none": 0, "nil": 0, "one": 1, "a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
BIG_NUMBERS: dict[str, int] = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}

EXCHANGES: tuple[tuple[str, str], ...] = (  # part of the name -> code; the first that fits
    ("nyse american", "NYSEAMER"), ("nyse mkt", "NYSEAMER"), ("nyse arca", "NYSEArca"), ("nyse chicago", "CHX"),
    ("nyse national", "NYSENAT"), ("nasdaq omx bx", "BX"), ("nasdaq phlx", "Phlx"), ("nasdaq bx", "BX"), ("boston", "BOX"),
    ("nasdaq", "NASDAQ"), ("new york stock", "NYSE"), ("nyse texas", "NYSETX"), ("nyse", "NYSE"),
    ("cboe bzx", "CboeBZX"), ("bats bzx", "CboeBZX"),
    ("cboe byx", "CboeBYX"), ("cboe edga", "CboeEDGA"), ("cboe edgx", "CboeEDGX"), ("cboe", "CBOE"), ("chicago stock", "CHX"),
    ("investors exchange", "IEX"), ("iex", "IEX"), ("long-term stock", "LTSE"), ("miax pearl", "PEARL"), ("miami", "MIAX"),
    ("memx", "MEMX"), ("texas stock", "TXSE"), ("none", "NONE"),
)  # fmt: skip
STATES: dict[str, str] = {
    "alabama": "AL", "alaska": "AK", "arizona": "AZ", "arkansas": "AR", "california": "CA", "colorado": "CO", "connecticut": "CT",
    "delaware": "DE", "district of columbia": "DC", "florida": "FL", "georgia": "GA", "hawaii": "HI", "idaho": "ID", "illinois": "IL",
    "indiana": "IN", "iowa": "IA", "kansas": "KS", "kentucky": "KY", "louisiana": "LA", "maine": "ME", "maryland": "MD",
    "massachusetts": "MA", "michigan": "MI", "minnesota": "MN", "mississippi": "MS", "missouri": "MO", "montana": "MT",
    "nebraska": "NE", "nevada": "NV", "new hampshire": "NH", "new jersey": "NJ", "new mexico": "NM", "new york": "NY",
    "north carolina": "NC", "north dakota": "ND", "ohio": "OH", "oklahoma": "OK", "oregon": "OR", "pennsylvania": "PA",
    "rhode island": "RI", "south carolina": "SC", "south dakota": "SD", "tennessee": "TN", "texas": "TX", "utah": "UT",
    "vermont": "VT", "virginia": "VA", "washington": "WA", "west virginia": "WV", "wisconsin": "WI", "wyoming": "WY",
    "puerto rico": "PR", "guam": "GU", "american samoa": "AS", "virgin islands": "VI", "northern mariana islands": "MP",
    "alberta": "AB", "british columbia": "BC", "manitoba": "MB", "new brunswick": "NB", "newfoundland and labrador": "NL",
    "nova scotia": "NS", "northwest territories": "NT", "nunavut": "NU", "ontario": "ON", "prince edward island": "PE",
    "quebec": "QC", "saskatchewan": "SK", "yukon": "YT",
}  # fmt: skip
