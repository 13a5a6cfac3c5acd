"""A warning stands at the line of the user's that has led to it, however deep in bough it is said."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning

import bough

X = np.random.default_rng(0).random((30, 2))
Y = (X[:, 0] > 0.5).astype(int)


def a_column():
    bough.RandomForestClassifier(n_estimators=2, random_state=0).fit(X, Y[:, None])


def a_column_for_one_tree():
    bough.DecisionTreeRegressor().fit(X, Y[:, None])


def nothing_to_grow():
    model = bough.RandomForestClassifier(n_estimators=2, warm_start=True, random_state=0).fit(X, Y)
    model.fit(X, Y)


def too_few_trees():
    bough.RandomForestClassifier(n_estimators=2, oob_score=True, random_state=0).fit(X, Y)


def too_few_permutations():
    bough.ConditionalTreeClassifier(p_values="monte_carlo", resamples=9, random_state=0).fit(X, Y)


def rows_of_the_fit():
    bough.DecisionTreeClassifier().fit(X, Y).importances(X, Y)


def no_queries():
    bough.GradientBoostingRanker(n_estimators=1, min_samples_leaf=5).fit(X, Y)


def too_few_rows():
    bough.GradientBoostingClassifier(n_estimators=2).fit(X, Y)


@pytest.mark.parametrize(
    ("leads_to", "kind", "said"),
    [
        (a_column, DataConversionWarning, "column-vector"),
        (a_column_for_one_tree, DataConversionWarning, "column-vector"),
        (nothing_to_grow, UserWarning, "none was grown"),
        (too_few_trees, UserWarning, "seen by every tree"),
        (too_few_permutations, UserWarning, "nothing will be split"),
        (rows_of_the_fit, UserWarning, "fitted on"),
        (no_queries, UserWarning, "one query"),
        (too_few_rows, UserWarning, "30 rows are too few for leaves of 20 rows. Try min_samples_leaf=1."),
    ],
)
def test_a_warning_names_the_line_of_the_caller(leads_to, kind, said):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        leads_to()
    (one,) = seen
    assert one.category is kind
    assert said in str(one.message)
    assert one.filename == __file__
    assert one.lineno == leads_to.__code__.co_firstlineno + (2 if leads_to is nothing_to_grow else 1)


def test_trees_without_a_split_that_nothing_can_be_done_about_are_not_warned_of():
    bough.GradientBoostingRegressor(n_estimators=2).fit(X, np.ones(30))
    bough.GradientBoostingRegressor(n_estimators=2).fit(np.ones((60, 1)), np.arange(60.0))
    bough.GradientBoostingRegressor(n_estimators=2).fit(np.arange(40.0)[:, None], np.arange(40.0))
