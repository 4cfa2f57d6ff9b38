from __future__ import annotations

import pytest
from pydantic import ValidationError

from ragate.config import Profile


@pytest.mark.parametrize("options", [{"top_k": 0}, {"limit": 0}, {"runs": 2}])
def test_an_option_that_cannot_be_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        Profile.model_validate(options)
