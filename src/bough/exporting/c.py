"""Export to C: one header in C99 without allocation, `bough_predict(&row)` and `bough_predict_proba`."""

from __future__ import annotations

import ctypes
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bough.exporting.code import Braces, sanitised, tree_functions
from bough.exporting.fuzz import Fuzz
from bough.exporting.plan import Plan, Test, cannot
from bough.exporting.verify import Said

_WORDS = """
EOF INFINITY NAN NULL alignas alignof and and_eq asm assert auto bitand bitor bool break case catch char
class compl const const_cast constexpr continue decltype default delete do double dynamic_cast else enum
errno explicit export extern false float for friend goto if inline int linux long mutable namespace new
noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
restrict return short signed sizeof static static_assert static_cast struct switch template this
thread_local throw true try typedef typeid typename union unix unsigned using virtual void volatile
wchar_t while xor xor_eq
"""
RESERVED = frozenset(_WORDS.split())


def c_text(text: str) -> str:
    """A literal of the text in utf-8; every other byte than plain letters is an escape.

    >>> print(c_text('a"b?é'))
    "a\\042b\\077\\303\\251"
    """
    if "\0" in text:
        raise cannot(f"the category {text!r:.40} holds a zero byte, which ends a text in C.")
    plain = frozenset(
        b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+.,:;()/<>=!&|*#@~^'$%[]"
    )
    data = text.encode("utf-8", "surrogatepass")
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in data) + '"'


def comment(text: str) -> str:
    """Text that cannot end a comment."""
    return json.dumps(text[:80]).replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")


class C(Braces):
    ends = "bough_values_{i}[bough_tree_{i}(x)]"
    adding: ClassVar = {
        "median": ["out[{i}] = {said}[0];"],
        "sum": ["out[{output}] += {weight} * {said}[0];"],
        "sum spread": [
            "double one_{i}[1] = {{0}};",
            "bough_tree_{i}(x, 1.0, one_{i});",
            "out[{output}] += {weight} * one_{i}[0];",
        ],
        "mean": ["bough_add(out, {said}, {weight});"],
        "mean spread": ["bough_tree_{i}(x, {weight}, out);"],
    }

    def among(self, x: str, test: Test) -> str:
        return " || ".join(f"{x} == {c}" for c in test.members)

    def known(self, x: str, test: Test) -> str:
        return f"{x} == {x}"

    def function(self, name: str, body: list[str], spread: bool) -> list[str]:
        more = ", double share, double *out" if spread else ""
        kind = "void" if spread else "int"
        head = f"static inline {kind} bough_{name}(const double *x{more}) {{"
        return [head, self.indent + "(void)x;", *self.lines(body), "}"]

    def end(self, tree: int, end: int, spread: bool) -> list[str]:
        return [f"bough_add(out, bough_values_{tree}[{end}], share);" if spread else f"return {end};"]

    def call(self, name: str, share: str | None) -> list[str]:
        return [f"return bough_{name}(x);" if share is None else f"bough_{name}(x, {share}, out);"]


def write(plan: Plan) -> str:
    plan.check("C")
    language = C(plan)
    width = 1 if plan.combine == "sum" else plan.n_outputs
    out = [*_head(plan), *_struct(plan), ""]
    for i, planned in enumerate(plan.trees):
        rows = [", ".join(map(language.number, plan.said(i, node))) for node in planned.ends]
        out.append(f"static const double bough_values_{i}[{len(rows)}][{width}] = {{")
        out += [*(f"    {{{row}}}," for row in rows), "};"]
    out += [
        "",
        *_codes(plan),
        "static inline void bough_add(double *out, const double *said, double share) {",
    ]
    out += [f"    for (int k = 0; k < {width}; k++) out[k] += share * said[k];", "}", ""]
    for i in range(len(plan.trees)):
        out += tree_functions(language, plan, i)
    out += [*_raw(plan), *(_numbers(plan) if plan.classes is None else _classes(plan))]
    return "\n".join([*out, "", "#endif"]) + "\n"


def _head(plan: Plan) -> list[str]:
    out = [
        "/* A model of bough. Missing: NAN for numbers, NULL for texts. C99, no allocation; link with -lm. */"
    ]
    out += ["#ifndef BOUGH_MODEL_H", "#define BOUGH_MODEL_H", "#include <math.h>", "#include <stddef.h>"]
    out += ["#include <string.h>", ""]
    if plan.classes is not None:
        names = ", ".join(c_text(str(label)) for label in plan.classes)
        out += [f"enum {{ BOUGH_CLASSES = {len(plan.classes)} }};"]
        out += [f"static const char *const bough_classes[BOUGH_CLASSES] = {{{names}}};", ""]
    return out


def members(plan: Plan) -> list[str]:
    used: set[str] = set()
    return [sanitised(f.name, used, f"bough_x{i}", RESERVED) for i, f in enumerate(plan.fields)]


def _struct(plan: Plan) -> list[str]:
    out = ["typedef struct {"]
    meaning = {"boolean": "0 or 1", "datetime": "microseconds since 1970 UTC"}
    for field, name in zip(plan.fields, members(plan), strict=True):
        kind = "const char *" if field.kind in ("nominal", "ordinal") else "double "
        more = f", {meaning[field.kind]}" if field.kind in meaning else ""
        out.append(f"    {kind}{name}; /* {comment(field.name)}{more} */")
    return [*out, "} bough_row;"]


def _codes(plan: Plan) -> list[str]:
    """Texts become numbers once for a row: -1 if the model never saw them."""
    out = []
    if any(f.kind in ("nominal", "ordinal") for f in plan.fields):
        out += ["static inline double bough_code(const char *text, const char *const *names, int count) {"]
        out += ["    if (text == NULL) return NAN;", "    for (int i = 0; i < count; i++)"]
        out += ["        if (strcmp(text, names[i]) == 0) return i;", "    return -1;", "}", ""]
    out += ["static inline void bough_read(const bough_row *row, double *x) {"]
    for i, (field, name) in enumerate(zip(plan.fields, members(plan), strict=True)):
        if field.kind in ("nominal", "ordinal") and field.categories:
            names = ", ".join(map(c_text, field.categories))
            out.append(f"    static const char *const names_{i}[] = {{{names}}};")
            out.append(f"    x[{i}] = bough_code(row->{name}, names_{i}, {len(field.categories)});")
        elif field.kind in ("nominal", "ordinal"):
            out.append(f"    x[{i}] = row->{name} == NULL ? NAN : -1;")
        elif field.kind == "boolean":
            out.append(f"    x[{i}] = row->{name} != row->{name} ? NAN : row->{name} != 0;")
        else:
            out.append(f"    x[{i}] = row->{name};")
    return [*out, "}", ""]


def _raw(plan: Plan) -> list[str]:
    count = len(plan.trees) if plan.median else plan.n_outputs
    out = [f"static inline void bough_raw(const bough_row *row, double out[{count}]) {{"]
    out += [f"    double x[{len(plan.fields)}];", "    bough_read(row, x);"]
    start = plan.base if plan.combine == "sum" else [0.0] * count
    out += [f"    out[{k}] = {value!r};" for k, value in enumerate(start)]
    out += C(plan).sums()
    if plan.combine in ("mean", "vote") and not plan.median:
        out.append(f"    for (int k = 0; k < {count}; k++) out[k] /= {plan.total!r};")
    return [*out, "}", ""]


def _numbers(plan: Plan) -> list[str]:
    out = ["static inline double bough_predict(const bough_row *row) {"]
    if plan.median:
        n = len(plan.trees)
        weights = ", ".join(map(repr, plan.weights))
        # Selection without a copy of the weights: each answer's weight together with those before it.
        out += [f"    static const double weights[{n}] = {{{weights}}};", f"    double out[{n}], total = 0;"]
        out += ["    int used[" + str(n) + "] = {0};", "    bough_raw(row, out);"]
        out += ["    double reached = 0;", f"    int order[{n}];"]
        out += [f"    for (int place = 0; place < {n}; place++) {{", "        int least = -1;"]
        out += [f"        for (int i = 0; i < {n}; i++)"]
        out += ["            if (!used[i] && (least < 0 || out[i] < out[least])) least = i;"]
        out += [
            "        used[least] = 1;",
            "        order[place] = least;",
            "        total += weights[least];",
        ]
        out += ["    }", f"    for (int place = 0; place < {n}; place++) {{"]
        out += ["        reached += weights[order[place]];"]
        out += ["        if (reached >= 0.5 * total) return out[order[place]];", "    }", "    return NAN;"]
    else:
        out += ["    double out[1];", "    bough_raw(row, out);"]
        out += ["    return exp(out[0]);" if plan.link == "exp" else "    return out[0];"]
    return [*out, "}"]


def _classes(plan: Plan) -> list[str]:
    out = ["/* The shares of bough_classes. */"]
    out += ["static inline void bough_predict_proba(const bough_row *row, double shares[BOUGH_CLASSES]) {"]
    if plan.link == "logistic":
        out += [
            "    double raw[1];",
            "    bough_raw(row, raw);",
            "    shares[1] = 1.0 / (1.0 + exp(-raw[0]));",
        ]
        out += ["    shares[0] = 1.0 - shares[1];"]
    elif plan.link == "softmax":
        out += ["    double most, total = 0;", "    bough_raw(row, shares);", "    most = shares[0];"]
        loop = "    for (int k = 0; k < BOUGH_CLASSES; k++)"
        out += [f"{loop} if (shares[k] > most) most = shares[k];"]
        out += [f"{loop} total += shares[k] = exp(shares[k] - most);", f"{loop} shares[k] /= total;"]
    else:
        out += ["    bough_raw(row, shares);"]
    out += [
        "}",
        "",
        "/* A number of bough_classes. */",
        "static inline int bough_predict(const bough_row *row) {",
    ]
    if plan.combine == "tree" and not plan.spreads:
        answers = ", ".join(str(plan.trees[0].answers[node]) for node in plan.trees[0].ends)
        out += [f"    static const int answers[] = {{{answers}}};", f"    double x[{len(plan.fields)}];"]
        return [*out, "    bough_read(row, x);", "    return answers[bough_tree_0(x)];", "}"]
    out += ["    double shares[BOUGH_CLASSES];", "    int best = 0;", "    bough_predict_proba(row, shares);"]
    if plan.costs is not None:
        rows = ", ".join("{" + ", ".join(map(repr, map(float, row))) + "}" for row in plan.costs)
        out += [f"    static const double costs[BOUGH_CLASSES][BOUGH_CLASSES] = {{{rows}}};"]
        out += ["    double expected[BOUGH_CLASSES], least = INFINITY;"]
        out += ["    for (int j = 0; j < BOUGH_CLASSES; j++) {", "        expected[j] = 0;"]
        out += ["        for (int i = 0; i < BOUGH_CLASSES; i++) expected[j] += shares[i] * costs[i][j];"]
        out += ["        if (expected[j] < least) least = expected[j];", "    }"]
        return [*out, "    while (expected[best] > least * (1 + 1e-12)) best++;", "    return best;", "}"]
    out += ["    for (int k = 1; k < BOUGH_CLASSES; k++)", "        if (shares[k] > shares[best]) best = k;"]
    return [*out, "    return best;", "}"]


_DRIVER = """#include "model.h"
void run_all(const bough_row *rows, long n, double *answers, double *shares) {
    for (long i = 0; i < n; i++) {
        answers[i] = bough_predict(rows + i);
        %s
    }
}
"""
FLAGS = ("-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-ffp-contract=off")


def run(text: str, plan: Plan, rows: Fuzz) -> Said:
    """Compiles the header into a library and calls it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.h").write_text(text, encoding="ascii")
        shares = (
            "bough_predict_proba(rows + i, shares + i * BOUGH_CLASSES);" if plan.classes else "(void)shares;"
        )
        Path(folder, "driver.c").write_text(_DRIVER % shares, encoding="ascii")
        library = str(Path(folder, "model.so"))
        source = str(Path(folder, "driver.c"))
        command = ["cc", *FLAGS, "-shared", "-fPIC", "-o", library, source, "-lm"]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.decode("utf-8", "replace")[-2000:])
        return _called(ctypes.CDLL(library), plan, rows)


def _called(library: ctypes.CDLL, plan: Plan, rows: Fuzz) -> Said:
    texts = [f.kind in ("nominal", "ordinal") for f in plan.fields]
    kinds: list[Any] = [ctypes.c_char_p if text else ctypes.c_double for text in texts]
    row_type: Any = type(
        "Row", (ctypes.Structure,), {"_fields_": [(f"x{i}", k) for i, k in enumerate(kinds)]}
    )
    n_rows = rows.table.n_rows
    given = (row_type * n_rows)()
    for i, text in enumerate(texts):
        for row, value in zip(given, rows.values(i), strict=True):
            if text:
                set_to = None if value is None else value.encode("utf-8", "surrogatepass")
            else:
                set_to = float("nan") if value is None else float(value)
            setattr(row, f"x{i}", set_to)
    answers = np.zeros(n_rows)
    shares = np.zeros((n_rows, len(plan.classes or [0])))
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (answers, shares)]
    library.run_all(given, ctypes.c_long(n_rows), *pointers)
    if plan.classes is None:
        return Said(answers)
    return Said(answers.astype(np.int64), shares)
