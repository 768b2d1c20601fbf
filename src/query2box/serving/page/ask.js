// Asking: build a question, see its answers, their reasons and the boxes.
import { Answers } from "./answers.js";
import { useQuestion } from "./asking.js";
import { Boxes } from "./boxes.js";
import { Builder } from "./builder.js";
import { Examples } from "./examples.js";
import { Explanation } from "./explanation.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { remember } from "./link.js";
import { Picture } from "./picture.js";
import { missing } from "./question.js";
import { QuestionText } from "./text.js";
import { counted } from "./words.js";

export function AskView({ relations, place, onMove }) {
  const question = useQuestion();
  const [asked, setAsked] = useState(null);
  const results = useRef(null);

  const show = (forms) => {
    if (!forms) return;
    setAsked(forms);
    const next = { view: "ask", question: forms.formula, only: place.only };
    remember(next);
    onMove(next);
    results.current?.scrollIntoView({ block: "nearest" });
  };
  const ask = async () => show(await question.settle());
  const load = async (formula) => show(await question.load(formula));

  // A link, or the way back, leads to another question than the one that is shown.
  useEffect(() => {
    if (place.view !== "ask" || place.question === (asked?.formula ?? null)) return;
    if (place.question) {
      question.load(place.question).then((forms) => forms && setAsked(forms));
    } else {
      setAsked(null);
      question.clear();
    }
  }, [place.view, place.question]);

  return html`<div class="columns">
    <${Question} question=${question} relations=${relations} onAsk=${ask} />
    <div class="results" ref=${results}>
      ${asked
        ? html`<${Results} key=${asked.formula} asked=${asked} only=${place.only}
            onOnly=${(only) => {
              const next = { ...place, question: asked.formula, only };
              remember(next);
              onMove(next);
            }}
          />`
        : html`<${Examples} onPick=${load} />`}
    </div>
  </div>`;
}

function Question({ question, relations, onAsk }) {
  const { tree, forms, problem } = question;
  const lacking = tree && !forms && !question.formula && !question.sparql ? missing(tree) : null;
  const problemOf = (source) => (problem?.source === source ? problem.error : null);
  return html`<section class="card question" aria-labelledby="question">
    <h1 id="question">Which things …</h1>
    ${tree
      ? html`<${Builder} tree=${tree} relations=${relations} onChange=${question.build} />`
      : html`<p class="hint">
          This question uses something twice, so cards cannot show it. Here is its picture; edit
          it as text.
        </p>`}
    ${problemOf("tree") && html`<p class="problem" role="alert">${problemOf("tree").message}</p>`}
    ${forms && html`<${Picture} graph=${forms.graph} />`}
    <div class="actions">
      <button type="button" class="primary" disabled=${lacking !== null} onClick=${onAsk}>Ask</button>
      <button type="button" class="quiet" onClick=${question.clear}>Clear</button>
      <p class="hint" role="status">
        ${lacking}
        ${forms && [forms.structure && `structure ${forms.structure}`, forms.disjuncts > 1 && counted(forms.disjuncts, "box", "boxes")].filter(Boolean).join(" · ")}
      </p>
    </div>
    <${QuestionText}
      label="Formula"
      value=${question.formula}
      problem=${problemOf("formula")}
      placeholder="?c : borders(France, ?c)"
      onChange=${(text) => question.type("formula", text)}
      onAsk=${onAsk}
    />
    <${QuestionText}
      label="SPARQL"
      sparql=${true}
      value=${question.sparql}
      problem=${problemOf("sparql")}
      placeholder="SELECT ?c WHERE { … }"
      onChange=${(text) => question.type("sparql", text)}
      onAsk=${onAsk}
    />
  </section>`;
}

function Results({ asked, only, onOnly }) {
  const [view, setView] = useState("answers");
  const [why, setWhy] = useState(null);
  const tab = (name, text) => html`<button
    type="button"
    role="tab"
    id=${`tab-${name}`}
    aria-selected=${view === name}
    aria-controls="panel"
    onClick=${() => setView(name)}
  >
    ${text}
  </button>`;
  return html`<section class="card">
    <div class="tabs" role="tablist" aria-label="Results">
      ${tab("answers", "Answers")}${tab("boxes", "See the boxes")}
    </div>
    <div id="panel" role="tabpanel" aria-labelledby=${`tab-${view}`}>
      ${view === "answers"
        ? html`<${Answers} asked=${asked} only=${only} onOnly=${onOnly} onExplain=${setWhy} />`
        : html`<${Boxes} asked=${asked} />`}
    </div>
    ${why && html`<${Explanation} asked=${asked} answer=${why} onClose=${() => setWhy(null)} />`}
  </section>`;
}
