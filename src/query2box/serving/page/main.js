// The page: a question on the left, its answers on the right, or what the graph is.
import { get, setToken } from "./api.js";
import { AskView } from "./ask.js";
import { AboutGraph } from "./graph.js";
import { html, render, useEffect, useRef, useState } from "./html.js";
import { linkTo, readLink } from "./link.js";

function Page() {
  const [place, setPlace] = useState(readLink);
  const [served, setServed] = useState(null);
  const [problem, setProblem] = useState(null);
  const asked = useRef({}); // where "Ask" leads back to
  if (place.view === "ask") asked.current = place;

  useEffect(() => {
    const onMove = () => setPlace(readLink());
    addEventListener("popstate", onMove);
    return () => removeEventListener("popstate", onMove);
  }, []);

  useEffect(() => {
    Promise.all([get("graph"), get("relations")])
      .then(([graph, { relations }]) => {
        document.title = graph.name ? `Ask ${graph.name}` : "query2box";
        setServed({ graph, relations });
      })
      .catch(setProblem);
  }, []);

  const tab = (view, text) => html`<a
    href=${linkTo(view === "graph" ? { view } : asked.current)}
    aria-current=${place.view === view ? "page" : undefined}
  >
    ${text}
  </a>`;
  return html`<header class="top">
      <a class="brand" href="#">
        <img src="icon.svg" alt="" width="26" height="26" />
        <span>query2box</span>
        ${served?.graph.name && html`<span class="of">${served.graph.name}</span>`}
      </a>
      <nav aria-label="Page">${tab("ask", "Ask")}${tab("graph", "The graph")}</nav>
    </header>
    <main>
      ${problem?.status === 401 && html`<${Token} />`}
      ${problem && problem.status !== 401 && html`<p class="problem" role="alert">${problem.message}</p>`}
      ${!served && !problem && html`<p class="empty" role="status">Loading …</p>`}
      ${served && place.view === "graph" && html`<${AboutGraph} ...${served} />`}
      ${served &&
      html`<div hidden=${place.view !== "ask"}>
        <${AskView} relations=${served.relations} place=${place} onMove=${setPlace} />
      </div>`}
    </main>`;
}

function Token() {
  const submit = (event) => {
    event.preventDefault();
    setToken(new FormData(event.target).get("token").trim());
    location.reload();
  };
  return html`<form class="card token" onSubmit=${submit}>
    <label for="token">This server wants a token.</label>
    <input id="token" name="token" type="password" autocomplete="off" required />
    <button class="primary">Enter</button>
  </form>`;
}

const page = document.getElementById("page");
page.textContent = "";
render(html`<${Page} />`, page);
