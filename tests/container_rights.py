"""The rights that root has in a container: it may not look into other processes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

_RIGHTS = (
    "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,"
    "+net_bind_service,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap"
)
_SETPRIV = shutil.which("setpriv") or ""
_IS_ROOT = os.getuid() == 0

# What a command begins with that is to have these rights, whoever runs the tests.
AS_IN_A_CONTAINER = [_SETPRIV, f"--bounding-set={_RIGHTS}"] if _IS_ROOT else []


def _no_way() -> str:
    if not Path("/proc/self/environ").exists():
        return "no /proc on this system"
    return "no setpriv to drop rights with" if _IS_ROOT and not _SETPRIV else ""


LOOKS_INTO_PROCESSES = pytest.mark.skipif(bool(_no_way()), reason=_no_way())
