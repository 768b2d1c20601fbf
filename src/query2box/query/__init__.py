"""Questions: nodes, two languages to write them in, and their normal form."""
