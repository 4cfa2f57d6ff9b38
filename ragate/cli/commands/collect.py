"""``ragate collect``: run the RAG and write its outputs."""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.finding import plural
from ragate.cli.operations import open_config, resume_option, resumed_plan
from ragate.cli.options import RunOptions, label_options, run_options, set_option
from ragate.cli.put_out import put_out
from ragate.cli.streams import run_aside
from ragate.errors import UsageError
from ragate.guards.escape import code, one_line
from ragate.process import NO_DECISION
from ragate.resources.run_labels import RunLabels

if TYPE_CHECKING:
    from ragate.answers.collected_outputs import Collected

SHOWN_FAILURES = 20
SHOWN_IDS = 5
MOST_SHARDS = 1000
JOB_INDEX = "JOB_COMPLETION_INDEX"  # Kubernetes sets it in the pods of an Indexed Job, from 0
ON_TERMINAL, IN_FULL = 300, 2000  # characters of a failure's reason


@click.command("collect")
@run_options
@set_option
@label_options
@click.option("--runs", type=click.IntRange(1, 50), help="Passes over the samples; default: 1.")
@click.option(
    "--shard",
    default="",
    metavar="I/N",
    help="Ask only part I of N; /N takes I from JOB_COMPLETION_INDEX.",
)
@resume_option
def command(
    *,
    options: RunOptions,
    labels: RunLabels,
    runs: int | None,
    shard: str,
    resume: str,
) -> int:
    """Run the RAG on the golden set and write its outputs; judge nothing, need no judge's key.

    The outputs go to --save-outputs, by default .ragate/outputs.jsonl. --format and --output are
    for the summary (console, markdown or json): how many outputs, how many failures and why. A
    shard goes to .ragate/shards, and `decide` takes all of one run.
    \f

    The first half of `check`: [Collect and decide](forks.md). It needs no baseline, and ends with 3
    only when every output failed, or too many for any verdict: then it stops with what it has.
    """
    from ragate.run.collect_outputs import collect_outputs
    from ragate.run.plan import RunPlan
    from ragate.run.shard import shard_here
    from ragate.run.sources import SystemSource

    destinations = options.targets()
    _refuse_formats(options.formats)
    _refuse_outputs_name(destinations)
    loaded, operations = open_config(options.config, options.request.settings)
    operations = replace(operations, labels=labels)
    chosen, part = options.selection(loaded, runs=runs or 1), None
    name = "outputs.jsonl"
    if shard:
        number, of = _parsed(shard, operations.environment)
        part = shard_here(loaded, operations, chosen, number, of)
        loaded, name = part.caps(loaded), f"shards/shard-{number}-of-{of}.jsonl"
    path = options.save_outputs or operations.state / name
    asked = RunPlan(loaded, operations, SystemSource(), chosen, command="collect")
    job = collect_outputs(resumed_plan(asked, resume), path, shard=part)
    collected = run_aside(job)
    summary = summarise(collected, path)
    if part is not None or options.save_outputs:
        summary["next"] = _next(path, is_shard=part is not None, named=bool(options.save_outputs))
    for name, target in destinations:
        put_out(_RENDER[name](summary), target)
    is_empty = part is not None and summary["outputs"] == 0 < summary["runs"]
    return NO_DECISION if summary["outputs"] == summary["failed"] and not is_empty else 0


def _next(path: Path, *, is_shard: bool, named: bool) -> str:
    """Return what follows, of outputs that `decide` does not find by itself."""
    if not is_shard:
        return f"ragate decide {quote(str(path))}"
    files = "the files of all" if named else f"{quote(str(path.parent))}/*.jsonl"
    return f"the other shards, then ragate decide {files}"


def _parsed(text: str, environment: Mapping[str, str]) -> tuple[int, int]:
    """Return number and count of a shard such as ``2/4``, or ``/4`` beside `JOB_INDEX`.

    Raises:
        UsageError: there is no such shard.
    """
    found = re.fullmatch(r"([0-9]{1,6})?/([0-9]{1,6})", text.strip())
    if found is None:
        raise UsageError(f"--shard {text!r}: it must be like 2/4", remedy="the second of four")
    of, where = int(found[2]), f"--shard {text}"
    if not 1 <= of <= MOST_SHARDS:
        raise UsageError(f"{where}: it must be of 1 to {MOST_SHARDS}")
    if found[1] is not None:
        number = int(found[1])
    else:
        index = environment.get(JOB_INDEX, "").strip()
        if not re.fullmatch(r"[0-9]{1,6}", index):
            said = f"is {index!r}" if index else "is not set"
            raise UsageError(
                f"{where}: {JOB_INDEX} {said}",
                remedy=f"say which part this is: --shard 1/{of}; Kubernetes sets it, from 0",
            )
        number, where = int(index) + 1, f"{where} with {JOB_INDEX} = {index}"
    if not 1 <= number <= of:
        raise UsageError(
            f"{where}: there is no such shard",
            remedy=f"--shard counts from 1 to {of}, {JOB_INDEX} from 0",
        )
    return number, of


def _refuse_formats(names: Sequence[str]) -> None:
    for name in names:
        if name not in _RENDER:
            raise UsageError(
                f"collect has no verdict for --format {name}",
                remedy="give it to `decide` or `check`",
            )


def _refuse_outputs_name(destinations: Sequence[tuple[str, Path | None]]) -> None:
    """Refuse a file of JSON Lines for the summary: the outputs are meant."""
    for _, target in destinations:
        if target is not None and target.suffix in {".jsonl", ".ndjson"}:
            raise UsageError(
                f"--output {target}: it takes the summary, not the outputs",
                remedy=f"write --save-outputs {quote(str(target))}, and read it with `decide`",
            )


def summarise(collected: Collected, path: Path) -> dict[str, Any]:
    """Return what was collected: counts, and the first failures with their reasons."""
    failures = [
        {"id": sample_id, "run": run, "kind": output.error.kind, "message": output.error.message}
        for run, outputs in enumerate(collected.passes)
        for sample_id, output in outputs.items()
        if output.error is not None
    ]
    return {
        "schema_version": 1,
        "file": str(path),
        "system": collected.manifest.system.use,
        "runs": len(collected.passes),
        "outputs": sum(len(outputs) for outputs in collected.passes),
        "failed": len(failures),
        "failures": failures[:SHOWN_FAILURES],
        "reasons": _reasons(failures),
    }


def _reasons(failures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what failed alike as one: how often, and the first samples; most frequent first."""
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    for failure in failures:
        alike[failure["kind"], failure["message"]].append(failure["id"])
    ordered = sorted(alike.items(), key=lambda pair: -len(pair[1]))[:SHOWN_FAILURES]
    return [
        {
            "kind": kind,
            "message": message,
            "count": len(ids),
            "ids": list(dict.fromkeys(ids))[:SHOWN_IDS],
        }
        for (kind, message), ids in ordered
    ]


def _line(summary: dict[str, Any]) -> str:
    outputs, runs = plural(summary["outputs"], "output"), plural(summary["runs"], "run")
    return f"{outputs} in {runs} of {summary['system']}, {summary['failed']} failed"


def _console(summary: dict[str, Any]) -> str:
    following = summary.get("next", "ragate decide")
    lines = [_line(summary), f"written to {summary['file']}; next: {following}"]
    limit = ON_TERMINAL if sys.stdout.isatty() else IN_FULL
    for each in summary["reasons"]:
        more = each["count"] - len(each["ids"])
        named = ", ".join(each["ids"]) + (f" and {more:,} more" if more > 0 else "")
        lines.append(f"  failed {named}: {one_line(each['message'], limit)} ({each['kind']})")
    return "\n".join(lines)


def _markdown(summary: dict[str, Any]) -> str:
    rows = [
        f"<tr><td>{code(failure['id'])}</td><td>{failure['kind']}</td>"
        f"<td>{code(failure['message'], IN_FULL)}</td></tr>"
        for failure in summary["failures"]
    ]
    table = ["<table>", *rows, "</table>"] if rows else []
    return "\n".join([f"**{_line(summary)}**", "", *table])


def _json(summary: dict[str, Any]) -> str:
    return json.dumps(summary, indent=2, sort_keys=True)


_RENDER = {"console": _console, "markdown": _markdown, "json": _json}
