"""Requests and replies for the tests of this folder."""

from __future__ import annotations

import json
from typing import Any


def events_of(lines: list[str]) -> list[dict[str, Any]]:
    data = [line.partition("data: ")[2] for line in lines]
    return [json.loads(one) for one in data if not one.startswith("[DONE]")]
