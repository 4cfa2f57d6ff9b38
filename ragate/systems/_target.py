"""``target = "my.module:thing"`` of ``[system]``: its form, and what is said where it fails."""

from pathlib import Path

from ragate.errors import ConfigError, RagateError, SystemStartError
from ragate.support.escape import one_line
from ragate.support.settings import nearest
from ragate.worker.outage import is_outage
from ragate.worker.raised import summary
from ragate.worker.target import TargetError, TargetRaised


def where_of(target: str) -> str:
    """Return the place of a target, for a message."""
    return f"[system] target = {target!r}"


def check_form(target: str) -> None:
    """Check that a target is a dotted path.

    Raises:
        ConfigError: says what is wrong with it, and what to write.
    """
    if wrong := _wrong_form(target):
        raise ConfigError(f"{where_of(target)}: not a dotted path: {wrong[0]}", remedy=wrong[1])


def cannot_be_asked(target: str, error: TargetError) -> ConfigError:
    """Return the error of a target that is no mistake of its code."""
    hint = one_line(nearest(error.missing, error.names)) if error.missing else ""
    return ConfigError(f"{where_of(target)}: {error}{hint}", remedy=error.remedy)


def setup_raised(target: str, error: TargetRaised, root: Path) -> RagateError:
    """Return what an exception before the first question means for the run."""
    told = one_line(summary(error.error, str(root)), 2000)
    outage = is_outage(error.error)
    remedy = "" if outage else mend_there(told)
    return setup_failed(f"{where_of(target)}: {error} {told}", outage=outage, remedy=remedy)


def setup_failed(message: str, *, outage: bool, remedy: str = "") -> RagateError:
    """Return the error of a set-up that raised.

    A database that is down is no mistake in a file that somebody could correct.
    """
    kind = SystemStartError if outage else ConfigError
    return kind(message, remedy=remedy)


def mend_there(told: str) -> str:
    """Return what to do about an exception of the project's code, as it is told."""
    ends = ": what reads the command line, or ends the program, goes below `if __name__ == ...`"
    unset = ", or set the variable that it reads: in your shell or in .env"
    more = ends if "SystemExit" in told else unset if "KeyError" in told else ""
    return f"it is code of the project: mend it there{more}"


def _wrong_form(target: str) -> tuple[str, str] | None:
    """Return what is wrong with the form of a target, and what to write; None where it is right."""
    example = 'write it as "my.module:function"'
    module, colon, path = target.partition(":")
    if "/" in module or "\\" in module or module.endswith(".py"):
        dotted = module.replace("\\", "/").removeprefix("./").removesuffix(".py").replace("/", ".")
        return (
            "a file's path stands where a module belongs",
            f'write "{dotted}:{path or "function"}"',
        )
    if not colon:
        package, _, name = target.rpartition(".")
        if target.isidentifier() or not package:
            return "no object of the module is named", f'write "{target}:function"'
        return (
            "no colon says where the module ends and the object begins",
            f'write "{package}:{name}" where {name} is what is asked',
        )
    if path.endswith(")"):
        called = path.partition("(")[0]
        return "a call is no name", f'write "{module}:{called}"; factory = true calls it once'
    parts = [*module.split("."), *path.split(".")]
    bad = next((part for part in parts if not part.isidentifier()), None)
    if bad is None:
        return None
    return (f"{bad!r} is no name in Python" if bad else "a name is missing"), example
