"""What holds for every test: no test fails because a machine is busy."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

# A shell starts its background jobs with these ignored, and every child would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
# So does nohup with this one. We go on ignoring it; what we start shall not.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)


def pytest_xdist_auto_num_workers() -> int:
    """Half as many processes again as there are cores: a third of the time a test waits."""
    return (os.cpu_count() or 1) * 3 // 2


@pytest.fixture(autouse=True)
def modules_of_this_test_alone() -> Iterator[None]:
    """Forget the modules of a test's own project: the next one's may have the same name."""
    before = set(sys.modules)
    yield
    made = tempfile.gettempdir()
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(made):
            del sys.modules[name]
