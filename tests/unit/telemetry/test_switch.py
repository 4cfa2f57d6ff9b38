"""Telemetry is off unless it is asked for, and says what it lacks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ragate.errors import UsageError
from ragate.telemetry.switch import telemetry, telemetry_wish

IMPORTED = """
import sys
from ragate.cli.main import run
run(["decide", "--help"])
import ragate.pipeline.line
print("MODULES", *(name for name in sys.modules if name.startswith("opentelemetry")))
"""


@pytest.mark.parametrize("value", ["", "0", "off", "False"])
def test_it_is_off(value):
    assert telemetry_wish({"RAGATE_TELEMETRY": value}) is None


@pytest.mark.parametrize("value", ["1", "true", "ON"])
def test_it_is_on_without_texts(value):
    wish = telemetry_wish({"RAGATE_TELEMETRY": value})

    assert wish is not None
    assert not wish.texts


def test_the_sdks_own_switch_takes_it_off_again():
    assert telemetry_wish({"RAGATE_TELEMETRY": "1", "OTEL_SDK_DISABLED": "true"}) is None


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("opentelemetry")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "ragate.telemetry.exporting", raising=False)
    monkeypatch.delitem(sys.modules, "ragate.telemetry.listener", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)

    with pytest.raises(UsageError) as raised, telemetry({"RAGATE_TELEMETRY": "1"}, say=print):
        pass

    assert "pip install 'ragate[otel]'" in raised.value.remedy


def test_where_it_is_off_nothing_of_it_is_imported():
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True
    )

    assert done.stdout.rpartition("MODULES")[2].split() == []
