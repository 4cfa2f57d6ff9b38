"""The loopback server in a process of its own, so that its CPU time is not the client's.

    python -m tests.servers.process '{"latency_s": 0.2}'

It prints its address, then answers one line of JSON with one: what to change, and what it saw.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

from tests.servers.evaluator import evaluation
from tests.servers.faults import (
    BROKEN_JSON,
    EVERY_KIND,
    HANG,
    HTML,
    TRUNCATED,
    Chaos,
    Fault,
    RateLimit,
    status,
)
from tests.servers.model import is_judgement
from tests.servers.openai_server import FakeOpenAI, openai_server
from tests.unit.judges.every_canary import every_canary
from tests.unit.judges.judge_factories import Chat, gullible, honest

CANARIES = [canary for moved in every_canary().values() for canary in moved]
KNOWN = frozenset(canary.sample.query for canary in CANARIES)
KNOWN_ANSWERS = frozenset(canary.output.answer for canary in CANARIES)
QUESTION = re.compile(r"<question \w+>\n(.*)\n")
KINDS: dict[str, tuple[Fault, ...]] = {
    "every": EVERY_KIND,
    "malformed": (BROKEN_JSON, HTML, TRUNCATED),
    "hang": (HANG,),
    "html": (HTML,),
    "truncated": (TRUNCATED,),
    "rejected": (status(429),),
    "rejected, 1 s": (status(429, retry_after="1"),),
}


@dataclass
class Counted:
    """What the server answered, by kind, and when it did so first and last."""

    answers: int = 0
    verdicts: int = 0
    canaries: int = 0
    prompt_chars: int = 0
    first: float = 0.0
    last: float = 0.0

    def note(self, kind: str, body: dict[str, Any], latency_s: float) -> None:
        now = time.monotonic()
        self.first = self.first or now - latency_s
        self.last = now
        setattr(self, kind, getattr(self, kind) + 1)
        self.prompt_chars += sum(len(one["content"]) for one in body["messages"])


def quick_verdict(body: dict[str, Any], number: int) -> str:
    """Return a whole verdict that costs no reading; it differs from question to question."""
    text = body["messages"][1]["content"]
    contexts = len(re.findall(r"(?m)^<context \d+ \w+>$", text))
    sentences = len(re.findall(r"(?m)^S\d+: ", text))
    good = number % 5 > 0
    filled: dict[str, Any] = {
        "claims": [
            {
                "id": one,
                "sentence": one,
                "text": "It is so.",
                "verdict": "supported" if good else "absent",
                "contexts": [1] if good else [],
            }
            for one in range(1, sentences + 1)
        ],
        "claim_free": [],
        "contexts": [
            {"context": one, "relevant": one == 1 + number % 3} for one in range(1, contexts + 1)
        ],
        "citations": [],
        "refusal": False,
        "relevant": number % 7 > 0,
        "difference": "",
        "correctness": float(1 + number % 5),
        "correct": number % 2 > 0,
    }
    keys = body["response_format"]["json_schema"]["schema"]["required"]
    return json.dumps({key: filled[key] for key in keys})


LETTERS = str.maketrans("0123456789", "jkqvwxyzbh")


@dataclass
class Model:
    """Answers never twice alike, gives verdicts, and knows the canaries.

    Attributes:
        judging: Who judges the canaries: ``honest`` or ``gullible``.
        verdict: Replies to every request for a verdict, in place of a verdict; "" for none.
        lives: 1 more than the replies before the process dies; 0 or less: it lives on. Its counts
            are its last words.
    """

    fake: FakeOpenAI
    judging: str = "honest"
    verdict: str = ""
    lives: int = 0
    counted: Counted = field(default_factory=Counted)

    def __post_init__(self) -> None:
        self._number = itertools.count(1)
        self._judges: dict[str, Chat] = {"honest": honest(), "gullible": gullible()}

    def __call__(self, body: dict[str, Any]) -> str:
        if (asked := evaluation(body)) is not None:
            known = asked.answer in KNOWN_ANSWERS
            self._note("canaries" if known else "verdicts", body)
            return asked.verdict() if known else "YES"
        if not is_judgement(body):
            self._note("answers", body)
            # Spelled in letters: a number might by chance stand in a reference as well.
            nonce = str(next(self._number)).translate(LETTERS)
            return f"It is so, as {nonce} says. [1]"
        text = body["messages"][1]["content"]
        question = QUESTION.search(text, text.rindex("</contexts"))
        assert question is not None
        known = question[1] in KNOWN
        self._note("canaries" if known else "verdicts", body)
        if self.verdict:
            return self.verdict
        return self._canary(body) if known else quick_verdict(body, crc32(question[1].encode()))

    def _canary(self, body: dict[str, Any]) -> str:
        from ragate.protocols import ChatRequest

        messages = tuple((one["role"], one["content"]) for one in body["messages"])
        parameters = {key: value for key, value in body.items() if key != "messages"}
        reply = self._judges[self.judging]._next(ChatRequest(body["model"], messages, parameters))
        return str(reply)

    def _note(self, kind: str, body: dict[str, Any]) -> None:
        with self.fake.lock:
            if self.lives == 1:
                print(json.dumps(vars(self.counted)), flush=True)
                os._exit(1)
            self.lives -= 1
            self.counted.note(kind, body, self.fake.latency_s)


def change(fake: FakeOpenAI, model: Model, wanted: dict[str, Any]) -> dict[str, Any]:
    """Do what a line asks for, and return what was seen since the last one."""
    limit = fake.limit
    seen = {
        **vars(model.counted),
        "requests": fake.seen,
        "rejected": limit.rejected if limit else 0,
    }
    fake.seen, model.counted = 0, Counted()
    fake.latency_s = float(wanted.get("latency_s", 0.0))
    fake.hang_s = float(wanted.get("hang_s", 5.0))
    share = float(wanted.get("share", 0.0))
    kinds = KINDS[wanted.get("kinds", "every")]
    fake.chaos = Chaos(share, kinds, seed=int(wanted.get("seed", 1))) if share else None
    rate = float(wanted.get("rate", 0.0))
    fake.limit = RateLimit(rate, rate) if rate else None
    model.judging = str(wanted.get("judging", "honest"))
    model.verdict = str(wanted.get("verdict", ""))
    model.lives = int(wanted.get("lives", -1)) + 1
    return seen


def main() -> None:
    """Serve until the input ends."""
    wanted = json.loads(sys.argv[1])
    with openai_server(int(wanted.get("port", 0))) as fake:
        fake.keep = False
        model = Model(fake)
        fake.reply = model
        change(fake, model, wanted)
        print(fake.base_url, flush=True)
        for line in sys.stdin:
            print(json.dumps(change(fake, model, json.loads(line))), flush=True)


@dataclass
class ServerProcess:
    """The handle of a running server."""

    base_url: str
    talk: Callable[[str], str]
    last_words: Callable[[], str]

    def change(self, **wanted: object) -> dict[str, Any]:
        """Begin anew with these settings; return what was seen before."""
        found: dict[str, Any] = json.loads(self.talk(json.dumps(wanted)))
        return found

    @property
    def port(self) -> int:
        found = urlsplit(self.base_url).port
        assert found is not None
        return found


@contextmanager
def server_process(**wanted: object) -> Iterator[ServerProcess]:
    """Yield a server that runs in a process of its own."""
    command = [sys.executable, "-m", "tests.servers.process", json.dumps(wanted)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdin is not None
    output, entry = process.stdout, process.stdin

    def talk(line: str) -> str:
        entry.write(line + "\n")
        entry.flush()
        return output.readline()

    try:
        yield ServerProcess(output.readline().strip(), talk, output.readline)
    finally:
        entry.close()
        process.wait(timeout=10)
        output.close()


if __name__ == "__main__":
    main()
