"""Looking at a repository: documents, golden sets, recorded outputs, languages, its host."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from ragate.cli.detect import find_out_of_reach, find_systems
from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.detect.programs import find_seeds
from ragate.cli.detect.recordings import find_recordings
from ragate.cli.init.documents import DATABASES, TABLES, Listing, folder_listing, table_listings
from ragate.dataset import read_dataset
from ragate.dataset._importers import looks_like_questions
from ragate.errors import RagateError
from ragate.outputs.outputs_file import read_outputs
from ragate.support import git
from ragate.systems.pgvector.corpus import SUFFIXES

MAX_FILES = 50_000
DEPTH = 5
TRIED = 20
TABLE_BYTES = 20_000_000
MOST_FOLDERS = 6
_MANIFESTS = frozenset(
    {"pyproject.toml", "requirements.txt", "setup.py", "package.json", "Pipfile", "langgraph.json"}
)
_PASSED_OVER = frozenset(
    {"node_modules", "venv", "env", "site-packages", "dist", "build", "target", "vendor"}
    | {"htmlcov", "coverage", "__pycache__", "test", "tests", "baselines"}
)
# Where documents are wont to be, most likely first.
_LIKELY = (
    *("docs", "doc", "documentation", "knowledge", "knowledge_base", "kb", "corpus", "content"),
    *("pages", "manual", "wiki", "help", "guides", "articles", "documents", "data"),
)
_GOLDEN = re.compile(r"golden|question|quer(y|ies)|qa|eval|test_?set|dataset|benchmark", re.I)
_GOLDEN_SUFFIXES = frozenset({".jsonl", ".json", ".csv", ".yaml", ".yml"})
_TABLES = frozenset({".csv", ".json", ".jsonl"})
_RECORDED = ("outputs", "output", "evals/outputs", "results")
_LANGUAGES = {
    ".py": "Python",
    ".js": "JavaScript",
    ".mjs": "JavaScript",
    ".ts": "TypeScript",
    ".go": "Go",
    ".java": "Java",
    ".kt": "Kotlin",
    ".rb": "Ruby",
    ".rs": "Rust",
    ".cs": "C#",
    ".php": "PHP",
    ".ex": "Elixir",
    ".scala": "Scala",
    ".cpp": "C++",
    ".swift": "Swift",
}


@dataclass(frozen=True)
class DocsFolder:
    """A folder with pages, as a path below the root."""

    path: str
    pages: int


@dataclass(frozen=True)
class Survey:
    """What was found; paths are below `root`, best guess first.

    Attributes:
        root: Where ragate.toml goes. top: The repository's root, `root` where there is none.
        beir: Folders with corpus.jsonl, queries.jsonl and qrels.
        golden: Files that can be read as a golden set.
        tables: Files of questions in columns of their own, which have to be imported first.
        recorded: Patterns of recorded outputs, such as ``outputs/*.jsonl``.
        languages: What it is written in, the most files first.
        remote: Address of the repository's remote.
        systems: What may be the project's own RAG, the likeliest first.
        out_of_reach: What takes a question, of classes that want arguments; where there is no else.
        listings: Files that may hold the documents as rows: databases, JSON, CSV.
        seeds: Commands that fill its database or index.
        projects: Folders of projects of their own below the root, of which this one is none.
    """

    root: Path
    top: Path
    docs: tuple[DocsFolder, ...] = ()
    beir: tuple[str, ...] = ()
    golden: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    remote: str = ""
    systems: tuple[RagCandidate, ...] = ()
    out_of_reach: tuple[str, ...] = ()
    listings: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()

    @property
    def elsewhere(self) -> bool:
        """True where the repository is known to live on another host than GitHub."""
        return bool(self.remote) and "github" not in self.remote.lower()


def look(folder: Path) -> Survey:
    """Return what the repository in `folder` holds; nothing is changed and nothing is run."""
    root = folder.resolve()
    top = git.repository(root) or root
    files = list(_files(root))
    beir = tuple(_beir(files))
    recorded = tuple(_recorded(root))
    golden, tables = _questions(root, files, beir)
    projects = tuple(_projects(root, files))
    own = [] if projects else find_systems(root)
    systems = (*(() if recorded else find_recordings(root)), *own)
    top = top if root.is_relative_to(top) else root
    return Survey(
        root=root,
        top=top,
        docs=tuple(_docs(files)),
        beir=beir,
        golden=golden,
        tables=tables,
        recorded=recorded,
        languages=_languages(files),
        remote=git.remote_url(top),
        systems=systems,
        out_of_reach=() if systems else find_out_of_reach(root),
        listings=tuple(_listings(files, {*golden, *tables})),
        seeds=find_seeds(root, top),
        projects=projects,
    )


def _languages(files: Iterable[PurePosixPath]) -> tuple[str, ...]:
    """Return up to three languages of source files, the one with the most files first."""
    suffixes = (file.suffix.lower() for file in files)
    counted = Counter(_LANGUAGES[suffix] for suffix in suffixes if suffix in _LANGUAGES)
    return tuple(name for name, _ in counted.most_common(3))


def listings(survey: Survey) -> Iterator[Listing]:
    """Yield what may be the documents, the likeliest first, each read when it is asked for.

    What a project of a monorepo answers from may lie beside it.
    """
    yield from _read_listings(survey)
    if survey.top != survey.root:
        beside = look(survey.top)
        yield from (replace(one, folder="") for one in _read_listings(beside))


def _read_listings(survey: Survey) -> Iterator[Listing]:
    for docs in survey.docs[:MOST_FOLDERS]:
        try:
            yield folder_listing(survey.root, docs.path)
        except RagateError:
            continue
    for path in survey.listings:
        yield from table_listings(survey.root / path, path)


def _listings(files: Iterable[PurePosixPath], besides: set[str]) -> Iterator[str]:
    """Yield databases, then tables in folders where documents are wont to be."""
    listed = [file for file in files if str(file) not in besides]
    yield from (str(file) for file in listed if file.suffix.lower() in DATABASES)
    for file in listed:
        words = {part.lower() for part in (*file.parts[:-1], file.stem)}
        if file.suffix.lower() in TABLES and words & {*_LIKELY, "seed", "seeds", "fixtures", "faq"}:
            yield str(file)


def _projects(root: Path, files: Iterable[PurePosixPath]) -> Iterator[str]:
    """Yield the projects below a root that is none itself, and that hold what may be a RAG."""
    folders = {file.parent for file in files if file.name in _MANIFESTS}
    if PurePosixPath() in folders and not (root / "package.json").is_file():
        return
    for folder in sorted(folders - {PurePosixPath()}):
        if len(folder.parts) <= 3 and find_systems(root / folder):
            yield str(folder)


def _files(root: Path) -> Iterator[PurePosixPath]:
    count = 0
    for path, folders, names in os.walk(root):
        folder = PurePosixPath(Path(path).relative_to(root).as_posix())
        deep = len(folder.parts) >= DEPTH
        folders[:] = [] if deep else sorted(name for name in folders if _entered(name))
        for name in sorted(names):
            if not name.startswith(".") and name.isprintable():
                count += 1
                if count > MAX_FILES:
                    return
                yield folder / name


def _entered(name: str) -> bool:
    # An unprintable name would have to be shown, and no such folder was made on purpose.
    plain = not name.startswith(".") and name.isprintable()
    return plain and name.lower() not in _PASSED_OVER and not name.endswith(".egg-info")


def _docs(files: Iterable[PurePosixPath]) -> list[DocsFolder]:
    """Return the folders with pages: those with a telling name first, then by number of pages."""
    pages = Counter(
        folder
        for file in files
        if file.suffix.lower() in SUFFIXES and file.name not in {"requirements.txt", "robots.txt"}
        for folder in list(file.parents)[:-1]
        if len(folder.parts) <= 2 and folder.parts[0] not in {"outputs", "evals"}
    )

    def order(folder: PurePosixPath) -> tuple[int, int, int, str]:
        name = folder.name.lower()
        rank = _LIKELY.index(name) if name in _LIKELY else len(_LIKELY)
        return rank, len(folder.parts), -pages[folder], str(folder)

    return [DocsFolder(str(folder), pages[folder]) for folder in sorted(pages, key=order)]


def _beir(files: Iterable[PurePosixPath]) -> Iterator[str]:
    all_files = set(files)
    for file in sorted(all_files):
        folder = file.parent
        judged = any(
            sibling.parent == folder / "qrels" and sibling.suffix == ".tsv" for sibling in all_files
        )
        if file.name == "corpus.jsonl" and folder / "queries.jsonl" in all_files and judged:
            yield str(folder)


def _questions(
    root: Path, files: Iterable[PurePosixPath], beir: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the golden sets, and the tables of questions: the right name first, then read."""
    likely = [
        file
        for file in files
        if file.suffix.lower() in _GOLDEN_SUFFIXES
        and _GOLDEN.search(str(file))
        and str(file.parent) not in {*_RECORDED, *beir}
    ]
    golden, tables = [], []
    for file in sorted(likely, key=lambda path: ("golden" not in path.stem, str(path)))[:TRIED]:
        try:
            read_dataset(root / file)
            golden.append(str(file))
        except RagateError:
            if file.suffix.lower() in _TABLES and _is_table(root / file):
                tables.append(str(file))
    return tuple(golden), tuple(tables)


def _is_table(file: Path) -> bool:
    small = not file.is_symlink() and file.stat().st_size <= TABLE_BYTES
    return small and looks_like_questions(file)


def _recorded(root: Path) -> Iterator[str]:
    for folder in _RECORDED:
        if any(_is_recording(file) for file in sorted((root / folder).glob("*.jsonl"))[:3]):
            yield f"{folder}/*.jsonl"


def _is_recording(file: Path) -> bool:
    if file.is_symlink() or file.parent.is_symlink():
        return False
    try:
        first_line = next(read_outputs(file)[1], None)
    except RagateError:
        return False
    return first_line is not None and (
        first_line[1].answer is not None or bool(first_line[1].chunks)
    )
