"""Which RAG a project holds: read from its files, of which none is ever run."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ragate import plugins
from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.detect.functions import find_engines, find_functions, find_unmade
from ragate.cli.detect.node import find_node
from ragate.cli.detect.openapi import find_described
from ragate.cli.detect.programs import find_programs
from ragate.cli.detect.project_files import interpreter, python_files, variables
from ragate.cli.detect.routes import find_services

MOST = 8


def find_systems(root: Path) -> list[RagCandidate]:
    """Return what may be gated, the likeliest first; nothing is imported, run or asked.

    A service counts before the engine inside it: it is what users meet.
    """
    files = python_files(root)
    found: list[RagCandidate] = []
    for candidates in (
        find_services(files, root),
        find_engines(files, root),
        find_functions(files),
        find_described(root),
        find_node(root),
        find_programs(root),
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


def _in_its_environment(found: RagCandidate, root: Path, names: list[str]) -> RagCandidate:
    """Return a system with the interpreter of its own environment, and the variables it reads."""
    settings = dict(found.settings)
    model = plugins.settings_model("systems", found.use)
    has_key = model is not None and "interpreter" in model.model_fields
    if has_key and (own := interpreter(root)):
        settings["interpreter"] = own
        if names:
            settings["pass_env"] = names
    return replace(found, settings=settings)


def _read(candidates: Iterable[RagCandidate]) -> Iterator[RagCandidate]:
    """Yield candidates until code is nested deeper than can be followed."""
    try:
        yield from candidates
    except RecursionError:
        return


def _address(candidate: RagCandidate) -> str:
    settings = candidate.settings
    return str(settings.get("target") or settings.get("url") or candidate.what)
