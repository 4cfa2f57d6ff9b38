"""Every way in which the RAG of a project may be reached, the likeliest first."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ragate import plugins
from ragate.cli.detect.environment import interpreter, variables
from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.functions import find_functions, find_unmade
from ragate.cli.detect.langchain import find_chains
from ragate.cli.detect.llamaindex import find_engines
from ragate.cli.detect.programs.command_lines import find_command_lines
from ragate.cli.detect.programs.node_functions import find_node_functions
from ragate.cli.detect.programs.node_routes import find_node_routes
from ragate.cli.detect.python_files import python_files
from ragate.cli.detect.web.openapi import find_described
from ragate.cli.detect.web.services import find_services

MOST = 8


def find_systems(root: Path) -> list[FoundSystem]:
    """Return what may be gated, the likeliest first; nothing is imported, run or asked.

    A service counts before the engine inside it: it is what users meet.
    """
    files = python_files(root)
    found: list[FoundSystem] = []
    for candidates in (
        find_services(files, root),
        find_engines(files, root),
        find_chains(files, root),
        find_functions(files, root),
        find_described(root),
        find_node_routes(root),
        find_node_functions(root),
        find_command_lines(root),
    ):
        found += _read(candidates)
    names = variables(files)
    found = [_in_its_environment(each, root, names) for each in found]
    ranked = sorted(found, key=lambda candidate: -candidate.likelihood)
    unique = {(each.use, _address(each)): each for each in reversed(ranked)}
    return [each for each in ranked if unique[each.use, _address(each)] is each][:MOST]


def find_out_of_reach(root: Path) -> tuple[str, ...]:
    """Return what takes a question and cannot be asked as it stands, with what it wants."""
    return tuple(find_unmade(python_files(root)))


def _in_its_environment(found: FoundSystem, root: Path, names: list[str]) -> FoundSystem:
    """Return a system with the interpreter of its own environment, and the variables it reads."""
    settings = dict(found.settings)
    if "interpreter" in plugins.traits(found.use).own_process_keys and (own := interpreter(root)):
        settings["interpreter"] = own
    known = "pass_env" in settings
    if not names or known or not settings.keys() & {"interpreter", "start"}:
        return replace(found, settings=settings)
    settings["pass_env"] = names
    unsure = (*found.unsure, "pass_env: the variables that the code reads and may have")
    return replace(found, settings=settings, unsure=unsure)


def _read(candidates: Iterable[FoundSystem]) -> Iterator[FoundSystem]:
    """Yield candidates until code is nested deeper than can be followed."""
    try:
        yield from candidates
    except RecursionError:
        return


def _address(candidate: FoundSystem) -> str:
    settings = candidate.settings
    return str(settings.get("target") or settings.get("url") or candidate.what)
