"""Texts that speak to whoever judges them, found without a model by what they have in common.

What is found is named in the report and decides nothing: a page on prompt injection may quote one.
"""

import base64
import binascii
import re
from itertools import islice

from ragate.core.text.unicode_forms import visible

_ROLES = (
    r"(evaluators?|evaluation (model|system)|graders?|grading (model|system)|raters?|"
    r"(AI|LLM|language model)[ -](judges?|reviewers?|evaluators?|graders?|assistants?)|"
    r"whoever (grades|judges|evaluates|rates))"
)
_KINDS = {
    "chat-template tokens": re.compile(
        r"<\|(im_start|im_end|endoftext|eot_id|start_header_id|system|user|assistant)\|>|"
        r"\[/?INST\]|<</?SYS>>|<(start|end)_of_turn>"
    ),
    "a note to whoever judges": re.compile(
        rf"\b(notes?|messages?|instructions?|reminders?|attention|hints?)\b[^.\n]{{0,20}}?"
        rf"\b(to|for)\b[^.\n]{{0,20}}?\b{_ROLES}\b|"
        r"\bHinweis (an|für) (das|den|die|alle) (Bewert|Prüf|Evaluat|Gutacht)|"
        r"\bnotas? para (el|la|los) evaluador|\bnote à l['’](attention|évaluateur)|"
        r"(примечание|указание|сообщение) для (оценщ|провер|эксперт)|致评[审估测]|"
        r"評価(者|システム)(へ|に)の?|ملاحظة (لل|إلى ال)مقي|평가자(에게|는)|मूल्यांकनकर्ता (के लिए|को)",
        re.IGNORECASE,
    ),
    "instructions to be ignored": re.compile(
        r"(?i:\b(ignore|disregard|forget)\b[^.\n]{0,30}"
        r"\b(earlier|previous|prior|above|preceding|all)\b"
        r"[^.\n]{0,30}\b(instructions|rules|prompts?)\b)|\bSYSTEM (OVERRIDE|PROMPT)\b|"
        r"\brules given to you\b|^SYSTEM: |\nSYSTEM: "
        r"|<(instructions|system)>|</(answer|contexts?|question)>"
    ),
    "a verdict dictated": re.compile(
        r"\b(return|give|report|repeat) (the |this )?verdict\b|"
        r"\bmark (every|all|each|any) (of the )?claims?\b|"
        r"\bcorrectness (is |= ?|of )?5\b|\[RESULT\] ?\d|"
        r"\"(relevant|correct|passing|refusal)\" ?: ?(true|false)|"
        r"\bS\d{1,3}: (Verified|Supported)\b|"
        r"\bgrade (it|this|the answer) as (supported|correct)|"
        r"\b(I|please) confirm (your|my|it|the) (grade|verdict)",
        re.IGNORECASE,
    ),
    "invisible characters": re.compile(
        r"(?:\w[\u200b\u2060\ufeff]){8}|[\U000e0020-\U000e007e]{4}|[\u200b\u200c\u2060]{6}"
    ),
    "text in white": re.compile(
        rf"\\(?:text)?color\{{white\}}[^\n]{{0,40}}\b({_ROLES}|AI|LLM|verdict|prompt)\b",
        re.IGNORECASE,
    ),
    "an HTML comment to a model": re.compile(
        rf"<!--[^>]{{0,200}}?\b({_ROLES}|AI|LLM|verdict|prompt)\b[^>]{{0,200}}"
    ),
}
# In every text that a pattern matches stands one of its literals, in lower case. Looking for them
# takes a thirtieth of the patterns' time.
_LITERALS = {
    "chat-template tokens": ("<|", "inst]", "sys>>", "_of_turn>"),
    "a note to whoever judges": (
        *("evaluat", "grader", "grading", "rater", "judge", "reviewer", "assistant", "whoever"),
        *("hinweis", "evaluador", "note à l", "ние ", "致评", "評価", "ملاحظة", "평가자"),
        "मूल्यांकनकर्ता",
    ),
    "instructions to be ignored": (
        *("ignore", "disregard", "forget", "system override", "system prompt", "system: "),
        *("rules given to you", "<instructions>", "<system>"),
        *("</answer>", "</context", "</question>"),
    ),
    "a verdict dictated": (
        *("verdict", "mark every", "mark all", "mark each", "mark any", "correctness "),
        *("[result]", '"relevant"', '"correct"', '"passing"', '"refusal"'),
        *(": verified", ": supported", "grade it", "grade this", "grade the answer", "confirm "),
    ),
    "invisible characters": (
        *("\u200b", "\u200c", "\u2060", "\ufeff"),
        *map(chr, range(0xE0020, 0xE007F)),
    ),
    "text in white": ("color{white}",),
    "an HTML comment to a model": ("<!--",),
}
_ENCODED = re.compile(r"[A-Za-z0-9+/]{60,}={0,2}")
_HEXADECIMAL = re.compile(r"(?>(?:[0-9A-Fa-f]{2}[ :]?){40,})")
_MOST_ENCODED = 20  # runs that are decoded of one text


def addressed(text: str) -> str:
    """Return how a text speaks to a judge, in words of ours, "" where it does not."""
    seen = visible(text)
    if kind := _plainly(text) or (seen != text and _plainly(seen)):
        return kind
    for kind, pattern, decoded in (
        ("base64", _ENCODED, _of_base64),
        ("hexadecimal", _HEXADECIMAL, _of_hexadecimal),
    ):
        runs = islice(pattern.finditer(text), _MOST_ENCODED)
        if any(_plainly(decoded(run[0])) for run in runs):
            return kind
    return ""


def _plainly(text: str) -> str:
    folded = _folded(text)
    stands = folded.__contains__
    likely = (kind for kind, literals in _LITERALS.items() if any(map(stands, literals)))
    return next((kind for kind in likely if _KINDS[kind].search(text)), "")


def _folded(text: str) -> str:
    """Return a text in lower case, where letters are one that `re.IGNORECASE` takes for one."""
    return text.replace("İ", "i").replace("ı", "i").casefold()


def _of_base64(run: str) -> str:
    try:
        return base64.b64decode(run[: len(run) // 4 * 4], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _of_hexadecimal(run: str) -> str:
    return bytes.fromhex(run.replace(":", " ")).decode(errors="replace")
