from __future__ import annotations

import io
from pathlib import Path

import pytest

from ragate.errors import DatasetError, StorageError
from ragate.files import foreign_files
from ragate.files.foreign_files import inside, read_bytes, read_text


def test_text_is_read_without_its_byte_order_mark_and_with_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb")

    assert read_text(path, error=DatasetError) == "a\r\nb"


def test_a_byte_that_is_no_text_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\nb\xe9")

    with pytest.raises(StorageError, match=r"a\.txt: line 2: byte 0xe9"):
        read_text(path, error=StorageError)


def test_a_file_without_a_known_size_is_still_held_to_the_cap() -> None:
    path = Path("/proc/self/maps")  # a regular file that says it has 0 bytes
    if not path.exists():
        pytest.skip("no /proc on this system")

    with pytest.raises(DatasetError, match="more than 100 bytes"):
        read_bytes(path, error=DatasetError, max_bytes=100)


def test_of_a_file_that_grows_no_more_is_read_than_the_cap_and_a_byte(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Growing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            assert size == 101
            return b"x" * size

    monkeypatch.setattr(foreign_files, "open_file", lambda *_path, **_rest: Growing())

    with pytest.raises(DatasetError, match="more than 100 bytes"):
        read_bytes(Path("a.txt"), error=DatasetError, max_bytes=100)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"a\.txt: cannot be read: No such file"):
        read_bytes(tmp_path / "a.txt", error=DatasetError)


def test_a_path_inside_need_not_exist(tmp_path: Path) -> None:
    path = inside(tmp_path, "a/../b.txt", where="x", error=DatasetError)

    assert path == tmp_path.resolve() / "b.txt"


@pytest.mark.parametrize("value", ["..", "a/../../b", "/etc/passwd", " ", "a\0b", "out/b"])
def test_a_path_outside_is_refused(tmp_path: Path, value: str) -> None:
    (tmp_path / "out").symlink_to(tmp_path.parent)

    with pytest.raises(DatasetError, match=r"^x = "):
        inside(tmp_path, value, where="x", error=DatasetError)


def test_links_that_lead_in_circles_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    with pytest.raises(DatasetError):
        read_bytes(inside(tmp_path, "a", where="x", error=DatasetError), error=DatasetError)
