"""Programs that take the question as an argument, and the adapters that `init` writes for them.

Steps that fill a database or an index before it can answer are found too: the job in CI needs them.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.detect.project_files import (
    ScriptFile,
    manifest,
    npm_scripts,
    own_python,
    source_files,
)
from ragate.support.foreign_files import start_of
from ragate.version import MANUAL

NAME, NODE_NAME = "ragate_adapter.py", "ragate-adapter.mjs"
QUESTION_MARK = "{question}"
_ABOUT = re.compile(r"question|query|answer|\brag\b|retriev", re.IGNORECASE)
_SURE = re.compile(r"question|\brag\b", re.IGNORECASE)
_MAKE = re.compile(
    r"^([\w-]+)\s*:[^=\n]*\n(?:\t[^\n]*\n)*?\t[^\n]*\$[({](Q|QUESTION|QUERY|q|question|query)[)}]",
    re.MULTILINE,
)
_ARGUMENTS = re.compile(r"sys\.argv|argparse|click|typer|docopt|fire\b")
_MAX_BYTES = 200_000
_PYTHON = '''\
"""Asks this project's program for ragate: a question a line in, an answer a line out.

{manual}/system-command.md
says what a line may hold. `ragate init` wrote this; change it.
"""

import json
import subprocess
import sys

BUILD = {build}
PROGRAM = {program}  # the question stands for "{mark}", or is the last argument

if BUILD:
    subprocess.run(BUILD, stdout=sys.stderr, check=True)
print(json.dumps({{"ready": True}}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    program = [part.replace("{mark}", asked["query"]) for part in PROGRAM]
    if program == PROGRAM:
        program.append(asked["query"])
    ran = subprocess.run(program, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode:
        reply = {{"error": ran.stderr.strip()[-500:] or f"exit code {{ran.returncode}}"}}
    else:
        try:
            reply = {{"reply": json.loads(ran.stdout)}}
        except ValueError:
            reply = {{"reply": ran.stdout.strip()}}
    print(json.dumps({{**reply, "id": asked["id"]}}), flush=True)
'''
_NODE = """\
// Asks the RAG of this project for ragate: a question a line in, an answer a line out.
// {manual}/system-command.md
// says what a line may hold. `ragate init` wrote this; change it.
import {{ createInterface }} from "node:readline";

const write = process.stdout.write.bind(process.stdout);
// What else is printed goes to standard error: only answers are read.
process.stdout.write = process.stderr.write.bind(process.stderr);

const rag = await import({module});
const ask = rag.{name} ?? rag.default?.{name} ?? rag.default;
for await (const line of createInterface({{ input: process.stdin }})) {{
  const {{ id, query }} = JSON.parse(line);
  try {{
    write(JSON.stringify({{ id, reply: await ask({argument}) }}) + "\\n");
  }} catch (error) {{
    write(JSON.stringify({{ id, error: String(error?.message ?? error) }}) + "\\n");
  }}
}}
process.exit(0); // whatever it keeps open
"""
_NAME = r"(?:db[:-])?(?:seed|ingest|index|build[-_:]index|load[-_:]data|populate|import[-_:]docs)"
_TARGET = re.compile(rf"^({_NAME})\s*:(?!=)", re.MULTILINE)
_SCRIPT = re.compile(_NAME)
_SERVICE = re.compile(rf"^  ({_NAME}):\s*$", re.MULTILINE)


@dataclass(frozen=True)
class _Language:
    """How a program of a language is found, built and run; ``{file}`` and ``{folder}`` are its own.

    Attributes:
        needs: A file beside which it is built; "" for none.
        begins, reads: What its file holds, one after the other, where it reads an argument.
    """

    name: str
    suffix: str
    needs: str
    begins: str
    reads: re.Pattern[str]
    build: tuple[str, ...]
    program: tuple[str, ...]


_LANGUAGES = (
    _Language(
        *("Rust", ".rs", "Cargo.toml"),
        "fn main()",
        re.compile(r"\bargs\(\)"),
        ("cargo", "build", "--quiet"),
        ("cargo", "run", "--quiet", "--"),
    ),
    _Language(
        *("Go", ".go", "go.mod"),
        "package main",
        re.compile(r"os\.Args|flag\.Arg"),
        ("go", "build", "./..."),
        ("go", "run", "./{folder}"),
    ),
    _Language(
        *("Java", ".java", ""),
        "static void main(",
        re.compile(r"args\[0\]"),
        (),
        ("java", "{file}"),
    ),
    _Language(*("Ruby", ".rb", ""), "", re.compile(r"\bARGV\b"), (), ("ruby", "{file}")),
)


def find_programs(root: Path) -> Iterator[RagCandidate]:
    """Yield the programs that take the question as their argument."""
    yield from _scripts(root)
    yield from _make_targets(root)
    for language in _LANGUAGES:
        if language.needs and not (root / language.needs).is_file():
            continue
        for file in source_files(root, frozenset({language.suffix})):
            begun = file.text.find(language.begins)
            if begun >= 0 and language.reads.search(file.text, begun) and _ABOUT.search(file.text):
                yield _of_language(file, language, root)


def node_adapter(path: PurePosixPath, name: str, field: str) -> tuple[str, str]:
    """Return name and text of the program that calls a function of Node.

    Args:
        name: Under which it is exported; "" for the default.
        field: Of the object that it takes the question in; "" where it takes the question itself.
    """
    argument = f"{{ {json.dumps(field)}: query }}" if field else "query"
    module = json.dumps(f"./{path}")
    return NODE_NAME, _NODE.format(
        module=module, name=name or "default", argument=argument, manual=MANUAL
    )


def _of_language(file: ScriptFile, language: _Language, root: Path) -> RagCandidate:
    places = {"file": str(file.path), "folder": str(file.path.parent)}
    program = [part.format(**places) for part in language.program]
    likelihood = 40 + 6 * bool(_SURE.search(file.text))
    what = f"the {language.name} program in {file.path}, by {NAME}"
    return _program(root, what, program, likelihood, build=language.build)


def _scripts(root: Path) -> Iterator[RagCandidate]:
    """Yield the commands that pyproject.toml names and that read a question."""
    try:
        project = tomllib.loads(start_of(root / "pyproject.toml", _MAX_BYTES)).get("project", {})
        scripts = dict(project.get("scripts", {}))
    except (tomllib.TOMLDecodeError, AttributeError, TypeError, ValueError):
        return
    for name, place in scripts.items():
        module, _, function = str(place).partition(":")
        path = module.replace(".", "/")
        places = (f"{base}{path}{end}" for base in ("", "src/") for end in (".py", "/__init__.py"))
        text = next((found for at in places if (found := start_of(root / at, _MAX_BYTES))), "")
        if function.isidentifier() and _ARGUMENTS.search(text) and _SURE.search(text):
            code = f"import sys; from {module} import {function}; sys.exit({function}())"
            program = [own_python(root), "-c", code]
            yield _program(root, f"the command {name} of pyproject.toml, by {NAME}", program, 46)


def _make_targets(root: Path) -> Iterator[RagCandidate]:
    """Yield the targets of a Makefile that take a question: ``make ask Q=…``."""
    for match in _MAKE.finditer(start_of(root / "Makefile", _MAX_BYTES)):
        program = ["make", "-s", match[1], f"{match[2]}={QUESTION_MARK}"]
        what = f"the target {match[1]} of the Makefile, by {NAME}"
        yield _program(root, what, program, 44)


def _program(
    root: Path, what: str, program: list[str], likelihood: int, build: tuple[str, ...] = ()
) -> RagCandidate:
    shown, text = json.dumps(program, ensure_ascii=False), json.dumps(build)
    return RagCandidate(
        "command",
        what,
        likelihood,
        settings={"command": [own_python(root), NAME], "ready": True, "start_timeout_s": 300.0},
        notes=(f"{NAME} runs {' '.join(program)} with the question",),
        files={NAME: _PYTHON.format(build=text, program=shown, mark=QUESTION_MARK, manual=MANUAL)},
    )


def find_seeds(root: Path, top: Path) -> tuple[str, ...]:
    """Return the commands of the first place that has any, to be run in `root`.

    Args:
        top: The repository's root, whose Makefile may serve a project below it.
    """
    for folder in dict.fromkeys((root, top)):
        up = "" if folder == root else "/".join([".."] * len(root.relative_to(top).parts))
        for commands in (
            _make(folder, up),
            _npm(folder) if folder == root else (),
            _compose(folder, up),
        ):
            if found := tuple(commands):
                return found
    return ()


def _make(folder: Path, up: str) -> Iterator[str]:
    for match in _TARGET.finditer(start_of(folder / "Makefile", _MAX_BYTES)):
        yield f"make -C {up} {match[1]}" if up else f"make {match[1]}"


def _npm(folder: Path) -> Iterator[str]:
    names = npm_scripts(manifest(folder))
    yield from (f"npm run {name}" for name in names if _SCRIPT.fullmatch(name))


def _compose(folder: Path, up: str) -> Iterator[str]:
    for name in ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"):
        for match in _SERVICE.finditer(start_of(folder / name, _MAX_BYTES)):
            file = f" -f {up}/{name}" if up else ""
            yield f"docker compose{file} run --rm {match[1]}"
