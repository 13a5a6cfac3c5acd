"""Which format a file has, from its ending; and what to say of a file that is not there."""

from __future__ import annotations

from pathlib import Path

from bough.errors import BoughError, did_you_mean

FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".db": "sqlite",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".arrow": "arrow",
    ".feather": "arrow",
}
_PACKED = ("csv", "json")  # what may end in .gz
_SHEETS = (".xls", ".xlsx", ".xlsm", ".xlsb", ".ods", ".numbers")


def file_kind(path: Path) -> str:
    """The format of a file that is there."""
    if path.is_dir():
        raise not_found(path)
    packed = path.name.lower().endswith(".gz")
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    kind = FORMATS.get(ending)
    if ending in _SHEETS:
        raise BoughError(
            f"{path.name} is a spreadsheet, which bough does not read.",
            code="file",
            hint="Save the sheet as CSV (UTF-8), names of the columns in the first line.",
        )
    if ending == ".bough":
        raise BoughError(
            f"{path.name} is a model, and a table is needed here.",
            code="file",
            hint="Name the table that it is about, such as a CSV file, or demo:NAME.",
        )
    if kind is None or (packed and kind not in _PACKED):
        raise BoughError(
            f'cannot tell the format of {path.name} from its ending "{ending}{".gz" if packed else ""}".',
            code="file",
            hint=f"Endings: {', '.join(FORMATS)}; CSV and JSON also with .gz. Tables to try: demo:NAME",
        )
    if not path.is_file():
        raise not_found(path)
    return kind


def not_found(path: Path) -> BoughError:
    if path.is_dir():
        return BoughError(f"{path} is a folder.", code="file", hint="Name a file in it.")
    folder = path.parent
    if not folder.is_dir():
        return BoughError(
            f"no folder {folder}, so no file {path.name} in it.", code="file", hint="Check the path."
        )
    names = sorted(file.name for file in folder.iterdir() if file.is_file())
    known = [name for name in names if Path(name.lower().removesuffix(".gz")).suffix in FORMATS]
    return BoughError(
        f"no file {path}.{did_you_mean(path.name, names)}",
        code="file",
        hint=f"Files there: {', '.join(known[:5])}" if known else "Tables to try without a file: demo:NAME",
    )
