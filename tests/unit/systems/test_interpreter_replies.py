"""Replies of a worker that is not ours: an interpreter may be any program."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError, SystemStartError
from tests.unit.systems.bare import one
from tests.unit.systems.using import message

FORGER = """
import json, socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[-1])
replies = iter(REPLIES)
for line in link.makefile("rb"):
    reply = {"id": json.loads(line)["id"], **next(replies)}
    link.sendall(json.dumps(reply).encode() + b"\\n")
"""
OPENED = {"value": {"whole": False, "takes_turns": False}}


@pytest.fixture
def sockets(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary files; its path is short, as a socket's has to be."""
    folder = tmp_path_factory.mktemp("s")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def forger(root: Path, *replies: Any) -> list[str]:
    (root / "forger.py").write_text(FORGER.replace("REPLIES", repr(replies)))
    return [sys.executable, "-S", "forger.py"]


@pytest.mark.parametrize(
    "reply",
    [
        {"value": {}},
        {"value": {"whole": True}},
        {"value": {"whole": "yes", "takes_turns": None}},
        {"value": None},
        {"raised": {}},
        {},
    ],
)
def test_an_opening_reply_without_its_keys_is_named_as_such(tmp_path: Path, reply: Any):
    with pytest.raises(ConfigError, match="its worker sent what is no reply"):
        one(tmp_path, "def answer(query): ...", interpreter=forger(tmp_path, reply))


@pytest.mark.parametrize("reply", [{"raised": {}}, {"raised": "x"}, {"refused": 3}])
def test_a_reply_without_its_keys_fails_its_sample(tmp_path: Path, reply: Any):
    output = one(tmp_path, "def answer(query): ...", interpreter=forger(tmp_path, OPENED, reply))

    assert "sent what is no value" in message(output)


def test_no_room_for_a_socket_is_our_failure_and_nobodys_answer(tmp_path: Path, sockets: Path):
    sockets.rmdir()

    with pytest.raises(SystemStartError, match="no socket for a worker: No such file") as raised:
        one(tmp_path, "def answer(query): return query")

    assert "make room in" in raised.value.remedy


def test_a_worker_that_cannot_be_started_again_leaves_its_samples_unmeasured(
    tmp_path: Path, sockets: Path
):
    code = f"import os, shutil\ndef answer(query): shutil.rmtree('{sockets}'); os._exit(1)"

    output = one(tmp_path, code)

    assert output.error is not None
    assert output.error.kind == "provider"
    assert "no socket for a worker" in output.error.message
