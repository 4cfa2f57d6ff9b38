"""Telemetry is off unless it is asked for, and says what it lacks."""

from __future__ import annotations

import json
import sys

import pytest

from ragate.contrib.otel.switch import is_of_a_fork, is_wanted, telemetry
from ragate.errors import UsageError
from ragate.installed import install_line
from tests.unit.fresh import printed

IMPORTED = """
import sys
from ragate.cli.main import run
run(["decide", "--help"])
import ragate.run.one_run
print("MODULES", *(name for name in sys.modules if name.startswith("opentelemetry")))
"""


@pytest.mark.parametrize("value", ["", "0", "off", "False"])
def test_it_is_off(value):
    assert not is_wanted({"RAGATE_TELEMETRY": value})


@pytest.mark.parametrize("value", ["1", "true", "ON"])
def test_it_is_on(value):
    assert is_wanted({"RAGATE_TELEMETRY": value})


def test_the_sdks_own_switch_takes_it_off_again():
    assert not is_wanted({"RAGATE_TELEMETRY": "1", "OTEL_SDK_DISABLED": "true"})


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    for name in [*sys.modules]:
        if name.startswith(("opentelemetry", "ragate.contrib.otel.")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)

    with pytest.raises(UsageError) as raised, telemetry({"RAGATE_TELEMETRY": "1"}, say=print):
        pass

    assert install_line("otel") in raised.value.remedy


def test_where_it_is_off_nothing_of_it_is_imported():
    assert printed(IMPORTED)[-1] == "MODULES"


@pytest.mark.parametrize(("head", "fork"), [(1, False), (2, True), (None, True)])
def test_a_forks_pull_request_is_told_by_the_ids_of_its_repositories(tmp_path, head, fork):
    pull = {"head": {"repo": head and {"id": head}}, "base": {"repo": {"id": 1}}}
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": pull}))
    names = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(event)}

    assert is_of_a_fork(names) is fork
    assert is_of_a_fork({**names, "GITHUB_EVENT_PATH": str(tmp_path / "none.json")})
    assert not is_of_a_fork({**names, "GITHUB_EVENT_NAME": "push"})
    assert not is_of_a_fork({})
