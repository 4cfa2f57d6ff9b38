"""entailment, with a model of a few bytes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ragate.contrib.entailment.metric import PIECE, CrossEncoder, longest_input, pieces
from ragate.errors import ConfigError
from ragate.models import ScoreState
from tests.contrib.entailment.tiny_cross_encoder import write_cross_encoder
from tests.unit.metrics.metric_factories import answered, asked, make, score, value

MOON = "The moon is far."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_cross_encoder(tmp_path_factory.mktemp("model")))


def test_the_mean_chance_that_a_context_entails_a_sentence(model: str) -> None:
    output = answered("The moon is far. Cheese is near [1].", "It is cheese.", MOON)

    assert value("entailment", asked(), output, settings={"model": model}) == pytest.approx(
        (0.987 + 0.003) / 2, abs=0.002
    )


def test_without_contexts_or_words_nothing_is_entailed(model: str) -> None:
    settings = {"model": model}

    assert value("entailment", asked(), answered("The moon."), settings=settings) == 0.0
    assert value("entailment", asked(), answered("?!", MOON), settings=settings) == 0.0
    no_texts = score("entailment", asked(), answered("The moon.", " "), settings=settings)
    assert no_texts.state is ScoreState.UNSCORED


def test_another_model_in_the_same_folder_is_another_metric(tmp_path: Path) -> None:
    write_cross_encoder(tmp_path)
    before = make("entailment", settings={"model": str(tmp_path)}).info.fingerprint
    write_cross_encoder(tmp_path, labels={"0": "no", "1": "yes, entailed"})
    after = make("entailment", settings={"model": str(tmp_path)}).info.fingerprint

    assert before != after


def test_without_a_model_it_is_unscored_and_says_what_to_set() -> None:
    result = score("entailment", asked(), answered("The moon.", MOON))

    assert result.state is ScoreState.UNSCORED
    assert 'set model = "./folder"' in result.reason
    assert make("entailment").unusable == result.reason


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_folder_that_lacks_a_file_is_an_error_that_names_it(tmp_path: Path, missing: str) -> None:
    (write_cross_encoder(tmp_path) / missing).unlink()

    with pytest.raises(ConfigError, match=f"no {missing} in it"):
        make("entailment", settings={"model": str(tmp_path)})


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_file_that_is_no_model_is_an_error_that_names_the_folder(
    tmp_path: Path, broken: str
) -> None:
    (write_cross_encoder(tmp_path) / broken).write_text("not this")

    with pytest.raises(ConfigError) as caught:
        make("entailment", settings={"model": str(tmp_path)})
    assert str(tmp_path) in str(caught.value)


def test_no_folder_is_an_error() -> None:
    with pytest.raises(ConfigError, match="there is no such folder"):
        make("entailment", settings={"model": "./no/such"})


def test_a_model_without_a_label_for_entailment_is_an_error(tmp_path: Path) -> None:
    write_cross_encoder(tmp_path, labels={"0": "toxic", "1": "fine"})

    with pytest.raises(ConfigError, match="toxic, fine"):
        make("entailment", settings={"model": str(tmp_path)})


def test_without_the_library_the_error_names_the_extra(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)

    with pytest.raises(ConfigError) as caught:
        make("entailment", settings={"model": model})
    assert "[onnx]" in (caught.value.remedy or "")


def test_long_contexts_are_read_in_pieces_of_whole_sentences() -> None:
    sentence = "The moon is far from here and cheese is near."
    cut = pieces(" ".join([sentence] * 100))

    assert all(len(piece) <= PIECE for piece in cut)
    assert " ".join(cut) == " ".join([sentence] * 100)


def test_a_long_sentence_is_read_to_its_end_in_parts_that_count_as_sentences(model: str) -> None:
    output = answered(f"{'near ' * 600}moon.", MOON)

    found = value("entailment", asked(), output, settings={"model": model})

    assert found == pytest.approx((0.987 + 3 * 0.003) / 4, abs=0.002)


def test_a_long_sentence_of_a_context_is_read_to_its_end(model: str) -> None:
    output = answered("The moon.", f"{'near' * 10} {'near ' * 900}moon.")

    found = value("entailment", asked(), output, settings={"model": model})

    assert found == pytest.approx(0.987, abs=0.002)


def test_a_model_that_reads_less_at_once_says_so_in_its_configuration() -> None:
    assert longest_input({"max_position_embeddings": 128}) == 128
    assert longest_input({"max_position_embeddings": 8_192}) == longest_input({}) == 512


def test_half_of_a_surrogate_pair_and_text_without_spaces_are_read(model: str) -> None:
    for text in ("\ud800 moon.", "moon" * 5_000, "東京は" * 2_000):
        output = answered(text, text, MOON)
        assert value("entailment", asked(), output, settings={"model": model}) >= 0


def test_a_sample_that_the_model_fails_on_is_unscored_and_the_others_count(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = CrossEncoder._batch

    def fails(self: CrossEncoder, pairs: Sequence[tuple[str, str]]) -> list[float]:
        if any("cheese" in claim for _, claim in pairs):
            raise RuntimeError("out of\nmemory")
        return read(self, pairs)

    monkeypatch.setattr(CrossEncoder, "_batch", fails)
    metric = make("entailment", settings={"model": model})

    pairs = [(asked(), answered(answer, MOON)) for answer in ("The cheese.", "The moon.")]
    failed, measured = metric.score_samples(pairs)

    assert failed.state is ScoreState.UNSCORED
    assert failed.reason == "the model of entailment failed: out of memory"
    assert measured.value == pytest.approx(0.987, abs=0.002)
