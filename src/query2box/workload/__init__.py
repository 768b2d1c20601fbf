"""Where questions meet a graph: exact answers, sampled queries, query files."""
