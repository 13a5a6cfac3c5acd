"""Tests of intervals: Wilson's against published and scipy's, the bootstrap against exact distributions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import average_precision_score, roc_auc_score

from bough.data.target import effective_rows
from bough.evaluation.intervals import percentiles, resampled, wilson
from bough.evaluation.ranks import aucs, average_precisions

# Newcombe, Two-sided confidence intervals for a single proportion, Stat. in Medicine 17 (1998), table I,
# method 3: the score method without continuity correction.
NEWCOMBE = {
    (81, 263): (0.2553, 0.3662),
    (15, 148): (0.0624, 0.1605),
    (0, 20): (0, 0.1611),
    (1, 29): (0.0061, 0.1718),
}


@pytest.mark.parametrize(("counts", "published"), NEWCOMBE.items())
def test_published_values(counts: tuple[int, int], published: tuple[float, float]) -> None:
    hits, n = counts
    assert wilson(hits / n, n) == pytest.approx(published, abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 7, 50, 10_000])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_equal_scipys(n: int, level: float) -> None:
    for hits in {0, 1, n // 2, n - 1, n}:
        expected = binomtest(hits, n).proportion_ci(level, method="wilson")
        assert wilson(hits / n, n, level) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_nothing_counted_has_no_interval() -> None:
    assert np.isnan(wilson(0.5, 0)).all()
    assert np.isnan(wilson(float("nan"), 10)).all()


def test_equal_weights_count_as_rows() -> None:
    assert effective_rows(np.full(40, 3.0)) == pytest.approx(40)
    assert effective_rows(np.full(40, 1 / 40)) == 40  # to the last bit
    assert effective_rows(np.array([1.0, 0.0, 0.0])) == 1
    assert effective_rows(np.array([1e200, 1e200, 0.0])) == 2
    assert effective_rows(np.zeros(3)) == 0


def test_samples_draw_as_many_rows_with_replacement() -> None:
    blocks = list(resampled(np.full(1000, 2.0), 5000, 0))
    assert len(blocks) == 2  # 4 million cells at a time
    counts = np.concatenate(blocks) / 2
    assert counts.shape == (5000, 1000)
    assert (counts.sum(axis=1) == 1000).all()
    # Of Poisson(1) nearly: a row is drawn 0 times with probability (1 - 1/n)^n.
    assert (counts == 0).mean() == pytest.approx(0.999**1000, abs=0.002)


def test_the_bootstrap_of_a_mean_is_the_normal_interval() -> None:
    x = np.random.default_rng(3).normal(size=400)
    means = np.concatenate([w @ x / w.sum(axis=1) for w in resampled(np.ones(400), 4000, 1)])
    low, high = percentiles(means, 0.95)
    half = 1.96 * x.std() / 20
    assert (low, high) == pytest.approx((x.mean() - half, x.mean() + half), abs=0.012)


@pytest.mark.parametrize("levels", [3, 1000])
def test_fast_areas_equal_scikit_learns(levels: int) -> None:
    random = np.random.default_rng(0)
    scores = random.integers(0, levels, 80) / levels
    positive = random.random(80) < 0.3
    weights = random.integers(0, 4, (6, 80)).astype(float)
    for w, area, precision in zip(
        weights, aucs(weights, positive, scores), average_precisions(weights, positive, scores), strict=True
    ):
        assert area == pytest.approx(roc_auc_score(positive, scores, sample_weight=w), rel=1e-12)
        assert precision == pytest.approx(
            average_precision_score(positive, scores, sample_weight=w), rel=1e-12
        )


def test_samples_of_one_class_have_no_area() -> None:
    positive = np.array([True, False])
    assert np.isnan(aucs(np.array([[1.0, 0.0]]), positive, np.array([0.3, 0.2]))).all()
    assert np.isnan(average_precisions(np.array([[0.0, 2.0]]), positive, np.array([0.3, 0.2]))).all()
