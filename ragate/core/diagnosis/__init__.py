"""Why samples differ: retrieval, generation, judge, data or drift; what a whole run points to."""
