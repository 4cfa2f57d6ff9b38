from __future__ import annotations

import pytest

from ragate.core.conditions import read_conditions
from ragate.errors import ConfigError, UsageError
from ragate.models import Sample

FORUM = Sample(
    id="a",
    query="a",
    tags=("billing",),
    metadata={"source": "forum", "level": 3, "read": True, "long": int("9" * 400)},
)


@pytest.mark.parametrize(
    ("tags", "where", "fits"),
    [
        ((), (), True),
        (("billing", "api"), (), True),
        (("api",), (), False),
        ((), ("source=forum",), True),
        ((), ("source = forum ",), True),
        ((), ("read=true",), True),
        ((), ("read>=1",), False),
        ((), ("level>=3",), True),
        ((), ("level<=2.5",), False),
        ((), ("source>=1",), False),
        ((), ("long>=1",), False),
        ((), ("nowhere=x",), False),
        (("billing",), ("source=forum", "level>=4"), False),
    ],
)
def test_a_sample_fits_with_any_tag_and_every_condition(
    tags: tuple[str, ...], where: tuple[str, ...], fits: bool
) -> None:
    assert read_conditions(tags, where).fit(FORUM) is fits


@pytest.mark.parametrize("text", ["source", "=forum", "level>=many", "level<="])
def test_what_is_no_condition_is_an_error_that_names_its_place(text: str) -> None:
    with pytest.raises(ConfigError, match=r"\[\[policy.slices\]\] x: where"):
        read_conditions((), (text,), place="[[policy.slices]] x: where", error=ConfigError)
    with pytest.raises(UsageError, match="--where"):
        read_conditions((), (text,))


@pytest.mark.parametrize(
    ("tags", "where", "says"),
    [
        (("biling",), (), "here: no sample has the tag 'biling'; did you mean 'billing'?"),
        ((), ("sauce=forum",), "metadata field 'sauce'; did you mean 'source'?"),
        ((), ("nowhere=x",), "metadata field 'nowhere'; it has level, long, read"),
    ],
)
def test_a_name_that_no_sample_has_is_an_error_with_the_nearest(
    tags: tuple[str, ...], where: tuple[str, ...], says: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read_conditions(tags, where).refuse_unknown([FORUM], where="here", error=ConfigError)

    assert says in caught.value.message
