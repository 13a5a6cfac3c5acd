"""How SQL dialects spell names, texts, numbers, booleans, moments and a few functions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bough.errors import BoughError, did_you_mean
from bough.exporting.plan import cannot

# A name that is any of these somewhere is quoted everywhere.
_WORDS = """
all alter analyse analyze and any array as asc asof asymmetric at authorization before between bigint
binary blob both by call cascade case cast change char character check collate collation column comment
commit concurrently condition connect connection constraint contains continue convert create cross cube
cume_dist current current_catalog current_date current_role current_schema current_time
current_timestamp current_user cursor database databases date day dec decimal declare default deferrable
define delayed delete dense_rank desc describe deterministic distinct distinctrow div do double drop
each else elseif empty enclosed end enum escape escaped except exclude exec exists exit explain extract
false fetch first_value float following for foreign freeze from full fulltext function generated get
glob grant group grouping groups hash having hour if ignore ilike in increment index infile initially
inner inout insert int integer intersect interval into is isnull issue join json_table key keys kill lag
lambda language last_value lateral lead leading leave left level like limit linear lines load local
localtime localtimestamp lock long longblob longtext lookup loop map match maxvalue merge minus mod
month natural new no not notnull nth_value ntile null nulls number numeric object of off offset on only
open optimize option or order out outer over overlaps partition percent_rank pivot placing position
preceding precision prediction primary procedure proto purge qualify raise range rank read real
recursive references regexp release rename repeat replace require resource restrict return returning
revoke right rlike rollup row row_number rows sample schema schemas select semi sensitive separator
session_user set share show similar size smallint some spatial sql start starting symmetric system table
tables tablesample temp temporary terminated then time timestamp to trailing transaction treat trigger
true try_cast type unbounded undo union unique unlock unnest unpivot unsigned update usage use user
using utc_date value values varchar variadic varying verbose view virtual when where while window with
within without write xor year zerofill
"""
RESERVED = frozenset(_WORDS.split())


@dataclass(frozen=True)
class Dialect:
    name: str
    quote: str  # around names
    escapes: bool  # whether a backslash in a text is one
    double: Callable[[str], str]  # a number that is float64
    moment: Callable[[str], str]  # a point in time
    largest: str  # the largest of several values
    moments_as_text: bool = False  # compared as texts, strictly: '10:00' comes before '10:00.000001'
    exact_text: Callable[[str], str] = lambda name: name  # so that "a" is not "A"
    doubled_quotes: bool = True  # in texts, or with a backslash

    def name_of(self, name: str) -> str:
        plain = name.isascii() and name.replace("_", "a").isalnum() and name == name.lower()
        if plain and not name[0].isdigit() and name not in RESERVED and len(name) <= 60:
            return name
        if "\0" in name or not name:
            raise cannot(f"the name {name!r} cannot be written in SQL.", "Rename the column.")
        inner = name.replace("\\", "\\\\") if self.quote == "`" and not self.doubled_quotes else name
        mark = "\\`" if self.quote == "`" and not self.doubled_quotes else 2 * self.quote
        return self.quote + inner.replace(self.quote, mark) + self.quote

    def text(self, text: str) -> str:
        if "\0" in text:
            raise cannot(f"the text {text!r:.40} holds a zero character, which SQL cannot.")
        if self.escapes:
            text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
        return "'" + text.replace("'", "''" if self.doubled_quotes else "\\'") + "'"

    def number(self, value: float) -> str:
        return self.double(repr(float(value)))

    def label(self, label: Any) -> str:
        if isinstance(label, str):
            return self.text(label)
        if isinstance(label, bool):
            return "TRUE" if label else "FALSE"
        if isinstance(label, int):
            return str(label)
        if isinstance(label, float):
            return self.number(label)
        raise cannot(f"a class is {label!r:.40}, which has no spelling in SQL.")

    def time(self, microseconds: float) -> str:
        try:
            moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=int(microseconds))
        except OverflowError:
            raise cannot("a threshold lies outside the years 1 to 9999, which SQL cannot write.") from None
        text = moment.isoformat(sep=" ", timespec="microseconds" if self.moments_as_text else "auto")
        return self.moment(text)


def _e(text: str) -> str:
    """With an exponent it is float64, without one it may be a decimal that rounds otherwise."""
    return text if "e" in text else text + "e0"


DIALECTS = {
    "duckdb": Dialect("duckdb", '"', False, _e, lambda t: f"TIMESTAMP '{t}'", "GREATEST"),
    "postgres": Dialect(
        "postgres", '"', False, lambda t: f"'{t}'::float8", lambda t: f"TIMESTAMP '{t}'", "GREATEST"
    ),
    "sqlite": Dialect("sqlite", '"', False, _e, lambda t: f"'{t}'", "MAX", moments_as_text=True),
    "mysql": Dialect(
        "mysql",
        "`",
        True,
        _e,
        lambda t: f"TIMESTAMP '{t}'",
        "GREATEST",
        exact_text=lambda name: f"CAST({name} AS BINARY)",
    ),
    "bigquery": Dialect(
        "bigquery", "`", True, _e, lambda t: f"DATETIME '{t}'", "GREATEST", doubled_quotes=False
    ),
    "snowflake": Dialect(
        "snowflake", '"', True, lambda t: f"{t}::FLOAT", lambda t: f"'{t}'::TIMESTAMP_NTZ", "GREATEST"
    ),
}


def dialect_of(name: str) -> Dialect:
    if name not in DIALECTS:
        raise BoughError(
            f"dialect={name!r} is not possible.{did_you_mean(str(name), DIALECTS)}",
            code="parameter",
            hint="dialect is one of " + ", ".join(DIALECTS) + ".",
        )
    return DIALECTS[name]
