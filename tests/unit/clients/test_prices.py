"""What a model costs."""

from __future__ import annotations

import pytest

from ragate.clients.prices import Price, list_prices, price_of


def test_the_prices_of_the_policy_win_over_the_list() -> None:
    own = {"gpt-4o": Price(input_usd_per_million=1.0, output_usd_per_million=2.0)}

    price = price_of("gpt-4o", own)

    assert price is not None
    assert price.of(input_tokens=2_000_000, output_tokens=500_000) == pytest.approx(3.0)


def test_a_dated_snapshot_costs_what_its_model_costs() -> None:
    assert price_of("gpt-4o-2024-08-06", {}) == list_prices()["gpt-4o"]


def test_an_unknown_model_has_no_price() -> None:
    assert price_of("gpt-4o-mine", {}) is None


def test_every_list_price_is_plausible() -> None:
    for model, price in list_prices().items():
        assert 0 < price.input_usd_per_million <= 200, model
        embeds = model.startswith("text-embedding")
        assert (price.output_usd_per_million == 0) == embeds, model
