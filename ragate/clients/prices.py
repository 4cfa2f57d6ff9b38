"""What a call costs: tokens as the server counted them, by a small table of list prices."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import Field

from ragate.models import Frozen

# A dated snapshot costs what its model costs: gpt-4o-2024-08-06.
_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class Price(Frozen):
    """What a model costs ([Cost](cost.md)), in US dollars for a million tokens; it wins over the
    built-in list.

    Attributes:
        input_usd_per_million: What is sent, and texts that are embedded.
        output_usd_per_million: What comes back, reasoning included.
    """

    input_usd_per_million: float = Field(ge=0, le=1e6)
    output_usd_per_million: float = Field(default=0.0, ge=0, le=1e6)

    def of(self, *, input_tokens: int, output_tokens: int) -> float:
        """Return US dollars."""
        spent = input_tokens * self.input_usd_per_million
        return (spent + output_tokens * self.output_usd_per_million) / 1e6


def price_of(model: str, policy_prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model; None where it is in neither table.

    Args:
        policy_prices: Those of the policy, by the very name of the model; they win.
    """
    if model in policy_prices:
        return policy_prices[model]
    return list_prices().get(_SNAPSHOT.sub("", model))


@cache
def list_prices() -> Mapping[str, Price]:
    """Return the package's own table."""
    text = Path(__file__).with_name("prices.toml").read_text(encoding="utf-8")
    return {name: Price.model_validate(row) for name, row in tomllib.loads(text).items()}
