// The answers of a question: a list to filter, to extend and to keep.
import { post } from "./api.js";
import { save, toCsv } from "./files.js";
import { html, useEffect, useState } from "./html.js";
import { counted, percent } from "./words.js";

const PAGE = 20;
const MOST = 1000;
const KINDS = [
  [null, "All"],
  ["known", "Known"],
  ["predicted", "Predicted"],
];

export function Answers({ asked, only, onOnly, onExplain }) {
  const [reply, setReply] = useState(null);
  const [problem, setProblem] = useState(null);
  const [wanted, setWanted] = useState(PAGE);
  const [filter, setFilter] = useState("");

  useEffect(() => {
    setWanted(PAGE);
    setFilter("");
    setReply(null);
  }, [asked, only]);

  useEffect(() => {
    const controller = new AbortController();
    setProblem(null);
    const body = { query: asked.nodes, k: wanted, ...(only && { only }) };
    post("answer", body, { signal: controller.signal })
      .then(setReply)
      .catch((error) => error.name !== "AbortError" && setProblem(error));
    return () => controller.abort();
  }, [asked, only, wanted]);

  const shown = (reply?.answers ?? []).filter(({ entity, label }) =>
    `${label} ${entity}`.toLowerCase().includes(filter.toLowerCase()),
  );
  const complete = reply !== null && reply.answers.length < wanted;
  return html`<section class="answers" aria-label="Answers" aria-busy=${reply === null && !problem}>
    <div class="bar">
      <div class="choice" role="group" aria-label="Which answers">
        ${KINDS.map(
          ([kind, text]) => html`<button
            type="button"
            key=${text}
            aria-pressed=${only === kind}
            onClick=${() => onOnly(kind)}
          >
            ${text}
          </button>`,
        )}
      </div>
      <input
        type="search"
        class="filter"
        aria-label="Filter the answers"
        placeholder="Filter"
        value=${filter}
        onInput=${(event) => setFilter(event.target.value)}
      />
    </div>
    ${problem && html`<p class="problem" role="alert">${problem.message}</p>`}
    ${reply === null && !problem && html`<${Waiting} />`}
    ${reply !== null &&
    html`<div class="figures">
        <p role="status">
          ${counted(shown.length, "answer")}, the nearest first
          ${` · ${Math.max(1, Math.round(1000 * reply.seconds))} ms`}
        </p>
        <${Keep} asked=${asked} answers=${shown} />
      </div>
      ${shown.length === 0 &&
      html`<p class="empty">
        ${filter ? "None of these answers has that in its name." : "Nothing answers this."}
      </p>`}
      <ol class="list">
        ${shown.map(
          (answer) => html`<${Row} key=${answer.entity} answer=${answer} onExplain=${onExplain} />`,
        )}
      </ol>
      ${!complete && wanted < MOST &&
      html`<button
        type="button"
        class="load"
        onClick=${() => setWanted(Math.min(MOST, 2 * wanted))}
      >
        Load more
      </button>`}`}
  </section>`;
}

function Row({ answer, onExplain }) {
  const { entity, label, probability, known } = answer;
  return html`<li class=${known ? "known" : "predicted"}>
    <button type="button" title="Why?" onClick=${() => onExplain(answer)}>
      <span class="name">${label}${label !== entity && html` <small>${entity}</small>`}</span>
      <span class="kind">${known ? "known" : "predicted"}</span>
      <span class="bar-track" aria-hidden="true">
        <span class="bar-fill" style=${{ width: `${100 * probability}%` }}></span>
      </span>
      <span class="chance">${percent(probability)}</span>
    </button>
  </li>`;
}

function Keep({ asked, answers }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(location.href);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  const json = () => `${JSON.stringify({ question: asked.formula, answers }, null, 2)}\n`;
  return html`<div class="keep">
    <button type="button" class="quiet" onClick=${copy}>${copied ? "Copied" : "Copy link"}</button>
    <button type="button" class="quiet" onClick=${() => save("answers.csv", "text/csv", toCsv(answers))}>
      CSV
    </button>
    <button type="button" class="quiet" onClick=${() => save("answers.json", "application/json", json())}>
      JSON
    </button>
  </div>`;
}

const Waiting = () => html`<ol class="list waiting" aria-hidden="true">
  ${[72, 58, 64, 40, 52].map((width) => html`<li key=${width}><span style=${{ width: `${width}%` }}></span></li>`)}
</ol>`;
