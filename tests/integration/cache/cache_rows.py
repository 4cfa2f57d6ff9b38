"""Rows for the tests of this folder."""

from __future__ import annotations

from ragate.cache import Cache, Draw
from ragate.core.hashing import digest
from ragate.models import Score

KEY = digest("one")


def fill(cache: Cache) -> None:
    cache.put_judgements(
        {KEY: {"faithfulness": Score(metric="faithfulness", value=0.5, reason="é")}}
    )
    cache.put_draws({("", KEY, 0): Draw(text="so", prompt_tokens=3, cost_usd=0.25)})
    cache.put_draws({("recording", KEY, 2): Draw(text="otherwise")})
    cache.put_embeddings({KEY: [0.5, -1.25]})
