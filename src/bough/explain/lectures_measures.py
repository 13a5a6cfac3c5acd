"""Figures of the lectures that are measures of tables: W1 to W5, W7 to W10, W14, W15, W17, W21 to W26."""

from __future__ import annotations

import math

import numpy as np

from bough import information as info
from bough.explain.lectures import Figure, Work, counts_of, stump_gain, tree_of

FULL = {"Patrons": "Full"}


def w1() -> Work:
    h = tree_of("restaurant", max_depth=1).impurity[0]
    return Work("W1", "Restaurant, 12 guests", "USC", (Figure("H(WillWait)", "1.000000", h),))


def w2() -> Work:
    patrons = counts_of("restaurant", "Patrons")
    tree = tree_of("restaurant", only="Patrons", max_depth=1)
    full = next(c for c, b in zip(tree.root.children, tree.root.branches, strict=True) if b == "Full")
    gini = tree_of("restaurant", only="Patrons", max_depth=1, criterion="gini")
    return Work(
        "W2",
        "Restaurant, split by Patrons",
        "USC",
        (
            Figure("H at Full", "0.918296", full.impurity),
            Figure("H given Patrons", "0.459148", info.conditional_entropy(patrons)),
            Figure("gain", "0.540852", tree.gain[0]),
            Figure("split information", "1.459148", info.split_information(patrons)),
            Figure("gain ratio", "0.370663", info.gain_ratio(patrons)),
            Figure("Gini given Patrons", "0.222222", gini.impurity[0] - gini.gain[0]),
        ),
    )


def w3() -> Work:
    kinds = counts_of("restaurant", "Type")
    gain = stump_gain("restaurant", "Type")
    figures = (
        Figure("H given Type", "1.000000", info.conditional_entropy(kinds)),
        Figure("gain", "0.000000", gain),
    )
    return Work("W3", "Restaurant, split by Type", "USC", figures)


def w4() -> Work:
    printed = {
        "Est": "0.207519", "Hungry": "0.195710", "Price": "0.195710", "Fri": "0.020721", "Res": "0.020721",
        "Alt": "0.000000", "Bar": "0.000000", "Rain": "0.000000", "Type": "0.000000",
    }  # fmt: skip
    figures = [Figure(f"gain of {c}", text, stump_gain("restaurant", c)) for c, text in printed.items()]
    return Work("W4", "Restaurant, the other columns", "USC", tuple(figures))


def w5() -> Work:
    printed = {
        **dict.fromkeys(["Hungry", "Price", "Res", "Type", "Est"], "0.251629"),
        **dict.fromkeys(["Alt", "Fri", "Rain"], "0.109170"),
        "Bar": "0.000000",
    }
    figures = [Figure("H", "0.918296", tree_of("restaurant", FULL, max_depth=1).impurity[0])]
    figures += [
        Figure(f"gain of {c}", text, stump_gain("restaurant", c, FULL)) for c, text in printed.items()
    ]
    for c in ("Hungry", "Price", "Res"):
        ratio = info.gain_ratio(counts_of("restaurant", c, **FULL))
        figures.append(Figure(f"gain ratio of {c}", "0.274018", ratio))
    return Work("W5", "Restaurant, the six guests of Full", "USC", tuple(figures))


def w7() -> Work:
    figures = (
        Figure("entropy", "0.918296", info.entropy([2, 4])),
        Figure("entropy, base e", "0.636514", info.entropy([2, 4], base=math.e)),
        Figure("Gini", "0.444444", info.gini([2, 4])),
    )
    return Work("W7", "A node of 2 and 4", "USC", figures)


def w8() -> Work:
    figures = (
        Figure("all alike", "1.386294", info.entropy([1, 1, 1, 1], base=math.e)),
        Figure("two of four", "0.693147", info.entropy([1, 1, 0, 0], base=math.e)),
        Figure("one of four", "0.000000", info.entropy([1, 0, 0, 0], base=math.e)),
    )
    return Work("W8", "Four classes, base e", "USC", figures)


def w9() -> Work:
    figures = (
        Figure("16 and 2", "0.503258", info.entropy([16, 2])),
        Figure("8 and 10", "0.991076", info.entropy([8, 10])),
    )
    return Work("W9", "Two coins", "Toronto", figures)


def w10() -> Work:
    rain = counts_of("rain", "Rain")
    tree = tree_of("rain", max_depth=1)
    return Work(
        "W10",
        "Rain and clouds, 100 days",
        "Toronto",
        (
            Figure("H(X,Y)", "1.560573", info.joint_entropy(rain)),
            Figure("H(Y given rain)", "0.242292", tree.impurity[1]),
            Figure("H(Y given no rain)", "0.918296", tree.impurity[2]),
            Figure("H(Y given X)", "0.749295", info.conditional_entropy(rain)),
            Figure("H(Y)", "0.999711", tree.impurity[0]),
            Figure("gain", "0.250417", tree.gain[0]),
            Figure("H(X)", "0.811278", info.split_information(rain)),
            Figure("H(X given Y)", "0.560862", info.conditional_entropy(rain.T)),
        ),
    )


def w14() -> Work:
    columns = ("Outlook", "Humidity", "Wind", "Temperature")
    gains = ("0.246750", "0.151836", "0.048127", "0.029223")
    ratios = ("0.156428", "0.151836", "0.048849", "0.018773")
    ginis = ("0.116327", "0.091837", "0.030612", "0.018707")
    figures = [Figure("H(play)", "0.940286", tree_of("tennis", max_depth=1).impurity[0])]
    figures += [
        Figure(f"gain of {c}", t, stump_gain("tennis", c)) for c, t in zip(columns, gains, strict=True)
    ]
    for c, text in zip(columns, ratios, strict=True):
        figures.append(Figure(f"gain ratio of {c}", text, info.gain_ratio(counts_of("tennis", c))))
    for c, text in zip(columns, ginis, strict=True):
        figures.append(Figure(f"Gini gain of {c}", text, stump_gain("tennis", c, criterion="gini")))
    return Work("W14", "Play tennis, 14 days", "Leite", tuple(figures))


def w15() -> Work:
    sunny = {"Humidity": "0.970951", "Temperature": "0.570951", "Wind": "0.019973"}
    rain = {"Wind": "0.970951", "Humidity": "0.019973", "Temperature": "0.019973"}
    figures = [
        Figure(f"{day}: gain of {c}", text, stump_gain("tennis", c, {"Outlook": day}))
        for day, printed in (("Sunny", sunny), ("Rain", rain))
        for c, text in printed.items()
    ]
    return Work("W15", "Play tennis, the second level", "Leite", tuple(figures))


def w17() -> Work:
    a, b = np.repeat(np.eye(2), 5, axis=1), np.eye(10)  # values by classes
    figures = [Figure("H", "3.321928", info.entropy(np.ones(10)))]
    for name, table, left, gain, gini in (
        ("A", a, "2.321928", "1.000000", "0.8"),
        ("B", b, "0.000000", "3.321928", "0.0"),
    ):
        figures += [
            Figure(f"H given {name}", left, info.conditional_entropy(table)),
            Figure(f"gain of {name}", gain, info.information_gain(table)),
            Figure(f"gain ratio of {name}", "1.000000", info.gain_ratio(table)),
            Figure(f"Gini given {name}", gini, info.conditional_gini(table)),
        ]
    figures += [
        Figure("Gini", "0.9", info.gini(np.ones(10))),
        Figure("bits of three sixes", "7.754888", info.information(1 / 6**3)),
    ]
    return Work("W17", "Ten classes: A halves them, B names them", "notes", tuple(figures))


def w21() -> Work:
    errors, gains = ("0.375", "0.125", "0.375"), ("0.092359", "0.548795", "0.048795")
    figures = []
    for c, error, gain in zip("ABC", errors, gains, strict=True):
        stump = tree_of("poll1", only=c, criterion="error", max_depth=1, zero_gain_splits=True)
        figures.append(Figure(f"error of {c}", error, stump.impurity[0] - stump.gain[0]))
        figures.append(Figure(f"gain of {c}", gain, stump_gain("poll1", c)))
    return Work("W21", "Poll 1: which stump errs least?", "CMU", tuple(figures))


def w22() -> Work:
    error = tree_of("poll3", criterion="error", max_depth=0).impurity[0]
    figures = [Figure("error rate before", "0.25", error)]
    figures += [
        Figure(f"error rate by {c}", "0.25", info.conditional_error_rate(counts_of("poll3", c))) for c in "AB"
    ]
    figures += [
        Figure("H", "0.811278", tree_of("poll3", max_depth=0).impurity[0]),
        Figure("gain of A", "0.000000", stump_gain("poll3", "A")),
        Figure("gain of B", "0.311278", stump_gain("poll3", "B")),
    ]
    return Work("W22", "Poll 3: where the error rate sees no difference", "CMU", tuple(figures))


def w24() -> Work:
    figures = [
        Figure("H, 7 of 28", "0.811278", info.entropy([7, 21])),
        Figure("H, 3 of 30", "0.468996", info.entropy([3, 27])),
    ]
    for p, text in ((21 / 28, "1.333"), (7 / 28, "4.000"), (27 / 30, "1.111"), (3 / 30, "10.000")):
        figures.append(Figure(f"1/p of {p:g}", text, 2 ** info.information(p)))
    return Work("W24", "Rainy days", "CMU", tuple(figures))


def w25() -> Work:
    asked: tuple[tuple[str, str, dict[str, str], str, str, str], ...] = (
        ("tennis", "Outlook", {}, "3.5467", "2", "0.1698"),
        ("tennis", "Humidity", {"Outlook": "Sunny"}, "5.0000", "1", "0.0253"),
        ("restaurant", "Patrons", {}, "6.6667", "2", "0.0357"),
        ("restaurant", "Type", {}, "0.0000", "3", "1.0000"),
        ("restaurant", "Hungry", FULL, "1.5000", "1", "0.2207"),
    )
    figures = []
    for name, column, where, *printed in asked:
        test = info.chi_square(counts_of(name, column, **where))
        place = "/".join([*where.values(), column])
        for what, text, value in zip(("chi-square", "df", "p"), printed, test, strict=True):
            figures.append(Figure(f"{place}: {what}", text, value))
    leaves = tree_of("tennis", significance_level=0.05).n_leaves
    figures.append(Figure("leaves of tennis at 5 %", "1", leaves))
    return Work("W25", "Is a split significant?", "Leite", tuple(figures))


def w26() -> Work:
    printed = ("1", "2", "12", "576", "1658880")
    figures = [Figure(f"f({d})", text, info.number_of_trees(d)) for d, text in enumerate(printed, 1)]
    return Work("W26", "The number of trees over d columns of two values", "notes", tuple(figures))


MEASURES = (w1, w2, w3, w4, w5, w7, w8, w9, w10, w14, w15, w17, w21, w22, w24, w25, w26)
