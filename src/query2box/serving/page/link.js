// What the address says after its #: a question to be asked, or the page about the graph.

export function readLink() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const only = parameters.get("only");
  return {
    view: parameters.has("graph") ? "graph" : "ask",
    question: parameters.get("q"),
    only: only === "known" || only === "predicted" ? only : null,
  };
}

export function linkTo({ view = "ask", question = null, only = null }) {
  if (view === "graph") return "#graph";
  const parameters = new URLSearchParams();
  if (question) parameters.set("q", question);
  if (question && only) parameters.set("only", only);
  return `#${parameters}`;
}

// Remember a step of the visitor, so that "back" leads to the one before.
export function remember(place) {
  const link = linkTo(place);
  if (link !== (location.hash || "#")) history.pushState(null, "", link);
}
