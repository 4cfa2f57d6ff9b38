"""entailment: does a context entail each sentence of the answer, by a local model?"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragate.core.hashing import digest
from ragate.core.judging.applicability import NO_TEXTS, lacks_texts
from ragate.core.text.segmentation import words
from ragate.core.text.sentences import split_sentences
from ragate.errors import ConfigError
from ragate.files.foreign_files import read_bytes
from ragate.installed import install_line
from ragate.metrics._claims import ClaimSettings
from ragate.metrics._identity import takes
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason, sample_metric
from ragate.models import Frozen, Sample, SystemOutput
from ragate.protocols import MetricRequest

PLACES = ("model.onnx", "onnx/model.onnx")
MAX_BYTES = 4 * 1024**3
MAX_TOKENS = 512
BATCH = 16
_SPECIAL_TOKENS = 8  # room for those that begin, part and end a pair
_ASKED_FOR = frozenset({"input_ids", "attention_mask", "token_type_ids"})
REMEDY = (
    "name a folder with model.onnx (or onnx/model.onnx), tokenizer.json and config.json, as "
    "`optimum-cli export onnx --task text-classification` writes it"
)
NO_MODEL = 'entailment has no model: set model = "./folder" in [policy.metrics.entailment]'
PIECE = 1_200  # characters of a context that are read at once


def folder_files(model: str, where: str) -> tuple[Path, dict[str, Any], str]:
    """Return the model's file, its config.json, and the hash of all that can change a score.

    Raises:
        ConfigError: names the file that is missing or cannot be read.
    """
    folder = Path(model).expanduser()
    if not folder.is_dir():
        raise ConfigError(
            f"{where} = {model!r}: there is no such folder",
            remedy="the path starts where the command does",
        )
    network = next((folder / place for place in PLACES if (folder / place).is_file()), None)
    if network is None:
        raise ConfigError(f"{where} = {model!r}: no model.onnx in it", remedy=REMEDY)
    for name in ("tokenizer.json", "config.json"):
        if not (folder / name).is_file():
            raise ConfigError(f"{where} = {model!r}: no {name} in it", remedy=REMEDY)
    try:
        config = json.loads(_read(folder / "config.json"))
    except ValueError as error:
        raise ConfigError(f"{where} = {model!r}: config.json: {error}", remedy=REMEDY) from error
    if not isinstance(config, dict):
        raise ConfigError(f"{where} = {model!r}: config.json is no object", remedy=REMEDY)
    parts = [folder / "tokenizer.json", folder / "config.json", *sorted(network.parent.iterdir())]
    hashes = [
        (part.name, hashlib.sha256(_read(part)).hexdigest()) for part in parts if part.is_file()
    ]
    return network, config, digest(hashes)


def _read(path: Path) -> bytes:
    return read_bytes(path, error=ConfigError, max_bytes=MAX_BYTES)


def entailing_output(config: dict[str, Any], where: str) -> int:
    """Return which output says that the premise entails the hypothesis.

    Raises:
        ConfigError: names the labels where none or several say so.
    """
    labels = config.get("id2label")
    labels = labels if isinstance(labels, dict) else {}
    if len(labels) <= 1:
        return 0
    entailing = [
        int(number)
        for number, label in labels.items()
        if "entail" in str(label).lower() and "not" not in str(label).lower()
    ]
    if len(entailing) != 1:
        raise ConfigError(
            f"{where}: none or several of its labels say entailment: "
            f"{', '.join(map(str, labels.values()))}",
            remedy="name a model for natural language inference, or rename id2label in config.json",
        )
    return entailing[0]


def longest_input(config: dict[str, Any]) -> int:
    """Return how many tokens are read at once: what the model says, no more than 512."""
    positions = config.get("max_position_embeddings")
    return positions if isinstance(positions, int) and 0 < positions < MAX_TOKENS else MAX_TOKENS


class ModelError(Exception):
    """The model gave no figures for some texts."""


class CrossEncoder:
    """The model, loaded; on one CPU thread, so that equal texts give equal figures.

    Attributes:
        most_premise: Tokens of a premise that are read at once.
        most_hypothesis: The same of a hypothesis.
    """

    def __init__(self, model: str, where: str) -> None:
        """Load it.

        Raises:
            ConfigError: the library is not installed, or the folder holds no such model.
        """
        network, config, self.fingerprint = folder_files(model, where)
        self._output = entailing_output(config, where)
        longest = longest_input(config)
        self.most_hypothesis = longest // 3
        self.most_premise = longest - self.most_hypothesis - _SPECIAL_TOKENS
        self._session, self._tokenizer = _loaded(network, Path(model).expanduser(), where)
        self._tokenizer.enable_truncation(longest, strategy="longest_first")
        self._tokenizer.enable_padding()
        self._inputs = [each.name for each in self._session.get_inputs()]
        if not _ASKED_FOR.issuperset(self._inputs):
            raise ConfigError(
                f"{where} = {model!r}: its inputs are {', '.join(self._inputs)}", remedy=REMEDY
            )

    def entails(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return a probability for each (premise, hypothesis), to three decimals.

        Raises:
            ModelError: there are none.
        """
        try:
            return [
                probability
                for start in range(0, len(pairs), BATCH)
                for probability in self._batch(pairs[start : start + BATCH])
            ]
        except Exception as error:  # both libraries raise types of their own
            raise ModelError(" ".join(str(error).split())[:200]) from error

    def parts(self, text: str, most: int) -> list[str]:
        """Return a text in parts of at most so many tokens, cut between words where there are any.

        Raises:
            ModelError: the tokenizer cannot read it.
        """
        text = text.encode(errors="replace").decode()  # half of a surrogate pair
        try:
            length = len(self._tokenizer.encode(text, add_special_tokens=False).ids)
        except Exception as error:
            raise ModelError(" ".join(str(error).split())[:200]) from error
        if length <= most or len(text) < 2:
            return [text]
        middle = len(text) // 2
        space = text.rfind(" ", 1, middle)
        cut = space if space > 0 else middle
        halves = (text[:cut].strip(), text[cut:].strip())
        return [part for half in halves if half for part in self.parts(half, most)]

    def _batch(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(pairs))
        given = {
            "input_ids": [one.ids for one in encoded],
            "attention_mask": [one.attention_mask for one in encoded],
            "token_type_ids": [one.type_ids for one in encoded],
        }
        feed = {name: np.array(given[name], dtype=np.int64) for name in self._inputs}
        logits = np.asarray(self._session.run(None, feed)[0], dtype=np.float64)
        logits = logits.reshape(len(pairs), -1)
        if logits.shape[1] == 1:
            chances = 1 / (1 + np.exp(-logits[:, 0]))
        else:
            scaled = np.exp(logits - logits.max(axis=1, keepdims=True))
            chances = (scaled / scaled.sum(axis=1, keepdims=True))[:, self._output]
        return [round(float(chance), 3) for chance in chances]


def _loaded(network: Path, folder: Path, where: str) -> tuple[Any, Any]:
    """Return the session and the tokenizer."""
    try:
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise ConfigError(
            f"{where} needs a library: {error}", remedy=install_line("onnx")
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            str(network), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # both libraries raise types of their own
        why = " ".join(str(error).split())[:300]
        raise ConfigError(
            f"{where} = {str(folder)!r} cannot be loaded: {why}", remedy=REMEDY
        ) from error
    return session, tokenizer


class EntailmentSettings(Frozen):
    """Keys of entailment.

    Attributes:
        model: Folder of a cross-encoder in ONNX, from where the command starts: model.onnx,
            tokenizer.json, config.json; must be set.
    """

    model: str = ""


class _Identity(EntailmentSettings):
    """What else can change a score: the model's files."""

    files: str


@takes(EntailmentSettings)
def entailment(request: MetricRequest, settings: EntailmentSettings) -> SampleMetric:
    """Return entailment: the mean chance that some context entails a sentence of the answer.

    Formula: mean over sentences s of the answer of max over pieces p of the contexts of
    P(p entails s), by the model; a piece is up to 1,200 characters of whole sentences, and what has
    more tokens than the model reads at once is cut into parts that count as sentences and pieces.
    Range [0, 1], a fraction, higher is better. Version 3.
    Edge cases: the model fails on a text: unscored; nothing retrieved, or no words in the answer:
    0; no model is named: unscored, and an error where the policy names the metric; chunks without
    texts: unscored; unanswerable: not applicable. The model's files are part of the metric's
    identity.
    Source: Honovich et al., TRUE, NAACL 2022; Laban et al., SummaC, TACL 2022 (the maximum).
    """
    if not settings.model:
        nameless = sample_metric(
            request, lambda _sample, _output: NO_MODEL, version=3, settings=settings
        )
        return replace(nameless, unusable=NO_MODEL)
    encoder = CrossEncoder(settings.model, f'[policy.metrics."{request.name}"] model')
    identity = _Identity(model=settings.model, files=encoder.fingerprint)
    return sample_metric(request, _formula(encoder), version=3, settings=identity)


def _formula(encoder: CrossEncoder) -> Callable[[Sample, SystemOutput], ValueOrReason]:
    @lru_cache(maxsize=1_024)  # passages come back in other samples, and in every pass
    def premises_of(text: str) -> tuple[str, ...]:
        return tuple(
            part for piece in pieces(text) for part in encoder.parts(piece, encoder.most_premise)
        )

    @lru_cache(maxsize=10_000)  # passes of a system that repeats ask for the same
    def best(sentence: str, premises: tuple[str, ...]) -> float:
        return max(encoder.entails([(premise, sentence) for premise in premises]))

    def entailed(_sample: Sample, output: SystemOutput) -> ValueOrReason:
        if lacks_texts(output):
            return NO_TEXTS
        try:
            premises = tuple(part for chunk in output.chunks for part in premises_of(chunk.text))
            claims = [
                part
                for sentence in ClaimSettings().bare(output)
                if words(sentence)
                for part in encoder.parts(sentence, encoder.most_hypothesis)
            ]
            chances = [best(claim, premises) for claim in claims if premises]
        except ModelError as error:
            return f"the model of entailment failed: {error}"
        return sum(chances) / max(1, len(chances))

    return entailed


def pieces(text: str) -> list[str]:
    """Return a text in pieces of whole sentences; a longer sentence is one by itself."""
    joined: list[str] = []
    for sentence in split_sentences(text):
        if joined and len(joined[-1]) + len(sentence) < PIECE:
            joined[-1] += f" {sentence}"
        else:
            joined.append(sentence)
    return joined
