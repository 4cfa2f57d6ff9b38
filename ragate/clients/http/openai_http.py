"""The HTTP library that the installed `openai` is made with; it takes a client of no other."""

from typing import TYPE_CHECKING

import openai

if TYPE_CHECKING or not openai.__version__.startswith("2."):
    import httpx2 as httpx
else:
    import httpx

__all__ = ["httpx"]
