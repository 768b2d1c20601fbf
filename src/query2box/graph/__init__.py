"""Knowledge graphs: names, edges, files."""
