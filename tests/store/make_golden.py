"""Makes the model files that every later version must read:  python tests/store/make_golden.py NAME

A set is made once, for a new format of the file, and never changed: `files/<format>/`, with the rows and the
answers that each model gave when it was written."""

import json
import sys
from pathlib import Path

import numpy as np

FILES = Path(__file__).parent / "files"
sys.path.insert(0, str(Path(__file__).parent.parent))


def rows(data) -> dict[str, list]:
    """The rows as JSON: dates as text, None for missing."""
    out = {}
    for name in data:
        values = data[name].astype(object).where(data[name].notna(), None)
        out[name] = [str(v) if name == "joined" and v is not None else v for v in values]
    return out


def answers(model, table) -> dict[str, list]:
    found = {"predict": np.asarray(model.predict(table)).tolist()}
    if model.classes is not None:
        found["predict_proba"] = [[float(p).hex() for p in row] for row in model.predict_proba(table)]
    else:
        found["predict"] = [float(v).hex() for v in found["predict"]]
    return found


def main(name: str) -> None:
    import every_model

    from bough.estimators.saving import about
    from bough.store import save

    folder = FILES / name
    folder.mkdir(parents=True)
    data = every_model.frame(40, seed=7, holes=0.3)
    data.loc[3, "city"] = "never seen"
    whole = every_model.frame(40, seed=7, holes=0.0)
    expected = {"rows": rows(data), "whole": rows(whole), "models": {}}
    models = every_model.estimators() | every_model.ensembles()
    for kind, model in models.items():
        inner = getattr(model, "tree_", model)
        table = whole if kind == "error" else data
        expected["models"][kind] = {"digest": inner.digest(), **answers(inner, table)}
        save(inner, folder / f"{kind}.bough", about(model) if inner is not model else None)
    (folder / "expected.json").write_text(json.dumps(expected, indent=0), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
