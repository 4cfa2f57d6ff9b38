"""A step of ``[[system.prepare]]`` as the policy allows it, and the documents that it sends."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragate.errors import ConfigError
from ragate.protocols import Resources
from ragate.support.escape import one_line
from ragate.support.foreign_files import inside, read_text
from ragate.systems._foreign import matching_files
from ragate.systems._output import OutputError
from ragate.systems.http.address import place_of
from ragate.systems.http.policy import check_request, header_secrets
from ragate.systems.http.prepare_step import DOCUMENT_BODY, PrepareStep
from ragate.systems.http.template import Template

_NAMES = frozenset({"id", "path", "text"})


@dataclass
class AllowedStep:
    """A step that the policy allows.

    Attributes:
        where: Names it in messages.
        last: What was seen last, for the message of a step that takes too long.
    """

    keys: PrepareStep
    where: str
    key: str
    secrets: dict[str, str]
    body: Template | None
    last: str = ""

    @classmethod
    def read(cls, keys: PrepareStep, number: int, resources: Resources) -> "AllowedStep":
        """Check a step against the policy.

        Raises:
            ConfigError: it does not allow host, method, path or a variable; or the body is no
                template.
            ProviderError: a variable for a header is not set.
        """
        key, where = f"prepare {number}", f"[[system.prepare]] {number}"
        if keys.command:
            return cls(keys, where, key, {}, None)
        rule = place_of(keys.url, key=key, hosts=resources.http_hosts).rule
        check_request(
            keys.method, keys.url, key=key,
            methods=resources.http_methods, paths=resources.http_paths,
        )  # fmt: skip
        text = keys.body or (DOCUMENT_BODY if keys.documents else "")
        names = _NAMES if keys.documents else frozenset()
        body = Template(text, where=f"{where} body", names=names) if text else None
        return cls(keys, where, key, header_secrets(keys.headers_env, resources, rule=rule), body)

    @property
    def headers(self) -> dict[str, str]:
        return {"Content-Type": "application/json", **self.keys.headers, **self.secrets}

    def content(self, values: dict[str, str]) -> bytes:
        """Return the body of a request.

        Raises:
            ConfigError: the template cannot be filled in.
        """
        try:
            return self.body.fill(values).encode() if self.body is not None else b""
        except OutputError as error:
            raise ConfigError(one_line(str(error))) from error


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
