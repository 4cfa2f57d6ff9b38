"""Records that stand in a list of their own, or inside of an object, as an API answers."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ragate.errors import DatasetError
from ragate.support.records import Record, is_table, json_value, records
from ragate.support.settings import shown


def wrapped_records(path: Path, *names: str) -> Iterator[Record]:
    """Yield the records of a file; of a JSON object, those of the list under one of `names`.

    An object that holds none of them is a record itself.

    Raises:
        DatasetError: it cannot be read, or an item is no object; names the place.
    """
    if path.suffix.lower() != ".json":
        yield from records(path, error=DatasetError)
        return
    value = json_value(path, error=DatasetError)
    for _ in range(2):  # {"results": {"results": [...]}}
        if not isinstance(value, Mapping):
            break
        value = next((value[name] for name in names if name in value), value)
    if is_table(value):
        yield from records(path, error=DatasetError)  # a table by columns
        return
    for number, row in enumerate(value if isinstance(value, list) else [value], start=1):
        where = f"{path}: record {number}"
        if not isinstance(row, Mapping):
            raise DatasetError(f"{where}: {shown(row)}: must be an object")
        yield where, row
