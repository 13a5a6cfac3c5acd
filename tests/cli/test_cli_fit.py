"""Tests of `bough fit`: files of all kinds, the golden output for the Titanic, targets, options, JSON."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from bough import DecisionTreeClassifier
from bough.cli.main import cli
from bough.data.examples import EXAMPLES, load

TITANIC = """\
demo:titanic  891 rows · 8 columns · 867 empty cells
target        survived: died 549, survived 342

sex?                                               891
├─ male    deck?                                   577
"""
DECK = """\
! deck: 471 of the 577 rows at this split are empty. The split mostly asks
  whether deck is known.
  Try:  bough fit demo:titanic -t survived --drop deck
"""


def fit(*args: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["fit", *map(str, args)], prog_name="bough", input=stdin)


def good(*args: object, stdin: str | None = None) -> str:
    result = fit(*args, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def found(*args: object) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(good(*args, "--json"))
    return whole


@pytest.fixture
def rows() -> dict[str, list[Any]]:
    """120 rows: the number decides, one cell in six is empty."""
    x = [None if i % 6 == 5 else i % 40 for i in range(120)]
    return {"x": x, "k": ["a", "b", "c"] * 40, "y": ["hi" if (v or 0) > 20 else "lo" for v in x]}


def separated(columns: dict[str, list[Any]], mark: str) -> str:
    lines = [mark.join(columns)]
    lines += [
        mark.join("" if v is None else str(v) for v in row) for row in zip(*columns.values(), strict=True)
    ]
    return "\n".join(lines) + "\n"


def test_titanic() -> None:
    result = fit("demo:titanic", "-t", "survived")
    assert result.exit_code == 0
    assert result.stdout.startswith(TITANIC)
    assert "\n   ├─ ≤ 2.5                       → survived  95%  170\n" in result.stdout
    assert result.stdout.splitlines()[-3] == "7 leaves, chosen by 10-fold cross-validation (1-SE rule)"
    assert result.stdout.splitlines()[-2].split("   ")[1] == 'always "died" 61.6%'
    assert result.stderr == DECK


def test_the_target_of_a_demo_table_is_known() -> None:
    assert good("demo:titanic") == good("demo:titanic", "-t", "survived")


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_demo_table_grows(name: str) -> None:
    assert "leaves" in good(f"demo:{name}")
    assert good(f"demo:{name}", "--plain").isascii()


def test_width_of_the_terminal_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = good("demo:titanic")
    monkeypatch.setenv("COLUMNS", "60")
    assert good("demo:titanic") == wide


def test_files_of_all_kinds_give_the_same_tree(tmp_path: Path, rows: dict[str, list[Any]]) -> None:
    (tmp_path / "a.csv").write_text(separated(rows, ";"))
    (tmp_path / "b.tsv.gz").write_bytes(gzip.compress(separated(rows, "\t").encode()))
    pq.write_table(pa.table(rows), tmp_path / "c.parquet")
    lines = [json.dumps(dict(zip(rows, row, strict=True))) for row in zip(*rows.values(), strict=True)]
    (tmp_path / "d.jsonl").write_text("\n".join(lines))
    texts = [good(tmp_path / name, "-t", "y") for name in ("a.csv", "b.tsv.gz", "c.parquet", "d.jsonl")]
    assert texts[0].splitlines()[0] == "a.csv   120 rows · 2 columns · 20 empty cells"
    assert len({text.partition("\n\n")[2] for text in texts}) == 1


def test_csv_on_stdin(rows: dict[str, list[Any]]) -> None:
    text = good("-", "-t", "y", stdin=separated(rows, ","))
    assert text.startswith("stdin   120 rows · 2 columns · 20 empty cells\ntarget  y: hi ")


def test_json_is_one_object_that_is_the_tree() -> None:
    whole = found("demo:titanic", "--max-leaves", 6)
    tree = DecisionTreeClassifier(max_leaf_nodes=6).fit(*load("titanic")).tree_
    assert whole["leaves"] == 6
    assert len(whole["nodes"]) == tree.n_nodes
    assert whole["nodes"][0]["column"] == "sex"
    assert whole["nodes"][0]["class_weights"] == [549, 342]
    leaves = [node for node in whole["nodes"] if "column" not in node]
    assert sum(leaf["rows"] for leaf in leaves) == 891
    assert whole["classes"] == ["died", "survived"]
    assert set(whole["scores"]) == {"accuracy", "accuracy_error", "largest_class", "auc", "brier"}
    (warned,) = whole["warnings"]  # no line ends within a sentence
    assert [line[-1] for line in warned.split("\n")] == [".", "k"]


def test_json_of_numbers_and_of_several_classes() -> None:
    whole = found("demo:titanic", "-t", "fare")
    assert (whole["task"], whole["classes"]) == ("reg", None)
    assert whole["scores"]["rmse"] < whole["scores"]["rmse_of_mean"]
    assert set(found("demo:penguins")["scores"]) == {"accuracy", "accuracy_error", "largest_class", "auc"}


def test_numbers() -> None:
    text = good("demo:titanic", "-t", "fare")
    assert "target        fare: numbers from 0 to 512.3, mean 32.2\n" in text
    assert "always the mean 49.67   R² 0." in text


def test_many_classes_and_the_largest_size(tmp_path: Path) -> None:
    lines = [f"{i % 48},class {i % 48 % 8}\n" for i in range(960)]
    (tmp_path / "m.csv").write_text("x,y\n" + "".join(lines))
    text = good(tmp_path / "m.csv", "-t", "y")
    assert "y: class 0 120, class 1 120" in text
    assert "class 5 120 + 2 more classes\n" in text
    assert "\n32 leaves, chosen by" in text
    assert "No larger size was tried; to try one:  --max-leaves 64\n" in text


def test_booleans_as_numbers(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("x,y\n" + "1,true\n2,false\n" * 30)
    assert found(tmp_path / "b.csv", "-t", "y")["classes"] == [False, True]
    assert found(tmp_path / "b.csv", "-t", "y", "--task", "reg")["nodes"][0]["answer"] == 0.5


def test_quiet_is_the_tree_alone() -> None:
    result = fit("demo:titanic", "-q", "--max-leaves", 2)
    assert result.stderr == ""
    assert result.stdout.splitlines()[0].startswith("sex?")
    assert len(result.stdout.splitlines()) == 3


def test_size_as_asked_for() -> None:
    assert "2 leaves, size as asked for; scores from 10-fold" in good("demo:titanic", "--max-leaves", 2)
    assert found("demo:titanic", "--max-depth", 2)["depth"] == 2
    nodes = found("demo:titanic", "--max-depth", 3, "--min-leaf", 50)["nodes"]
    assert min(node["rows"] for node in nodes) >= 50


def test_same_seed_same_text_for_any_number_of_threads() -> None:
    texts = {good("demo:titanic", "--threads", n, "--seed", 5, "--ties", "random") for n in (1, 2)}
    assert len(texts) == 1
    assert good("demo:titanic", "--seed", 6) != good("demo:titanic", "--seed", 5)


def test_columns_are_dropped_and_chosen() -> None:
    rest = found("demo:titanic", "--drop", "deck,fare", "--drop", "age")["columns"]
    assert rest == ["pclass", "sex", "sibsp", "parch", "embarked"]
    assert found("demo:titanic", "--only", "sex, age", "--only", "deck")["columns"] == ["sex", "age", "deck"]


def test_a_comma_in_a_column_name(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text('"a,b",c,y\n' + "1,2,p\n2,1,q\n" * 30)
    assert found(tmp_path / "c.csv", "-t", "y", "--drop", "a,b")["columns"] == ["c"]


def test_weights_count_and_zero_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("x,w,y\n" + "1,1,p\n2,3,q\n3,0,r\n" * 30)
    whole = found(tmp_path / "w.csv", "-t", "y", "--weights", "w")
    assert whole["classes"] == ["p", "q"]
    assert whole["nodes"][0]["class_weights"] == [30, 90]
    assert whole["scores"]["largest_class"] == 0.75
    assert whole["notes"] == ["30 rows of weight 0 are left out."]
    assert fit(tmp_path / "w.csv", "-t", "x", "--weights", "y").exit_code == 3


def test_the_command_to_paste_repeats_what_was_given(tmp_path: Path) -> None:
    lines = [f"{'' if i % 3 else i},{i % 2},{'p' if i % 3 else 'q'}\n" for i in range(90)]
    path = tmp_path / "my file.csv"
    path.write_text("a b,c,y\n" + "".join(lines))
    result = fit(path, "--target", "y", "--drop", "c", "--folds", 5, "--plain")
    assert result.exit_code == 0
    assert f"Try:  bough fit '{path}' -t y --drop c --folds 5 --plain --drop 'a b'\n" in result.stderr


def test_few_rows() -> None:
    text = good("demo:births")
    assert "4 leaves, grown in full: 5 rows are too few to choose a size; scores from 2-fold" in text
    assert "2 folds instead of 10, because a class has only 2 rows\n" in text


def test_no_fold_is_possible(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,a\n3,b\n")
    whole = good(tmp_path / "t.csv", "-t", "y")
    assert whole.endswith(
        "2 leaves; not scored: cross-validation needs at least 2 rows of each of two\n  classes\n"
    )
    assert found(tmp_path / "t.csv", "-t", "y")["scores"] == {}


def test_a_class_of_one_row_does_not_stop_the_folds(tmp_path: Path) -> None:
    lines = [f"{i},{'rare' if i == 7 else 'ab'[i > 60]}\n" for i in range(120)]
    (tmp_path / "r.csv").write_text("x,y\n" + "".join(lines))
    whole = found(tmp_path / "r.csv", "-t", "y")
    assert whole["folds"] == 10
    assert whole["scores"]["accuracy"] > 0.9


def test_where_nothing_is_gained_there_is_one_leaf(tmp_path: Path) -> None:
    lines = [f"{i % 10},{'pq'[i // 10 % 2]}\n" for i in range(300)]  # as many p as q for each x
    (tmp_path / "n.csv").write_text("x,y\n" + "".join(lines))
    text = good(tmp_path / "n.csv", "-t", "y")
    assert "\n1 leaf, chosen by" in text
    assert "No larger tree scores clearly better." in text


@pytest.mark.parametrize(
    ("values", "task"),
    [
        ([0, 1] * 30, "class"),
        ([1, 2, 3] * 20, "class"),
        (list(range(20)) * 3, "reg"),  # three rows for each value
        (list(range(21)) * 10, "reg"),
        ([0.5, 1.0] * 30, "reg"),
        (["true", "false"] * 30, "class"),
        (["2020-01-01", "text"] * 30, "class"),
    ],
)
def test_class_or_number(tmp_path: Path, values: list[Any], task: str) -> None:
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i % 7},{v}\n" for i, v in enumerate(values)))
    whole = found(tmp_path / "t.csv", "-t", "y")
    assert whole["task"] == task
    assert bool(whole["notes"]) == (task == "class" and isinstance(values[0], int))


def test_the_task_can_be_forced(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i % 7},{i % 2}\n" for i in range(60)))
    assert found(tmp_path / "t.csv", "-t", "y", "--task", "reg")["task"] == "reg"
    assert found("demo:titanic", "-t", "sibsp", "--task", "class")["classes"] == [0, 1, 2, 3, 4, 5, 8]


Rows = Callable[[int], str]


@pytest.mark.parametrize(
    ("row", "args", "code", "lines"),
    [
        (
            lambda i: f"{i},no",
            ("-t", "y"),
            3,
            [
                'error[target]: "y" is "no" on all 312 rows. A tree needs at least two outcomes.',
                "Was the file filtered?  first rows: 0 / 1 / 2",
            ],
        ),
        (
            lambda i: f"{i},{i / 8}",
            ("-t", "y", "--task", "class"),
            3,
            [
                'error[target]: "y" has 312 different numbers, so this is not a class.',
                "Predict the number:  --task reg",
                "or make groups:      --bins y=4",
            ],
        ),
        (
            lambda i: f"{i},{(i % 4) / 2}",
            ("-t", "y", "--task", "class"),
            3,
            [
                'error[target]: "y" has 4 different numbers such as 0.5, so this is not a class.',
                "Predict the number:  --task reg",
            ],
        ),
        (
            lambda i: f"{i},person {i}",
            ("-t", "y"),
            3,
            [
                'error[target]: "y" has 312 different texts on 312 rows, so this is not a class.',
                "Is it a name or a number for each row? Choose another target with -t.",
            ],
        ),
        (
            lambda i: f"{i},{'' if i % 4 else i}",
            ("-t", "y"),
            3,
            [
                'error[target]: "y" is empty on 234 of the 312 rows.',
                "Leave these rows out:  --drop-missing-target",
            ],
        ),
        (
            lambda i: f"{i},2020-01-{i % 28 + 1:02}",
            ("-t", "y"),
            3,
            ['error[target]: "y" holds dates, which a tree cannot predict.'],
        ),
        (
            lambda i: f"{i},2020-01-05",
            ("-t", "y"),
            3,
            [
                'error[target]: "y" is "2020-01-05T00:00:00.000000" on all 312 rows. '
                "A tree needs at least two outcomes."
            ],
        ),
        (
            lambda i: f"{i},",
            ("-t", "y", "--drop-missing-target"),
            3,
            ['error[target]: "y" is empty on all rows.', "Choose another target with -t."],
        ),
        (
            lambda i: f"{i},{'ab'[i % 2]}",
            ("-t", "y", "--task", "reg"),
            3,
            [
                'error[target]: "y" holds texts such as "a", so this is not a number.',
                "Predict the class:  --task class",
            ],
        ),
        (
            lambda i: f"{i},{'ab'[i % 2]}",
            (),
            2,
            ["error[parameter]: which column is to be predicted? Name it with -t."],
        ),
        (
            lambda i: f"{i},{'ab'[i % 2]}",
            ("-t", "Y"),
            3,
            ['error[column]: no column "Y" in t.csv. Did you mean "y"?'],
        ),
        (
            lambda i: f"{i},a",
            ("-t", "y", "--drop", "x"),
            3,
            ["error[column]: no column of t.csv is left to ask for."],
        ),
        (lambda i: f"{i},{i % 2}", ("-t", "y", "--criterion", "squared_error"), 2, []),
        (lambda i: f"{i},{i % 2}", ("-t", "y", "--folds", "1"), 2, []),
        (lambda i: f"{i},{i % 2}", ("-t", "y", "--max-leaves", "0"), 2, []),
        (lambda i: f"{i},{i % 2}" + ",7" * (i == 100), ("-t", "y"), 3, []),
    ],
)
def test_wrong_targets_and_options(
    tmp_path: Path, row: Rows, args: tuple[str, ...], code: int, lines: list[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(row(i) + "\n" for i in range(312)))
    result = fit(path, *args)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.splitlines()[: len(lines)] == lines


def test_rows_without_target_are_left_out_when_asked() -> None:
    text = good("demo:titanic", "-t", "age", "--drop-missing-target")
    assert text.startswith("demo:titanic  714 rows")
    assert '177 rows with an empty "age" are left out.\n' in text


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("x,y\n1,2\n")
    result = fit(tmp_path / "visit.csv", "-t", "y")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'Did you mean "visits.csv"?' in result.stderr
    assert fit("demo:titanik").exit_code == 2


def test_hostile_text_stays_on_its_line(tmp_path: Path) -> None:
    lines = [f'"v{i % 2}\x1b[2J\nz",{"pq"[i % 2]}\x07\n' for i in range(60)]
    (tmp_path / "h.csv").write_text('"a\x1b[31m",y\n' + "".join(lines))
    text = good(tmp_path / "h.csv", "-t", "y")
    assert text.replace("\n", "").isprintable()
    assert r"├─ v0\x1b[2J\nz  → p\x07 100%  30" in text
    assert text.splitlines()[3].startswith(r"a\x1b[31m?")
