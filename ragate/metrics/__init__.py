"""Metrics: from the name, which is the identity, to where it is made.

A family of metrics is one module: what its metrics share, and a function for each, whose docstring
says formula, range, direction, version, edge cases and source. To add one, write its function and
name it here; docs/plugins.md says what it returns.
"""

_FAMILIES = {  # by module
    # What was retrieved, against labels.
    "retrieval": """
        ndcg recall precision all_found hit_rate mrr map r_precision judged
        first_stage_ndcg first_stage_recall
    """,
    # The answer, against a reference.
    "reference": "exact_match contains token_f1 rouge_l char_3gram_recall",
    "reference_content": "idf_f1 number_recall reference_recall",
    # The answer, against its contexts.
    "grounding": """
        citation_coverage citation_support citation_validity entity_support lexical_support
        number_unit_support polarity quote_fidelity unsupported_numbers word_precision
    """,
    # Whether the system refuses what it should, and only that.
    "refusal": "false_refusal refusal_calibration refusal_f1 refusal_recall",
    # Vectors of texts, by any embedder of ragate.
    "embedding": """
        embedded_correctness embedded_answer_relevance embedded_token_f1
        embedded_context_relevance embedded_sufficiency embedded_hallucination
    """,
    # The answer by itself: checks that need no label and no model: passed or not, with the reason.
    "checks": """
        not_empty complete_answer has_contexts has_citations min_retrieval_score no_fallback
        list_structure
    """,
    # What a sample or a policy asks of an answer besides being right.
    "policy": "answer_keywords allowed_sources policy_patterns source_policy",
    # The calls of tools: against the right calls, and against the tools' schemas.
    "tools": """
        tool_logic tool_f1 tool_order tool_routing tool_syntax irrelevance tool_entities
        tool_execution
    """,
    # What a run takes: time, tokens, dollars, failures.
    "run": """
        latency_p50 latency_p95 first_token_p50 first_token_p95 prompt_tokens completion_tokens
        cost_usd retrieved_tokens error_rate
    """,
    # What a judge model is asked; a `criterion.<name>` of a configuration is made there, too.
    "judge": """
        faithfulness faithfulness_binary correctness correctness_binary semantic_similarity
        relevancy answer_relevancy context_relevancy judged_context_relevance judged_refusal
        citation_precision citation_recall guideline pairwise tool_semantics
    """,
    # What of an answer's claims is right, by the references, and where it came from.
    "claims": """
        claim_precision claim_recall claim_f1 hallucination noise_sensitivity self_knowledge
        context_utilisation
    """,
}
METRICS = {
    name: f"ragate.metrics.{family}:{name}"
    for family, names in _FAMILIES.items()
    for name in names.split()
}
# A function of this name would hide Python's own.
METRICS["map"] = "ragate.metrics.retrieval:average_precision"
