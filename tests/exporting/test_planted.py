"""A fault in any exporter is found before anything is written."""

import every_model
import pytest

import bough
from bough.estimators.exports import ALL
from bough.exporting import export
from bough.exporting.formats import Format

MODELS = every_model.estimators()


def swap(*pairs):
    def changed(content):
        for old, new in pairs:
            assert old in content, old
            content = content.replace(old, new)
        return content

    return changed


def onnx_modes(old, new):
    """Another comparison in the first node that has this one."""

    def changed(content):
        import onnx

        model = onnx.load_from_string(content)
        node = next(n for n in model.graph.node if n.op_type == "TreeEnsemble")
        modes = next(a for a in node.attribute if a.name == "nodes_modes")
        raw = bytearray(modes.t.raw_data)
        raw[raw.index(old)] = new
        modes.t.raw_data = bytes(raw)
        return model.SerializeToString()

    return changed


def onnx_missing(content):
    import onnx

    model = onnx.load_from_string(content)
    node = next(n for n in model.graph.node if n.op_type == "TreeEnsemble")
    tracks = next(a for a in node.attribute if a.name == "nodes_missing_value_tracks_true")
    tracks.ints[-1] = 1
    return model.SerializeToString()


def json_missing(content):
    import json

    found = json.loads(content)
    root = found["trees"][0]["nodes"][0]
    root["missing"] = 3 - root["missing"]
    return json.dumps(found)


def xlsx(*pairs):
    """The same changes in the formulas of the file."""

    def changed(content):
        import io
        import zipfile

        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
            for name in old.namelist():
                data = old.read(name).decode()
                if name.endswith("sheet2.xml"):
                    data = swap(*pairs)(data)
                new.writestr(name, data)
        return out.getvalue()

    return changed


STRICT = [swap((" <= ", " < ")), swap((" > ", " >= "))]
PLANTED = {
    "sql": [*STRICT, swap(("ELSE", "WHEN TRUE THEN 'mid' ELSE")), swap(("'Rome'", "'rome'"))],
    "python": [*STRICT, swap(("value is None or", "False and")), swap(("'Rome'", "'rome'"))],
    "c": [*STRICT, swap(("return NAN;", "return 0;")), swap(('"Rome"', '"rome"'))],
    "js": [*STRICT, swap(("? NaN", "? 0")), swap(('"Rome"', '"rome"'))],
    "onnx": [onnx_modes(0, 1), onnx_modes(3, 2), onnx_missing],
    "pmml": [
        swap(("lessOrEqual", "lessThan")),
        swap(("greaterThan", "greaterOrEqual")),
        swap(('"none"', '"lastPrediction"')),
    ],
    "json": [swap(('"threshold": ', '"threshold": 1')), json_missing],
    "xlsx": [
        xlsx(("&lt;=", "=")),
        xlsx(("EXACT(", "NOT(EXACT("), ("),Nodes", ")),Nodes")),
        xlsx(("ISNUMBER(", "NOT(ISNUMBER(")),
    ],
}


@pytest.mark.parametrize(
    ("to", "number"), [(to, i) for to, bugs in PLANTED.items() for i in range(len(bugs))]
)
def test_a_planted_fault_is_found(to, number, tmp_path):
    format_ = next(f for f in ALL if f.name == to)
    if format_.runner("duckdb")[0] is None:
        pytest.skip(f"{to} cannot be run here: {format_.runner('duckdb')[1]}")

    def write(plan, **options):
        return PLANTED[to][number](format_.write(plan, **options))

    broken = Format(to, format_.what, format_.ending, write, format_.runner, format_.dialects)
    path = tmp_path / "model"
    path.write_text("old")
    with pytest.raises(bough.BoughError, match="Nothing was written") as error:
        export(MODELS["subset"].tree_, to, path, formats=[broken])
    assert error.value.code == "verify"
    assert path.read_text() == "old"


def test_a_planted_fault_in_the_rules_is_found(monkeypatch):
    from bough.explain.rules import Rule

    right = Rule.shares
    monkeypatch.setattr(Rule, "shares", lambda self, data: right(self, data) * (self.node % 5 > 0))
    with pytest.raises(bough.BoughError, match="list of rules differs"):
        bough.export(MODELS["subset"], "rules")


@pytest.mark.parametrize("to", ["python", "js", "c", "sql", "onnx", "json", "pmml"])
def test_a_share_that_is_a_little_off_is_found(to, tmp_path):
    """The class is the same, the probability is not."""
    import dataclasses

    from bough.exporting.fuzz import fuzz
    from bough.exporting.plan import Plan
    from bough.exporting.verify import Said, differences

    plan = Plan(MODELS["subset"].tree_)
    rows = fuzz(plan, 200)
    format_ = next(f for f in ALL if f.name == to)
    run, by = format_.runner("duckdb")
    if run is None:
        pytest.skip(f"{to} cannot be run here: {by}")
    said = run(format_.write(plan), plan, rows)
    assert not differences(plan, rows.table, said)[0].size
    off = dataclasses.replace(said, shares=said.shares + 1e-9)
    assert isinstance(off, Said)
    assert differences(plan, rows.table, off)[0].size == 200
