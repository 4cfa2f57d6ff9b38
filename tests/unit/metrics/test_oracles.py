"""The metrics against second implementations: ir_measures, trec_eval, published EM and F1."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from statistics import fmean
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.protocols import Pair
from tests.unit.metrics.metric_factories import answered, asked, data_folder, metric
from tests.unit.metrics.trec import (
    Judgements,
    Rankings,
    pairs_of,
    read_beir_qrels,
    read_run,
    read_trec_qrels,
)

ORACLE = {
    **{f"hit_rate@{k}": f"Success@{k}" for k in (1, 10)},
    "mrr": "RR",
    "mrr@10": "RR@10",
    **{f"recall@{k}": f"R@{k}" for k in (5, 100)},
    **{f"precision@{k}": f"P@{k}" for k in (1, 10, 100)},
    "map": "AP",
    "map@10": "AP@10",
    **{f"ndcg@{k}": f"nDCG@{k}" for k in (1, 10, 100)},
    "r_precision": "Rprec",
    "judged@10": "Judged@10",
}
TREC_EVAL = {
    "map": "map", "map@5": "map_cut_5", "map@20": "map_cut_20", "map@100": "map_cut_100",
    "r_precision": "Rprec", "mrr": "recip_rank",
    **{f"precision@{k}": f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"recall@{k}": f"recall_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"ndcg@{k}": f"ndcg_cut_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    "ndcg@100000": "ndcg",
    **{f"hit_rate@{k}": f"success_{k}" for k in (1, 5, 10)},
}  # fmt: skip

IDS = [f"d{number}" for number in range(12)]
GRADES = st.dictionaries(st.sampled_from(IDS), st.integers(0, 4), max_size=8)


Scores = dict[str, dict[str, float]]  # by metric, then by query


def oracle_scores(judgements: Judgements, rankings: Rankings, names: Iterable[str]) -> Scores:
    """Return ir_measures' values; scores fall with rank, so that nothing is tied."""
    if sys.version_info >= (3, 14):
        pytest.skip("ir_measures reads names by ast.Num, which Python 3.14 has no more")
    run = {
        query: {doc_id: float(-rank) for rank, doc_id in enumerate(ranking)}
        for query, ranking in rankings.items()
    }
    measures = {ir_measures.parse_measure(name): name for name in set(names)}
    scores: Scores = {name: {} for name in measures.values()}
    for row in ir_measures.iter_calc(list(measures), judgements, run):
        scores[measures[row.measure]][row.query_id] = row.value
    return scores


def our_scores(pairs: list[Pair], name: str, **given: Any) -> dict[str, float]:
    scores = metric(name, **given).score_samples(pairs)
    return {
        sample.id: score.value
        for (sample, _), score in zip(pairs, scores, strict=True)
        if score.value is not None
    }


def assert_agreement(ours: dict[str, float], theirs: dict[str, float]) -> None:
    assert ours == {query: pytest.approx(theirs[query], abs=1e-6) for query in ours}


@given(
    cases=st.lists(
        st.tuples(GRADES, st.lists(st.sampled_from(IDS), unique=True, min_size=1)),
        min_size=1,
        max_size=4,
    )
)
def test_random_rankings_score_as_in_ir_measures(
    cases: list[tuple[dict[str, int], list[str]]],
) -> None:
    judgements = {f"q{place}": grades for place, (grades, _) in enumerate(cases) if grades}
    rankings = {f"q{place}": ranking for place, (_, ranking) in enumerate(cases)}
    if judgements:
        oracle = oracle_scores(judgements, rankings, ORACLE.values())
        pairs = pairs_of(judgements, rankings)
        for ours, theirs in ORACLE.items():
            assert_agreement(our_scores(pairs, ours), oracle[theirs])


@given(grades=GRADES, ranking=st.lists(st.sampled_from(IDS), unique=True, min_size=1))
def test_exponential_gain_is_linear_gain_of_exponential_grades(
    grades: dict[str, int], ranking: list[str]
) -> None:
    gains = {"q": {doc_id: 2**grade - 1 for doc_id, grade in grades.items()}}
    pairs = pairs_of({"q": grades}, {"q": ranking})
    ours = our_scores(pairs, "ndcg@5", settings={"gain": "exponential"})

    if ours:
        assert_agreement(ours, oracle_scores(gains, {"q": ranking}, ["nDCG@5"])["nDCG@5"])


@pytest.mark.parametrize("qrels", ["test.tsv", "test_graded_without_minus1.tsv"])
@pytest.mark.parametrize(
    "run", ["bm25_lucene_english_k1.2_b0.75.trec", "bm25_lucene_nostem_k0.9_b0.4.trec"]
)
def test_cranfields_runs_score_as_in_ir_measures(run: str, qrels: str) -> None:
    folder = data_folder("cranfield")
    judgements = read_beir_qrels(folder / "qrels" / qrels)
    rankings = read_run(folder / "runs" / run)
    oracle = oracle_scores(judgements, rankings, ORACLE.values())
    pairs = pairs_of(judgements, rankings)

    for ours, theirs in ORACLE.items():
        values = our_scores(pairs, ours)

        assert len(values) == len(judgements) >= 220
        assert_agreement(values, oracle[theirs])


@pytest.mark.parametrize(("ours", "theirs"), TREC_EVAL.items())
def test_trec_evals_published_output_is_reproduced(ours: str, theirs: str) -> None:
    folder = data_folder("trec_eval_test")
    lines = (folder / "out.test.a").read_text().splitlines()
    published = {name: value for name, _, value in map(str.split, lines)}
    judgements = read_trec_qrels(folder / "qrels.test")
    values = our_scores(pairs_of(judgements, read_run(folder / "results.test")), ours)

    assert f"{fmean(values.values()):.4f}" == published[theirs]


def test_exact_match_and_f1_are_the_published_ones() -> None:
    path = data_folder("openqa_eval") / "answers_nq301.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    pairs = [(asked(*row["references"]), answered(row["answer"])) for row in rows]
    exact = [score.value for score in metric("exact_match").score_samples(pairs)]
    overlap = [score.value for score in metric("token_f1").score_samples(pairs)]

    assert len(rows) == 1204
    assert exact == [row["labels"]["em"] for row in rows]
    assert overlap == pytest.approx([row["labels"]["f1"] for row in rows], abs=1e-6)
