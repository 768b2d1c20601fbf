"""The server: HTTP API, SPARQL protocol, web page."""
