"""A service over HTTP as the system under test; see docs/system-http.md."""

import json
import time
from typing import Any
from urllib.parse import quote

from ragate.errors import SystemMismatchError
from ragate.models import Sample, SystemOutput
from ragate.protocols import Resources
from ragate.recorder.proxy import HEADER
from ragate.support.git import head_commit
from ragate.systems._foreign import Foreign, no_place_for_turns
from ragate.systems._output import OutputError, failed, to_output, unanswered, wanted
from ragate.systems.http.address import place_of
from ragate.systems.http.build import Build
from ragate.systems.http.client import HttpClient
from ragate.systems.http.hidden import Hidden
from ragate.systems.http.policy import address_in, check_request, header_secrets
from ragate.systems.http.raw_reply import (
    BadReplyError,
    RawReply,
    UnavailableError,
    UnreachableError,
)
from ragate.systems.http.reply import fields, parsed
from ragate.systems.http.service import Service
from ragate.systems.http.settings import BODY, CHAT_BODY, Settings
from ragate.systems.http.template import Template


class HttpSystem(Foreign):
    """Asks one address, once for each sample."""

    def __init__(self, settings: Settings, resources: Resources) -> None:
        super().__init__("http", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._url = settings.url or address_in(settings.url_env, resources)
        self._key = "url" if settings.url else "url_env"
        host = place_of(self._url, key=self._key, hosts=resources.http_hosts)
        self._check_request(settings.method, self._url, self._key)
        secrets = header_secrets(settings, resources, rule=host.rule)
        self._headers = {"Content-Type": "application/json", **settings.headers, **secrets}
        self._body = Template(settings.body, where="[system] body")
        # The default body has a place for earlier turns only where there are any.
        chat_body = CHAT_BODY if settings.body == BODY else settings.body
        self._chat_body = Template(chat_body, where="[system] body")
        self._params = {
            name: Template(text, where=f"[system] params {name}")
            for name, text in settings.params.items()
        }
        head = ""
        if settings.demands_version:
            # In CI a merge is checked out, and what was deployed is the pull request's head.
            head = resources.commit or head_commit(resources.root)
        self._hidden = Hidden(list(secrets.values()))
        self._build = Build(settings, head, self._hidden)
        self._client = HttpClient(
            hosts=resources.http_hosts,
            timeout_s=resources.timeout_s,
            hidden=self._hidden,
        )
        self._service = Service(settings, resources, self._client)

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Start the service where that is wanted, wait until it is up, and see which build it is.

        Raises:
            SystemStartError: it does not come up.
            SystemMismatchError: it is not the build of the head commit.
        """
        del rebuild
        settings = self._settings
        if settings.demands_version and not self._build.head:
            raise SystemMismatchError(
                "[system] demands the head commit's build, and the project has no commit",
                remedy="check the repository out with git, or remove the version key",
            )
        for key, url in (("health", settings.health), ("version_url", settings.version_url)):
            if url:
                self._check_request("GET", url, key)
                await self._client.check(url, key=key)
        await self._client.check(self._url, key=self._key)
        await self._service.come_up()
        if settings.version_url:
            await self._build.look_up(self._client)

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the service's answer; what goes wrong is the failure of this sample.

        Raises:
            SystemMismatchError: it is not the build of the head commit.
        """
        del run  # it can be asked again at will
        started = time.perf_counter()
        try:
            reply = await self._ask(sample)
            took = time.perf_counter() - started
            value = parsed(reply.content)
            if self._settings.demands_version and not self._settings.version_url:
                self._build.check(reply, value)
            output = to_output(fields(value, self._settings.pointers), who="the service")
        except UnreachableError as error:
            return unanswered(await self._service.explained(str(error)))
        except UnavailableError as error:
            return unanswered(f"the service {error}")
        except BadReplyError as error:
            return failed(f"the service {error}")
        except OutputError as error:
            return failed(self._hidden.clean(str(error)))
        return wanted(output, self._resources, took=took)

    async def close(self) -> None:
        """Close the connections, and end the service with all that it started."""
        await self._client.close()
        await self._service.stop()

    def _check_request(self, method: str, url: str, key: str) -> None:
        resources = self._resources
        rules = {"methods": resources.http_methods, "paths": resources.http_paths}
        check_request(method, url, key=key, **rules)

    async def _ask(self, sample: Sample) -> RawReply:
        settings = self._settings
        if sample.messages:
            self._check_takes_turns(sample)
        parts: dict[str, Any] = {"headers": dict(self._headers)}
        if settings.record:
            parts["headers"][HEADER] = quote(sample.id)
        if self._params:
            parts["params"] = {name: text.render(sample) for name, text in self._params.items()}
        if settings.method == "GET":
            parts["headers"].pop("Content-Type")
        else:
            parts["content"] = self._content(sample)
        return await self._client.send(settings.method, self._url, key=self._key, **parts)

    def _check_takes_turns(self, sample: Sample) -> None:
        """Refuse a request without a place for the earlier turns.

        Raises:
            ConfigError: names the place.
        """
        texts = list(self._params.values())
        texts += [] if self._settings.method == "GET" else [self._chat_body]
        if not any(text.takes_messages for text in texts):
            place = "params" if self._settings.method == "GET" else "body"
            remedy = f"put {{{{ messages | tojson }}}} into {place} (docs/system-http.md)"
            raise no_place_for_turns(sample, f"[system] {place}", remedy=remedy)

    def _content(self, sample: Sample) -> bytes:
        text = (self._chat_body if sample.messages else self._body).render(sample)
        kind = next(v for k, v in reversed(self._headers.items()) if k.lower() == "content-type")
        if kind.partition(";")[0].strip() == "application/json":
            try:
                json.loads(text)
            except ValueError as error:
                raise OutputError(
                    f"[system] body gives no JSON for {sample.id}: write {{{{ query | tojson }}}}, "
                    "without quotes around it"
                ) from error
        return text.encode()
