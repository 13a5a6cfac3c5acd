"""Export to ONNX: TreeEnsemble of ai.onnx.ml 5 finds the ends, tables say what they answer; all in float64.

Inputs, one for each column, [rows, 1]: numbers, dates (microseconds since 1970) and booleans (0, 1) as double
with NaN for missing; texts as string with "" for missing. Outputs: `prediction`, `probabilities`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.errors import BoughError
from bough.exporting.fuzz import Fuzz
from bough.exporting.plan import ABOVE, AT_MOST, IN, Plan, PlannedTree, Test, Ways, cannot
from bough.exporting.verify import Said
from bough.tree.condition import STAY

LEQ, GT, MEMBER = 0, 3, 6  # modes of nodes
IR_VERSION, OPSET, ML_OPSET = 10, 21, 5


def _onnx() -> Any:
    try:
        import onnx
    except ImportError:
        raise BoughError(
            "the export to ONNX needs the package onnx.", code="extra", hint='  pip install "bough[export]"'
        ) from None
    return onnx


class _Ends:
    """The attributes of one TreeEnsemble: each tree is an output, its leaves hold numbers of ends."""

    def __init__(self, choices: dict[tuple[int, int], int]) -> None:
        self.choices = choices  # columns that say which child, by tree and node
        self.features: list[int] = []
        self.modes: list[int] = []
        self.splits: list[float] = []
        self.true: list[tuple[int, int]] = []  # node or leaf, and whether it is a leaf
        self.false: list[tuple[int, int]] = []
        self.members: list[float] = []
        self.leaf_values: list[float] = []
        self.leaf_targets: list[int] = []
        self.roots: list[int] = []

    def add_tree(self, planned: PlannedTree, number: int) -> None:
        made = self._node(planned, number, 0)
        if made[1]:  # a tree that is one leaf still needs a node
            made = self._question(Test(0, AT_MOST, 0.0), made, made)
        self.roots.append(made[0])

    def _leaf(self, value: int, number: int) -> tuple[int, int]:
        self.leaf_values.append(float(value))
        self.leaf_targets.append(number)
        return len(self.leaf_values) - 1, 1

    def _node(self, planned: PlannedTree, number: int, node: int) -> tuple[int, int]:
        """Children first, so that each is written once and members stay in the order of their nodes."""
        if node not in planned.ways:
            return self._leaf(planned.ends[node], number)
        ways = self._single(planned.ways[node], number, node)
        if ways.rest == STAY:
            at = self._leaf(planned.ends[node], number)
        else:
            at = self._node(planned, number, planned.child(node, ways.rest))
        for test, to in reversed(ways.tests):
            at = self._question(test, self._node(planned, number, planned.child(node, to)), at)
        return at

    def _single(self, ways: Ways, number: int, node: int) -> Ways:
        """Each child once: where a node has a column that says which, that column is asked."""
        if (number, node) not in self.choices:
            return ways
        column = self.choices[number, node]
        children = sorted({to for _, to in ways.tests} - {ways.rest})
        return Ways(tuple((Test(column, IN, 0.0, (to,)), to) for to in children), ways.rest)

    def add_choice(self, ways: Ways) -> None:
        """A tree that says which child a row goes to; -1: it stays."""
        number = len(self.roots)
        at = self._leaf(ways.rest, number)
        for test, to in reversed(ways.tests):
            at = self._question(test, self._leaf(to, number), at)
        self.roots.append(at[0])

    def _question(self, test: Test, true: tuple[int, int], false: tuple[int, int]) -> tuple[int, int]:
        self.features.append(test.column)
        self.splits.append(test.threshold)
        if test.way == IN:
            self.modes.append(MEMBER)
            self.members += [*map(float, test.members), np.nan]
        else:
            self.modes.append(GT if test.way == ABOVE else LEQ)
            if test.way not in (AT_MOST, ABOVE):
                self.splits[-1] = np.inf
        self.true.append(true)
        self.false.append(false)
        return len(self.features) - 1, 0


def write(plan: Plan) -> bytes:
    plan.check("ONNX", spread=False, median=False)
    onnx = _onnx()
    graph = _Graph(onnx, plan)
    columns = [graph.column(i) for i in range(len(plan.fields))]
    table = graph.node("Concat", columns, axis=1)
    graph.answers(graph.ends(table))
    inputs = [
        onnx.helper.make_tensor_value_info(f.name, graph.input_type(i), [None, 1])
        for i, f in enumerate(plan.fields)
    ]
    made = onnx.helper.make_graph(graph.nodes, "bough", inputs, graph.outputs(), graph.constants)
    opsets = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    model = onnx.helper.make_model(made, opset_imports=opsets, producer_name="bough")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString(deterministic=True)
    return data


class _Graph:
    def __init__(self, onnx: Any, plan: Plan) -> None:
        self.onnx, self.plan = onnx, plan
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        taken = {f.name for f in plan.fields}
        self.mark = "bough"  # before the names of all that is not a column
        while any(name.startswith(self.mark) for name in taken):
            self.mark += "_"
        clash = taken & {"prediction", "probabilities"}
        self.answer = "prediction" if not clash else f"{self.mark}_prediction"
        self.shares = "probabilities" if not clash else f"{self.mark}_probabilities"
        if any(not f.name for f in plan.fields):
            raise cannot("a column has no name, which an input of ONNX must have.", "Rename the column.")

    def node(
        self, kind: str, inputs: list[str], *, domain: str = "", name: str = "", **attributes: Any
    ) -> str:
        out = name or f"{self.mark}_{len(self.nodes)}"
        made = self.onnx.helper.make_node(kind, inputs, [out], domain=domain, **attributes)
        self.nodes.append(made)
        return out

    def constant(self, array: NDArray[Any]) -> str:
        name = f"{self.mark}_c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def is_text(self, column: int) -> bool:
        return self.plan.fields[column].kind in ("nominal", "ordinal")

    def input_type(self, column: int) -> int:
        types = self.onnx.TensorProto
        kind: int = types.STRING if self.is_text(column) else types.DOUBLE
        return kind

    def column(self, column: int) -> str:
        field = self.plan.fields[column]
        if not self.is_text(column):
            return field.name
        if "" in field.categories:
            raise cannot(f'column "{field.name}" has the category "", which stands for missing in ONNX.')
        keys = np.array([*(c.encode("utf-8", "surrogatepass") for c in field.categories), b""], dtype=object)
        values = np.array([*range(len(field.categories)), np.nan], dtype=np.float64)
        tensor = self.onnx.numpy_helper.from_array
        types = self.onnx.TensorProto
        return self.node(
            "LabelEncoder",
            [field.name],
            domain="ai.onnx.ml",
            keys_tensor=self.onnx.helper.make_tensor("keys", types.STRING, [len(keys)], keys),
            values_tensor=tensor(values, "values"),
            default_tensor=tensor(np.array([-1.0]), "default"),
        )

    def ends(self, table: str) -> str:
        """[rows, trees]: the number of the end in each tree."""
        table, choices = self._chosen(table)
        found = _Ends(choices)
        for number, planned in enumerate(self.plan.trees):
            found.add_tree(planned, number)
        return self.node("Cast", [self._ensemble(table, found)], to=self.onnx.TensorProto.INT64)

    def _chosen(self, table: str) -> tuple[str, dict[tuple[int, int], int]]:
        """ONNX reaches a node in one way only. Nodes with several ways to a child (surrogates) are asked
        first, each as a small tree whose answer is one more column."""
        found = _Ends({})
        choices: dict[tuple[int, int], int] = {}
        for number, planned in enumerate(self.plan.trees):
            for node, ways in planned.ways.items():
                if ways.repeats:
                    choices[number, node] = len(self.plan.fields) + len(choices)
                    found.add_choice(ways)
        if choices:
            table = self.node("Concat", [table, self._ensemble(table, found)], axis=1)
        return table, choices

    def _ensemble(self, table: str, found: _Ends) -> str:
        """[rows, trees]: what the leaf of each tree holds."""
        tensor = self.onnx.numpy_helper.from_array
        more = {"membership_values": tensor(np.array(found.members), "members")} if found.members else {}
        return self.node(
            "TreeEnsemble",
            [table],
            domain="ai.onnx.ml",
            n_targets=len(found.roots),
            aggregate_function=1,
            post_transform=0,
            tree_roots=found.roots,
            nodes_featureids=found.features,
            nodes_modes=tensor(np.array(found.modes, dtype=np.uint8), "modes"),
            nodes_splits=tensor(np.array(found.splits), "splits"),
            nodes_truenodeids=[at for at, _ in found.true],
            nodes_trueleafs=[leaf for _, leaf in found.true],
            nodes_falsenodeids=[at for at, _ in found.false],
            nodes_falseleafs=[leaf for _, leaf in found.false],
            nodes_missing_value_tracks_true=[0] * len(found.features),
            leaf_targetids=found.leaf_targets,
            leaf_weights=tensor(np.array(found.leaf_values), "ends"),
            **more,
        )

    def answers(self, ends: str) -> None:
        plan = self.plan
        firsts = np.cumsum([0, *(len(planned.ends) for planned in plan.trees)])[:-1]
        places = self.node("Add", [ends, self.constant(firsts.astype(np.int64))])
        said = self.node("Gather", [self.constant(self._said()), places], axis=0)  # [rows, trees, outputs]
        axis = self.constant(np.array([1], dtype=np.int64))
        sums = self.node("ReduceSum", [said, axis], keepdims=0)
        if plan.combine == "sum":
            sums = self.node("Add", [sums, self.constant(np.array(plan.base))])
        elif plan.total != 1.0:
            sums = self.node("Div", [sums, self.constant(np.array(plan.total))])
        if plan.classes is None:
            self.node("Exp" if plan.link == "exp" else "Identity", [sums], name=self.answer)
            return
        self._shares(sums)
        if plan.combine == "tree":
            numbers = [plan.trees[0].answers[node] for node in plan.trees[0].ends]
            chosen = self.node("Gather", [self.constant(np.array(numbers, dtype=np.int64)), ends], axis=0)
        else:
            chosen = self.node("ArgMax", [self.shares], axis=1, keepdims=1)
        self._labels(chosen)

    def _said(self) -> NDArray[np.float64]:
        """What all ends of all trees add to the outputs, with the weights of the trees."""
        plan = self.plan
        rows = []
        for i, planned in enumerate(plan.trees):
            for node in planned.ends:
                said = np.zeros(plan.n_outputs)
                if plan.combine == "sum":
                    said[plan.output[i]] = plan.said(i, node)[0]
                else:
                    said[:] = plan.said(i, node)
                rows.append(plan.weights[i] * said)
        return np.array(rows)

    def _shares(self, sums: str) -> None:
        if self.plan.link == "logistic":
            second = self.node("Sigmoid", [sums])
            first = self.node("Sub", [self.constant(np.array(1.0)), second])
            self.node("Concat", [first, second], axis=1, name=self.shares)
        elif self.plan.link == "softmax":
            self.node("Softmax", [sums], axis=1, name=self.shares)
        else:
            self.node("Identity", [sums], name=self.shares)

    def _labels(self, chosen: str) -> None:
        self.node(
            "Gather", [self.constant(_label_array(self.plan.classes or [])), chosen], axis=0, name=self.answer
        )

    def outputs(self) -> list[Any]:
        types, info = self.onnx.TensorProto, self.onnx.helper.make_tensor_value_info
        if self.plan.classes is None:
            return [info(self.answer, types.DOUBLE, [None, 1])]
        kind = self.onnx.helper.np_dtype_to_tensor_dtype(_label_array(self.plan.classes).dtype)
        shares = info(self.shares, types.DOUBLE, [None, len(self.plan.classes)])
        return [info(self.answer, kind, [None, 1]), shares]


def _label_array(labels: list[Any]) -> NDArray[Any]:
    if all(isinstance(v, str) for v in labels):
        return np.array(labels, dtype=object)
    array = np.array(labels)
    if array.dtype.kind not in "ifb":
        raise cannot(f"the classes are {labels[0]!r:.40} and others, which ONNX cannot hold.")
    return array


def run(data: bytes, plan: Plan, rows: Fuzz) -> Said:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    feed = {}
    for i, given in enumerate(session.get_inputs()):
        values = rows.values(i)
        if "string" in given.type:
            texts = ["" if v is None else v for v in values]
            feed[given.name] = np.array(texts, dtype=object)[:, None]
        else:
            feed[given.name] = np.array([np.nan if v is None else float(v) for v in values])[:, None]
    found = session.run(None, feed)
    if plan.classes is None:
        return Said(found[0][:, 0])
    number = {label: i for i, label in enumerate(plan.classes)}
    answers = np.array([number[v] for v in found[0][:, 0].tolist()])
    return Said(answers, found[1])
