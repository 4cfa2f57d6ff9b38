"""A cache is carried to another machine."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.cache import Cache, transfer
from ragate.cache.transfer import export_cache, import_cache
from ragate.core.hashing import digest
from ragate.errors import StorageError, UsageError
from tests.integration.cache.cache_rows import KEY, fill

pytestmark = pytest.mark.integration


def test_an_export_read_elsewhere_gives_the_same_cache(path: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "cache.jsonl", tmp_path / "other.sqlite"
    with Cache(path) as cache:
        fill(cache)
        assert export_cache(cache, file) == 4

    with Cache(other) as cache:
        assert import_cache(cache, file) == 4
        assert export_cache(cache, tmp_path / "again.jsonl") == 4
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{}", "no verdict, draw or embedding"),
        ('{"embedding": "x", "vector": ""}', "finite 32-bit numbers"),
        (f'{{"embedding": "{KEY}", "vector": "AADAfw=="}}', "finite 32-bit numbers"),
        (f'{{"embedding": "{KEY}", "vector": 7}}', "base64"),
        ('{"embedding": "../x", "vector": "AACAPw=="}', "digest"),
        (f'{{"verdict": "{KEY}", "criterion": "", "score": {{}}}}', "criterion"),
        (f'{{"verdict": "{KEY}", "criterion": "a", "score": {{"value": "1"}}}}', "score"),
        (f'{{"verdict": "{KEY}", "criterion": "a", "score": {{"value": NaN}}}}', "NaN"),
        (f'{{"draw": "{KEY}", "session": "", "number": true, "reply": {{}}}}', "number"),
        (f'{{"draw": "{KEY}", "session": "", "number": 0, "reply": {{}}}}', "reply"),
        ('{"a": 1, "a": 2}', "twice"),
        ("[1,", "not JSON"),
    ],
)
def test_an_import_is_read_strictly_and_all_or_nothing(
    path: Path, tmp_path: Path, line: str, message: str
) -> None:
    file = tmp_path / "bad.jsonl"
    good = f'{{"embedding": "{digest(7)}", "vector": "AACAPw=="}}'
    file.write_text(f'{{"ragate_cache": 1}}\n{good}\n{line}\n')

    with Cache(path) as cache:
        with pytest.raises(UsageError, match=message) as caught:
            import_cache(cache, file)
        assert cache.info().rows["embeddings"] == 0
    assert f"{file}:3" in str(caught.value)


@pytest.mark.parametrize("header", ["", "[]\n", '{"ragate_cache": 2}\n', '{"other": 1}\n'])
def test_a_file_of_another_kind_is_not_imported(path: Path, tmp_path: Path, header: str) -> None:
    (tmp_path / "other.jsonl").write_text(header)

    with Cache(path) as cache, pytest.raises(UsageError, match="not an export"):
        import_cache(cache, tmp_path / "other.jsonl")


def test_an_export_that_cannot_be_written_leaves_nothing_open(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_path: Path, lines: Iterator[str]) -> int:
        next(lines), next(lines)
        raise StorageError("no space left")

    monkeypatch.setattr(transfer, "write_lines", full)

    gc.freeze()  # what other tests left is not collected here
    failure: StorageError | None = None
    with Cache(path) as cache:
        fill(cache)
        try:
            export_cache(cache, tmp_path / "cache.jsonl")
        except StorageError as error:
            failure = error

    assert failure is not None
    failure = None  # what was left open would be closed now, after the file: nobody would catch it
    gc.collect()
