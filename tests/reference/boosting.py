"""Boosted trees in plain Python, as docs/boosting.md defines them: one dict for each node, sums by fsum."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

TIE = 1e-12
MANY = 30.0


@dataclass
class Column:
    """`values`: numbers, or category numbers; None where missing."""

    values: list
    n_categories: int = 0


@dataclass
class Rules:
    max_leaves: int | None = 31
    max_depth: int | None = None
    min_rows: int = 1
    min_hessian: float = 1e-3
    l1: float = 0.0
    l2: float = 0.0
    smoothing: float = 100.0
    min_category_rows: int = 10
    monotone: list = field(default_factory=list)


def grow(columns, gradient, hessian, rules):
    """The root; a node has rows, value, column, left and right, and how it divides."""
    root = _node(range(len(gradient)), gradient, hessian, rules, 0, -math.inf, math.inf)
    _search(root, columns, gradient, hessian, rules)
    made, leaves, queue = 1, 1, []
    if root["split"]:
        heapq.heappush(queue, (-root["split"]["gain"] if rules.max_leaves else 0.0, 0, root))
    while queue and (rules.max_leaves is None or leaves < rules.max_leaves):
        node = heapq.heappop(queue)[2]
        split = node["split"]
        node["column"] = split["column"]
        _divide(node, split, gradient, hessian, rules)
        leaves += 1
        # The larger child is numbered by its place, left first.
        for side in ("left", "right"):
            child = node[side]
            _search(child, columns, gradient, hessian, rules)
            if child["split"]:
                gain = -child["split"]["gain"] if rules.max_leaves else 0.0
                heapq.heappush(queue, (gain, made, child))
            made += 1
    return root


def _divide(node, split, gradient, hessian, rules):
    low, high = node["bounds"]
    for side in ("left", "right"):
        node[side] = _node(split[side], gradient, hessian, rules, node["depth"] + 1, low, high)
    direction = rules.monotone[node["column"]] if rules.monotone else 0
    if direction:
        middle = (node["left"]["value"] + node["right"]["value"]) / 2
        below, above = ("left", "right") if direction > 0 else ("right", "left")
        node[below]["bounds"], node[above]["bounds"] = (low, middle), (middle, high)
        for side in ("left", "right"):
            node[side]["value"] = _clamp(node[side]["value"], *node[side]["bounds"])


def grow_symmetric(columns, gradient, hessian, rules):
    """The same with one question for a level, `max_depth` levels; a node that it does not divide waits."""
    root = _node(range(len(gradient)), gradient, hessian, rules, 0, -math.inf, math.inf)
    level = [root]
    for _ in range(rules.max_depth):
        level = [node for node in level if len(node["rows"]) >= 2 * rules.min_rows]
        before = math.fsum(_score(node["g"], node["h"], rules, *node["bounds"]) for node in level)
        by_column = []
        for j, column in enumerate(columns):
            questions = _level_questions(level, column, gradient, hessian, rules)
            asked = [_level_asked(level, q, j, column, gradient, hessian, rules, before) for q in questions]
            by_column.append(_first_of_the_best(asked))
        best = _first_of_the_best([s for s in by_column if s])
        if not best or not best["gain"] > TIE * abs(best["score"]):
            break
        apart = [_apart(*pair, gradient, hessian, rules) for pair in zip(level, best["splits"], strict=True)]
        level = [node for nodes in apart for node in nodes]
    return root


def _apart(node, split, gradient, hessian, rules):
    """The children, or the node itself."""
    if split is None:
        return [node]
    node["column"] = split["column"]
    _divide(node, split, gradient, hessian, rules)
    return [node["left"], node["right"]]


def _level_questions(level, column, gradient, hessian, rules):
    """Sets of values that go left (None: missing), and what is counted for the gradients of each node."""
    rows = [i for node in level for i in node["rows"]]
    known = sorted({column.values[i] for i in rows if column.values[i] is not None})
    missing = any(column.values[i] is None for i in rows)
    parts, kept = [[v] for v in known], None
    if column.n_categories:
        of = {v: [i for i in rows if column.values[i] == v] for v in known}
        few = [v for v in known if len(of[v]) < rules.min_category_rows]
        parts = ([few] if few else []) + [[v] for v in known if v not in few]
        mean = {i: node["g"] / node["h"] for node in level for i in node["rows"]}
        more = rules.smoothing * _clamp((len(parts) - 2) / MANY, 0, 1) / max(len(rows), 1)
        more *= math.fsum(hessian[i] for i in rows)
        keys, kept = [], {} if more > 0 else None
        for part in parts:
            own = [i for v in part for i in of[v]]
            h = math.fsum(hessian[i] for i in own)
            keys.append(math.fsum(gradient[i] - hessian[i] * mean[i] for i in own) / (h + more))
            if more > 0:
                kept |= dict.fromkeys(part, h / (h + more))
        # Not to be decided by rounding: values that all nodes have alone.
        parts = [parts[k] for k in sorted(range(len(parts)), key=lambda k: round(keys[k], 13))]
    for cut in range(1, len(parts)):
        left = {v for part in parts[:cut] for v in part}
        if missing:
            yield left | {None}, kept
        yield left, kept
    if missing:
        yield set(known), kept


def _level_asked(level, question, j, column, gradient, hessian, rules, before):
    values_left, kept = question
    splits = []
    for node in level:
        counted = gradient
        if kept is not None:
            counted = _mixed(node, column, gradient, hessian, kept)
        left = [i for i in node["rows"] if column.values[i] in values_left]
        right = [i for i in node["rows"] if column.values[i] not in values_left]
        whole = _score(node["g"], node["h"], rules, *node["bounds"])
        split = _scored(node, (left, right, counted), j, gradient, hessian, rules, whole)
        if split:
            split["gain"] = split["score"] - whole
        splits.append(split if split and split["gain"] > TIE * abs(split["score"]) else None)
    gain = math.fsum(split["gain"] for split in splits if split)
    return {"gain": gain, "score": before + gain, "splits": splits}


def _mixed(node, column, gradient, hessian, kept):
    """What a category is beyond its node's average counts by the share that is kept of it."""
    of = {}
    for i in node["rows"]:
        of.setdefault(column.values[i], []).append(i)
    counted = {i: gradient[i] for i in of.pop(None, ())}
    mean = node["g"] / node["h"]
    for value, rows in of.items():
        g, h = (math.fsum(d[i] for i in rows) for d in (gradient, hessian))
        for i in rows:
            counted[i] = hessian[i] * (mean + kept[value] * (g / h - mean))
    return counted


def _clamp(value, low, high):
    return min(max(value, low), high)


def _value(g, h, rules, low, high):
    pull = max(abs(g) - rules.l1, 0.0)
    return _clamp(-math.copysign(pull, g) / (h + rules.l2) if h + rules.l2 > 0 else 0.0, low, high)


def _score(g, h, rules, low, high):
    v = _value(g, h, rules, low, high)
    return -(2 * (g * v + rules.l1 * abs(v)) + (h + rules.l2) * v * v)


def _node(rows, gradient, hessian, rules, depth, low, high):
    rows = list(rows)
    g, h = (math.fsum(d[i] for i in rows) for d in (gradient, hessian))
    value = _value(g, h, rules, low, high)
    return {
        "rows": rows,
        "g": g,
        "h": h,
        "value": value,
        "depth": depth,
        "bounds": (low, high),
        "column": None,
    }


def _search(node, columns, gradient, hessian, rules):
    node["split"] = None
    if len(node["rows"]) < 2 * rules.min_rows or node["depth"] == rules.max_depth:
        return
    whole = _score(node["g"], node["h"], rules, *node["bounds"])
    by_column = []
    for j, column in enumerate(columns):
        candidates = _candidates(node, column, gradient, hessian, rules)
        scored = (_scored(node, candidate, j, gradient, hessian, rules, whole) for candidate in candidates)
        by_column.append(_first_of_the_best([s for s in scored if s]))
    best = _first_of_the_best([s for s in by_column if s])
    if best:
        best["gain"] = best["score"] - whole
        if best["gain"] > TIE * abs(best["score"]):
            node["split"] = best


def _first_of_the_best(splits):
    most = max((s["score"] for s in splits), default=None)
    return next((s for s in splits if s["score"] >= most - TIE * abs(most)), None)


def _candidates(node, column, gradient, hessian, rules):
    """Left rows, right rows, and the gradients to count by."""
    known = [i for i in node["rows"] if column.values[i] is not None]
    missing = [i for i in node["rows"] if column.values[i] is None]
    groups, counted = {}, gradient
    for i in known:
        groups.setdefault(column.values[i], []).append(i)
    ordered = [groups[v] for v in sorted(groups)]
    if column.n_categories:
        few = [g for g in ordered if len(g) < rules.min_category_rows]
        ordered = [g for g in ordered if len(g) >= rules.min_category_rows]
        if few:
            ordered = [sorted(i for g in few for i in g), *ordered]
        share = rules.smoothing * _clamp((len(ordered) - 2) / MANY, 0, 1) / len(node["rows"])
        keys = []
        counted = dict(enumerate(gradient))
        for group in ordered:
            g, h = (math.fsum(d[i] for i in group) for d in (gradient, hessian))
            keys.append((g + share * node["g"]) / (h + share * node["h"]))
            if share > 0:
                for i in group:
                    counted[i] = keys[-1] * hessian[i]
        ordered = [ordered[k] for k in sorted(range(len(ordered)), key=lambda k: keys[k])]
    for cut in range(1, len(ordered)):
        left = [i for g in ordered[:cut] for i in g]
        right = [i for g in ordered[cut:] for i in g]
        if missing:
            yield left + missing, right, counted
        yield left, right + missing, counted
    if missing and known:
        yield known, missing, counted


def _scored(node, candidate, j, gradient, hessian, rules, whole):
    left, right, counted = candidate
    values, score, total = [], 0.0, 0.0
    for rows in (left, right):
        g, h = math.fsum(counted[i] for i in rows), math.fsum(hessian[i] for i in rows)
        if len(rows) < rules.min_rows or h < rules.min_hessian or h + rules.l2 <= 0:
            return None
        values.append(_value(g, h, rules, *node["bounds"]))
        score += _score(g, h, rules, *node["bounds"])
        total += g
    if rules.monotone and rules.monotone[j] * (values[1] - values[0]) < 0:
        return None
    score += whole - _score(total, node["h"], rules, *node["bounds"])
    return {"column": j, "score": score, "left": sorted(left), "right": sorted(right)}
