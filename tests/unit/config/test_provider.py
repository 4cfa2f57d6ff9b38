from __future__ import annotations

import pytest
from pydantic import ValidationError

from ragate.config import Provider


def test_a_provider_needs_an_address_and_nothing_else() -> None:
    provider = Provider(base_url="https://api.example/v1")

    assert (provider.key_env, provider.models, provider.prices) == ("", (), {})


@pytest.mark.parametrize("address", ["api.example", "ftp://api.example", "https://me@api.example"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ValidationError):
        Provider(base_url=address)


def test_a_key_cannot_stand_where_its_variable_is_named() -> None:
    with pytest.raises(ValidationError):
        Provider(base_url="https://api.example/v1", key_env="sk-abc")
