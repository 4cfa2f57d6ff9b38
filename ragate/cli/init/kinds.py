"""What do you have? The one question of init, what is cheaply seen of each answer, and its way."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import SplitResult, urlsplit

import click

from ragate.cli.init import adapter
from ragate.cli.init.config_text import Choice, RecordedParts
from ragate.cli.init.failures import ENVIRONMENTS
from ragate.cli.init.openapi import CUSTOMARY
from ragate.cli.init.python_code import Called
from ragate.cli.init.question_fields import FIELDS, body_template
from ragate.cli.init.recordings import FOLDERS, recorded_settings
from ragate.cli.init.survey import Survey
from ragate.config import CONFIG_NAME, load_config
from ragate.errors import ConfigError, UsageError
from ragate.repository.git import is_tracked
from ragate.systems.pgvector.corpus import SUFFIXES
from ragate.version import MANUAL

KINDS = {
    "results": "scores that an evaluator wrote (deepeval, ragas, promptfoo, …)",
    "service": "a service that answers over HTTP",
    "code": "a function, a class or a chain: ragate_rag.py will call it",
    "program": "a program that takes the question and prints the answer",
    "answers": "recorded answers",
    "documents": "documents only: the built-in RAG answers from them",
}
ASKED_FOR = {
    "results": "Which file or folder of scores?",
    "service": "Its address, as far as you know it",
    "code": "What answers, as module:name (empty: you fill it in)",
    "program": "The program and its arguments",
    "answers": "Which files?",
    "documents": "Which folder?",
}
ADAPTERS = (adapter.NAME, adapter.NODE_NAME)
_HOST = "127.0.0.1"
_PORTS = {"FastAPI": 8000, "Starlette": 8000, "Flask": 5000, "Quart": 5000}
_NODE_PORT = 3000
MOST_VARIABLES = 20


@dataclass(frozen=True)
class Seen:
    """What is cheaply seen of a kind: in words, and where it is, as --at takes it."""

    words: str
    at: str = ""


def seen(survey: Survey) -> dict[str, Seen]:
    """Return by kind what is there of it, the likeliest first."""
    there: dict[str, Seen] = {}
    for kind, words, at in _sights(survey):
        if words:
            there.setdefault(kind, Seen(words, at))
    return there


def _sights(survey: Survey) -> Iterator[tuple[str, str, str]]:
    """Yield kinds with what is seen of them and where: what is surely meant comes first.

    That is files that somebody wrote on purpose, then a service that describes itself.
    """
    code = survey.code
    functions = [f"{one.name}() in {one.path}:{one.line}" for one in code.callables[:3]]
    scores, answers = next(iter(survey.scores), ""), next(iter(survey.recorded), "")
    results_seen = ("results", scores and f"the scores in {scores}", scores)
    answers_seen = ("answers", answers and f"the answers recorded in {answers}", answers)
    service_seen = ("service", *_application(survey))

    if scores and not is_tracked(survey.top, survey.root / scores):
        yield results_seen
    if str(Path(answers).parent) in FOLDERS:  # whose name says that they are answers
        yield answers_seen
    yield "code", ", ".join(name for name in ADAPTERS if (survey.root / name).is_file()), ""
    if code.apps and code.apps[0].framework == "FastAPI":
        yield service_seen
    if functions and code.callables[0].sure:
        yield "code", functions[0], ""
    for program in code.programs[:1]:
        yield "program", f"{program} takes a question", f"{program} {adapter.QUESTION}"
    yield service_seen
    yield "code", ", ".join([*functions, *_libraries(survey)]), ""
    yield answers_seen
    yield results_seen
    for documents in [*survey.beir, *survey.docs][:1]:
        yield "documents", f"{documents}/", documents


def _application(survey: Survey) -> tuple[str, str]:
    """Return which applications may be served, "" for none, and the address of the first."""
    apps, node = survey.code.apps, survey.node
    if apps:
        words = [f"{app.path} makes an application of {app.framework}" for app in apps[:2]]
        return ", ".join(words), f"http://{_HOST}:{_PORTS[apps[0].framework]}"
    if node is not None and node.serves and node.start:
        return f"npm run {node.start} of package.json", f"http://{_HOST}:{_NODE_PORT}"
    return "", ""


def _libraries(survey: Survey) -> list[str]:
    """Return what speaks of a RAG without a function that could be named."""
    if survey.node is not None and survey.node.library:
        return [f"package.json needs {survey.node.library}"]
    return [f"{one.path} uses {one.library}" for one in survey.code.candidates[:2]]


def survey_lines(survey: Survey) -> list[str]:
    """Return what was found, in lines."""
    facts = {
        "golden sets": survey.golden[:4],
        "projects": survey.projects,
        **{kind: [what.words] for kind, what in seen(survey).items()},
    }
    lines = [f"  {name}: {', '.join(names)}" for name, names in facts.items() if names]
    return [f"Looking at {survey.root}", *(lines or ["  nothing that ragate knows"])]


def ask_kind(survey: Survey) -> str:
    """Ask what there is, with the likeliest of what was seen as the answer of an empty line."""
    there = seen(survey)
    click.echo("\nWhat do you have?")
    for number, (kind, words) in enumerate(KINDS.items(), start=1):
        found = f"  [{there[kind].words}]" if kind in there else ""
        click.echo(f"  {number}  {kind:<10} {words}{found}")
    first = 1 + list(KINDS).index(next(iter(there), "code"))
    number = click.prompt("Number", type=click.IntRange(1, len(KINDS)), default=first)
    return list(KINDS)[number - 1]


def likeliest(survey: Survey) -> str:
    """Return the kind of which something is there.

    Raises:
        UsageError: there is nothing that ragate knows.
    """
    kind = next(iter(seen(survey)), "")
    if not kind:
        raise UsageError(
            f"{survey.root}: no code that answers questions was seen, no folder of documents "
            f"({', '.join(SUFFIXES)}), no recorded answers and no scores",
            remedy=f"say what you have: `ragate init --have {'|'.join(KINDS)} --at WHERE` "
            f"({MANUAL}/init.md); --have code writes an adapter to fill in",
        )
    return kind


def place_of(survey: Survey, kind: str) -> str:
    """Return where the likeliest of a kind is, as --at takes it; "" where that is not known."""
    found = seen(survey).get(kind)
    if found or kind != "service":
        return found.at if found else ""
    return f"http://{_HOST}:{_NODE_PORT if survey.node else 8000}"


def choice_of(
    survey: Survey, kind: str, at: str = "", *, start: str = "", headers: Sequence[str] = ()
) -> Choice:
    """Return what is gated.

    Args:
        at: Where it is: a file, an address, module:name, a command, a pattern or a folder; "" for
            the likeliest.
        start: The command that starts a service; "" for what is there.
        headers: Those that a service wants, each with its variable: ``Authorization=RAG_TOKEN``.

    Raises:
        UsageError: it is not said where it is.
    """
    at = at or place_of(survey, kind)
    if not at and kind != "code":
        raise UsageError(f"--have {kind}: where is it?", remedy=f"--at …: {ASKED_FOR[kind]}")
    if kind == "documents":
        folder = at.rstrip("/") or at
        what = f"the built-in RAG over {folder}/, and no code of yours"
        return Choice("pgvector", folder, what=what, parts=RecordedParts())
    if kind == "results":
        return _of_files("scores", at, "the scores in", {})
    if kind == "answers":
        settings = recorded_settings(survey.root, at)
        return _of_files("replay", at, "the answers recorded in", settings)
    is_service = kind == "service"
    choice = _service(survey, at, start, headers) if is_service else _code(survey, kind, at)
    docs, node = survey.docs[:1], survey.node
    by_node = choice.system == "command" or choice.settings.get("start", [""])[0] in {"npm", "node"}
    return replace(
        choice,
        source=docs[0] if docs else "",
        seeds=node.steps if node is not None and by_node else (),
        fills=survey.fills,
        keys=survey.keys,
    )


def _of_files(use: str, at: str, what: str, settings: Any) -> Choice:
    """Return what reads files that are there already: nothing is asked."""
    return Choice(
        use,
        at,
        settings={"paths": [at], **settings},
        policy={f"{use}_paths": [at]},
        what=f"{what} {at}",
        parts=RecordedParts(),
    )


def _service(survey: Survey, at: str, start: str, headers: Sequence[str]) -> Choice:
    """Return a service: customary paths are tried where it does not describe itself."""
    at = at if "://" in at else f"http://{at}"
    parts = urlsplit(at)
    if not parts.hostname:
        raise UsageError(f"--at {at!r} is no address", remedy="such as http://127.0.0.1:8000/ask")
    is_here = parts.hostname in {_HOST, "localhost"}
    command = shlex.split(start) or (_start(survey, parts.port or 80) if is_here else [])
    lacks_path = not parts.path.strip("/")
    unfilled = (
        f"{CONFIG_NAME}: [system] url lacks the path that takes questions; or remove the file and "
        "type the same with --ask, which puts a question to it and finds path, body and answer"
    )
    settings: dict[str, Any] = {"url": at}
    policy: dict[str, Any] = {"http_hosts": [parts.netloc]}
    if command:
        settings["start"] = command
    if headers:
        settings["headers_env"] = names = _variables_of(headers)
        policy["http_header_env"] = {parts.netloc: [*names.values()]}
    return Choice(
        "http",
        "",
        settings=settings,
        policy=policy,
        what=f"the service at {at}" + (f", started by {shlex.join(command)}" if command else ""),
        variants=tuple(_customary(parts) if lacks_path else _ways_to_ask()),
        unfilled=unfilled if lacks_path else "",
    )


def _customary(parts: SplitResult) -> list[dict[str, Any]]:
    """Return a way to ask at each path that services have by custom."""
    base = f"{parts.scheme}://{parts.netloc}"
    body = body_template({FIELDS[0]: None})
    return [{"url": f"{base}{path}", "body": body} for path in CUSTOMARY]


def _ways_to_ask() -> list[dict[str, Any]]:
    """Return the ways to ask at a path that is known."""
    by_get = [{"method": "GET", "params": {name: "{{ query }}"}} for name in FIELDS]
    return [{"body": body_template({FIELDS[0]: None})}, *by_get]


def _variables_of(headers: Sequence[str]) -> dict[str, str]:
    """Return by header the variable that holds its value.

    Raises:
        UsageError: one of them is no header with its variable.
    """
    names = dict(one.partition("=")[::2] for one in headers)
    if not all(map(str.isidentifier, names.values())):
        remedy = "such as --header Authorization=RAG_AUTHORIZATION"
        raise UsageError(f"--header {headers[0]!r} names no variable", remedy=remedy)
    return names


def _start(survey: Survey, port: int) -> list[str]:
    """Return the command that serves the project's application on a port, [] where none is seen."""
    if not survey.code.apps:
        node = survey.node
        return ["npm", "run", "--silent", node.start] if node is not None and node.start else []
    app, python = survey.code.apps[0], own_python(survey.root)
    address = ["--host", _HOST, "--port", str(port)]
    if _PORTS[app.framework] == _PORTS["Flask"]:  # a path: its folder is where it imports from
        return [python, "-m", "flask", "--app", f"{app.path}:{app.name}", "run", *address]
    where = [] if app.folder == "." else ["--app-dir", app.folder]
    made = ["--factory"] if app.factory else []
    return [python, "-m", "uvicorn", *where, f"{app.module}:{app.name}", *made, *address]


def _code(survey: Survey, kind: str, at: str) -> Choice:
    """Return the adapter that calls code or runs a program: the one there, else a written one."""
    code, root, name = survey.code, survey.root, adapter.NAME
    choice = Choice("python", "", settings=_python_settings(survey))
    if kind == "program":
        text = adapter.program_adapter(shlex.split(at))
    elif code.callables or survey.node is None or (root / name).is_file():
        called = [_named(survey, at)] if at else code.callables
        text = adapter.python_adapter(called, code.candidates, django=survey.django)
    else:
        name, text = adapter.NODE_NAME, adapter.node_adapter()
        choice = Choice("command", "", settings={"command": ["node", name]})

    there = (root / name).is_file()
    unfilled = adapter.is_unfilled(root / name) if there else adapter.TODO in text
    return replace(
        choice,
        what=f"answer() of {name}" + (", which is there already" if there else ""),
        files={} if there else {name: text},
        unfilled=f"{name}: {adapter.TODO}" if unfilled else "",
    )


def _named(survey: Survey, at: str) -> Called:
    """Return the callable that somebody named: one that was seen, or taken at their word.

    Raises:
        UsageError: it is no module:name.
    """
    module, colon, name = at.partition(":")
    if not colon or not all(part.isidentifier() for part in f"{module}.{name}".split(".")):
        raise UsageError(f"--at {at!r} is no module:name", remedy="such as app.rag:answer")
    for found in survey.code.callables:
        if (found.module, found.name) == (module, name):
            return replace(found, sure=True)
    return Called(PurePosixPath(f"{module.replace('.', '/')}.py"), ".", name, sure=True)


def _python_settings(survey: Survey) -> dict[str, Any]:
    """Return the target, in the environment of its own where the project has one."""
    settings: dict[str, Any] = {"target": f"{Path(adapter.NAME).stem}:answer"}
    folder = own_environment(survey.root)
    if folder and (survey.root / folder).resolve() != Path(sys.prefix).resolve():
        settings["interpreter"] = [f"{folder}/bin/python"]
        if survey.code.variables:
            settings["pass_env"] = list(survey.code.variables[:MOST_VARIABLES])
    return settings


def own_environment(root: Path) -> str:
    """Return the folder of the project's virtual environment, "" without one."""
    return next((name for name in ENVIRONMENTS if (root / name / "bin/python").exists()), "")


def own_python(root: Path) -> str:
    """Return the interpreter of the project's own environment, else the one on the path."""
    folder = own_environment(root)
    if folder:
        return f"{folder}/bin/python"
    return "python" if shutil.which("python") else "python3"


def existing_choice(root: Path) -> Choice:
    """Return what an existing ragate.toml gates, documents where it cannot be read."""
    try:
        config = load_config(root / CONFIG_NAME)
    except ConfigError:
        return Choice("pgvector", "")
    settings = config.system.settings
    paths = settings.get("paths")
    keys = {provider.key_env for provider in config.policy.providers.values()}
    source = settings.get("corpus") or (paths[0] if isinstance(paths, list) and paths else "")
    return Choice(
        config.system.use,
        source if isinstance(source, str) else "",
        dataset=config.policy.dataset,
        baseline=config.policy.baseline,
        gate=config.policy.gate,
        settings=settings,
        parts=RecordedParts(),
        provider_keys=tuple(sorted(keys - {""})),
    )
