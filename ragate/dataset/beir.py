"""A folder as BEIR lays it out: queries.jsonl and graded qrels/*.tsv; or TREC's, as text."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from ragate.dataset._rows import MAX_BYTES, Row
from ragate.errors import DatasetError
from ragate.files.foreign_files import inside, text_lines
from ragate.files.strict_json import read_lines
from ragate.settings import nearest
from ragate.tables.names import part_of

ENDINGS = (".tsv", ".txt", ".qrels")
QUESTIONS = ("queries.jsonl", "queries.tsv", "topics.tsv")
Grades = dict[str, dict[str, int]]  # by query, by document


def rows(path: Path) -> Iterator[Row]:
    """Yield the queries of a BEIR folder with the judgements of one qrels file.

    A query that only another qrels file of the folder judges belongs to that split and is left
    out; one that none judges stays, unjudged.

    Args:
        path: The folder (``qrels/test.tsv``, or the only qrels file), or a qrels file in it.

    Raises:
        DatasetError: names the file and the line.
    """
    folder = path if path.is_dir() else path.parent.parent
    chosen, unused = _qrels(path)
    grades = _grades(_inner(folder, f"qrels/{chosen}"))
    elsewhere = {
        query for name in unused for query in _grades(_inner(folder, f"qrels/{name}"))
    } - grades.keys()
    queries = list(_rows(questions_of(folder) or _inner(folder, "queries.jsonl"), grades))
    ids = {str(row["id"]) for _, row in queries}
    for query in grades:
        if query not in ids:
            raise DatasetError(
                f"{folder / 'qrels' / chosen}: query {query!r} is not in queries.jsonl"
                f"{nearest(query, ids) if len(ids) < 1000 else ''}"
            )
    yield from (row for row in queries if str(row[1]["id"]) not in elsewhere)


def _qrels(path: Path) -> tuple[str, list[str]]:
    """Return the name of the qrels file to read and those of the others."""
    folder = path / "qrels" if path.is_dir() else path.parent
    names = sorted(file.name for file in folder.glob("*") if file.suffix in ENDINGS)
    if not path.is_dir():
        chosen = path.name
    elif "test.tsv" in names:
        chosen = "test.tsv"
    elif len(names) == 1:
        chosen = names[0]
    else:
        if not names:
            raise DatasetError(
                f"{path} is a folder, and none of BEIR: it has no qrels/*.tsv",
                remedy="name the file with the questions, such as golden.jsonl; a folder is read "
                "with queries.jsonl and qrels/test.tsv in it",
            )
        raise DatasetError(
            f"{folder}: which of {', '.join(names)}?",
            remedy="name the qrels file as the dataset",
        )
    return chosen, [name for name in names if name != chosen]


def questions_of(folder: Path) -> Path | None:
    """Return the file of questions beside a folder of judgements, None where there is none."""
    found = next((name for name in QUESTIONS if (folder / name).is_file()), "")
    return _inner(folder, found) if found else None


def _inner(folder: Path, name: str) -> Path:
    inside(folder, name, where=str(folder), error=DatasetError)
    return folder / name


def _grades(path: Path) -> Grades:
    grades: Grades = {}
    with closing(text_lines(path, error=DatasetError, max_bytes=MAX_BYTES)) as lines:
        for number, line in enumerate(lines, start=1):
            cells = line.split("\t")
            if len(cells) == 1 and len(line.split()) == 4:
                cells = line.split()
            if not line.strip() or (number == 1 and cells[-1].strip() == "score"):
                continue
            where = f"{path}:{number}"
            if len(cells) == 4:  # TREC's second column says nothing
                del cells[1]
            query, doc_id, grade = _judgement(cells, where)
            if grades.setdefault(query, {}).setdefault(doc_id, grade) != grade:
                raise DatasetError(f"{where}: {query} and {doc_id} have another grade above")
    return grades


def _judgement(cells: list[str], where: str) -> tuple[str, str, int]:
    try:
        query, doc_id, grade = (cell.strip() for cell in cells)
        return query, doc_id, int(grade)
    except ValueError as error:
        raise DatasetError(
            f"{where}: {cells!r}: a line is query-id, corpus-id and a whole number, with tabs"
        ) from error


def _rows(path: Path, grades: Grades) -> Iterator[Row]:
    for number, row in _questions(path):
        where = f"{path}:{number}"
        if not isinstance(row, dict) or not isinstance(row.get("_id"), str | int):
            raise DatasetError(f"{where}: a query is an object with _id and text")
        if any(part_of(name) == "relevant" for name in row):
            raise DatasetError(f"{where}: in a BEIR folder the judgements stand in qrels/*.tsv")
        yield where, _fields(row, grades)


def _questions(path: Path) -> Iterator[tuple[int, Any]]:
    if path.suffix == ".jsonl":
        yield from read_lines(path, error=DatasetError, max_bytes=MAX_BYTES)
        return
    with closing(text_lines(path, error=DatasetError, max_bytes=MAX_BYTES)) as lines:
        for number, line in enumerate(lines, start=1):
            name, _, text = line.strip().partition("\t")
            if name:
                yield number, {"_id": name, "text": text}


def _fields(row: dict[str, Any], grades: Grades) -> dict[str, Any]:
    names = {"_id": "id", "text": "query"}
    fields = {names.get(name, name): value for name, value in row.items()}
    if fields.get("title") == "":  # many exports carry one
        del fields["title"]
    metadata = fields.get("metadata")
    if isinstance(metadata, dict):
        if isinstance(metadata.get("answerable"), bool):
            fields.setdefault("answerable", metadata["answerable"])
        fields["metadata"] = {key: _scalar(value) for key, value in metadata.items()}
    fields["relevant"] = grades.get(str(row["_id"]), {})
    return fields


def _scalar(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
