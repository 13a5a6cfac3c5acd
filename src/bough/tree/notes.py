"""What is known of trees besides their nodes, for those who read about them; no answer depends on it."""

from __future__ import annotations

from dataclasses import dataclass

# How columns are judged, as views call it.
MEASURES = {
    "gain": "share of the gain",
    "unbiased": "gain on rows not grown on",
    "permutation": "lost if shuffled",
}
JUDGED = ("unbiased", "permutation")  # by rows that the trees had not seen
BIASED = (
    "Gain on the training rows favours columns of many values, even pure noise; importances() judges by "
    "other rows (of a ranker: importances(X, y, qid=…))."
)


@dataclass(frozen=True)
class Notes:
    """`lines`: how the trees were made, and what their fit has recorded. `values`: what each column is worth
    by the measure, where rows have judged that the trees had not seen ("": none have)."""

    lines: tuple[str, ...] = ()
    measure: str = ""
    values: tuple[float, ...] = ()
