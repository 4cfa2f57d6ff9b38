"""What other processes of the same user may read of this one."""

_SET_DUMPABLE = 4


def hide_memory() -> None:
    """Keep this process's memory and its first variables from others of the same user.

    On Linux they stand in ``/proc/PID``, where code under test could look for keys that it was not
    given. Its own children are as they were once they run a program. Root can look all the same
    where it may trace processes, which it may not in a container. Elsewhere nothing happens.
    """
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    except (ImportError, OSError, AttributeError, MemoryError):
        return
