"""All tasks, by name, in the order in which they run."""

from __future__ import annotations

from benchmarks import serving, tasks

PEERS = (tasks.OURS, "scikit-learn", "lightgbm", "xgboost")

TASKS = [
    tasks.Task("tree-entropy", tasks.ENTROPY),
    tasks.Task("tree-regression", tasks.REGRESSION),
    tasks.Task("tree-covtype", tasks.COVER),
    tasks.Task("boosting", tasks.boosting, PEERS),
    tasks.Task("forest", tasks.forest),
    tasks.Task("inference", serving.inference, PEERS),
    tasks.Task("latency", serving.latency, PEERS),
    tasks.Task("memory", serving.memory, PEERS),
    tasks.Task("growth", tasks.growth, (tasks.OURS,)),
    tasks.Task("threads", tasks.threads, (tasks.OURS,)),
    tasks.Task("import", tasks.imports),
    tasks.Task("small-fit", tasks.small_fit),
    tasks.Task("missing", tasks.missing, (tasks.OURS,)),
    tasks.Task("prune", tasks.pruning, (tasks.OURS,)),
]
