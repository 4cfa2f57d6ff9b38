"""What a machine lacks or does not allow: no bug of ours."""

import errno
from pathlib import Path

_REMEDIES = {
    "memory": "give the job more memory, or lower RAGATE_CONCURRENCY; finished outputs are kept",
    "threads": "raise the limit on processes (ulimit -u), or lower RAGATE_CONCURRENCY",
    "open files": "raise the limit on open files (ulimit -n), or lower RAGATE_CONCURRENCY",
    "disk space": "free some, or set RAGATE_STATE_DIR to a folder on another disk",
}
_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}
_ACCESS = "give this user access to it, or set RAGATE_STATE_DIR to a folder that is writable"
_IN_THE_WAY = {
    errno.ENOTDIR: "a file stands where a folder must be: remove or rename it",
    errno.EEXIST: "it stands where something else must be: remove or rename it",
    errno.EISDIR: "a folder stands where a file must be: remove or rename it",
    errno.ELOOP: "remove the link that leads to itself",
}
_CODES = {
    errno.ENOMEM: "memory",
    errno.EAGAIN: "threads",
    errno.EMFILE: "open files",
    errno.ENFILE: "open files",
    errno.ENOSPC: "disk space",
    errno.EDQUOT: "disk space",
}


def machine_fault(error: BaseException) -> tuple[str, str]:
    """Return what the machine lacks or refuses and what helps; ("", "") where it is another error.

    What caused the error counts too: libraries wrap what the system told them.
    """
    looked_at: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in looked_at:
        looked_at.add(id(cause))
        if lack := _lack(cause):
            message = str(cause) or type(cause).__name__
            return f"the machine ran out of {lack}: {message}", _REMEDIES[lack]
        if isinstance(cause, OSError) and cause.errno in _REFUSED:
            return f"{cause.filename or 'a file'}: {cause.strerror}", _ACCESS
        if isinstance(cause, OSError) and (remedy := _IN_THE_WAY.get(cause.errno or 0)):
            return f"{cause.filename or 'a file'}: {cause.strerror}", remedy
        cause = cause.__cause__ or cause.__context__
    return "", ""


def _lack(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "threads"
    return _CODES.get(error.errno or 0, "") if isinstance(error, OSError) else ""


# Whether this process runs in a container: `localhost` is another machine's there.


def in_container() -> bool:
    """Return whether we run in Docker or Podman."""
    return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()
