"""What the embedding metrics share: their embedder, scores once vectors are there, and cosines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ragate import plugins
from ragate.errors import ConfigError, NotInstalledError
from ragate.metrics._identity import metric_info, no_cut_off
from ragate.metrics._sample_metric import Exclusion, Formula, SampleMetric, ValueOrReason
from ragate.models import Direction, Frozen, Needs, Reads, Sample, Score, SystemOutput
from ragate.protocols import Embedder, MetricRequest
from ragate.settings import nearest, shown
from ragate.version import MANUAL

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


Vectors = Mapping[str, "npt.NDArray[np.float64]"]
"""The vector of each text that was asked for, by the text."""
EmbeddedFormula = Callable[[Sample, SystemOutput, Vectors], ValueOrReason]
NOT_EMBEDDED = "its texts were not embedded"
SLACK = 1e-9


class EmbeddingSettings(Frozen):
    """Keys of every embedding metric.

    Attributes:
        embedder: Table of an embedder; empty: that of ``[policy.embedder]``.
    """

    embedder: dict[str, Any] = {}


class _Identity(Frozen):
    """All that can change a score: the metric's keys, and who makes the vectors."""

    keys: dict[str, Any]
    embedder: str


@dataclass(frozen=True, kw_only=True)
class EmbeddedMetric(SampleMetric):
    """Implements `ragate.protocols.EmbeddingMetric`: unscored where vectors have to tell.

    Attributes:
        wanted: From sample and output to the texts whose vectors are read.
        embedded: From sample, output and vectors to a value, or the reason why there is none.
    """

    formula: Formula = lambda _sample, _output: NOT_EMBEDDED
    embedder: Embedder
    wanted: Callable[[Sample, SystemOutput], Sequence[str]]
    embedded: EmbeddedFormula

    def texts(self, sample: Sample, output: SystemOutput) -> Sequence[str]:
        """Return the texts to embed, none where the score is settled without."""
        waits = self._score(sample, output).reason == NOT_EMBEDDED
        return self.wanted(sample, output) if waits else ()

    def score(self, sample: Sample, output: SystemOutput, vectors: Vectors) -> Score:
        """Return the score, given the vectors of `texts`."""
        told = replace(self, formula=lambda one, of: self.embedded(one, of, vectors))
        return told._score(sample, output)


def embedded_metric(
    request: MetricRequest,
    settings: EmbeddingSettings,
    *,
    reads: Reads,
    exclude: Exclusion,
    wanted: Callable[[Sample, SystemOutput], Sequence[str]],
    formula: EmbeddedFormula,
    direction: Direction = Direction.HIGHER,
    state: dict[str, float] | None = None,
) -> EmbeddedMetric:
    """Return a metric whose formula gets the vectors of the texts that it wants.

    Raises:
        ConfigError: the name has a cut-off, or the embedder's table is wrong.
    """
    no_cut_off(request)
    where = f'[policy.metrics."{request.name}"]'
    keys = settings.model_dump(mode="json", exclude={"embedder"})
    maker, lacks = "", _lacks(request.name, settings)
    try:
        maker = embedder_identity(settings.embedder, where)
    except NotInstalledError as error:  # a configuration can be read where nothing is measured
        lacks = f"{error.message}: {error.remedy}"
    identity = _Identity(keys=keys, embedder=maker)
    info = metric_info(
        request, version=1, reads=reads, direction=direction, settings=identity
    ).amended(needs=Needs.EMBEDDINGS)
    return EmbeddedMetric(
        info=info,
        embedder=_Nobody() if lacks else request.clients.embedder(settings.embedder),
        wanted=wanted,
        embedded=formula,
        exclude=exclude,
        state=state or {},
        unusable=lacks,
    )


def _lacks(name: str, settings: EmbeddingSettings) -> str:
    """Return why a policy cannot name the metric, "" where it has an embedder."""
    if settings.embedder:
        return ""
    return f'{name} has no embedder: name one in [policy.embedder], such as use = "onnx"'


class _Nobody:
    """Stands for the embedder of a metric that has none, and is therefore not measured."""

    fingerprint = ""
    deterministic = False
    portion = 1

    async def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        raise ValueError(f"no embedder is named for {len(texts)} texts")


def embedder_identity(table: Mapping[str, Any], where: str) -> str:
    """Return what tells the vectors of one embedder from another's, "" for an empty table.

    Args:
        where: The metric's table, for the message.

    Raises:
        ConfigError: the table names no embedder of ragate, or a key of it is wrong.
    """
    if not table:
        return ""
    use = table.get("use")
    names = plugins.names("embedders")
    if use not in names:
        named = "use is missing" if use is None else f"use = {shown(use)}: no embedder of ragate"
        raise ConfigError(
            f"{where} embedder: {named}{nearest(str(use or ''), names)}",
            remedy=f"{MANUAL}/retrieval.md has all embedders",
        )
    keys = {key: value for key, value in table.items() if key != "use"}
    try:
        return plugins.embedder(use, keys, lambda _provider: None).fingerprint
    except ConfigError as error:  # an embedder does not know whose it is
        message = error.message.replace("[system.embedder]", f"{where} embedder")
        raise type(error)(message, remedy=error.remedy) from error


def cosines(left: Sequence[str], right: Sequence[str], vectors: Vectors) -> npt.NDArray[np.float64]:
    """Return an array (left, right) in [0, 1]; a vector of zeros is near to nothing."""
    import numpy as np

    if not left or not right:
        return np.zeros((len(left), len(right)))
    rows, columns = (_unit(np.stack([vectors[text] for text in side])) for side in (left, right))
    # Rounded, since a product may end in other bits where the same rows stand in another order.
    near: npt.NDArray[np.float64] = np.clip(np.round(rows @ columns.T, 9), 0.0, 1.0)
    return near


def _unit(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units: npt.NDArray[np.float64] = np.divide(
        rows, lengths, out=np.zeros_like(rows), where=lengths > 0
    )
    return units
