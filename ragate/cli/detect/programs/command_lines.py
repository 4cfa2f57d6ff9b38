"""Programs of Go, Rust, Java and Ruby that take the question as an argument."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragate.cli.detect.environment import own_python
from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.programs.script_files import ScriptFile, source_files

NAME = "ragate_adapter.py"
_ABOUT = re.compile(r"question|query|answer|\brag\b|retriev", re.IGNORECASE)
_SURE = re.compile(r"question|\brag\b", re.IGNORECASE)
_PRINTS = (
    "what the program prints is the answer, or JSON with answer and chunks: let it print these, "
    "and retrieval can be gated (docs/system-command.md)"
)
_TEXT = '''\
"""Asks this project's program for ragate: a question a line in, an answer a line out.

ragate's docs/system-command.md says what a line may hold. `ragate init` wrote this; change it.
"""

import json
import subprocess
import sys

BUILD = {build}
PROGRAM = {program}

if BUILD:
    subprocess.run(BUILD, stdout=sys.stderr, check=True)
print(json.dumps({{"ready": True}}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    ran = subprocess.run(
        [*PROGRAM, asked["query"]], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if ran.returncode:
        reply = {{"error": ran.stderr.strip()[-500:] or f"exit code {{ran.returncode}}"}}
    else:
        try:
            reply = dict(json.loads(ran.stdout))  # such as answer and chunks
        except (TypeError, ValueError):
            reply = {{"answer": ran.stdout.strip()}}
    print(json.dumps({{**reply, "id": asked["id"]}}), flush=True)
'''


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


def find_command_lines(root: Path) -> Iterator[FoundSystem]:
    """Yield the programs that take the question as their argument."""
    for language in _LANGUAGES:
        if language.needs and not (root / language.needs).is_file():
            continue
        for file in source_files(root, frozenset({language.suffix})):
            begun = file.text.find(language.begins)
            if begun >= 0 and language.reads.search(file.text, begun) and _ABOUT.search(file.text):
                yield _found(file, language, root)


def _found(file: ScriptFile, language: _Language, root: Path) -> FoundSystem:
    places = {"file": str(file.path), "folder": str(file.path.parent)}
    program = [part.format(**places) for part in language.program]
    adapter = _TEXT.format(build=json.dumps(language.build), program=json.dumps(program))
    return FoundSystem(
        "command",
        f"the {language.name} program in {file.path}, by {NAME}",
        40 + 6 * bool(_SURE.search(file.text)),
        settings={
            "command": [own_python(root), NAME],
            "ready": True,
            "start_timeout_s": 300.0,
        },
        passages="chunks" in file.text,
        ids="chunks" in file.text and "doc_id" in file.text,
        unsure=(
            f"{NAME} runs {' '.join(program)} with the question as its last argument",
            _PRINTS,
        ),
        files={NAME: adapter},
    )
