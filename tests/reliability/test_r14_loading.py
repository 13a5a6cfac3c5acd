"""R14: loading a model runs no code and imports nothing: 0 events of an audit hook, for every kind of model.

That only classes of bough's own list come back is in tests/store/test_broken_files.py."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import every_model
import pytest
from running import program

import bough
from bough.store import save

CODE = """
    import sys
    from pathlib import Path
    import bough
    files = sorted(Path(sys.argv[1]).iterdir())
    bough.load(files[0])  # what bough itself needs is imported by the first call
    allowed = ("open", "mmap.__new__", "os.listdir", "os.scandir", "object.__getattr__", "builtins.id")
    seen = {}

    def hook(event, arguments):
        if watching and event not in allowed:
            seen[event] = str(arguments)[:200]
        if watching and event == "open" and not str(arguments[0]).startswith(sys.argv[1]):
            seen["open elsewhere"] = str(arguments)[:200]

    watching = False
    sys.addaudithook(hook)
    for file in files:
        before = set(sys.modules)
        watching = True
        try:
            model = bough.load(file)
        except bough.BoughError:
            model = None
        watching = False
        new = set(sys.modules) - before
        if new:
            seen["imports of " + file.name] = sorted(new)
    print((len(files), seen))
"""


def test_an_audit_hook_sees_the_file_opened_and_nothing_else(tmp_path):
    estimators = every_model.estimators()
    names = list(estimators)
    for i, (name, model) in enumerate(estimators.items()):
        model.save(tmp_path / f"{i:02d}-{name}.bough")
    for name, ensemble in every_model.ensembles().items():
        save(ensemble, tmp_path / f"50-{name}.bough")
    data = every_model.frame(80)
    y, _ = every_model.targets(data)
    forest = bough.RandomForestClassifier(n_estimators=3).fit(data, y)
    forest.save(tmp_path / "60-forest.bough")
    bough.GradientBoostingClassifier(n_estimators=3).fit(data, y).save(tmp_path / "61-boosting.bough")
    bough.AdaBoostClassifier(n_estimators=3).fit(data, y).save(tmp_path / "62-adaboost.bough")
    whole = (tmp_path / "60-forest.bough").read_bytes()
    (tmp_path / "70-changed.bough").write_bytes(
        whole.replace(b"RandomForestClassifier", b"os.system('exit 1')xxx")
    )
    count, seen = ast.literal_eval(program(CODE, tmp_path))
    assert count == len(names) + len(every_model.ensembles()) + 4
    assert seen == {}


def test_a_pickle_is_not_loaded(tmp_path):
    class Trap:
        def __reduce__(self):
            return Path.touch, (tmp_path / "ran",)

    (tmp_path / "m.bough").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(bough.BoughError) as error:
        bough.load(tmp_path / "m.bough")
    assert error.value.code == "file"
    assert not (tmp_path / "ran").exists()
