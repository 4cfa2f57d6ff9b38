"""Bringing a service up to date before the first question: its corpus, loaded and indexed."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragate.errors import ConfigError, SystemStartError
from ragate.files.foreign_files import inside, read_text
from ragate.files.pointer import PointerError, one
from ragate.guards.escape import one_line
from ragate.protocols import Resources
from ragate.systems._foreign import matching_files
from ragate.systems._output import LONGEST, OutputError
from ragate.systems._process import Programs
from ragate.systems.http.address import place_of
from ragate.systems.http.client import BadReplyError, HttpClient, UnreachableError
from ragate.systems.http.policy import HeaderSecrets, Hidden, check_request, header_secrets
from ragate.systems.http.requests import Template
from ragate.systems.http.settings import DOCUMENT_BODY, PrepareStep
from ragate.task_groups import task_group

# A step of ``[[system.prepare]]`` as the policy allows it, and the documents that it sends.

EVERY_S = 1.0  # between two requests that wait for an index
_NAMES = frozenset({"id", "path", "text"})


class AllowedStep:
    """A step that the policy allows.

    Attributes:
        where: Names it in messages.
        last: What was seen last, for the message of a step that takes too long.

    Raises:
        ConfigError: the policy does not allow host, method, path or a variable; or the body is no
            template.
        ProviderError: a variable for a header is not set.
    """

    def __init__(self, keys: PrepareStep, number: int, resources: Resources) -> None:
        self.keys = keys
        self.key = f"prepare {number}"
        self.where = f"[[system.prepare]] {number}"
        self.last = ""
        self.secrets = HeaderSecrets({})
        if keys.command:
            return
        host = place_of(keys.url, key=self.key, hosts=resources.http_hosts)
        check_request(keys.method, keys.url, key=self.key, rules=resources)
        self.secrets = header_secrets(keys.headers_env, resources, host=host)
        body = keys.body or (DOCUMENT_BODY if keys.documents else "")
        names = _NAMES if keys.documents else frozenset()
        self._body = Template(body, where=f"{self.where} body", names=names)

    def parts(self, values: Mapping[str, str]) -> dict[str, Any]:
        """Return headers and body of a request.

        Raises:
            ConfigError: the template cannot be filled in.
        """
        keys = self.keys
        fixed = {"Content-Type": "application/json", **keys.headers}
        parts: dict[str, Any] = {"headers": {**fixed, **self.secrets.headers}}
        try:
            body = self._body.fill(values).encode()
        except OutputError as error:
            raise ConfigError(one_line(str(error))) from error
        return parts if keys.method == "GET" else {**parts, "content": body}


def documents_of(root: Path, keys: PrepareStep, where: str) -> Iterator[dict[str, str]]:
    """Yield id, path and text of each document, in order of path, each once.

    Raises:
        ConfigError: a pattern matches nothing, or a file is no text or lies elsewhere.
    """
    top = root.resolve()
    base = inside(top, keys.relative_to or ".", where=f"{where} relative_to", error=ConfigError)
    paths = {
        path: None
        for pattern in keys.documents
        for path in sorted(matching_files(top, pattern, f"{where} documents: {pattern!r}"))
    }
    for path in paths:
        name = path.relative_to(top).as_posix()
        real = inside(top, name, where=f"{where} documents", error=ConfigError)
        if not path.is_relative_to(base):
            raise ConfigError(f"{where}: {name} is not below relative_to = {keys.relative_to!r}")
        text = read_text(real, error=ConfigError)
        yield {"id": path.relative_to(base).as_posix(), "path": name, "text": text}


_SHOWN_LINES = 5


class Preparation:
    """Runs the steps, once.

    Args:
        hidden: Gets the secrets of the steps: the service may send them back later.

    Raises:
        ConfigError: a host, method, path or variable that the policy does not allow, or a body that
            is no template.
        ProviderError: a variable for a header is not set.
    """

    def __init__(
        self,
        steps: Sequence[PrepareStep],
        resources: Resources,
        hidden: Hidden,
        programs: Programs,
    ) -> None:
        self._resources = resources
        self._programs = programs
        self._steps = [AllowedStep(step, n, resources) for n, step in enumerate(steps, start=1)]
        self._hidden = hidden
        for step in self._steps:
            hidden.add_secrets(step.secrets.headers.values())
        hidden.add_secrets(programs.secrets)
        self._client = HttpClient(
            hosts=resources.http_hosts, timeout_s=resources.timeout_s, hidden=hidden
        )
        self._done = False

    async def run(self) -> None:
        """Take the steps, one after another; a second call does nothing.

        Raises:
            SystemStartError: one fails, or takes too long.
            ConfigError: a document is no text, or lies outside the project.
        """
        if self._done:
            return
        for step in self._steps:
            clock = asyncio.get_running_loop().time
            began = clock()
            try:
                async with asyncio.timeout(step.keys.timeout_s):
                    did = await (self._command if step.keys.command else self._requests)(step)
            except TimeoutError as error:
                raise SystemStartError(
                    f"{step.where}: not done within {step.keys.timeout_s:g} s{step.last}",
                    remedy="raise its timeout_s, or see what holds it up",
                ) from error
            self._resources.say(f"{step.where}: {did} in {clock() - began:.1f} s")
        self._done = True

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _command(self, step: AllowedStep) -> str:
        argv = step.keys.command
        child = await self._programs.start(argv, key="prepare")
        try:
            await child.wait()
            if child.code:
                why = self._hidden.clean(await child.why(lines=_SHOWN_LINES), LONGEST)
                raise SystemStartError(
                    f"{step.where}: {argv[0]!r} {why}",
                    remedy="run it yourself in this folder: it has to end with exit code 0",
                )
        except asyncio.CancelledError:
            step.last = self._hidden.clean(child.tail.told())
            raise
        finally:
            await child.stop()
        return f"{argv[0]} is done"

    async def _requests(self, step: AllowedStep) -> str:
        keys = step.keys
        await self._client.check(keys.url, key=step.key, secret_rule=step.secrets.rule)
        if keys.until_pointer:
            return await self._until(step)
        if not keys.documents:
            await self._send(step)
            return "one request"
        waiting = iter(documents_of(self._resources.root, keys, step.where))
        count = 0

        async def work() -> None:
            nonlocal count
            for document in waiting:
                await self._send(step, document)
                count += 1

        async with task_group() as group:
            for _ in range(self._resources.concurrency):
                group.create_task(work())
        return f"{count:,} documents"

    async def _send(self, step: AllowedStep, document: Mapping[str, str] | None = None) -> bytes:
        keys, parts = step.keys, step.parts(document or {})
        try:
            reply = await self._client.send(keys.method, keys.url, key=step.key, **parts)
        except (UnreachableError, BadReplyError) as error:
            what = f"{document['path']}: " if document else ""
            raise SystemStartError(f"{step.where}: {what}the service {error}") from error
        return reply.content

    async def _until(self, step: AllowedStep) -> str:
        """Ask until the reply says what is wanted; failures on the way are told at the end."""
        pointer, wanted = step.keys.until_pointer, step.keys.until_equals
        while True:
            try:
                found = one(json.loads(await self._send(step)), pointer)
            except (SystemStartError, PointerError, ValueError, RecursionError) as error:
                told = error.message if isinstance(error, SystemStartError) else str(error)
                step.last = f"; last: {self._hidden.clean(told)}"
            else:
                if found == wanted and isinstance(found, bool) == isinstance(wanted, bool):
                    return f"{pointer} is {wanted}"
                shown = self._hidden.clean(json.dumps(found, ensure_ascii=False))
                step.last = f"; {pointer} is {shown}, wanted {json.dumps(wanted)}"
            await asyncio.sleep(EVERY_S)
