"""All tasks, by name, in the order in which they run."""

from __future__ import annotations

from functools import partial

from benchmarks import alone, fits, golden, quality, serving, starting
from benchmarks.rows import OURS, Task

FOREST = (OURS, "scikit-learn", "scikit-learn-intelex", "ydf")
BOOSTING = (OURS, "lightgbm", "xgboost", "catboost", "scikit-learn", "ydf")
SERVING = (*dict.fromkeys(FOREST + BOOSTING), "onnxruntime", "skl2onnx", "onnxmltools", "treelite", "tl2cgen")

TASKS = [
    Task("tree", partial(fits.all_of, fits.TREES), (OURS, "scikit-learn", "ydf")),
    Task("forest", partial(fits.all_of, fits.FORESTS), FOREST),
    Task("extra-trees", partial(fits.all_of, fits.EXTRA)),
    Task("boosting", partial(fits.all_of, fits.BOOSTINGS), BOOSTING),
    Task("categories", partial(fits.all_of, fits.CATEGORIES), BOOSTING),
    Task("setup", partial(fits.all_of, fits.SETUP), BOOSTING),
    Task("inference", serving.inference, SERVING),
    Task("latency", serving.latency, SERVING),
    Task("contributions", serving.contributions, (OURS, "lightgbm", "xgboost")),
    Task("memory", serving.memory, BOOSTING),
    Task("growth", alone.growth, (OURS,)),
    Task("threads", alone.threads, (OURS,)),
    Task("import", starting.imports),
    Task("first-fit", starting.first_fit, BOOSTING),
    Task("small-fit", starting.small_fit),
    Task("missing", alone.missing, (OURS,)),
    Task("prune", alone.pruning, (OURS,)),
    Task("quality", quality.quality, tuple(dict.fromkeys(BOOSTING + FOREST)), by_default=False),
    Task("folds", golden.folds, (OURS,), by_default=False),
    Task("out-of-bag", golden.out_of_bag, (OURS,), by_default=False),
]
