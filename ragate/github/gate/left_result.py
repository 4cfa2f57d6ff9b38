"""What a run leaves for later commands: the stored run, what it was about, and its reports."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from pydantic import Field, ValidationError

from ragate.errors import StorageError
from ragate.files.atomic_files import write_atomic, write_parts
from ragate.files.foreign_files import read_bytes
from ragate.github.gate.step_context import StepContext
from ragate.github.rest.artifacts import find_results, unpack
from ragate.github.rest.repository import Json, Repository
from ragate.models import Frozen, Report
from ragate.stores import RUN_FILES
from ragate.stores.stored_record import copy_run

NAME = "result.json"
RUN = "run"
MAX_BYTES = 1024 * 1024
_SHA = r"^([0-9a-f]{40}([0-9a-f]{24})?)?$"


class LeftResult(Frozen):
    """What was judged, and how.

    Attributes:
        head, base, merged: Commits: judged, judged against, and checked out.
        evidence: Names the state that was judged; runs of one state add up.
        outputs: Digest of the outputs, which an accept is bound to.
        problems: Why the system does not compare with the base's, whatever its scores.
        bootstrap: The base had no configuration.
    """

    schema_version: int = 1
    gate: str = Field(max_length=200)
    event: str = Field(max_length=60)
    pull: int | None = None
    attempt: int = 1
    head: str = Field(pattern=_SHA)
    base: str = Field(default="", pattern=_SHA)
    merged: str = Field(default="", pattern=_SHA)
    verdict: str = Field(max_length=20)
    exit_code: int = 3
    run_id: str = Field(default="", pattern=r"^[0-9A-Za-z-]{0,80}$")  # a folder's name, too
    evidence: str = Field(default="", max_length=80)
    outputs: str = Field(default="", max_length=80)
    problems: tuple[str, ...] = ()
    bootstrap: bool = False


def write_result(
    folder: Path,
    result: LeftResult,
    report: Report,
    *,
    run: Path | None,
    markdown: str,
    page: str = "",
) -> None:
    """Write the folder that the workflow uploads; what an earlier run left there is replaced.

    Args:
        run: The run's own folder, None where nothing was measured.
        page: The report as HTML, "" where there is none.
    """
    from ragate.renderers.json import parts

    for path in (folder.parent, folder):
        if path.is_symlink():  # a link of a pull request's would lead the reports elsewhere
            path.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    if run is not None:
        copy_run(run, folder / RUN, report, publish=report.publish)
    write_parts(folder / "report.json", (part.encode() for part in parts(report)))
    write_atomic(folder / "report.md", markdown.encode())
    if page:
        write_atomic(folder / page_name(result.gate), page.encode())
    write_atomic(folder / NAME, result.model_dump_json(indent=1).encode() + b"\n")


def page_name(gate: str) -> str:
    """Return the page's file name: an artifact that is one file is named after it, in any run."""
    return f"report-{quote(gate, safe='')[:100]}.html"


def read_result(folder: Path) -> LeftResult:
    """Return what a result folder says; it may have been made by somebody else.

    Raises:
        StorageError: a file in it is no regular file, too large, or not what it should be.
    """
    path = folder / NAME
    try:
        result = LeftResult.model_validate_json(
            read_bytes(path, error=StorageError, max_bytes=MAX_BYTES)
        )
    except (ValidationError, RecursionError) as error:
        raise StorageError(f"{path}: no result of this ragate") from error
    for name, limit in RUN_FILES.items():
        file = folder / RUN / name
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise StorageError(f"{file}: not a regular file")
        if file.is_file() and file.stat().st_size > limit:
            raise StorageError(f"{file}: {file.stat().st_size} bytes, and the limit is {limit}")
    return result


@dataclass(frozen=True)
class FetchedResult:
    """A result that an earlier run left, unpacked.

    Attributes:
        page: The end of the address of the attempt that left it.
        run: The folder of its run, where there is one.
    """

    result: LeftResult
    page: str
    run: Path


def fetched_results(
    context: StepContext,
    repository: Repository,
    gate: str,
    head: str,
    folder: Path,
    *,
    page: str = "",
) -> Iterator[FetchedResult]:
    """Yield the results of one gate at one commit, the newest of each run first.

    One that cannot be read is passed over.

    Args:
        folder: Where they are unpacked.
        page: Of one run only: the address of one of its attempts.
    """
    for number, (run_id, artifact) in enumerate(find_results(repository, gate, head)):
        attempts = f"/actions/runs/{run_id}/attempts/"
        if page and attempts not in page:
            continue
        unpacked = folder / str(number)
        try:
            unpack(repository.download_artifact(int(artifact["id"])), unpacked)
            result = read_result(unpacked)
        except StorageError as error:
            context.log.warning(f"a result of {head[:7]} was passed over: {error.message}")
            continue
        if (result.gate, result.head) == (gate, head):
            yield FetchedResult(result, f"{attempts}{result.attempt}", unpacked / RUN)


def result_of_status(
    context: StepContext, repository: Repository, gate: str, head: str, status: Json
) -> LeftResult | None:
    """Return what the run that set a gate's status left; None where that is not kept.

    Args:
        status: One of the commit `head`, as GitHub lists it.
    """
    page = str(status.get("target_url") or "no page")
    with context.scratch() as folder:
        results = fetched_results(context, repository, gate, head, folder, page=page)
        return next((each.result for each in results if page.endswith(each.page)), None)
