// The question as text: what is typed, and what is wrong with it.
import { html, useId } from "./html.js";
import { corrected, lineAt } from "./words.js";

export function QuestionText({ label, value, problem, sparql = false, placeholder, onChange, onAsk }) {
  const id = useId();
  const rows = Math.min(Math.max(value.split("\n").length, sparql ? 3 : 2), 12);
  const onKeyDown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey || (!sparql && !event.shiftKey))) {
      event.preventDefault();
      onAsk();
    }
  };
  return html`<div class="text">
    <label for=${id}>${label}</label>
    <textarea
      id=${id}
      rows=${rows}
      spellcheck=${false}
      autocapitalize="off"
      placeholder=${placeholder}
      value=${value}
      aria-invalid=${problem !== null}
      aria-describedby=${problem ? `${id}-problem` : undefined}
      onInput=${(event) => onChange(event.target.value)}
      onKeyDown=${onKeyDown}
    ></textarea>
    <div id=${`${id}-problem`} aria-live="polite">
      ${problem &&
      html`<${Problem}
        error=${problem}
        text=${value}
        onCorrect=${(name) => onChange(corrected(value, problem.position, name, sparql))}
      />`}
    </div>
  </div>`;
}

function Problem({ error, text, onCorrect }) {
  const placed = error.position !== null && error.position <= Array.from(text).length;
  const [line, column] = placed ? lineAt(text, error.position) : ["", 0];
  return html`<div class="problem">
    <p>${error.message}</p>
    ${placed && html`<pre class="caret">${`${line}\n${" ".repeat(column)}^`}</pre>`}
    ${placed && error.suggestions.length > 0 &&
    html`<p class="suggestions">
      ${error.suggestions.map(
        (name) => html`<button type="button" key=${name} onClick=${() => onCorrect(name)}>
          ${name}
        </button>`,
      )}
    </p>`}
  </div>`;
}
