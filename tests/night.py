"""What runs by day and what at night: one switch, `HYPOTHESIS_PROFILE=night`."""

from __future__ import annotations

import os

import pytest

NIGHT = os.environ.get("HYPOTHESIS_PROFILE") == "night"
# A simulation of which a tenth runs by day, or a trial of the whole product whose every step has a
# test of its own by day.
by_night = pytest.mark.skipif(not NIGHT, reason="runs at night: HYPOTHESIS_PROFILE=night")
