"""The keys of ``[policy.judge]`` for ``use = "rubric"``."""

from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from ragate.core.judging.own_criterion import OwnCriterion
from ragate.judges._asking import ModelSettings

Format = Literal["schema", "json", "text"]


class Settings(ModelSettings):
    """The built-in judge, in `[policy.judge]`.

    Attributes:
        provider: A table of `[policy.providers]`.
        model: The model, best with its date.
        prompt: Instructions of your own, a Jinja file; empty: the built-in ones.
        format: How JSON is asked for: by schema, as any JSON object, or in words only. A server
            that refuses one is asked in the next way.
        criteria: Those of the policy's metrics `criterion.<name>`, by identity; not written here.
    """

    provider: str = Field(min_length=1)
    model: str = Field(min_length=1)
    prompt: str = ""
    format: Format = "schema"
    criteria: SkipJsonSchema[dict[str, OwnCriterion]] = {}
