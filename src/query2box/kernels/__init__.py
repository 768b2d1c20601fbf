"""The few hot loops. They see arrays, never a graph or a query."""
