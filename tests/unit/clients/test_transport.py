from __future__ import annotations

import subprocess
import sys

HEAVY = ("openai", "httpx", "llama_index", "numpy")
OPEN = f"""
import asyncio, sys
from pydantic import SecretStr
from ragate.clients.transport import Transport

async def main() -> None:
    transport = Transport("https://models.example/v1", SecretStr("key"))
    await transport.client(timeout_s=1.0, connections=1).close()

asyncio.run(main())
print(*(name for name in {HEAVY!r} if name in sys.modules))
"""


def test_a_client_of_a_provider_loads_no_heavy_package() -> None:
    done = subprocess.run([sys.executable, "-c", OPEN], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []
