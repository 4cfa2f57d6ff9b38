"""What numbers count: units, conversions, things."""

from __future__ import annotations

import pytest

from ragate.core.text.number_places import NumberSources, claimed_places


@pytest.mark.parametrize(
    ("source", "answer", "held"),
    [
        ("Refunds take 30 days.", "Refunds take 30 weeks.", False),
        ("Refunds take 30 days.", "Refunds take 30 days.", True),
        ("Refunds take 30 days.", "Refunds take 30.", True),
        ("Refunds take **30** days.", "Refunds take 30 weeks.", False),
        ("Refunds take 30 days.", 'Refunds take 30 "weeks".', False),
        ("| Days | 30 |", "It takes 30 days.", True),
        ("It costs 12 euros per month.", "It costs 12 dollars per month.", False),
        ("It costs 12 euros per month.", "It costs 12 euros per year.", False),
        ("It costs 12 euros per month.", "It costs €12 a month.", True),
        ("It costs 12 euros per user per month.", "It costs 12 euros per month.", True),
        ("It costs $12 monthly.", "It costs 12 dollars per month.", True),
        ("A fee of 12 pounds.", "A fee of £12.", True),
        ("The plan pays 80 % of it.", "The plan pays 80 dollars of it.", False),
        ("The plan pays 80% of it.", "It pays 80 percent.", True),
        ("It takes 14 days.", "It takes 2 weeks.", True),
        ("It takes 14 days.", "It takes 3 weeks.", False),
        ("It lasts 1.5 hours.", "It lasts 90 minutes.", True),
        ("The Moon is 384,400 km away.", "It is 238,855 miles away.", True),
        ("The Moon is 384,400 km away.", "It is 239,000 miles away.", True),
        ("The Moon is 384,400 km away.", "It is 250,000 miles away.", False),
        ("It is 5 ft high.", "It is 1.52 m high.", True),
        ("It is 20 °C.", "It is 68 °F.", True),
        ("It is 20 °C.", "It is 20 °F.", False),
        ("It holds 1 GB.", "It holds 1024 MB.", True),
        ("It runs at 100 km/h.", "It runs at 100 mph.", False),
        ("within 30 calendar days", "within 30 days", True),
        ("within 30 calendar days", "within 30 calendar months", False),
        ("It takes 20 to 30 days.", "It takes 20 days.", True),
        ("It takes 20 to 30 days.", "It takes 20 weeks.", False),
        ("It takes thirty days.", "It takes 30 months.", False),
        ("It has 12 clubs and 25 players.", "It has 12 players.", False),
        ("It has 12 clubs and 25 players.", "It has 12 teams.", True),
        ("in 2020 the Olympics", "the 2020 Olympics", True),
        ("It has at least 40 rooms.", "It has at most 40 rooms.", False),
        ("It has at least 40 rooms.", "It has no fewer than 40 rooms.", True),
        ("It has at least 40 rooms.", "It has 40 rooms or more.", True),
        ("It has at least 40 rooms.", "It has 40 rooms or fewer.", False),
        ("It has at least 40 rooms.", "It has 40 rooms.", True),
        ("Refunds take up to 30 days.", "Refunds take **at least** 30 days.", False),
        ("Es hat mindestens 40 Zimmer.", "Es hat höchstens 40 Zimmer.", False),
        ("innerhalb von 30 Tagen", "innerhalb von 30 Wochen", False),
        ("3日以内に返金", "3週間以内に返金", False),
        ("3日以内に返金", "3日以内に返金", True),
    ],
)
def test_a_number_stands_with_its_unit_or_is_converted_right(
    source: str, answer: str, held: bool
) -> None:
    [claim] = claimed_places(answer)

    assert NumberSources([source]).held([claim]) == [held]
