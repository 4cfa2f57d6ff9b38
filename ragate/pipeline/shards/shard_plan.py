"""A plan: what is asked, of which system, under which rules, and in which shard."""

import json
from functools import cached_property
from pathlib import Path

from pydantic import Field, ValidationError

from ragate.core.hashing import digest
from ragate.errors import UsageError
from ragate.models import Filters, Frozen
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.shards.split import MOST_SHARDS
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import read_bytes
from ragate.support.strict_json import loads

PLAN_VERSION = 1
_ANEW = "make a plan anew with `ragate plan`, and collect every shard by it"


class ShardPlan(Frozen):
    """What every shard of one run has in common.

    Attributes:
        commit: What is checked out, "" outside of git.
        changed: Hash of each file that git tracks and that is not as in `commit`, by its path.
        policy, system: Hashes of ``[policy]`` and ``[system]``.
        corpus: Hash of the documents, "" where the system does not tell them.
        runs: Passes over the samples.
        filters, top_k, retrieval_only: What part of the golden set is run, and how.
        eval_date: What ``{today}`` stands for in every shard, "" where no question names it.
        samples: By id, in the order of the golden set: content hash and number of the shard.
    """

    ragate_plan: int = PLAN_VERSION
    ragate_version: str
    gate: str
    commit: str
    changed: dict[str, str] = {}
    policy: str
    system: str
    corpus: str
    shards: int = Field(ge=1, le=MOST_SHARDS)
    runs: int = Field(ge=1, le=50)
    filters: Filters = Filters()
    top_k: int | None = Field(default=None, ge=1)
    retrieval_only: bool = False
    eval_date: str = Field(default="", pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    samples: dict[str, tuple[str, int]]

    @cached_property
    def digest(self) -> str:
        """Return what names this plan: two that differ in anything have two."""
        return digest(self.model_dump(mode="json"))

    @property
    def selection(self) -> Selection:
        """Return what part of the golden set is run, and how."""
        return Selection(
            self.filters, self.top_k, self.retrieval_only, self.runs, eval_date=self.eval_date
        )

    def counts(self) -> list[int]:
        """Return the number of samples of each shard."""
        numbers = [0] * self.shards
        for _, number in self.samples.values():
            numbers[number - 1] += 1
        return numbers


def write_plan(path: Path, plan: ShardPlan) -> None:
    """Write a plan, one sample a line.

    Raises:
        StorageError: it cannot be written.
    """
    fields = plan.model_dump(mode="json")
    samples = ",\n".join(
        f"  {_dump(key)}: {_dump(value)}" for key, value in fields.pop("samples").items()
    )
    head = ",\n".join(f" {_dump(key)}: {_dump(value)}" for key, value in fields.items())
    write_atomic(path, f'{{\n{head},\n "samples": {{\n{samples}\n }}\n}}\n'.encode())


def read_plan(path: Path) -> ShardPlan:
    """Return the plan of a file, which may be anybody's.

    Raises:
        UsageError: it is no plan of this ragate; names what is wrong.
    """
    value = loads(read_bytes(path, error=UsageError), where=str(path), error=UsageError)
    if not isinstance(value, dict) or "ragate_plan" not in value:
        raise UsageError(f"{path}: no plan: it has no `ragate_plan`", remedy=_ANEW)
    if value["ragate_plan"] != PLAN_VERSION:
        raise UsageError(
            f"{path}: a plan of format {value['ragate_plan']!r}; this ragate reads {PLAN_VERSION}",
            remedy=_ANEW,
        )
    try:
        plan = ShardPlan.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(map(str, problem["loc"]))
        raise UsageError(f"{path}: {field}: {problem['msg']}", remedy=_ANEW) from error
    for key, (_, number) in plan.samples.items():
        if not 1 <= number <= plan.shards:
            raise UsageError(
                f"{path}: sample {key!r} is in shard {number} of {plan.shards}", remedy=_ANEW
            )
    return plan


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
