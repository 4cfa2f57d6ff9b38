"""Why single samples differ: retrieval, generation, judge, data or drift."""
