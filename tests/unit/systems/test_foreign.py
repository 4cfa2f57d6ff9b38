"""What is known of code that ragate did not build."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragate.core.hashing import digest
from ragate.errors import ConfigError, SystemStartError
from ragate.systems._foreign import _files
from tests.unit.systems.functions import PLAIN, one
from tests.unit.systems.using import info, module


def test_without_fingerprint_files_a_system_is_like_no_other(tmp_path: Path):
    target = f"{module(tmp_path, PLAIN)}:answer"

    assert info("python", {"target": target}, tmp_path).fingerprint == ""


def test_the_fingerprint_covers_files_and_settings_and_nothing_else(tmp_path: Path):
    target = f"{module(tmp_path, PLAIN)}:answer"
    (tmp_path / "prompts").mkdir()
    prompt = tmp_path / "prompts" / "answer.txt"
    prompt.write_text("one")
    settings = {"target": target, "fingerprint_files": ["prompts/*"]}

    def fingerprint(**more: object) -> str:
        return info("python", {**settings, **more}, tmp_path).fingerprint

    first = fingerprint()
    (tmp_path / "README.md").write_text("another file")
    assert fingerprint() == first
    assert fingerprint(doc_id="path") != first
    prompt.write_text("two")
    assert fingerprint() != first


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("../*.py", "leads out of the project"),
        ("/etc/*", "leads out of the project"),
        ("prompts/*", "matches no file"),
        ("link.txt", "outside"),
    ],
)
def test_fingerprint_files_stay_in_the_project(tmp_path: Path, pattern: str, told: str):
    (tmp_path / "link.txt").symlink_to("/etc/hostname")
    settings = {"target": f"{module(tmp_path, PLAIN)}:answer", "fingerprint_files": [pattern]}

    with pytest.raises(ConfigError, match=told):
        info("python", settings, tmp_path)


REFUSING = "import errno\nERROR = ConnectionRefusedError(errno.ECONNREFUSED, 'no database')\n"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("raise ERROR", "importing"),
        ("class answer:\n    def __init__(self):\n        raise ERROR", "setting it up raised"),
    ],
)
def test_what_cannot_be_reached_before_the_first_question_is_no_decision(
    tmp_path: Path, code: str, told: str
):
    with pytest.raises(SystemStartError) as raised:
        one(tmp_path, REFUSING + code)

    assert told in str(raised.value)
    assert "no database" in str(raised.value)
    assert raised.value.exit_code == 3


def test_a_connection_that_failed_leaves_its_sample_unmeasured(tmp_path: Path):
    output = one(tmp_path, f"{REFUSING}def answer(query):\n    raise RuntimeError('x') from ERROR")

    assert output.error is not None
    assert output.error.kind == "provider"
    assert re.fullmatch(
        r"what the system reads from cannot be reached: "
        r"RuntimeError: x \(\w+\.py:\d+, in answer\); "
        r"caused by ConnectionRefusedError: \[Errno 111\] no database",
        output.error.message,
    )


def test_compiled_files_and_folders_are_no_part_of_the_fingerprint(tmp_path: Path):
    (tmp_path / "app" / "__pycache__").mkdir(parents=True)
    (tmp_path / "app" / "rag.py").write_text("x = 1")
    (tmp_path / "app" / "__pycache__" / "rag.pyc").write_bytes(b"x")

    assert set(_files(tmp_path, ("app/**/*",))) == {"app/rag.py"}


def test_a_later_key_counts_only_where_it_is_set(tmp_path: Path):
    target = f"{module(tmp_path, PLAIN)}:answer"
    old = {"target": target, "factory": False, "input_key": "", "doc_id": "source"}

    settings = {"target": target, "fingerprint_files": ["*.py"]}
    parts = info("python", settings, tmp_path).parts
    chat = {**settings, "input_key": "input", "messages_key": "turns"}

    assert parts["settings"] == digest({**old, "fingerprint_files": ["*.py"]})
    assert info("python", chat, tmp_path).parts["settings"] != parts["settings"]
