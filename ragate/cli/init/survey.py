"""Looking at a repository: what is cheaply seen of each kind of RAG."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ragate.cli.init.python_code import (
    PythonCode,
    does_something,
    is_key,
    read_code,
    variables_in,
)
from ragate.cli.init.question_fields import is_question
from ragate.cli.init.recordings import find_recorded, find_scores
from ragate.dataset import read_dataset
from ragate.errors import DatasetError, RagateError
from ragate.files.foreign_files import start_of
from ragate.repository import git
from ragate.systems.pgvector.corpus import PDF, SUFFIXES
from ragate.tables.containers import records

MAX_FILES = 50_000
DEPTH = 5
TRIED = 20
MOST_SCRIPTS = 500
MANIFEST_BYTES = 300_000
_MANIFESTS = frozenset(
    {"pyproject.toml", "requirements.txt", "setup.py", "package.json", "Pipfile", "langgraph.json"}
)
_PASSED_OVER = frozenset(
    {"node_modules", "venv", "env", "site-packages", "dist", "build", "target", "vendor"}
    | {"htmlcov", "coverage", "__pycache__", "test", "tests", "baselines", "templates"}
)
# Where documents are wont to be, most likely first.
_DOCUMENTS = (
    *("docs", "doc", "documentation", "knowledge", "knowledge_base", "kb", "corpus", "content"),
    *("pages", "manual", "wiki", "help", "guides", "articles", "documents", "data"),
)
# What stands beside code and is no page of anybody's knowledge.
_ABOUT_CODE = re.compile(
    r"(?:readme|changelog|contributing|license|code_of_conduct|architecture|requirements|robots)\b",
    re.I,
)
_BESIDE_PAGES = frozenset(
    {".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".doc", ".docx", ".pptx", ".xlsx"}
)
_GOLDEN = re.compile(r"golden|question|quer(y|ies)|qa|eval|test_?set|dataset|benchmark", re.I)
_GOLDEN_SUFFIXES = frozenset({".jsonl", ".json", ".csv", ".yaml", ".yml"})
_FILLS = re.compile(
    r"(?:populate|create|build|load)_\w*(?:database|db|index|vectors?)|in[gj]est(?:ion|_\w+)?"
    r"|seed(?:_\w+)?",
    re.I,
)
_FILLING = re.compile(r"(?:db[:-])?(?:seed|ingest|index|build[-_:]index|populate)")
_STARTING_SCRIPTS = ("start", "serve", "server", "start:api", "api", "dev")
_SERVES = frozenset({"express", "fastify", "koa", "hono", "next", "@nestjs/core", "restify"})
_LIBRARY = re.compile(r"langchain|llamaindex|openai|chromadb|pinecone|ollama|@xenova|anthropic")
_DJANGO = re.compile(r"DJANGO_SETTINGS_MODULE[\"'],\s*[\"']([\w.]+)")
_SCRIPTS = frozenset({".js", ".mjs", ".cjs", ".ts", ".mts"})


@dataclass(frozen=True)
class NodeProject:
    """What package.json says: its scripts, whether it can serve, a library of RAGs it needs."""

    scripts: tuple[str, ...] = ()
    serves: bool = False
    library: str = ""

    @property
    def start(self) -> str:
        """The script that starts it, "" without one."""
        return next((name for name in _STARTING_SCRIPTS if name in self.scripts), "")

    @property
    def steps(self) -> tuple[str, ...]:
        """The commands that make it ready: packages, a build, a filled index."""
        wanted = [name for name in self.scripts if name == "build" or _FILLING.fullmatch(name)]
        return ("npm ci", *(f"npm run {name}" for name in wanted))


@dataclass(frozen=True)
class Survey:
    """What was found; paths are below `root`, best guess first.

    Attributes:
        root: Where ragate.toml goes. top: The repository's root, `root` where there is none.
        docs: Folders with pages.
        beir: Folders with corpus.jsonl, queries.jsonl and qrels.
        golden: Files that can be read as a golden set. importable: Others with questions, in
            columns of their own.
        recorded: Patterns of recorded answers.
        scores: Files of an evaluator.
        remote: Address of the repository's remote.
        fills: Files of Python that may fill its database or index.
        keys: Variables that the code reads and whose names speak of a secret.
        projects: Folders of projects of their own below the root, of which this one is none.
        django: The settings that manage.py names, "" without one.
    """

    root: Path
    top: Path
    docs: tuple[str, ...] = ()
    beir: tuple[str, ...] = ()
    golden: tuple[str, ...] = ()
    importable: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    code: PythonCode = field(default_factory=PythonCode)
    node: NodeProject | None = None
    remote: str = ""
    fills: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    django: str = ""

    @property
    def elsewhere(self) -> bool:
        """True where the repository is known to live on another host than GitHub."""
        hosted = ":" in self.remote  # a path is a clone of this machine, whose origin is unknown
        return hosted and "github" not in self.remote.lower()


def look(folder: Path) -> Survey:
    """Return what the repository in `folder` holds; nothing is changed and nothing is run."""
    root = folder.resolve()
    top = git.repository(root) or root
    top = top if root.is_relative_to(top) else root
    files = list(_files(root))
    code = read_code(root, files)
    beir = tuple(_beir(files))
    golden, importable = _golden(root, files, beir)
    return Survey(
        root=root,
        top=top,
        docs=tuple(_docs(files)),
        beir=beir,
        golden=golden,
        importable=importable,
        recorded=tuple(find_recorded(root, files)),
        scores=tuple(find_scores(root, files)),
        code=code,
        node=_node(root),
        remote=git.remote_url(top),
        fills=tuple(str(one) for one in files if _fills(root, one)),
        keys=tuple(_keys(root, files, code)),
        projects=tuple(_projects(root, files, code)),
        django=next(iter(_DJANGO.findall(start_of(root / "manage.py", MANIFEST_BYTES))), ""),
    )


def _keys(root: Path, files: Iterable[PurePosixPath], code: PythonCode) -> list[str]:
    """Return the variables that the code reads, also in scripts, and that surely hold keys."""
    scripts = [file for file in files if file.suffix in _SCRIPTS][:MOST_SCRIPTS]
    in_scripts = {name for file in scripts for name in variables_in(start_of(root / file, 100_000))}
    return sorted(name for name in {*code.variables, *in_scripts} if is_key(name))


def _files(root: Path) -> Iterator[PurePosixPath]:
    count = 0
    for path, folders, names in os.walk(root):
        folder = PurePosixPath(Path(path).relative_to(root).as_posix())
        deep = len(folder.parts) >= DEPTH
        entered = [name for name in folders if not deep and _is_entered(Path(path, name))]
        folders[:] = sorted(entered)
        for name in sorted(names):
            if not name.startswith(".") and name.isprintable():
                count += 1
                if count > MAX_FILES:
                    return
                yield folder / name


def _is_entered(folder: Path) -> bool:
    # An unprintable name would have to be shown, and no such folder was made on purpose.
    name = folder.name
    plain = not name.startswith(".") and name.isprintable() and not name.endswith(".egg-info")
    return plain and name.lower() not in _PASSED_OVER and not (folder / "pyvenv.cfg").is_file()


def _docs(files: Iterable[PurePosixPath]) -> list[str]:
    """Return the folders with pages: those with a telling name first, then by number of pages.

    A folder whose name tells nothing must hold several, and little else but pictures and documents
    that are not read: an index.html, a prompt and a placeholder are no documents.
    """
    pages: Counter[PurePosixPath] = Counter()
    held: Counter[PurePosixPath] = Counter()
    for file in files:
        is_page = file.suffix.lower() in {*SUFFIXES, PDF} and not _ABOUT_CODE.match(file.name)
        for folder in list(file.parents)[:-1]:
            if len(folder.parts) <= 2 and folder.parts[0] not in {"outputs", "evals"}:
                held[folder] += file.suffix.lower() not in _BESIDE_PAGES
                pages[folder] += is_page

    def is_told(folder: PurePosixPath) -> bool:
        return folder.name.lower() in _DOCUMENTS

    def order(folder: PurePosixPath) -> tuple[bool, int, int, int, str]:
        told = is_told(folder)
        rank = _DOCUMENTS.index(folder.name.lower()) if told else 0
        # The whole of data/ comes before data/kb/, which is a part of it.
        return not told, len(folder.parts), rank, -pages[folder], str(folder)

    likely = [
        folder
        for folder, count in pages.items()
        if count and (is_told(folder) or (count > 1 and 2 * count > held[folder]))
    ]
    return [str(folder) for folder in sorted(likely, key=order)]


def _fills(root: Path, file: PurePosixPath) -> bool:
    """Whether a file is named like what fills an index, and can be run: a module of a service or
    of a command has no step of its own.
    """
    is_named = file.suffix == ".py" and _FILLS.fullmatch(file.stem)
    return bool(is_named) and does_something(start_of(root / file, MANIFEST_BYTES))


def _beir(files: Sequence[PurePosixPath]) -> Iterator[str]:
    all_files = set(files)
    judged = {file.parent.parent for file in all_files if file.parent.name == "qrels"}
    for folder in sorted(judged):
        if {folder / "corpus.jsonl", folder / "queries.jsonl"} <= all_files:
            yield str(folder)


def _golden(
    root: Path, files: Iterable[PurePosixPath], beir: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the golden sets, the right name first, and files that can be made into one."""
    likely = [
        file
        for file in files
        if file.suffix.lower() in _GOLDEN_SUFFIXES
        and _GOLDEN.search(str(file))
        and str(file.parent) not in {"outputs", "output", "evals/outputs", "results", *beir}
    ]
    read: list[str] = []
    others: list[str] = []
    for file in sorted(likely, key=lambda path: ("golden" not in path.stem, str(path)))[:TRIED]:
        try:
            read_dataset(root / file)
            read.append(str(file))
        except RagateError:
            others += [str(file)] if _has_question(root / file) else []
    return tuple(read), tuple(others)


def _has_question(path: Path) -> bool:
    """Whether the first row of a file has a field that can hardly be anything but a question."""
    try:
        _, row = next(records(path, error=DatasetError))
    except (RagateError, StopIteration):
        return False
    return any(map(is_question, row))


def _node(root: Path) -> NodeProject | None:
    """Return what package.json says, None where there is none or it cannot be read."""
    try:
        package = json.loads(start_of(root / "package.json", MANIFEST_BYTES))
    except (ValueError, RecursionError):
        return None
    if not isinstance(package, dict):
        return None
    scripts, needs = package.get("scripts"), package.get("dependencies")
    packages = list(needs) if isinstance(needs, dict) else []
    library = next((name for name in packages if _LIBRARY.search(name)), "")
    named = tuple(scripts) if isinstance(scripts, dict) else ()
    return NodeProject(named, not _SERVES.isdisjoint(packages), library)


def _projects(root: Path, files: Iterable[PurePosixPath], code: PythonCode) -> Iterator[str]:
    """Yield the projects below a root that is none itself, and that hold what may be a RAG."""
    folders = {file.parent for file in files if file.name in _MANIFESTS}
    if PurePosixPath() in folders and not (root / "package.json").is_file():
        return
    held = [found.path for found in (*code.callables, *code.apps, *code.candidates)]
    for folder in sorted(folders - {PurePosixPath()}):
        node = _node(root / folder)
        serves = node is not None and node.serves and bool(node.start)
        if len(folder.parts) <= 3 and (serves or any(one.is_relative_to(folder) for one in held)):
            yield str(folder)
