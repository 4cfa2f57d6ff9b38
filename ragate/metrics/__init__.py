"""Metrics: from the name, which is the identity, to where it is made.

A family of metrics is one module: what its metrics share, and a function for each, whose docstring
says formula, range, direction, version, edge cases and source. To add one, write its function and
name it here; docs/plugins.md says what it returns.
"""

METRICS = {
    # What was retrieved, against labels.
    "ndcg": "ragate.metrics.retrieval:ndcg",
    "recall": "ragate.metrics.retrieval:recall",
    "precision": "ragate.metrics.retrieval:precision",
    "all_found": "ragate.metrics.retrieval:all_found",
    "hit_rate": "ragate.metrics.retrieval:hit_rate",
    "mrr": "ragate.metrics.retrieval:mrr",
    "map": "ragate.metrics.retrieval:average_precision",
    "r_precision": "ragate.metrics.retrieval:r_precision",
    "judged": "ragate.metrics.retrieval:judged",
    "first_stage_ndcg": "ragate.metrics.retrieval:first_stage_ndcg",
    "first_stage_recall": "ragate.metrics.retrieval:first_stage_recall",
    # The ranking beside the one that the baseline holds, no labels.
    # The answer, against a reference.
    "exact_match": "ragate.metrics.reference:exact_match",
    "contains": "ragate.metrics.reference:contains",
    "token_f1": "ragate.metrics.reference:token_f1",
    "idf_f1": "ragate.metrics.reference_content:idf_f1",
    "rouge_l": "ragate.metrics.reference:rouge_l",
    "number_recall": "ragate.metrics.reference_content:number_recall",
    "reference_recall": "ragate.metrics.reference_content:reference_recall",
    "char_3gram_recall": "ragate.metrics.reference:char_3gram_recall",
    # The answer, against its contexts.
    "citation_coverage": "ragate.metrics.grounding:citation_coverage",
    "citation_support": "ragate.metrics.grounding:citation_support",
    "citation_validity": "ragate.metrics.grounding:citation_validity",
    "entity_support": "ragate.metrics.grounding:entity_support",
    "lexical_support": "ragate.metrics.grounding:lexical_support",
    "number_unit_support": "ragate.metrics.grounding:number_unit_support",
    "polarity": "ragate.metrics.grounding:polarity",
    "quote_fidelity": "ragate.metrics.grounding:quote_fidelity",
    "unsupported_numbers": "ragate.metrics.grounding:unsupported_numbers",
    "word_precision": "ragate.metrics.grounding:word_precision",
    # Whether the system refuses what it should, and only that.
    "false_refusal": "ragate.metrics.refusal:false_refusal",
    "refusal_calibration": "ragate.metrics.refusal:refusal_calibration",
    "refusal_f1": "ragate.metrics.refusal:refusal_f1",
    "refusal_recall": "ragate.metrics.refusal:refusal_recall",
    # Vectors of texts, by any embedder of ragate.
    "embedded_correctness": "ragate.metrics.embedding:embedded_correctness",
    "embedded_answer_relevance": "ragate.metrics.embedding:embedded_answer_relevance",
    "embedded_token_f1": "ragate.metrics.embedding:embedded_token_f1",
    "embedded_context_relevance": "ragate.metrics.embedding:embedded_context_relevance",
    "embedded_sufficiency": "ragate.metrics.embedding:embedded_sufficiency",
    "embedded_hallucination": "ragate.metrics.embedding:embedded_hallucination",
    # The answer by itself: checks that need no label and no model: passed or not, with the reason.
    "not_empty": "ragate.metrics.checks:not_empty",
    "complete_answer": "ragate.metrics.checks:complete_answer",
    "has_contexts": "ragate.metrics.checks:has_contexts",
    "has_citations": "ragate.metrics.checks:has_citations",
    "min_retrieval_score": "ragate.metrics.checks:min_retrieval_score",
    "no_fallback": "ragate.metrics.checks:no_fallback",
    "list_structure": "ragate.metrics.checks:list_structure",
    # What a sample or a policy asks of an answer besides being right.
    "answer_keywords": "ragate.metrics.policy:answer_keywords",
    "allowed_sources": "ragate.metrics.policy:allowed_sources",
    "policy_patterns": "ragate.metrics.policy:policy_patterns",
    "source_policy": "ragate.metrics.policy:source_policy",
    # The calls of tools: against the right calls, and against the tools' schemas.
    "tool_logic": "ragate.metrics.tools:tool_logic",
    "tool_f1": "ragate.metrics.tools:tool_f1",
    "tool_order": "ragate.metrics.tools:tool_order",
    "tool_routing": "ragate.metrics.tools:tool_routing",
    "tool_syntax": "ragate.metrics.tools:tool_syntax",
    "irrelevance": "ragate.metrics.tools:irrelevance",
    "tool_entities": "ragate.metrics.tools:tool_entities",
    "tool_execution": "ragate.metrics.tools:tool_execution",
    # Whether a question that is asked in another way is answered alike.
    # What a run takes: time, tokens, dollars, failures.
    "latency_p50": "ragate.metrics.run:latency_p50",
    "latency_p95": "ragate.metrics.run:latency_p95",
    "first_token_p50": "ragate.metrics.run:first_token_p50",
    "first_token_p95": "ragate.metrics.run:first_token_p95",
    "prompt_tokens": "ragate.metrics.run:prompt_tokens",
    "completion_tokens": "ragate.metrics.run:completion_tokens",
    "cost_usd": "ragate.metrics.run:cost_usd",
    "retrieved_tokens": "ragate.metrics.run:retrieved_tokens",
    "error_rate": "ragate.metrics.run:error_rate",
    # What a judge model is asked; a `criterion.<name>` of a configuration is made there, too.
    "faithfulness": "ragate.metrics.judge:faithfulness",
    "faithfulness_binary": "ragate.metrics.judge:faithfulness_binary",
    "correctness": "ragate.metrics.judge:correctness",
    "correctness_binary": "ragate.metrics.judge:correctness_binary",
    "semantic_similarity": "ragate.metrics.judge:semantic_similarity",
    "relevancy": "ragate.metrics.judge:relevancy",
    "answer_relevancy": "ragate.metrics.judge:answer_relevancy",
    "context_relevancy": "ragate.metrics.judge:context_relevancy",
    "judged_context_relevance": "ragate.metrics.judge:judged_context_relevance",
    "judged_refusal": "ragate.metrics.judge:judged_refusal",
    "citation_precision": "ragate.metrics.judge:citation_precision",
    "citation_recall": "ragate.metrics.judge:citation_recall",
    "guideline": "ragate.metrics.judge:guideline",
    "pairwise": "ragate.metrics.judge:pairwise",
    "tool_semantics": "ragate.metrics.judge:tool_semantics",
    # What of an answer's claims is right, by the references, and where it came from.
    "claim_precision": "ragate.metrics.claims:claim_precision",
    "claim_recall": "ragate.metrics.claims:claim_recall",
    "claim_f1": "ragate.metrics.claims:claim_f1",
    "hallucination": "ragate.metrics.claims:hallucination",
    "noise_sensitivity": "ragate.metrics.claims:noise_sensitivity",
    "self_knowledge": "ragate.metrics.claims:self_knowledge",
    "context_utilisation": "ragate.metrics.claims:context_utilisation",
}
