"""The large check, outside of the test suite:  python tests/exporting/large.py [ROWS]

10,000 rows for every model and every format that can be run here; one line each, and the differences."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))


def main(n_rows: int) -> int:
    import every_model

    from bough import BoughError
    from bough.estimators.exports import ALL
    from bough.exporting.fuzz import fuzz
    from bough.exporting.plan import Plan
    from bough.exporting.verify import differences

    found = checked = 0
    for name, model in (every_model.estimators() | every_model.ensembles()).items():
        plan = Plan(getattr(model, "tree_", model))
        rows = fuzz(plan, n_rows, seed=7)
        for format_ in ALL:
            for dialect in format_.dialects or ("",):
                run, by = format_.runner(dialect)
                if run is None or (format_.name == "rules" and dialect != "text"):
                    continue
                start = time.perf_counter()
                try:
                    content = format_.write(plan, **({"dialect": dialect} if dialect else {}))
                except BoughError as error:
                    print(f"{name:16} {format_.name:7} {dialect:8} refused: {error.message}")
                    continue
                wrong, texts = differences(plan, rows.table, run(content, plan, rows))
                found, checked = found + wrong.size, checked + n_rows
                took = time.perf_counter() - start
                what = f"{name:16} {format_.name:7} {dialect:8} {by:22}"
                print(f"{what} {wrong.size} wrong {took:6.1f} s {texts}")
    print(f"{checked:,} answers compared, {found:,} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
