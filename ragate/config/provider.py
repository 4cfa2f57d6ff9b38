"""A server of models, as the policy names it."""

from typing import Annotated

from pydantic import AfterValidator, Field

from ragate.clients.prices import Price
from ragate.config.addresses import base_url
from ragate.models import Frozen


class Provider(Frozen):
    """An OpenAI-compatible server, and the name of the variable that holds its key.

    Attributes:
        prices: By model; they win over the package's list prices.
        calls_per_minute: At most, by all workers of a run together; 0: as many as it takes.
        models: The models that recorded systems may ask for; empty: any.
    """

    base_url: Annotated[str, AfterValidator(base_url)]
    key_env: str = Field(default="", pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")
    prices: dict[str, Price] = {}
    calls_per_minute: float = Field(default=0.0, ge=0, le=1e9, allow_inf_nan=False)
    models: tuple[str, ...] = ()
