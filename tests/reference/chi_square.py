"""Pearson's chi-square of a table as an exact fraction, and the tail of its distribution to any digits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

Number = Any  # int or Fraction


def pearson(table: Sequence[Sequence[Number]]) -> tuple[Fraction, int]:
    """Statistic and degrees of freedom; rows and columns without weight do not count."""
    rows = [row for row in table if sum(row)]
    columns = [k for k in range(len(rows[0])) if any(row[k] for row in rows)] if rows else []
    df = (len(rows) - 1) * (len(columns) - 1)
    if df <= 0:
        return Fraction(0), 0
    total = sum(map(sum, rows))
    parts = Fraction(0)
    for row in rows:
        for k in columns:
            expected = Fraction(sum(row) * sum(r[k] for r in rows)) / total
            parts += (row[k] - expected) ** 2 / expected
    return parts, df


@cache
def pi(digits: int) -> Decimal:
    """Machin: pi = 16 atan(1/5) - 4 atan(1/239)."""
    one = 10 ** (digits + 10)

    def atan_inverse(n: int) -> int:
        power, total, k = one // n, 0, 1
        while power:
            total += power // k if k % 4 == 1 else -(power // k)
            power //= n * n
            k += 2
        return total

    return Decimal(16 * atan_inverse(5) - 4 * atan_inverse(239)) / one


def log_survival(statistic: Fraction | float, df: int) -> float:
    """log of the probability that chi-square with df degrees of freedom is at least this large.

    With a = df / 2 and x = statistic / 2, the lower tail is x^a e^-x / Gamma(a) times the sum over n of
    x^n / (a (a + 1) ... (a + n)). One minus it loses x / ln 10 digits, so that many more are carried.
    """
    if df == 0 or statistic == 0:
        return 0.0
    x, a = Fraction(statistic) / 2, Fraction(df, 2)
    with localcontext() as context:
        context.prec = 50 + int(x) + df // 4
        z, b = Decimal(x.numerator) / x.denominator, Decimal(df) / 2
        gamma = Decimal(1) if df % 2 == 0 else pi(context.prec).sqrt()
        while a > 1:
            a -= 1
            gamma *= Decimal(a.numerator) / a.denominator
        term = 1 / b
        total, n = term, 0
        while term > total.scaleb(-context.prec):
            n += 1
            term *= z / (b + n)
            total += term
        lower = (b * z.ln() - z).exp() / gamma * total
        # Where the lower tail is small, log(1 - lower) would keep only some of the digits of 1 - lower.
        return float((1 - lower).ln()) if lower > Decimal("1e-20") else -float(lower)


def survival(statistic: Fraction | float, df: int) -> float:
    return math.exp(log_survival(statistic, df))
