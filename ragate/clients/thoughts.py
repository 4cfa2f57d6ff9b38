"""What a model that reasons writes before its reply is no part of it."""

import re

_THOUGHT = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.IGNORECASE | re.DOTALL)
_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """Return a reply without the ``<think>…</think>`` at its beginning.

    A thought that was cut off is all that there is. Servers that begin it themselves send its end
    alone; a reply that begins as JSON does is none of these.
    """
    reply = text
    while (thought := _THOUGHT.match(reply)) is not None:
        reply = reply[thought.end() :]
    if reply is text and not text.lstrip().startswith(("{", "[", "`")):
        ends = _END.findall(text)
        if len(ends) == 1:
            reply = _END.split(text)[1]
    return reply
