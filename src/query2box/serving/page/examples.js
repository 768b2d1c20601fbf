// Questions that the sampler found in the graph, to begin with.
import { get } from "./api.js";
import { html, useEffect, useState } from "./html.js";
import { counted } from "./words.js";

const TOLD = {
  "1p": "One step",
  "2p": "Two steps",
  "3p": "Three steps",
  "2i": "Both … and",
  "3i": "Three at once",
  ip: "Both … and, then a step",
  pi: "A step, and another condition",
  "2u": "Either … or",
  up: "Either … or, then a step",
};

export function Examples({ onPick }) {
  const [examples, setExamples] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    get("examples")
      .then((document) => setExamples(document.examples))
      .catch(setProblem);
  }, []);
  if (problem) return html`<p class="problem" role="alert">${problem.message}</p>`;
  if (!examples) return html`<p class="empty" role="status">Looking for examples …</p>`;
  if (!examples.length) return html`<p class="empty">The graph has no edges to ask about.</p>`;
  const structures = Object.keys(TOLD).filter((name) =>
    examples.some(({ structure }) => structure === name),
  );
  return html`<section class="examples" aria-label="Example questions">
    <h2>Questions to begin with</h2>
    <dl>
      ${structures.map(
        (name) => html`<div key=${name}>
          <dt>${TOLD[name]}</dt>
          ${examples
            .filter(({ structure }) => structure === name)
            .map(
              ({ formula, answers }) => html`<dd key=${formula}>
                <button type="button" onClick=${() => onPick(formula)}>
                  <code>${formula}</code>
                  <small>${counted(answers, "known answer")}</small>
                </button>
              </dd>`,
            )}
        </div>`,
      )}
    </dl>
  </section>`;
}
