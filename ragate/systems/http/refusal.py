"""What a service that lets nobody in without a key is to be sent."""

from collections.abc import Mapping

import httpx

_REFUSED = frozenset({401, 403})
_WHERE = "docs/system-http.md#keys"


def refusal(response: httpx.Response, headers_env: Mapping[str, str]) -> str:
    """Return what is missing, in brackets with a space before; "" where no key is.

    Args:
        headers_env: The variables that were sent, by header.
    """
    if response.status_code not in _REFUSED:
        return ""
    if headers_env:
        sent = ", ".join(f"{header} from {name}" for header, name in headers_env.items())
        return f" (it does not take what was sent: {sent}; the variable holds the whole value)"
    challenge = response.headers.get("www-authenticate", "").split(maxsplit=1)
    scheme = next((part for part in challenge if part.isalpha()), "")
    if scheme:
        wanted = f"the header Authorization, as `{scheme[:20]} …`"
    else:
        wanted = "a key in a header" if response.status_code == 401 else "perhaps a key in a header"
    return f" (it wants {wanted}: [system] headers_env names header and variable, {_WHERE})"
