"""Rules that are not the base's: a change's own, a checkout's, and floors to hold from now on."""

from typing import Any, Literal

from pydantic import ConfigDict, computed_field, model_validator

from ragate.models.base import Frozen
from ragate.models.metric_row import MetricRow
from ragate.models.verdict import Verdict, as_documented, without_exit_code


def _optional_exit_code(schema: dict[str, Any]) -> None:
    # A computed field is always there, so the schema would demand it.
    del schema["required"]
    schema["properties"]["exit_code"]["default"] = None


class Proposed(Frozen):
    """The verdict by the change's own policy, golden set and baseline: shown, and never decides.

    Attributes:
        verdict, exit_code: None where it could not be computed; `note` says why.
        differs: What is not the same as in the base: files, and keys with their old and new value.
        added, edited, removed: Samples of the golden set, against the base's.
    """

    model_config = ConfigDict(json_schema_extra=_optional_exit_code)

    verdict: Verdict | None = None
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    metrics: tuple[MetricRow, ...] = ()
    note: str = ""

    @model_validator(mode="before")
    @classmethod
    def _exit_code_follows(cls, fields: Any) -> Any:
        return without_exit_code(fields)

    @computed_field(json_schema_extra=as_documented)  # type: ignore[prop-decorator]
    @property
    def exit_code(self) -> int | None:
        """What the command would end with by this verdict."""
        return None if self.verdict is None else self.verdict.exit_code


class SuggestedFloor(Frozen):
    """A floor (or ceiling) that what was measured today would keep.

    Attributes:
        mean: What was measured.
        key: ``minimum`` or ``maximum``.
    """

    metric: str
    unit: str
    mean: float
    key: Literal["minimum", "maximum"]
    limit: float


class CheckoutRules(Frozen):
    """The rules of a verdict that went by those of a checkout, where a base may have others.

    Attributes:
        base_read: The base's could be read, so that `changed` is known.
        changed: What of the checkout's rules is not the base's.
    """

    base_read: bool
    changed: tuple[Literal["policy", "golden set", "baseline", "judge prompt"], ...] = ()
