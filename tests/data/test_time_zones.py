"""Moments with and without a time zone: a model that was fitted on the ones refuses the others."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bough

NAIVE = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=40, freq="h")})
ZONED = NAIVE.assign(t=NAIVE.t.dt.tz_localize("Europe/Berlin"))
Y = np.arange(40) // 20


@pytest.mark.parametrize("form", ["pandas", "polars", "objects"])
@pytest.mark.parametrize("fitted_on", ["naive", "zoned"])
def test_the_other_kind_of_moments_is_refused(form, fitted_on, tmp_path):
    shape = {"pandas": lambda X: X, "polars": pl.from_pandas, "objects": lambda X: {"t": X.t.tolist()}}[form]
    same, other = (NAIVE, ZONED) if fitted_on == "naive" else (ZONED, NAIVE)
    model = bough.DecisionTreeClassifier().fit(shape(same), Y)
    model.save(tmp_path / "m.bough")
    for one in (model, bough.load(tmp_path / "m.bough"), bough.from_json(model.to_json())):
        assert one.predict(shape(same)).tolist() == Y.tolist()
        with pytest.raises(bough.BoughError, match='column "t" has moments with') as error:
            one.predict(shape(other))
        assert error.value.hint.startswith("Make them alike")


def test_days_have_no_zone_to_miss():
    days = [dt.date(2024, 1, 1 + i) for i in range(4)]
    for X in (ZONED, NAIVE):
        model = bough.DecisionTreeClassifier().fit(X, Y)
        assert len(model.predict({"t": days})) == 4
        assert len(model.predict({"t": np.array(days, dtype="datetime64[D]")})) == 4
        assert len(model.predict({"t": [None, None]})) == 2


def test_files_that_say_it_keep_it_on_the_command_line(tmp_path):
    from click.testing import CliRunner

    from bough.cli.main import cli

    def run(*words):
        return CliRunner().invoke(cli, [str(word) for word in words], prog_name="bough")

    for name, X in (("naive", NAIVE), ("zoned", ZONED)):
        X.assign(y=Y).to_parquet(tmp_path / f"{name}.parquet")
        done = run(
            "fit", tmp_path / f"{name}.parquet", "-t", "y", "--no-report", "-o", tmp_path / f"{name}.bough"
        )
        assert done.exit_code == 0, done.stderr
    NAIVE.to_csv(tmp_path / "naive.csv", index=False)
    pd.DataFrame({"t": ["2024-01-01", "2024-01-02"]}).to_csv(tmp_path / "days.csv", index=False)
    for name, other in (("naive", "zoned"), ("zoned", "naive")):
        model = tmp_path / f"{name}.bough"
        assert bough.load(model).tree_.fields[0].zoned is (name == "zoned")
        for rows in (f"{name}.parquet", "naive.csv", "days.csv"):
            assert run("predict", model, tmp_path / rows).exit_code == 0
        refused = run("predict", model, tmp_path / f"{other}.parquet")
        assert refused.exit_code == 3
        assert 'column "t" has moments with' in refused.stderr
