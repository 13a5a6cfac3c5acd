"""Export to PMML 4.4: TreeModel, or MiningModel for trees that answer together.

A comparison with a missing value is false (missingValueStrategy "none") and the last child takes the rest, so
that nodes mean what they mean everywhere else. Dates are microseconds since 1970 UTC, booleans "True", "False"."""

from __future__ import annotations

from importlib.metadata import version
from xml.etree import ElementTree as ET

from bough.exporting.plan import ABOVE, AT_MOST, IN, KNOWN, Plan, PlannedTree, Test, Ways, cannot
from bough.tree.condition import STAY

TARGET = "prediction"
_DOUBLE = {"optype": "continuous", "dataType": "double"}
NAMESPACE = "http://www.dmg.org/PMML-4_4"


def write(plan: Plan) -> str:
    plan.check("PMML", spread=False, median=False)
    return _Document(plan).text()


def _safe(text: str) -> str:
    """XML has no way to write some characters."""
    for c in text:
        if (ord(c) < 32 and c not in "\t\n\r") or 0xD800 <= ord(c) < 0xE000 or c in "\ufffe\uffff":
            raise cannot(f"{text!r:.40} holds a character that XML cannot write.", "Rename it.")
    return text


class _Document:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names = [_safe(f.name) for f in plan.fields]
        taken = set(self.names)
        self.target = TARGET
        while self.target in taken:
            self.target = f"bough_{self.target}"
        self.labels = [_safe(str(label)) for label in plan.classes or []]
        if len(set(self.labels)) < len(self.labels):
            raise cannot("two classes have the same text, which PMML cannot tell apart.")

    def text(self) -> str:
        root = ET.Element("PMML", xmlns=NAMESPACE, version="4.4")
        header = ET.SubElement(root, "Header")
        ET.SubElement(header, "Application", name="bough", version=version("bough"))
        self._dictionary(root)
        if self.plan.combine == "tree":
            self._tree(root, 0)
        else:
            self._ensemble(root)
        ET.indent(root)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"

    def _dictionary(self, root: ET.Element) -> None:
        fields = self.plan.fields
        dictionary = ET.SubElement(root, "DataDictionary", numberOfFields=str(len(fields) + 1))
        for field, name in zip(fields, self.names, strict=True):
            kinds = {"numeric": ("continuous", "double"), "datetime": ("continuous", "double")}
            optype, kind = kinds.get(field.kind, ("categorical", "string"))
            made = ET.SubElement(dictionary, "DataField", name=name, optype=optype, dataType=kind)
            for category in field.categories:
                ET.SubElement(made, "Value", value=_safe(category))
        optype, kind = ("continuous", "double") if self.plan.classes is None else ("categorical", "string")
        target = ET.SubElement(dictionary, "DataField", name=self.target, optype=optype, dataType=kind)
        for label in self.labels:
            ET.SubElement(target, "Value", value=label)

    def _schema(self, parent: ET.Element, *, target: bool = True) -> None:
        schema = ET.SubElement(parent, "MiningSchema")
        if target:
            ET.SubElement(schema, "MiningField", name=self.target, usageType="target")
        for name in self.names:
            # A category that the dictionary lacks is in none of the sets, which is what is wanted.
            ET.SubElement(schema, "MiningField", name=name, invalidValueTreatment="asIs")

    def _shares(self, parent: ET.Element) -> None:
        output = ET.SubElement(parent, "Output")
        for k, label in enumerate(self.labels):
            given = {"name": f"probability_{k}", "feature": "probability", "value": label}
            ET.SubElement(output, "OutputField", {**given, **_DOUBLE})

    def _tree(self, parent: ET.Element, number: int, *, inner: bool = False) -> None:
        """One TreeModel; `inner`: within an ensemble."""
        plan, planned = self.plan, self.plan.trees[number]
        numbers = planned.tree.classes is None
        made = ET.SubElement(
            parent,
            "TreeModel",
            functionName="regression" if numbers else "classification",
            missingValueStrategy="none",
            noTrueChildStrategy="returnLastPrediction",
            splitCharacteristic="multiSplit",
        )
        self._schema(made, target=not inner)
        if not inner and plan.classes is not None:
            self._shares(made)
        self._node(made, planned, number, 0, None)

    def _node(
        self, parent: ET.Element, planned: PlannedTree, number: int, node: int, test: ET.Element | None
    ) -> None:
        made = ET.SubElement(parent, "Node", id=str(node), recordCount=repr(float(planned.tree.weight[node])))
        made.append(ET.Element("True") if test is None else test)
        values = planned.values(node)
        if planned.tree.classes is None:
            weight = self.plan.weights[number] if self.plan.combine == "sum" else 1.0
            made.set("score", repr(weight * values[0]))
        else:
            made.set("score", self.labels[planned.answers[node]])
            total = float(planned.tree.weight[node])
            for label, share in zip(self.labels, values, strict=True):
                counted = {"recordCount": repr(share * total), "probability": repr(share)}
                ET.SubElement(made, "ScoreDistribution", {"value": label, **counted})
        if node not in planned.ways:
            return
        ways = planned.ways[node]
        for to in dict.fromkeys(child for _, child in ways.tests):
            if to != ways.rest:
                self._node(made, planned, number, planned.child(node, to), self._way(ways, to))
        if ways.rest != STAY:
            self._node(made, planned, number, planned.child(node, ways.rest), None)

    def _way(self, ways: Ways, child: int) -> ET.Element:
        """True if the first of the node's tests that is true leads to the child."""
        built: ET.Element | None = None
        for i in range(len(ways.tests) - 1, -1, -1):
            test, to = ways.tests[i]
            overlaps = any(t.column != test.column or t.way == KNOWN for t, _ in ways.tests[i + 1 :])
            if to == child:
                own = self._predicate(test)
                built = own if built is None else self._compound("or", own, built)
            elif built is not None and overlaps:
                built = self._compound("and", self._not(test), built)
        assert built is not None
        return built

    def _compound(self, operator: str, *parts: ET.Element) -> ET.Element:
        made = ET.Element("CompoundPredicate", booleanOperator=operator)
        made.extend(parts)
        return made

    def _simple(self, test: Test, operator: str, value: str | None = None) -> ET.Element:
        given = {} if value is None else {"value": value}
        return ET.Element(
            "SimplePredicate", {"field": self.names[test.column], "operator": operator, **given}
        )

    def _predicate(self, test: Test) -> ET.Element:
        if test.way in (AT_MOST, ABOVE):
            operator = "lessOrEqual" if test.way == AT_MOST else "greaterThan"
            return self._simple(test, operator, repr(test.threshold))
        if test.way == IN:
            return self._set(test, "isIn")
        return self._simple(test, "isNotMissing")

    def _not(self, test: Test) -> ET.Element:
        """Where the test is false, missing values included."""
        missing = self._simple(test, "isMissing")
        if test.way in (AT_MOST, ABOVE):
            operator = "greaterThan" if test.way == AT_MOST else "lessOrEqual"
            return self._compound("or", missing, self._simple(test, operator, repr(test.threshold)))
        if test.way == IN:
            return self._compound("or", missing, self._set(test, "isNotIn"))
        return missing

    def _set(self, test: Test, operator: str) -> ET.Element:
        made = ET.Element("SimpleSetPredicate", field=self.names[test.column], booleanOperator=operator)
        names = [_safe(self.plan.fields[test.column].categories[c]) for c in test.members]
        array = ET.SubElement(made, "Array", type="string", n=str(len(names)))
        array.text = " ".join('"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"' for name in names)
        return made

    def _ensemble(self, root: ET.Element) -> None:
        plan = self.plan
        if plan.combine == "sum":
            self._summed(root)
            return
        function = "regression" if plan.classes is None else "classification"
        model = ET.SubElement(root, "MiningModel", functionName=function)
        self._schema(model)
        if plan.classes is not None:
            self._shares(model)
        method = "weightedMajorityVote" if plan.combine == "vote" else "weightedAverage"
        segments = ET.SubElement(model, "Segmentation", multipleModelMethod=method)
        for i, weight in enumerate(plan.weights):
            segment = ET.SubElement(segments, "Segment", id=str(i + 1), weight=repr(weight))
            ET.SubElement(segment, "True")
            self._tree(segment, i, inner=True)

    def _summed(self, root: ET.Element) -> None:
        """One sum for each output, and at the end what turns them into the answer."""
        plan = self.plan
        function = "regression" if plan.classes is None else "classification"
        model = ET.SubElement(root, "MiningModel", functionName=function)
        self._schema(model)
        if plan.classes is not None:
            self._shares(model)
        chain = ET.SubElement(model, "Segmentation", multipleModelMethod="modelChain")
        for k, base in enumerate(plan.base):
            segment = ET.SubElement(chain, "Segment", id=str(k + 1))
            ET.SubElement(segment, "True")
            self._sum(segment, k, base)
        segment = ET.SubElement(chain, "Segment", id=str(len(plan.base) + 1))
        ET.SubElement(segment, "True")
        self._link(segment)

    def _sum(self, parent: ET.Element, k: int, base: float) -> None:
        plan = self.plan
        model = ET.SubElement(parent, "MiningModel", functionName="regression")
        self._schema(model, target=False)
        output = ET.SubElement(model, "Output")
        given = {"name": f"bough_sum_{k}", "feature": "predictedValue"}
        ET.SubElement(output, "OutputField", {**given, **_DOUBLE})
        segments = ET.SubElement(model, "Segmentation", multipleModelMethod="sum")
        constant = ET.SubElement(segments, "Segment", id="0")
        ET.SubElement(constant, "True")
        regression = ET.SubElement(constant, "RegressionModel", functionName="regression")
        self._schema(regression, target=False)
        ET.SubElement(regression, "RegressionTable", intercept=repr(base))
        for i, output_number in enumerate(plan.output):
            if output_number == k:
                segment = ET.SubElement(segments, "Segment", id=str(i + 1))
                ET.SubElement(segment, "True")
                self._tree(segment, i, inner=True)

    def _link(self, parent: ET.Element) -> None:
        plan = self.plan
        names = {"identity": "none", "exp": "exp", "logistic": "logit", "softmax": "softmax"}
        given = {"normalizationMethod": names[plan.link]}
        given["functionName"] = "regression" if plan.classes is None else "classification"
        model = ET.SubElement(parent, "RegressionModel", given)
        schema = ET.SubElement(model, "MiningSchema")
        ET.SubElement(schema, "MiningField", name=self.target, usageType="target")
        for k in range(len(plan.base)):
            ET.SubElement(schema, "MiningField", name=f"bough_sum_{k}")
        tables: list[tuple[str | None, int | None]]
        if plan.classes is None:
            tables = [(None, 0)]
        elif plan.link == "logistic":
            tables = [(self.labels[1], 0), (self.labels[0], None)]
        else:
            tables = [(label, k) for k, label in enumerate(self.labels)]
        for label, output in tables:
            category: dict[str, str] = {} if label is None else {"targetCategory": label}
            table = ET.SubElement(model, "RegressionTable", {"intercept": "0", **category})
            if output is not None:
                ET.SubElement(table, "NumericPredictor", name=f"bough_sum_{output}", coefficient="1")
