"""What is installed: how a missing extra is had, and versions that ragate does not work with."""

import json
import re
import shlex
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from urllib.parse import unquote, urlsplit

from ragate.errors import NotInstalledError
from ragate.version import MANUAL

_BOUND = re.compile(r"(>=|<)(\d+(?:\.\d+)*)")


def install_line(extra: str) -> str:
    """Return the command that installs an extra, from where this ragate came."""
    try:
        told = json.loads(distribution("ragate").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        told = {}
    url, vcs = told.get("url", ""), told.get("vcs_info")
    if vcs:
        return f"pip install 'ragate[{extra}] @ {vcs['vcs']}+{url}@{vcs['commit_id']}'"
    if "dir_info" in told:
        editable = "-e " if told["dir_info"].get("editable") else ""
        folder = unquote(urlsplit(url).path)
        return f"pip install {editable}{shlex.quote(f'{folder}[{extra}]')}"
    return f"pip install 'ragate[{extra}]'"


def refuse_other_version(package: str) -> None:
    """Look whether the installed version of a package is one that ragate works with.

    Raises:
        NotInstalledError: it is not, or nothing is installed.
    """
    wanted = _wanted(package)
    try:
        found = version(package)
    except PackageNotFoundError:
        found = ""
    if found and all(_holds(found, *bound) for bound in _BOUND.findall(wanted)):
        return
    raise NotInstalledError(
        f"ragate needs {wanted}, and {found or 'none'} is installed",
        remedy=f"pip install {shlex.quote(wanted)}; a RAG that needs another one has its own "
        f"environment, named by [system] interpreter ({MANUAL}/system-python.md)",
    )


def _wanted(package: str) -> str:
    """Return the requirement as ragate's own metadata has it, such as ``openai>=2,<4``."""
    for line in requires("ragate") or ():
        name = re.match(r"[\w.-]+", line)
        if name and name[0] == package and ";" not in line:
            return f"{package}{','.join(map(''.join, sorted(_BOUND.findall(line), reverse=True)))}"
    return package


def _holds(found: str, sign: str, bound: str) -> bool:
    numbers = [int(part) for part in re.findall(r"\d+", found.partition("+")[0])]
    limit = [int(part) for part in bound.split(".")]
    return numbers[: len(limit)] >= limit if sign == ">=" else numbers[: len(limit)] < limit
